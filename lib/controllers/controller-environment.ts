// What every controller is created with.
import type { Observable } from 'rxjs';
import { informers } from '../client/index.js';
import type { Client, Informers } from '../client/index.js';
import type { Clock, Random } from '../core/index.js';

/** The dependencies of a controller. */
export interface ControllerEnvironment {
  /** Sends the writes, with the rights of its user. */
  readonly client: Client;
  /** Informers shared with other parts of the process. Default: its own, through `client`. */
  readonly informers?: Informers;
  readonly clock: Clock;
  /** A random stream of its own, for the jitter of watch retries. */
  readonly random: Random;
  /** The most objects that are reconciled at once. Default: kube-controller-manager's. */
  readonly concurrency?: number;
  /** The time after which objects are reconciled without a change. Default: kube-controller-manager's. */
  readonly syncPeriodMs?: number;
  /**
   * Permits reconciles one at a time, for tests and debuggers: each emission permits one more; items wait in the queue
   * until then. Default: all are permitted.
   */
  readonly steps$?: Observable<unknown> | undefined;
}

/** Returns the informers of an environment: the shared ones, or its own. */
export function informersOf({ client, clock, random, informers: shared }: ControllerEnvironment): Informers {
  return shared ?? informers(client, { clock, random });
}
