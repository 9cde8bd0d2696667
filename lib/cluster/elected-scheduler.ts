// A scheduler that shares its cluster with others: one of them is elected and schedules, the others wait.
import type { Observable } from 'rxjs';
import { electedPart } from '../client/index.js';
import type { Client } from '../client/index.js';
import { errorText } from '../core/index.js';
import type { Clock, Random } from '../core/index.js';
import type { LeaderElectionSettings, Scheduler } from '../scheduling/index.js';
import type { DrainingPart } from './run-parts.js';

/** How a scheduler stands for election. */
export interface ElectedSchedulerOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly leaderElection: LeaderElectionSettings;
  /** The beginning of its identity, such as the host's name. Default `vivarium`. */
  readonly instance?: string;
  /** Ends it: the lease is given back, so that others need not wait for it to expire. */
  readonly stopping$: Observable<void>;
}

/** Runs the scheduler while it holds the lease. Throws where the durations of the election contradict each other. */
export function electedScheduler(scheduler: Scheduler, options: ElectedSchedulerOptions): DrainingPart {
  const { client, clock, random, instance = 'vivarium', stopping$ } = options;
  const { resourceNamespace: namespace, resourceName: name, ...durations } = options.leaderElection;
  try {
    const elected = electedPart(scheduler, {
      ...durations,
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
