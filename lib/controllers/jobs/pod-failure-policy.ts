// The pod failure policy of a Job: which rule a failed pod matches, and what follows from it. Rules are tried in order,
// and the first that matches decides. As pkg/controller/job/pod_failure_policy.go.
import type { Frozen } from '../../core/index.js';
import type {
  ContainerStatus,
  Pod,
  PodCondition,
  PodFailurePolicy,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyRule,
} from '../../core/types/index.js';

/** What a failed pod means to its Job. */
export interface FailureVerdict {
  /** The action of the rule that matched; undefined if none did. */
  readonly action?: string;
  /** Whether the failure counts towards the back-off limits. */
  readonly isCounted: boolean;
  /** Why the Job fails at once; undefined if it does not. */
  readonly failJobMessage?: string;
}

/** Applies a policy to a failed pod. Without a policy every failure counts. */
export function judgeFailure(policy: Frozen<PodFailurePolicy> | undefined, pod: Frozen<Pod>): FailureVerdict {
  for (const [index, rule] of (policy?.rules ?? []).entries()) {
    const match = matchOf(rule, pod);
    if (match === undefined) continue;
    const { action } = rule;
    if (action === 'FailJob')
      return { action, isCounted: true, failJobMessage: `${match} matching FailJob rule at index ${index}` };
    return { action, isCounted: action !== 'Ignore' };
  }
  return { isCounted: true };
}

/** Describes what of the pod a rule matches. */
function matchOf({ onExitCodes, onPodConditions }: Frozen<PodFailurePolicyRule>, pod: Frozen<Pod>): string | undefined {
  const { namespace = '', name = '' } = pod.metadata ?? {};
  if (onExitCodes !== undefined) {
    const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
    const container = [...containerStatuses, ...initContainerStatuses].find((each) => matchesExit(each, onExitCodes));
    return (
      container &&
      `Container ${container.name} for pod ${namespace}/${name} failed with exit code ${exitCodeOf(container)}`
    );
  }
  const condition = pod.status?.conditions?.find((each) => onPodConditions?.some((pattern) => isSame(each, pattern)));
  return condition && `Pod ${namespace}/${name} has condition ${condition.type}`;
}

/** A container that has not ended, or ended well, matches nothing. */
function matchesExit(
  container: Frozen<ContainerStatus>,
  { containerName, operator, values }: Frozen<PodFailurePolicyOnExitCodesRequirement>,
): boolean {
  const code = exitCodeOf(container);
  if (code === undefined || code === 0 || (containerName ?? container.name) !== container.name) return false;
  return values.includes(code) === (operator === 'In');
}

function exitCodeOf({ state }: Frozen<ContainerStatus>): number | undefined {
  return state?.terminated?.exitCode;
}

function isSame(
  condition: Frozen<PodCondition>,
  pattern: { readonly type: string; readonly status?: string },
): boolean {
  return condition.type === pattern.type && condition.status === pattern.status;
}
