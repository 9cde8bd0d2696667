// Which pods a workload loses first when it has too many: eight criteria in turn. Ages are compared by their order of
// magnitude (the logarithm to base two), and pods of the same magnitude by uid, so that a scale-down does not always
// hit the newest failure domain. As pkg/controller/controller_utils.go, ActivePodsWithRanks.
import type { Stored } from '../../client/index.js';
import { isPodActive, parseTime, podCondition } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';

/** Returns `count` of the pods, those to be deleted first. `related` are the pods that should be spread over nodes. */
export function podsToDelete(
  pods: readonly Stored<Pod>[],
  related: readonly Stored<Pod>[],
  count: number,
  nowMs: number,
): readonly Stored<Pod>[] {
  if (count >= pods.length) return pods;
  const onNode = new Map<string, number>();
  for (const pod of related) {
    const node = pod.spec?.nodeName ?? '';
    if (isPodActive(pod)) onNode.set(node, (onNode.get(node) ?? 0) + 1);
  }
  return pods
    .map((pod) => rankOf(pod, onNode.get(pod.spec?.nodeName ?? '') ?? 0, nowMs))
    .sort(compareRanks)
    .slice(0, count)
    .map(({ pod }) => pod);
}

/** The value of the annotation, which must be a canonical int32; 0 without one. */
export function deletionCost({ metadata: { annotations } }: Stored<Pod>): number {
  const text = annotations?.['controller.kubernetes.io/pod-deletion-cost'];
  if (text === undefined || !/^(0|-?[1-9][0-9]{0,9})$/.test(text)) return 0;
  const cost = Number(text);
  return (cost | 0) === cost ? cost : 0;
}

/** What a pod is judged by. */
interface Rank {
  readonly pod: Stored<Pod>;
  readonly isAssigned: boolean;
  readonly phase: number;
  readonly isReady: boolean;
  readonly cost: number;
  readonly neighbours: number;
  readonly readySince: Age;
  readonly restarts: number;
  readonly sidecarRestarts: number;
  readonly created: Age;
}

/** A time, and how long ago it was, as a power of two of nanoseconds. Without a time: -Infinity ago. */
interface Age {
  readonly atMs: number;
  readonly magnitude: number;
}

function rankOf(pod: Stored<Pod>, neighbours: number, nowMs: number): Rank {
  const { spec, status, metadata } = pod;
  const ready = podCondition(pod, 'Ready');
  const sidecars = new Set(
    spec?.initContainers?.flatMap(({ name, restartPolicy }) => (restartPolicy === 'Always' ? [name] : [])),
  );
  return {
    pod,
    isAssigned: (spec?.nodeName ?? '') !== '',
    phase: phases.get(status?.phase ?? '') ?? 0,
    isReady: ready?.status === 'True',
    cost: deletionCost(pod),
    neighbours,
    readySince: ageOf(ready?.status === 'True' ? ready.lastTransitionTime : undefined, nowMs),
    restarts: Math.max(0, ...(status?.containerStatuses ?? []).map(({ restartCount }) => restartCount)),
    sidecarRestarts: Math.max(
      0,
      ...(status?.initContainerStatuses ?? []).flatMap(({ name, restartCount }) =>
        sidecars.has(name) ? [restartCount] : [],
      ),
    ),
    created: ageOf(metadata.creationTimestamp, nowMs),
  };
}

/** Any other phase counts as Pending. */
const phases: ReadonlyMap<string, number> = new Map([
  ['Pending', 0],
  ['Unknown', 1],
  ['Running', 2],
]);

function ageOf(time: string | undefined, nowMs: number): Age {
  if (time === undefined) return { atMs: Infinity, magnitude: -Infinity };
  const atMs = parseTime(time);
  const ageMs = nowMs - atMs;
  return { atMs, magnitude: ageMs > 0 ? Math.trunc(Math.log2(ageMs * 1e6)) : -1 };
}

function compareRanks(one: Rank, other: Rank): number {
  return (
    Number(one.isAssigned) - Number(other.isAssigned) ||
    one.phase - other.phase ||
    Number(one.isReady) - Number(other.isReady) ||
    one.cost - other.cost ||
    other.neighbours - one.neighbours ||
    (one.isReady ? compareAges(one, other, 'readySince') : 0) ||
    other.restarts - one.restarts ||
    other.sidecarRestarts - one.sidecarRestarts ||
    compareAges(one, other, 'created')
  );
}

/** The younger is first. Equal times say nothing, times of one magnitude are decided by uid. */
function compareAges(one: Rank, other: Rank, age: 'readySince' | 'created'): number {
  if (one[age].atMs === other[age].atMs) return 0;
  const difference = one[age].magnitude - other[age].magnitude;
  if (difference !== 0) return difference;
  return one.pod.metadata.uid < other.pod.metadata.uid ? -1 : 1;
}
