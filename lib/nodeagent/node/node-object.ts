// The Node object of an agent: as it is registered, and the status that is published again and again. As
// pkg/kubelet/kubelet_node_status.go and pkg/kubelet/nodestatus/setters.go.
import { printTime } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { ContainerImage, Node, NodeCondition, NodeStatus } from '../../core/types/index.js';
import type { RuntimeImage } from '../runtime/runtime-state.js';
import type { NodeSettings } from './node-settings.js';

/** What the conditions of a node follow from. */
export interface AgentHealth {
  /** Why the node is not ready; empty if it is. */
  readonly problems: readonly string[];
  readonly hasMemoryPressure: boolean;
  readonly hasDiskPressure: boolean;
  readonly hasPidPressure: boolean;
}

/** A node without problems. */
export const healthyNode: AgentHealth = {
  problems: [],
  hasMemoryPressure: false,
  hasDiskPressure: false,
  hasPidPressure: false,
};

/** The most images that a status lists. */
const imagesMax = 50;

/** Returns the node to register. */
export function nodeObject(settings: NodeSettings, status: NodeStatus): Node {
  const { name, labels, annotations, taints } = settings;
  return {
    metadata: { name, labels: { ...labels }, annotations: { ...annotations } },
    spec: taints.length === 0 ? {} : { taints: taints.map((taint) => ({ ...taint })) },
    status,
  };
}

/** Returns the whole status of a node. `before`: the conditions that were published last, for transition times. */
export function nodeStatus(
  settings: NodeSettings,
  {
    health,
    images,
    nowMs,
  }: { readonly health: AgentHealth; readonly images: readonly RuntimeImage[]; readonly nowMs: number },
  before: readonly Frozen<NodeCondition>[] = [],
): NodeStatus {
  const { name, hostIps, capacity, allocatable, nodeInfo } = settings;
  return {
    capacity: { ...capacity },
    allocatable: { ...allocatable },
    conditions: nodeConditions(health, before, nowMs),
    addresses: [
      ...hostIps.map((address) => ({ type: 'InternalIP' as const, address })),
      { type: 'Hostname', address: name },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
    nodeInfo: { ...nodeInfo },
    ...(images.length > 0 && { images: nodeImages(images) }),
  };
}

/** Returns the images of a status: the largest first, at most 50. */
function nodeImages(images: readonly RuntimeImage[]): ContainerImage[] {
  return [...images]
    .sort((one, other) => other.sizeBytes - one.sizeBytes || (one.id < other.id ? -1 : 1))
    .slice(0, imagesMax)
    .map(({ repoDigests, repoTags, sizeBytes }) => ({ names: [...repoDigests, ...repoTags], sizeBytes }));
}

/** Returns the four conditions in the order of a kubelet, Ready last. */
export function nodeConditions(
  { problems, hasMemoryPressure, hasDiskPressure, hasPidPressure }: AgentHealth,
  before: readonly Frozen<NodeCondition>[],
  nowMs: number,
): NodeCondition[] {
  const now = printTime(nowMs);
  const condition = (type: string, isTrue: boolean, reason: string, message: string): NodeCondition => {
    const status = isTrue ? 'True' : 'False';
    const old = before.find((each) => each.type === type);
    const lastTransitionTime = old?.status === status ? (old.lastTransitionTime ?? now) : now;
    return { type, status, lastHeartbeatTime: now, lastTransitionTime, reason, message };
  };
  return [
    hasMemoryPressure
      ? condition('MemoryPressure', true, 'KubeletHasInsufficientMemory', 'kubelet has insufficient memory available')
      : condition('MemoryPressure', false, 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
    hasDiskPressure
      ? condition('DiskPressure', true, 'KubeletHasDiskPressure', 'kubelet has disk pressure')
      : condition('DiskPressure', false, 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
    hasPidPressure
      ? condition('PIDPressure', true, 'KubeletHasInsufficientPID', 'kubelet has insufficient PID available')
      : condition('PIDPressure', false, 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
    problems.length === 0
      ? condition('Ready', true, 'KubeletReady', 'kubelet is posting ready status')
      : condition('Ready', false, 'KubeletNotReady', problemText(problems)),
  ];
}

function problemText(problems: readonly string[]): string {
  return problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]`;
}
