// The contract of a check of the Pod Security Standards: pure functions of a pod, with the version of the standards
// from which each applies. The checks themselves are in baseline-checks.ts and restricted-checks.ts.
// As pod-security-admission/policy/checks.go.
import type { Frozen, ObjectMeta } from '../../core/index.js';
import type { Container, PodSpec } from '../../core/types/index.js';

/** A pod, or what a workload makes pods from. */
export interface CheckedTemplate {
  readonly metadata?: Frozen<ObjectMeta>;
  readonly spec?: Frozen<PodSpec>;
}

/** A pod as checks see it. */
export interface CheckedPod {
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: Frozen<PodSpec>;
  /** Init containers, containers and ephemeral containers, in this order. */
  readonly containers: readonly CheckedContainer[];
}

/** What checks read of a container, which ephemeral ones have too. */
export type CheckedContainer = Frozen<
  Pick<
    Container,
    'name' | 'ports' | 'securityContext' | 'livenessProbe' | 'readinessProbe' | 'startupProbe' | 'lifecycle'
  >
>;

/** Why a pod is not allowed. */
export interface CheckViolation {
  /** What is wrong, in short; alone in warnings about the existing pods of a namespace. */
  readonly reason: string;
  /** Which parts of the pod are wrong; in parentheses after the reason. */
  readonly detail: string;
}

/** Returns what is wrong with a pod, if anything. */
export type CheckFunction = (pod: CheckedPod) => CheckViolation | undefined;

/** A check. */
export interface PodCheck {
  readonly id: string;
  readonly level: 'baseline' | 'restricted';
  /** What applies from which minor version on, oldest first; before the first, the check does not apply. */
  readonly versions: readonly CheckVersion[];
  /** The checks of `baseline` that are left out where this one applies. */
  readonly replaces?: readonly string[];
}

/** A check as it is since a version. */
export interface CheckVersion {
  readonly sinceMinor: number;
  readonly check: CheckFunction;
}

/** The view of a pod that checks take. */
export function checkedPod({ metadata, spec = { containers: [] } }: CheckedTemplate): CheckedPod {
  const { initContainers = [], containers, ephemeralContainers = [] } = spec;
  const all: readonly CheckedContainer[] = containers;
  return {
    annotations: metadata?.annotations ?? {},
    spec,
    containers:
      initContainers.length === 0 && ephemeralContainers.length === 0
        ? all
        : [...initContainers, ...all, ...ephemeralContainers],
  };
}

/** The names of the containers of which something holds. */
export function containersWhere(
  { containers }: CheckedPod,
  holds: (container: CheckedContainer) => boolean,
): readonly string[] {
  return containers.filter(holds).map(({ name }) => name);
}

/** `container "a"` or `containers "a", "b"`. */
export function namedContainers(names: readonly string[]): string {
  return `${plural(names.length, 'container')} ${quotedNames(names)}`;
}

/** The places that set a field: `pod and containers "a", "b"`, or either alone. Empty for none. */
export function setters(isSetByPod: boolean, containers: readonly string[]): string {
  const named = containers.length === 0 ? [] : [namedContainers(containers)];
  return [...(isSetByPod ? ['pod'] : []), ...named].join(' and ');
}

/** The noun for a number of things. */
export function plural(count: number, singular: string, many = `${singular}s`): string {
  return count === 1 ? singular : many;
}

/** `"a", "b"`. */
export function quotedNames(texts: readonly string[]): string {
  return texts.map((text) => `"${text}"`).join(', ');
}

/** The different texts in their order. */
export function distinctSorted(texts: Iterable<string>): readonly string[] {
  return [...new Set(texts)].sort();
}

/** Windows pods need not set what only Linux has. */
export function exceptOnWindows(check: CheckFunction): CheckFunction {
  return (pod) => (pod.spec.os?.name === 'windows' ? undefined : check(pod));
}

/** Root in a user namespace is not root on the node. */
export function exceptInUserNamespace(check: CheckFunction): CheckFunction {
  return (pod) => (pod.spec.hostUsers === false ? undefined : check(pod));
}
