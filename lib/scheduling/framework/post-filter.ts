// Runs PostFilter plugins in order when no node is feasible, until one succeeds or returns
// UnschedulableAndUnresolvable. Messages of the plugins before it are joined. As pkg/scheduler/framework/runtime,
// RunPostFilterPlugins.
import { errorText, settle } from '../../core/index.js';
import type { Cycle } from './cycle-state.js';
import type { Diagnosis } from './placement.js';
import type { PostFilterResult } from './plugin.js';
import type { ProfilePlugins } from './profile-plugins.js';
import { statusOfPostFilter } from './timed-plugin.js';
import type { PointStatus } from './timings.js';

/** The result of all PostFilter plugins. */
export interface PostFilterOutcome {
  /** The messages, joined by `, `; empty after a success. */
  readonly message: string;
  /** The nominated node: empty removes a nomination, absent keeps it. */
  readonly nominatedNodeName?: string;
}

/**
 * Runs the plugins, synchronously as long as they return synchronously. An error becomes part of the message: the pod
 * is rejected anyway.
 */
export function runPostFilter(
  cycle: Cycle,
  { postFilter }: ProfilePlugins,
  diagnosis: Diagnosis,
  signal: AbortSignal,
): PostFilterOutcome | Promise<PostFilterOutcome> {
  const { timings } = cycle;
  const since = timings?.now() ?? 0;
  const recordOutcome = (outcome: PostFilterOutcome, status: PointStatus): PostFilterOutcome => {
    if (postFilter.length > 0) timings?.recordPoint('PostFilter', status, since);
    return outcome;
  };
  let outcome: PostFilterOutcome = { message: '' };
  /** Returns the outcome if this result ends the round. */
  const finalOutcome = (answer: PostFilterResult): PostFilterOutcome | undefined => {
    const { done = false, rejection, nominatedNodeName } = answer;
    const status = statusOfPostFilter(answer);
    const nominated = nominatedNodeName === undefined ? {} : { nominatedNodeName };
    if (done) return recordOutcome({ message: '', ...nominated }, status);
    const reasons = rejection?.reasons ?? [];
    if (status === 'UnschedulableAndUnresolvable')
      return recordOutcome({ message: reasons.join(', '), ...nominated }, status);
    outcome = {
      ...outcome,
      ...nominated,
      message: [...(outcome.message === '' ? [] : [outcome.message]), ...reasons].join(', '),
    };
    return undefined;
  };
  const failed = (error: unknown): PostFilterOutcome => recordOutcome({ message: errorText(error) }, 'Error');
  const runFrom = (index: number): PostFilterOutcome | Promise<PostFilterOutcome> => {
    const plugin = postFilter[index];
    if (plugin === undefined) return recordOutcome(outcome, 'Unschedulable');
    return settle(
      () => plugin.postFilter(cycle, diagnosis, signal),
      (answer) => finalOutcome(answer) ?? runFrom(index + 1),
      failed,
    );
  };
  return runFrom(0);
}
