// The nodes and pods of scheduler_perf, Kubernetes' own measure of its scheduler: shapes and figures as its templates
// have them, in our words.
import type {
  Affinity,
  Node,
  NodeSelectorTerm,
  Pod,
  PodAffinityTerm,
  PodSpec,
  TopologySpreadConstraint,
} from '../../lib/core/types/index.js';

const hostname = 'kubernetes.io/hostname';
const zone = 'topology.kubernetes.io/zone';

/** Makes the object of a number. */
export type Template<T> = (index: number) => T;

/** 4 cpus, 32 GiB, 110 pods, and a name of its own in a label; zones in turn where there are any. */
export function nodes(...zones: readonly string[]): Template<Node> {
  return (index) => nodeWith(index, { cpu: '4', memory: '32Gi', pods: '110' }, zones[index % zones.length]);
}

/** The first of them is so large that it takes all pods. */
export const oneLargeNode: Template<Node> = (index) =>
  nodeWith(
    index,
    index === 0 ? { cpu: '1000000', memory: '1000000Gi', pods: '1000000' } : { cpu: '4', memory: '32Gi', pods: '110' },
  );

/** One in five has a taint that no pod tolerates. */
export const partlyTaintedNodes: Template<Node> = (index) => ({
  ...nodes()(index),
  ...(index % 5 === 4 && { spec: { taints: [{ key: 'foo', effect: 'NoSchedule' }] } }),
});

function nodeWith(index: number, room: Record<'cpu' | 'memory' | 'pods', string>, zoneName?: string): Node {
  const name = `node-${index}`;
  return {
    metadata: { name, labels: { [hostname]: name, ...(zoneName !== undefined && { [zone]: zoneName }) } },
    status: { capacity: room, allocatable: room, conditions: [{ type: 'Ready', status: 'True' }], phase: 'Running' },
  };
}

/** The differences between kinds of pods. */
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
      containers: [
        {
          name: 'pause',
          image: 'registry.k8s.io/pause:3.10.1',
          ports: [{ containerPort: 80 }],
          resources: { requests: { cpu, memory: '500Mi' } },
        },
      ],
      ...spec,
    },
  });
}

function term(color: string, topologyKey: string): PodAffinityTerm {
  return { labelSelector: { matchLabels: { color } }, topologyKey, namespaces: ['sched-1', 'sched-0'] };
}

function colored(prefix: string, color: string, affinity: Affinity): (namespace?: string) => Template<Pod> {
  return (namespace = 'sched-1') =>
    pods({ prefix: `${prefix}-${namespace}`, namespace, labels: { color }, spec: { affinity } });
}

/** Pods with terms about nodes and other pods, by the namespace they are in. */
export const podsWith = {
  nodeAffinity: colored('node-affinity', 'none', {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: zone, operator: 'In', values: ['zone1', 'zone2'] }] }],
      },
    },
  }),
  antiAffinity: colored('anti-affinity', 'green', {
    podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term('green', hostname)] },
  }),
  affinity: colored('affinity', 'blue', {
    podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term('blue', zone)] },
  }),
  preferredAffinity: colored('preferred-affinity', 'red', {
    podAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: term('red', hostname) }],
    },
  }),
  preferredAntiAffinity: colored('preferred-anti-affinity', 'yellow', {
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: term('yellow', hostname) }],
    },
  }),
};

/** Pods of many namespaces that keep away from all of a team's, each on a host of its own. */
export function teamAntiAffinity(required: boolean): (namespaces: readonly string[]) => Template<Pod> {
  const apart: PodAffinityTerm = {
    labelSelector: { matchLabels: { color: 'green' } },
    topologyKey: hostname,
    namespaceSelector: { matchLabels: { team: 'devops' } },
  };
  const podAntiAffinity = required
    ? { requiredDuringSchedulingIgnoredDuringExecution: [apart] }
    : { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: apart }] };
  return (namespaces) => (index) =>
    pods({
      prefix: 'team',
      namespace: namespaces[index % namespaces.length] ?? '',
      labels: { color: 'green' },
      spec: { affinity: { podAntiAffinity } },
    })(index);
}

/** Pods for the node of a name, as a DaemonSet makes them. */
export function podsFor(nodeName: (index: number) => string): Template<Pod> {
  return (index) => {
    const here: NodeSelectorTerm = {
      matchFields: [{ key: 'metadata.name', operator: 'In', values: [nodeName(index)] }],
    };
    return pods({
      prefix: 'daemon',
      spec: {
        affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [here] } } },
      },
    })(index);
  };
}

/** Pods of which no host is to have more than one more than another, of the hosts that they endure. */
export const evenOverHosts: Template<Pod> = pods({
  prefix: 'even',
  labels: { foo: '' },
  spec: {
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: hostname,
        whenUnsatisfiable: 'DoNotSchedule',
        nodeTaintsPolicy: 'Honor',
        labelSelector: { matchLabels: { foo: '' } },
      },
    ],
  },
});

/** Pods that are to lie evenly over three zones. */
export function spreadPods(whenUnsatisfiable: TopologySpreadConstraint['whenUnsatisfiable']): Template<Pod> {
  const constraint: TopologySpreadConstraint = {
    maxSkew: 5,
    topologyKey: zone,
    whenUnsatisfiable,
    labelSelector: { matchLabels: { color: 'blue' } },
  };
  return pods({ prefix: 'spread', labels: { color: 'blue' }, spec: { topologySpreadConstraints: [constraint] } });
}

/** Pods that the Service of their namespace selects. */
export const servedPods: Template<Pod> = pods({ prefix: 'served', labels: { app: 'foo' } });

/** Pods that make room without delay, and pods for which they have to. */
export const lowPods: Template<Pod> = pods({ prefix: 'low', cpu: '900m', spec: { terminationGracePeriodSeconds: 0 } });
export const highPods: Template<Pod> = pods({ prefix: 'high', cpu: '3000m', spec: { priorityClassName: 'high' } });

/** Pods that fit on no node. */
export const impossiblePods: Template<Pod> = pods({
  prefix: 'impossible',
  cpu: '9',
  spec: { priorityClassName: 'high' },
});
