// A scheduler that may have to share its cluster with others: one of them is elected and schedules, the others wait.
import { hostname } from 'node:os';
import { defer, filter, finalize, lastValueFrom, takeUntil } from 'rxjs';
import type { Observable } from 'rxjs';
import { leaderElection, whileLeading } from '../client/index.js';
import type { Client, Leadership } from '../client/index.js';
import { Outlet, errorText, systemClock, systemRandom } from '../core/index.js';
import type { Attempt, LeaderElectionSettings, Scheduler } from '../scheduling/index.js';

/** What a scheduler does, and who schedules. */
export type SchedulerActivity = Attempt | Leadership;

/** A scheduler that runs alone, or while it leads. */
export interface ElectedScheduler {
  /** Cold; completes when it was stopped. */
  readonly activity$: Observable<SchedulerActivity>;
  /** Stops it in good order: who waits to schedule need not wait for a lease to run out. */
  readonly stop: () => Promise<void>;
}

/** A scheduler that runs from its subscription on. */
export function loneScheduler(scheduler: Scheduler): ElectedScheduler {
  return stoppable((stop$) => scheduler.run().pipe(takeUntil(stop$)));
}

/**
 * One that runs while it holds a Lease, under a name that nobody else has. Throws where durations make no sense
 * together.
 */
export function electedScheduler(
  scheduler: Scheduler,
  client: Client,
  settings: LeaderElectionSettings,
): ElectedScheduler {
  const random = systemRandom();
  const identity = `${hostname()}_${random.uuid()}`;
  const { resourceNamespace: namespace, resourceName: name, ...durations } = settings;
  const lease = { namespace, name };
  return stoppable((stop$) => {
    const election$ = leaderElection({
      client,
      clock: systemClock(),
      random: random.stream('election'),
      lease,
      identity,
      ...durations,
      releaseOnCancel: true,
      stop$,
    });
    return whileLeading(election$, () => scheduler.run()).pipe(
      filter((activity) => !(activity.type === 'leader' && activity.identity === identity)),
    );
  });
}

/** Who schedules, in a line for people. */
export function electionLine(activity: Extract<Leadership, { readonly type: 'leader' | 'leading' }>): string {
  return activity.type === 'leader' ? `waits: ${activity.identity} schedules` : 'schedules now';
}

/** What went wrong with an election. */
export function electionTrouble(
  activity: Extract<Leadership, { readonly type: 'lost' | 'election-failed' }>,
): string | undefined {
  if (activity.type === 'election-failed')
    return `scheduler: cannot ask for the lease: ${errorText(activity.error)}; again in ${Math.ceil(activity.retryInMs / 1000)} s`;
  return activity.reason === 'stopped'
    ? undefined
    : `scheduler: ${activity.reason === 'taken' ? 'the lease is no longer held' : 'the lease could not be renewed in time'}; waits`;
}

function stoppable(run: (stop$: Observable<unknown>) => Observable<SchedulerActivity>): ElectedScheduler {
  const stop = new Outlet<void>();
  const running$ = run(stop.values$);
  const ended = new Outlet<never>();
  let isRunning = false;
  return {
    activity$: defer(() => {
      isRunning = true;
      return running$.pipe(
        finalize(() => {
          isRunning = false;
          ended.complete();
        }),
      );
    }),
    stop: async () => {
      if (!isRunning) return;
      const end = lastValueFrom(ended.values$, { defaultValue: undefined });
      stop.emit();
      await end;
    },
  };
}
