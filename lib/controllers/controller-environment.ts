// What every controller is created with.
import type { Client, Informers } from '../client/index.js';
import type { Clock, Random } from '../core/index.js';

/** What a controller works with. */
export interface ControllerEnvironment {
  /** Writes, with the rights of its user. */
  readonly client: Client;
  /** The watches that the controller shares with other parts of the process. Default: its own, through `client`. */
  readonly informers?: Informers;
  readonly clock: Clock;
  /** A stream of the controller's own: spreads retries of watches. */
  readonly random: Random;
}
