// No node was left: the plugins that may make one are asked in turn, until one succeeds or says that nothing helps.
// What those before it said is told together. As pkg/scheduler/framework/runtime, RunPostFilterPlugins.
import { errorText, settle } from '../../core/index.js';
import type { Cycle } from './cycle.js';
import type { Diagnosis } from './placement.js';
import type { PostFilterAnswer } from './plugin.js';
import type { ProfilePlugins } from './profile-plugins.js';
import { statusOfPostFilter } from './timed-plugin.js';
import type { PointStatus } from './timings.js';

/** What came of it. */
export interface PostFilterOutcome {
  /** What they said, joined by `, `; empty after a success. */
  readonly message: string;
  /** The node the pod is to wait for: empty for none any more, absent to leave it as it is. */
  readonly nominatedNodeName?: string;
}

/** Asks in turn, at once as far as plugins answer so. An error is part of the message: the pod is refused anyway. */
export function runPostFilter(
  cycle: Cycle,
  { postFilter }: ProfilePlugins,
  diagnosis: Diagnosis,
  signal: AbortSignal,
): PostFilterOutcome | Promise<PostFilterOutcome> {
  const { timings } = cycle;
  const since = timings?.now() ?? 0;
  const ended = (outcome: PostFilterOutcome, status: PointStatus): PostFilterOutcome => {
    if (postFilter.length > 0) timings?.point('PostFilter', status, since);
    return outcome;
  };
  let told: PostFilterOutcome = { message: '' };
  /** The outcome, once an answer has decided it. */
  const decided = (answer: PostFilterAnswer): PostFilterOutcome | undefined => {
    const { done = false, rejection, nominatedNodeName } = answer;
    const status = statusOfPostFilter(answer);
    const nominated = nominatedNodeName === undefined ? {} : { nominatedNodeName };
    if (done) return ended({ message: '', ...nominated }, status);
    const reasons = rejection?.reasons ?? [];
    if (status === 'UnschedulableAndUnresolvable') return ended({ message: reasons.join(', '), ...nominated }, status);
    told = { ...told, ...nominated, message: [...(told.message === '' ? [] : [told.message]), ...reasons].join(', ') };
    return undefined;
  };
  const failed = (error: unknown): PostFilterOutcome => ended({ message: errorText(error) }, 'Error');
  const askFrom = (index: number): PostFilterOutcome | Promise<PostFilterOutcome> => {
    const plugin = postFilter[index];
    if (plugin === undefined) return ended(told, 'Unschedulable');
    return settle(
      () => plugin.postFilter(cycle, diagnosis, signal),
      (answer) => decided(answer) ?? askFrom(index + 1),
      failed,
    );
  };
  return askFrom(0);
}
