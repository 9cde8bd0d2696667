// A part of which one instance runs at a time, although several processes have it: the one that holds a Lease.
import { filter } from 'rxjs';
import type { Activity, Part } from '../core/index.js';
import type { Leadership } from './election-step.js';
import { leaderElection } from './leader-election.js';
import type { LeaderElectionOptions } from './leader-election.js';
import { whileLeading } from './while-leading.js';

/**
 * Runs the part while it holds the lease, and emits who leads besides what the part does. Completes after `stop$` has
 * emitted and the lease is given back. Throws RangeError where the durations contradict each other.
 */
export function electedPart<A extends Activity>(part: Part<A>, options: LeaderElectionOptions): Part<A | Leadership> {
  const election$ = leaderElection(options);
  return {
    name: part.name,
    run: () =>
      whileLeading(election$, () => part.run()).pipe(
        // That this instance leads is emitted as `leading`.
        filter((activity) => !isOwnLeader(activity, options.identity)),
      ),
  };
}

function isOwnLeader(activity: Activity, identity: string): boolean {
  return activity.type === 'leader' && 'identity' in activity && activity.identity === identity;
}
