// A component of the control plane that takes part in a leader election: of several schedulers, or of several processes
// with controllers, of one cluster, one runs.
import type { Observable } from 'rxjs';
import { electedPart } from '../client/index.js';
import type { Client, ResourceLock } from '../client/index.js';
import { errorText } from '../core/index.js';
import type { Clock, Part, Random } from '../core/index.js';
import type { DrainingPart } from './run-parts.js';

/** The lock and the durations of an election, as in the configuration of Kubernetes' components. */
export interface ComponentElection {
  /** Default 15 s. */
  readonly leaseDurationMs?: number;
  /** Default 10 s. */
  readonly renewDeadlineMs?: number;
  /** Default 2 s. */
  readonly retryPeriodMs?: number;
  readonly resourceNamespace: string;
  readonly resourceName: string;
  /** Default `leases`. */
  readonly resourceLock?: ResourceLock;
}

/** Options of an elected component. */
export interface ElectedComponentOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly leaderElection: ComponentElection;
  /** The prefix of its identity, such as the host name. Default `vivarium`. */
  readonly instance?: string;
  /** Stops it and releases the lease, so that others need not wait for it to expire. */
  readonly stopping$: Observable<void>;
}

/** Runs the part while it holds the lease. Throws Error if the durations of the election contradict each other. */
export function electedComponent(part: Part, options: ElectedComponentOptions): DrainingPart {
  const { client, clock, random, instance = 'vivarium', stopping$ } = options;
  const { resourceNamespace: namespace, resourceName: name, ...rules } = options.leaderElection;
  try {
    const elected = electedPart(part, {
      ...rules,
      client,
      clock,
      random: random.stream('election'),
      lease: { namespace, name },
      identity: `${instance}_${random.stream('identity').uuid()}`,
      releaseOnCancel: true,
      stop$: stopping$,
    });
    return { ...elected, drains: true };
  } catch (cause) {
    throw new Error(`couldn't create leader elector: ${errorText(cause)}`, { cause });
  }
}
