// What it costs to find a node over columns, without anything around it: pods of one kind after the other are placed
// and assumed, as a scheduler does with its metrics, among 500 and 5,000 nodes of which every one is considered. Pods
// leave again in their turn, so the cluster stays as full as it was. Others use the machine too, so
// what counts is what the fastest tenth of pods cost.
import { deepFreeze, random, stopwatch, systemClock } from '../../lib/core/index.js';
import type { Frozen } from '../../lib/core/index.js';
import type { Pod, PodSpec } from '../../lib/core/types/index.js';
import { ClusterCache } from '../../lib/scheduling/cluster/cluster-cache.js';
import { clusterColumns } from '../../lib/scheduling/fast-path/cluster-columns.js';
import { fastPlacer } from '../../lib/scheduling/fast-path/fast-placer.js';
import { CycleState } from '../../lib/scheduling/framework/cycle-state.js';
import type { Framework } from '../../lib/scheduling/framework/framework.js';
import { nodeRotation } from '../../lib/scheduling/framework/node-sampling.js';
import { isPlaced } from '../../lib/scheduling/framework/placement.js';
import type { PluginDefinition } from '../../lib/scheduling/framework/plugin-definition.js';
import { profileFilters } from '../../lib/scheduling/framework/profile-filters.js';
import { profilePlugins } from '../../lib/scheduling/framework/profile-plugins.js';
import { builtinPlugins, schedulerConfiguration } from '../../lib/scheduling/public.js';
import { podFacts } from '../../lib/scheduling/pod/pod-facts.js';
import type { PodFacts, SchedulerProfile } from '../../lib/scheduling/public.js';
import { builtinPluginFactories } from '../../lib/scheduling/plugins/default-plugins.js';
import { FrameworkMetrics } from '../../lib/scheduling/scheduler/framework-metrics.js';
import { nodeOf, podOf, toolsOf } from '../../test/support/scheduling.js';
import { report } from '../measure.js';
import type { Row } from '../measure.js';

const zoneKey = 'topology.kubernetes.io/zone';
const hostKey = 'kubernetes.io/hostname';
const green = { matchLabels: { color: 'green' } };

/** A kind of pod, and what one of them may cost at 5,000 nodes. */
interface Workload {
  readonly name: string;
  readonly goal: number;
  /** Of the pods that are there before. */
  readonly existing?: Partial<PodSpec>;
  readonly spec: Partial<PodSpec>;
  /** A Service selects the pods, so they are spread by default. */
  readonly service?: boolean;
  /** Every pod asks for an amount of its own. */
  readonly unlike?: boolean;
}

const antiAffinity = {
  podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: green, topologyKey: hostKey }] },
};
const workloads: readonly Workload[] = [
  { name: 'plain pods', goal: 40, spec: {} },
  {
    name: 'node affinity',
    goal: 40,
    spec: {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: zoneKey, operator: 'In', values: ['zone1', 'zone2'] }] }],
          },
        },
      },
    },
  },
  {
    name: 'preferred node affinity',
    goal: 60,
    spec: {
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 3, preference: { matchExpressions: [{ key: zoneKey, operator: 'In', values: ['zone1'] }] } },
          ],
        },
      },
    },
  },
  {
    name: 'pod affinity',
    goal: 100,
    spec: {
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: green, topologyKey: zoneKey }],
        },
      },
    },
  },
  { name: 'pod anti-affinity', goal: 100, spec: { affinity: antiAffinity } },
  {
    name: 'preferred pod affinity',
    goal: 100,
    spec: {
      affinity: {
        podAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 1, podAffinityTerm: { labelSelector: green, topologyKey: hostKey } },
          ],
        },
      },
    },
  },
  {
    name: 'spread, hard',
    goal: 100,
    spec: {
      topologySpreadConstraints: [
        { maxSkew: 5, topologyKey: zoneKey, whenUnsatisfiable: 'DoNotSchedule', labelSelector: green },
      ],
    },
  },
  {
    name: 'spread, soft',
    goal: 100,
    spec: {
      topologySpreadConstraints: [
        { maxSkew: 5, topologyKey: zoneKey, whenUnsatisfiable: 'ScheduleAnyway', labelSelector: green },
      ],
    },
  },
  { name: 'spread by default, of a Service', goal: 100, spec: {}, service: true },
  { name: 'plain pods among pods with anti-affinity', goal: 60, existing: { affinity: antiAffinity }, spec: {} },
  { name: 'pods of which no two are alike', goal: 3000, spec: {}, unlike: true },
];

const definitions: ReadonlyMap<string, PluginDefinition> = new Map(
  Array.from(builtinPluginFactories, ([name, create]) => [
    name,
    { name, create, points: builtinPlugins.get(name) ?? [] },
  ]),
);

if (!report('Fast placer', workloads.flatMap(measure))) console.log('\nA goal was missed: is the machine busy?');

function measure(workload: Workload): Row[] {
  const [small, large] = [500, 5000].map((nodes) => microseconds(workload, nodes));
  if (small === undefined || large === undefined) throw new Error('nothing was measured');
  return [
    { name: `${workload.name}, 500 nodes`, value: small, unit: 'µs' },
    { name: `${workload.name}, 5,000 nodes`, value: large, unit: 'µs', goal: `≤ ${workload.goal}` },
  ];
}

/** The cost of a pod without disturbance: the tenth percentile. */
function microseconds(workload: Workload, nodeCount: number): number {
  const place = prepared(workload, nodeCount);
  const took: number[] = [];
  for (const pod of place.make(workload.unlike === true ? 400 : 4000)) {
    const start = performance.now();
    place.run(pod);
    took.push((performance.now() - start) * 1000);
  }
  return took.sort((one, other) => one - other)[Math.floor(took.length / 10)] ?? NaN;
}

function prepared(
  { spec, existing = spec, service = false, unlike = false }: Workload,
  nodeCount: number,
): { make(count: number): readonly PodFacts[]; run(pod: PodFacts): void } {
  const cluster = new ClusterCache({});
  for (let index = 0; index < nodeCount; index++)
    cluster.setNode(nodeOf(`node-${index}`, { labels: { [hostKey]: `node-${index}`, [zoneKey]: `zone${index % 3}` } }));
  if (service)
    cluster.objects
      .of('Service')
      .set(deepFreeze({ metadata: { name: 's', namespace: 'ns' }, spec: { selector: green.matchLabels } }));
  const profile = defaultProfile();
  const framework: Framework = {
    profile,
    plugins: profilePlugins(profile, definitions, () => ({
      ...toolsOf(cluster),
      cluster,
      profile,
      filters: profileFilters,
    })),
  };
  const placer = fastPlacer({
    framework,
    search: { percentageOfNodesToScore: 100, rotation: nodeRotation(), random: random('ties') },
    columns: clusterColumns(cluster),
  });
  const metrics = new FrameworkMetrics(stopwatch(systemClock()), random('timings'));
  let made = 0;
  const podWith = (of: Partial<PodSpec>, color: string): Frozen<Pod> => {
    made += 1;
    const requests = { cpu: unlike ? `${100 + (made % 700)}m` : '100m', memory: '500Mi' };
    return podOf(`pod-${made}`, { labels: { color }, requests, spec: of });
  };
  const here: PodFacts[] = [];
  for (let index = 0; index < nodeCount / 5; index++) {
    const pod = podFacts(podWith(existing, existing === spec ? 'green' : 'blue'));
    cluster.assume(pod, `node-${(index * 7) % nodeCount}`);
    here.push(pod);
  }
  return {
    make: (count) => Array.from({ length: count }, () => podFacts(podWith(spec, 'green'))),
    run: (pod) => {
      const outcome = placer.place({
        pod,
        cluster,
        state: new CycleState(),
        timings: metrics.begin(profile.schedulerName),
      });
      if (!isPlaced(outcome))
        throw new Error(`no node for ${pod.name}: ${[...outcome.diagnosis.reasons.keys()].join()}`);
      cluster.assume(pod, outcome.node.name);
      here.push(pod);
      const oldest = here.shift();
      if (oldest !== undefined) cluster.removePod(oldest.object);
    },
  };
}

function defaultProfile(): SchedulerProfile {
  const profile = schedulerConfiguration().profiles.get('default-scheduler');
  if (profile === undefined) throw new Error('no default profile');
  return profile;
}
