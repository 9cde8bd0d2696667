// No node was left: the plugins that may make one are asked in turn, until one succeeds or says that nothing helps. What
// those before it said is told together. As pkg/scheduler/framework/runtime, RunPostFilterPlugins.
import type { Cycle } from './cycle.js';
import type { Diagnosis } from './placement.js';
import { errorText } from './plugin-error.js';
import type { ProfilePlugins } from './profile-plugins.js';

/** What came of it. */
export interface PostFilterOutcome {
  /** What they said, joined by `, `; empty after a success. */
  readonly message: string;
  /** The node the pod is to wait for: empty for none any more, absent to leave it as it is. */
  readonly nominatedNodeName?: string;
}

/** Asks in turn. An error is part of the message: the pod is refused anyway. */
export function runPostFilter(cycle: Cycle, { postFilter }: ProfilePlugins, diagnosis: Diagnosis): PostFilterOutcome {
  const reasons: string[] = [];
  let nominated: { readonly nominatedNodeName?: string } = {};
  for (const plugin of postFilter) {
    try {
      const { done = false, rejection, nominatedNodeName } = plugin.postFilter(cycle, diagnosis);
      const own = nominatedNodeName === undefined ? {} : { nominatedNodeName };
      if (done) return { message: '', ...own };
      if (rejection?.code === 'UnschedulableAndUnresolvable') return { message: rejection.reasons.join(', '), ...own };
      if (nominatedNodeName !== undefined) nominated = own;
      reasons.push(...(rejection?.reasons ?? []));
    } catch (error) {
      return { message: errorText(error) };
    }
  }
  return { message: reasons.join(', '), ...nominated };
}
