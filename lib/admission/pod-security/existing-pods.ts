// Warnings about the pods that a namespace already has when it gets a stricter level: one line for each set of reasons,
// with the first pod's name and the number of the others. At most 3000 pods are evaluated within one second; one pod of
// each controller comes before the others. As pod-security-admission/admission/admission.go, EvaluatePodsInNamespace.
import { controllerOf, quote, stopwatch } from '../../core/index.js';
import type { Clock, Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import { reasonsText } from './evaluation.js';
import type { PodEvaluator } from './evaluation.js';
import { printLevelVersion } from './policy.js';
import type { LevelVersion } from './policy.js';

/** How existing pods are evaluated. */
export interface ExistingPodsOptions {
  readonly namespace: string;
  /** The new level. */
  readonly enforce: LevelVersion;
  readonly evaluate: PodEvaluator;
  readonly clock: Clock;
  readonly exemptRuntimeClasses: ReadonlySet<string>;
  /** Lists the pods of the namespace. The time it takes counts. */
  readonly listPods: () => Promise<readonly Frozen<Pod>[]>;
}

/** Returns the warnings, none if no pod violates the level. Never rejects. */
export async function existingPodsWarnings(options: ExistingPodsOptions): Promise<readonly string[]> {
  const { namespace, enforce, evaluate, clock, exemptRuntimeClasses, listPods } = options;
  const elapsed = stopwatch(clock);
  const startMs = elapsed();
  let pods: readonly Frozen<Pod>[];
  try {
    pods = prioritized(await listPods(), exemptRuntimeClasses);
  } catch {
    return ['failed to list pods while checking new PodSecurity enforce level'];
  }
  const violating = new Map<string, { first: string; count: number }>();
  let checked = 0;
  for (const pod of pods.slice(0, podsMax)) {
    checked += 1;
    const reasons = reasonsText(evaluate(pod, enforce));
    if (reasons !== '') addTo(violating, reasons, pod.metadata?.name ?? '');
    if (elapsed() - startMs > timeoutMs) break;
  }
  const lines = [...violating].map(([reasons, { first, count }]) => `${first}${othersText(count - 1)}: ${reasons}`);
  return [
    ...(checked < pods.length
      ? [`new PodSecurity enforce level only checked against the first ${checked} of ${pods.length} existing pods`]
      : []),
    ...(lines.length > 0
      ? [
          `existing pods in namespace ${quote(namespace)} violate the new PodSecurity enforce level ${quote(printLevelVersion(enforce))}`,
        ]
      : []),
    ...lines.sort(),
  ];
}

const podsMax = 3000;
const timeoutMs = 1000;

/** Pods of exempt runtime classes are left out; further pods of a controller come last. */
function prioritized(pods: readonly Frozen<Pod>[], exemptRuntimeClasses: ReadonlySet<string>): readonly Frozen<Pod>[] {
  const [first, further]: [Frozen<Pod>[], Frozen<Pod>[]] = [[], []];
  const controllers = new Set<string>();
  for (const pod of pods) {
    if (exemptRuntimeClasses.has(pod.spec?.runtimeClassName ?? '')) continue;
    const uid = controllerOf(pod)?.uid;
    if (uid !== undefined && controllers.has(uid)) further.push(pod);
    else first.push(pod);
    if (uid !== undefined) controllers.add(uid);
  }
  return [...first, ...further];
}

function addTo(violating: Map<string, { first: string; count: number }>, reasons: string, name: string): void {
  const known = violating.get(reasons);
  if (known === undefined) violating.set(reasons, { first: name, count: 1 });
  else {
    known.count += 1;
    if (name < known.first) known.first = name;
  }
}

function othersText(count: number): string {
  if (count === 0) return '';
  return count === 1 ? ' (and 1 other pod)' : ` (and ${count} other pods)`;
}
