// Whether a node takes a pod that was bound to it. The scheduler decided with what it knew; the node checks again. A
// refused pod fails for good. As pkg/kubelet/lifecycle/predicate.go.
import {
  aggregateContainers,
  isExtendedResource,
  matchesRequired,
  podQosClass,
  quantityToInteger,
  quantityToMilli,
  requiredNodes,
  toleratesTaint,
} from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Node, Pod } from '../../core/types/index.js';
import type { PressureCondition } from '../eviction/thresholds.js';
import { isCriticalPod } from './critical-pods.js';
import type { PodEnding } from '../pod/pod-knowledge.js';
import { admissionAmount } from './node-settings.js';

/** Amounts by resource: thousandths for cpu, whole units otherwise. */
export type RequestAmounts = ReadonlyMap<string, number>;

/** What the pods of a node use. */
export interface NodeUsage {
  /** The sum of requests. */
  readonly requests: RequestAmounts;
  readonly pods: number;
  /** Host ports in use, as `protocol/ip/port`. */
  readonly usedHostPorts: ReadonlySet<string>;
}

/** Returns what a pod requests. */
export function requestAmounts({ spec }: Frozen<Pod>): RequestAmounts {
  const amounts = new Map<string, number>();
  for (const [name, quantity] of aggregateContainers(spec ?? {}, 'requests'))
    amounts.set(name, Number(name === 'cpu' ? quantityToMilli(quantity) : quantityToInteger(quantity)));
  for (const [name, text] of Object.entries(spec?.resources?.requests ?? {}))
    amounts.set(name, admissionAmount(name, text));
  for (const [name, text] of Object.entries(spec?.overhead ?? {}))
    amounts.set(name, (amounts.get(name) ?? 0) + admissionAmount(name, text));
  return amounts;
}

/** Returns the host ports of a pod. */
export function usedHostPorts({ spec }: Frozen<Pod>): readonly string[] {
  return (spec?.containers ?? []).flatMap(({ ports = [] }) =>
    ports
      .filter(({ hostPort }) => hostPort !== undefined && hostPort > 0)
      .map(({ protocol = 'TCP', hostIP = '0.0.0.0', hostPort = 0 }) => `${protocol}/${hostIP}/${hostPort}`),
  );
}

/** Returns why a node refuses a pod; undefined if it takes it. */
export function refusalOf(
  pod: Frozen<Pod>,
  node: {
    readonly name: string;
    readonly allocatable: Readonly<Record<string, string>>;
    readonly object: Frozen<Node> | undefined;
  },
  usage: NodeUsage,
): PodEnding | undefined {
  const requests = requestAmounts(pod);
  const capacityOf = (resource: string): number => admissionAmount(resource, node.allocatable[resource] ?? '0');
  if (usage.pods + 1 > capacityOf('pods'))
    return shortage('pods', { requested: 1, used: usage.pods, capacity: capacityOf('pods') });
  for (const [resource, requested] of requests) {
    // A device plugin that is gone must not keep its pods from coming back.
    if (requested === 0 || (isExtendedResource(resource) && node.allocatable[resource] === undefined)) continue;
    const used = usage.requests.get(resource) ?? 0;
    const capacity = capacityOf(resource);
    if (requested + used > capacity) return shortage(resource, { requested, used, capacity });
  }
  const required = requiredNodes(pod);
  const labels = node.object?.metadata?.labels;
  if (node.object !== undefined && required !== undefined && !matchesRequired(required, labels, node.name))
    return predicate('NodeAffinity', "node(s) didn't match Pod's node affinity/selector");
  if (pod.spec?.nodeName !== node.name) return predicate('NodeName', "node(s) didn't match the requested node name");
  if (usedHostPorts(pod).some((port) => usage.usedHostPorts.has(port)))
    return predicate('NodePorts', "node(s) didn't have free ports for the requested pod ports");
  const { tolerations = [] } = pod.spec;
  const taint = (node.object?.spec?.taints ?? []).find(
    (each) => each.effect === 'NoExecute' && !tolerations.some((toleration) => toleratesTaint(toleration, each)),
  );
  return taint && predicate('TaintToleration', "node(s) had taints that the pod didn't tolerate");
}

/** Returns why a node under pressure refuses a pod; undefined if it takes it. As pkg/kubelet/eviction, Admit. */
export function pressureRefusalOf(pod: Frozen<Pod>, conditions: readonly PressureCondition[]): PodEnding | undefined {
  if (conditions.length === 0 || isCriticalPod(pod)) return undefined;
  if (conditions.length === 1 && conditions[0] === 'MemoryPressure') {
    const { tolerations = [] } = pod.spec ?? {};
    const isTolerated = tolerations.some((toleration) => toleratesTaint(toleration, memoryPressure));
    if (isTolerated || podQosClass(pod.spec ?? { containers: [] }) !== 'BestEffort') return undefined;
  }
  return rejection('Evicted', `The node had condition: [${conditions.join(' ')}]. `);
}

const memoryPressure = { key: 'node.kubernetes.io/memory-pressure', effect: 'NoSchedule' } as const;

interface Shortage {
  readonly requested: number;
  readonly used: number;
  readonly capacity: number;
}

function shortage(resource: string, { requested, used, capacity }: Shortage): PodEnding {
  const what = `${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`;
  return rejection(`OutOf${resource}`, `Node didn't have enough resource: ${what}`);
}

function predicate(name: string, why: string): PodEnding {
  return rejection(name, `Predicate ${name} failed: ${why}`);
}

function rejection(reason: string, why: string): PodEnding {
  return { reason, message: `Pod was rejected: ${why}`, isRejected: true };
}
