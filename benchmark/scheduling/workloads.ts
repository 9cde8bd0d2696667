// The workloads of scheduler_perf: how many nodes, which pods are there before, which are measured, and what Kubernetes
// publishes as the least it reaches on its own machines.
import type { Node, Pod } from '../../lib/core/types/index.js';
import { highPods, impossiblePods, lowPods, nodes, pods, podsWith, spreadPods } from './templates.js';
import type { Template } from './templates.js';

/** So many of a kind. */
export interface Batch {
  readonly template: Template<Pod>;
  readonly count: number;
}

/** What is measured. */
export interface Workload {
  readonly name: string;
  readonly nodes: Template<Node>;
  readonly nodeCount: number;
  /** On their nodes before the clock starts. */
  readonly before: readonly Batch[];
  readonly measured: Batch;
  /** What goes on meanwhile. */
  readonly meanwhile?: 'impossible pods' | 'churn';
  /** Pods that find no node and wait; there before the clock starts. */
  readonly waiting?: Batch;
  /** What Kubernetes publishes, in pods per second. */
  readonly published?: number;
  /** What we want. */
  readonly goal?: number;
}

const large = 5000;
const plain = nodes();
const oneZone = nodes('zone1');
const threeZones = nodes('moon-1', 'moon-2', 'moon-3');
const initial = (count: number): Batch => ({ template: pods({ prefix: 'initial', namespace: 'sched-0' }), count });
const usual = (count: number): Batch => ({ template: pods({ prefix: 'pod' }), count });

/** Basic, at any size. */
export function basic(nodeCount = large): Workload {
  return { name: 'SchedulingBasic', nodes: plain, nodeCount, before: [initial(nodeCount / 5)], measured: usual(nodeCount * 2), published: 270, ...(nodeCount === large && { goal: 5000 }) };
}

/** Basic beside so many pods that wait for a larger node. */
export function besideWaiting(count: number): Workload {
  return { name: `SchedulingBasic beside ${count} waiting pods`, nodes: plain, nodeCount: large, before: [initial(1000)], measured: usual(10_000), waiting: { template: impossiblePods, count } };
}

/** All others. */
export const workloads: readonly Workload[] = [
  { name: 'SchedulingNodeAffinity', nodes: oneZone, nodeCount: large, before: [{ template: podsWith.nodeAffinity('sched-0'), count: 5000 }], measured: { template: podsWith.nodeAffinity(), count: 10_000 }, published: 220, goal: 3000 },
  { name: 'SchedulingPodAntiAffinity', nodes: plain, nodeCount: large, before: [{ template: podsWith.antiAffinity('sched-0'), count: 1000 }], measured: { template: podsWith.antiAffinity(), count: 2000 }, published: 60, goal: 1500 },
  { name: 'SchedulingPodAffinity', nodes: oneZone, nodeCount: large, before: [{ template: podsWith.affinity('sched-0'), count: 5000 }], measured: { template: podsWith.affinity(), count: 5000 }, published: 35, goal: 1500 },
  { name: 'SchedulingPreferredPodAffinity', nodes: plain, nodeCount: large, before: [{ template: podsWith.preferredAffinity('sched-0'), count: 5000 }], measured: { template: podsWith.preferredAffinity(), count: 5000 }, published: 90, goal: 1500 },
  { name: 'SchedulingPreferredPodAntiAffinity', nodes: plain, nodeCount: large, before: [{ template: podsWith.preferredAntiAffinity('sched-0'), count: 5000 }], measured: { template: podsWith.preferredAntiAffinity(), count: 5000 }, published: 90, goal: 1500 },
  { name: 'TopologySpreading', nodes: threeZones, nodeCount: large, before: [initial(5000)], measured: { template: spreadPods('DoNotSchedule'), count: 5000 }, published: 85, goal: 1500 },
  { name: 'PreferredTopologySpreading', nodes: threeZones, nodeCount: large, before: [initial(5000)], measured: { template: spreadPods('ScheduleAnyway'), count: 5000 }, published: 125, goal: 1500 },
  {
    name: 'MixedSchedulingBasePod',
    nodes: oneZone,
    nodeCount: large,
    before: [initial(2000), ...[podsWith.affinity, podsWith.antiAffinity, podsWith.preferredAffinity, podsWith.preferredAntiAffinity].map((kind) => ({ template: kind('sched-0'), count: 2000 }))],
    measured: usual(5000),
    published: 140,
  },
  { name: 'PreemptionBasic', nodes: plain, nodeCount: large, before: [{ template: lowPods, count: 4 * large }], measured: { template: highPods, count: large }, goal: 1000 },
  { name: 'Unschedulable', nodes: plain, nodeCount: large, before: [initial(100)], measured: usual(10_000), meanwhile: 'impossible pods', published: 170 },
  { name: 'SchedulingWithMixedChurn', nodes: plain, nodeCount: large, before: [], measured: usual(10_000), meanwhile: 'churn', published: 265 },
];
