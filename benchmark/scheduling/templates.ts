// The nodes and pods of scheduler_perf, Kubernetes' own measure of its scheduler: shapes and figures as its templates have
// them, in our words.
import type { Affinity, Node, Pod, PodAffinityTerm, PodSpec, TopologySpreadConstraint } from '../../lib/core/types/index.js';

/** Makes the object of a number. */
export type Template<T> = (index: number) => T;

/** 4 cpus, 32 GiB, 110 pods, and a name of its own in a label; zones in turn where there are any. */
export function nodes(...zones: readonly string[]): Template<Node> {
  return (index) => {
    const name = `node-${index}`;
    const zone = zones[index % zones.length];
    const room = { cpu: '4', memory: '32Gi', pods: '110' };
    return {
      metadata: { name, labels: { 'kubernetes.io/hostname': name, ...(zone !== undefined && { 'topology.kubernetes.io/zone': zone }) } },
      status: { capacity: room, allocatable: room, conditions: [{ type: 'Ready', status: 'True' }], phase: 'Running' },
    };
  };
}

/** What tells one kind of pod from another. */
export interface PodShape {
  readonly prefix: string;
  readonly namespace?: string;
  readonly labels?: Record<string, string>;
  readonly cpu?: string;
  readonly spec?: Partial<PodSpec>;
}

/** 100 thousandths of a cpu and 500 MiB, unless it says otherwise. */
export function pods({ prefix, namespace = 'sched-1', labels, cpu = '100m', spec }: PodShape): Template<Pod> {
  return (index) => ({
    metadata: { name: `${prefix}-${index}`, namespace, ...(labels && { labels }) },
    spec: {
      containers: [{ name: 'pause', image: 'registry.k8s.io/pause:3.10.1', ports: [{ containerPort: 80 }], resources: { requests: { cpu, memory: '500Mi' } } }],
      ...spec,
    },
  });
}

const hostname = 'kubernetes.io/hostname';
const zone = 'topology.kubernetes.io/zone';

function term(color: string, topologyKey: string): PodAffinityTerm {
  return { labelSelector: { matchLabels: { color } }, topologyKey, namespaces: ['sched-1', 'sched-0'] };
}

function colored(prefix: string, color: string, affinity: Affinity): (namespace?: string) => Template<Pod> {
  return (namespace = 'sched-1') => pods({ prefix: `${prefix}-${namespace}`, namespace, labels: { color }, spec: { affinity } });
}

/** Pods with terms about nodes and other pods, by the namespace they are in. */
export const podsWith = {
  nodeAffinity: colored('node-affinity', 'none', {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [{ key: zone, operator: 'In', values: ['zone1', 'zone2'] }] }] } },
  }),
  antiAffinity: colored('anti-affinity', 'green', { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term('green', hostname)] } }),
  affinity: colored('affinity', 'blue', { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term('blue', zone)] } }),
  preferredAffinity: colored('preferred-affinity', 'red', {
    podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: term('red', hostname) }] },
  }),
  preferredAntiAffinity: colored('preferred-anti-affinity', 'yellow', {
    podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: term('yellow', hostname) }] },
  }),
};

/** Pods that are to lie evenly over three zones. */
export function spreadPods(whenUnsatisfiable: TopologySpreadConstraint['whenUnsatisfiable']): Template<Pod> {
  const constraint: TopologySpreadConstraint = { maxSkew: 5, topologyKey: zone, whenUnsatisfiable, labelSelector: { matchLabels: { color: 'blue' } } };
  return pods({ prefix: 'spread', labels: { color: 'blue' }, spec: { topologySpreadConstraints: [constraint] } });
}

/** Pods that make room without delay, and pods for which they have to. */
export const lowPods: Template<Pod> = pods({ prefix: 'low', cpu: '900m', spec: { terminationGracePeriodSeconds: 0 } });
export const highPods: Template<Pod> = pods({ prefix: 'high', cpu: '3000m', spec: { priorityClassName: 'high' } });

/** Pods that fit on no node. */
export const impossiblePods: Template<Pod> = pods({ prefix: 'impossible', cpu: '9', spec: { priorityClassName: 'high' } });
