// The workloads of scheduler_perf: how many nodes, which pods are there before, which are measured, and what Kubernetes
// publishes as the least it reaches on its own machines.
import type { Node, Pod } from '../../lib/core/types/index.js';
import { withDevices } from './devices.js';
import {
  evenOverHosts,
  highPods,
  impossiblePods,
  lowPods,
  nodes,
  oneLargeNode,
  partlyTaintedNodes,
  pods,
  podsFor,
  podsWith,
  servedPods,
  spreadPods,
  teamAntiAffinity,
} from './templates.js';
import type { Template } from './templates.js';
import { withClaims } from './volumes.js';
import type { VolumeType } from './volumes.js';

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
  readonly meanwhile?: 'impossible pods' | 'high pods' | 'churn';
  /** Namespaces besides the usual ones; they have the label of a team. */
  readonly teams?: readonly string[];
  /** What kind of volume each pod has, if any. */
  readonly volumes?: VolumeType;
  /** Whether each pod has a device. */
  readonly devices?: boolean;
  /** Whether a Service selects pods. */
  readonly service?: boolean;
  /** Pods that find no node and wait; there before the clock starts. */
  readonly waiting?: Batch;
  /** What Kubernetes publishes, in pods per second. */
  readonly published?: number;
  /** What we want. */
  readonly goal?: number;
}

const plain = nodes();
const oneZone = nodes('zone1');
const threeZones = nodes('moon-1', 'moon-2', 'moon-3');
const teams = Array.from({ length: 100 }, (_, index) => `team-${index}`);
const initial = (count: number): Batch => ({ template: pods({ prefix: 'initial', namespace: 'sched-0' }), count });
const usual = (count: number): Batch => ({ template: pods({ prefix: 'pod' }), count });

/** Basic, at any size. */
export function basic(nodeCount: number): Workload {
  return {
    name: 'SchedulingBasic',
    nodes: plain,
    nodeCount,
    before: [initial(nodeCount / 5)],
    measured: usual(nodeCount * 2),
    published: 270,
    goal: 5000,
  };
}

/** Basic beside so many pods that wait for a larger node. */
export function besideWaiting(nodeCount: number, count: number): Workload {
  return {
    ...basic(nodeCount),
    name: `SchedulingBasic beside ${count} waiting pods`,
    waiting: { template: impossiblePods, count },
  };
}

/** Those that we have goals for, at any size; Kubernetes measures them at 5,000 nodes, and preemption at 1,000. */
export function workloads(nodeCount: number): readonly Workload[] {
  const kept = (template: Template<Pod>): Batch => ({ template, count: nodeCount });
  const [some, few] = [(nodeCount * 2) / 5, nodeCount / 5];
  const ofAll = [podsWith.affinity, podsWith.antiAffinity, podsWith.preferredAffinity, podsWith.preferredAntiAffinity];
  return [
    basic(nodeCount),
    {
      name: 'SchedulingNodeAffinity',
      nodes: oneZone,
      nodeCount,
      before: [kept(podsWith.nodeAffinity('sched-0'))],
      measured: { template: podsWith.nodeAffinity(), count: nodeCount * 2 },
      published: 220,
      goal: 3000,
    },
    {
      name: 'SchedulingPodAntiAffinity',
      nodes: plain,
      nodeCount,
      before: [{ template: podsWith.antiAffinity('sched-0'), count: few }],
      measured: { template: podsWith.antiAffinity(), count: some },
      published: 60,
      goal: 1500,
    },
    {
      name: 'SchedulingPodAffinity',
      nodes: oneZone,
      nodeCount,
      before: [kept(podsWith.affinity('sched-0'))],
      measured: kept(podsWith.affinity()),
      published: 35,
      goal: 1500,
    },
    {
      name: 'SchedulingPreferredPodAffinity',
      nodes: plain,
      nodeCount,
      before: [kept(podsWith.preferredAffinity('sched-0'))],
      measured: kept(podsWith.preferredAffinity()),
      published: 90,
      goal: 1500,
    },
    {
      name: 'SchedulingPreferredPodAntiAffinity',
      nodes: plain,
      nodeCount,
      before: [kept(podsWith.preferredAntiAffinity('sched-0'))],
      measured: kept(podsWith.preferredAntiAffinity()),
      published: 90,
      goal: 1500,
    },
    {
      name: 'TopologySpreading',
      nodes: threeZones,
      nodeCount,
      before: [initial(nodeCount)],
      measured: kept(spreadPods('DoNotSchedule')),
      published: 85,
      goal: 1500,
    },
    {
      name: 'PreferredTopologySpreading',
      nodes: threeZones,
      nodeCount,
      before: [initial(nodeCount)],
      measured: kept(spreadPods('ScheduleAnyway')),
      published: 125,
      goal: 1500,
    },
    {
      name: 'MixedSchedulingBasePod',
      nodes: oneZone,
      nodeCount,
      before: [initial(some), ...ofAll.map((kind) => ({ template: kind('sched-0'), count: some }))],
      measured: usual(nodeCount),
      published: 140,
    },
    {
      name: 'PreemptionBasic',
      nodes: plain,
      nodeCount,
      before: [{ template: lowPods, count: 4 * nodeCount }],
      measured: kept(highPods),
      goal: 1000,
    },
    {
      name: 'Unschedulable',
      nodes: plain,
      nodeCount,
      before: [initial(nodeCount / 50)],
      measured: usual(nodeCount * 2),
      meanwhile: 'impossible pods',
      published: 170,
    },
    {
      name: 'SchedulingWithMixedChurn',
      nodes: plain,
      nodeCount,
      before: [],
      measured: usual(nodeCount * 2),
      meanwhile: 'churn',
      published: 265,
    },
  ];
}

/** Pods with devices, ten on each node, until all are taken. Kubernetes measures them at 500 nodes. */
function withClaimedDevices(nodeCount: number): Workload {
  const batch = (prefix: string, namespace: string): Batch => ({
    template: withDevices(pods({ prefix, namespace })),
    count: 2500,
  });
  return {
    name: 'SchedulingWithResourceClaimTemplate',
    nodes: plain,
    nodeCount,
    devices: true,
    before: [batch('initial', 'sched-0')],
    measured: batch('pod', 'sched-1'),
  };
}

/** Others of scheduler_perf, where a scheduler may fall off a cliff. */
export const furtherWorkloads: readonly Workload[] = [
  {
    name: 'SchedulingPodMatchingAntiAffinity',
    nodes: plain,
    nodeCount: 5000,
    before: [{ template: podsWith.antiAffinity('sched-0'), count: 1000 }],
    measured: { template: pods({ prefix: 'pod', labels: { color: 'green' } }), count: 4000 },
    published: 540,
  },
  {
    name: 'SchedulingRequiredPodAntiAffinityWithNSSelector',
    nodes: plain,
    nodeCount: 6000,
    teams,
    before: [{ template: teamAntiAffinity(true)(teams), count: 4000 }],
    measured: { template: teamAntiAffinity(true)(['sched-1']), count: 2000 },
    published: 24,
  },
  {
    name: 'SchedulingPreferredAntiAffinityWithNSSelector',
    nodes: plain,
    nodeCount: 5000,
    teams,
    before: [{ template: teamAntiAffinity(false)(teams), count: 4000 }],
    measured: { template: teamAntiAffinity(false)(['sched-1']), count: 2000 },
    published: 55,
  },
  {
    name: 'DefaultTopologySpreading',
    nodes: threeZones,
    nodeCount: 5000,
    service: true,
    before: [initial(5000)],
    measured: { template: servedPods, count: 10_000 },
  },
  {
    name: 'SchedulingWithNodeInclusionPolicy',
    nodes: partlyTaintedNodes,
    nodeCount: 5000,
    before: [],
    measured: { template: evenOverHosts, count: 4000 },
    published: 68,
  },
  {
    name: 'SchedulingDaemonset',
    nodes: oneLargeNode,
    nodeCount: 15_000,
    before: [],
    measured: { template: podsFor(() => 'node-0'), count: 30_000 },
    published: 390,
  },
  {
    name: 'SchedulingDaemonset, a node for each',
    nodes: plain,
    nodeCount: 15_000,
    before: [],
    measured: { template: podsFor((index) => `node-${index}`), count: 15_000 },
  },
  {
    name: 'SchedulingInTreePVs',
    nodes: plain,
    nodeCount: 5000,
    volumes: 'in-tree',
    before: [{ template: withClaims(pods({ prefix: 'initial', namespace: 'sched-0' })), count: 1000 }],
    measured: { template: withClaims(pods({ prefix: 'pod' })), count: 2000 },
    published: 90,
  },
  {
    name: 'SchedulingCSIPVs',
    nodes: plain,
    nodeCount: 5000,
    volumes: 'csi',
    before: [{ template: withClaims(pods({ prefix: 'initial', namespace: 'sched-0' })), count: 5000 }],
    measured: { template: withClaims(pods({ prefix: 'pod' })), count: 5000 },
    published: 48,
  },
  { ...withClaimedDevices(500), published: 56 },
  { ...withClaimedDevices(5000), name: 'SchedulingWithResourceClaimTemplate, ten times the nodes' },
  {
    name: 'PreemptionAsync',
    nodes: plain,
    nodeCount: 5000,
    before: [{ template: lowPods, count: 20_000 }],
    measured: usual(5000),
    meanwhile: 'high pods',
    published: 160,
  },
];
