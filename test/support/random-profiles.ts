// Random profiles that differ in everything the fast placer depends on: weights, arguments, plugins that are missing at
// one extension point only, and a plugin of a user.
import type { SchedulingPlugin } from '../../lib/scheduling/framework/plugin.js';
import { definitionOf } from '../../lib/scheduling/framework/plugin-definition.js';
import type { PluginDefinition } from '../../lib/scheduling/framework/plugin-definition.js';
import { unschedulable } from '../../lib/scheduling/framework/rejection.js';
import { builtinPlugins, schedulerConfiguration } from '../../lib/scheduling/public.js';
import type { ProfileDocument, SchedulerProfile } from '../../lib/scheduling/public.js';
import { builtinPluginFactories } from '../../lib/scheduling/plugins/default-plugins.js';
import { hostKey, zoneKey } from './random-pods.js';
import { fc } from './properties.js';

/** A plugin of a user, which looks at what no built-in one does, and scores. */
const picky: SchedulingPlugin = {
  name: 'Picky',
  preFilter: ({ pod }) => (pod.labels.tier === undefined ? 'skip' : undefined),
  filter: ({ pod }, node) =>
    (node.name.charCodeAt(1) + (pod.labels.tier ?? '').length) % 3 === 0
      ? unschedulable('node(s) were not to my taste')
      : undefined,
  preScore: ({ pod }) => (pod.labels.app === 'c' ? 'skip' : undefined),
  score: (_, node) => node.name.charCodeAt(1) % 7,
};

/** All plugins, by name. */
export const definitions: ReadonlyMap<string, PluginDefinition> = new Map([
  ...Array.from(
    builtinPluginFactories,
    ([name, create]) => [name, { name, create, points: builtinPlugins.get(name) ?? [] }] as const,
  ),
  [picky.name, definitionOf(picky)],
]);

/** The profile of a document. */
export function profileOf(document: ProfileDocument): SchedulerProfile {
  const { profiles } = schedulerConfiguration(
    { profiles: [document] },
    { plugins: new Map([[picky.name, definitionOf(picky).points]]) },
  );
  for (const profile of profiles.values()) return profile;
  throw new Error('no profile');
}

const documents: readonly ProfileDocument[] = [
  {},
  { plugins: { multiPoint: { enabled: [{ name: 'Picky', weight: 5 }] } } },
  {
    plugins: {
      filter: {
        enabled: [
          { name: 'Picky' },
          { name: 'InterPodAffinity' },
          { name: 'PodTopologySpread' },
          { name: 'NodeResourcesFit' },
        ],
        disabled: [{ name: '*' }],
      },
      preFilter: { enabled: [{ name: 'Picky' }] },
    },
  },
  {
    plugins: { score: { disabled: [{ name: '*' }] } },
    pluginConfig: [
      {
        name: 'NodeAffinity',
        args: {
          addedAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'NotIn', values: ['hdd'] }] }],
            },
          },
        },
      },
    ],
  },
  {
    plugins: {
      multiPoint: { disabled: [{ name: 'NodeResourcesFit' }, { name: 'TaintToleration' }] },
      score: { enabled: [{ name: 'NodeAffinity', weight: 9 }] },
    },
  },
  {
    plugins: {
      preFilter: { disabled: [{ name: 'NodePorts' }] },
      score: { disabled: [{ name: 'PodTopologySpread' }, { name: 'InterPodAffinity' }] },
    },
  },
  {
    plugins: {
      filter: { disabled: [{ name: 'VolumeBinding' }, { name: 'NodeUnschedulable' }] },
      preScore: { disabled: [{ name: 'InterPodAffinity' }] },
      score: {
        enabled: [
          { name: 'DynamicResources', weight: 20 },
          { name: 'ImageLocality', weight: 7 },
        ],
      },
    },
  },
  {
    pluginConfig: [
      {
        name: 'NodeResourcesFit',
        args: {
          scoringStrategy: {
            type: 'MostAllocated',
            resources: [
              { name: 'cpu', weight: 3 },
              { name: 'example.com/gpu', weight: 2 },
            ],
          },
        },
      },
      { name: 'InterPodAffinity', args: { hardPodAffinityWeight: 20, ignorePreferredTermsOfExistingPods: true } },
      {
        name: 'PodTopologySpread',
        args: {
          defaultingType: 'List',
          defaultConstraints: [
            { maxSkew: 1, topologyKey: zoneKey, whenUnsatisfiable: 'DoNotSchedule' },
            { maxSkew: 2, topologyKey: hostKey, whenUnsatisfiable: 'ScheduleAnyway' },
          ],
        },
      },
      {
        name: 'NodeAffinity',
        args: {
          addedAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 3, preference: { matchExpressions: [{ key: 'disk', operator: 'Exists' }] } },
            ],
          },
        },
      },
      { name: 'DefaultPreemption', args: { minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 2 } },
    ],
  },
  {
    plugins: { score: { enabled: [{ name: 'NodeResourcesBalancedAllocation', weight: 6 }] } },
    pluginConfig: [
      {
        name: 'NodeResourcesFit',
        args: {
          ignoredResources: ['other.com/fpga'],
          scoringStrategy: {
            type: 'RequestedToCapacityRatio',
            resources: [
              { name: 'memory', weight: 2 },
              { name: 'cpu', weight: 1 },
              { name: 'example.com/gpu', weight: 5 },
            ],
            requestedToCapacityRatio: {
              shape: [
                { utilization: 0, score: 2 },
                { utilization: 60, score: 10 },
                { utilization: 100, score: 0 },
              ],
            },
          },
        },
      },
      {
        name: 'NodeResourcesBalancedAllocation',
        args: { resources: [{ name: 'cpu' }, { name: 'memory' }, { name: 'example.com/gpu' }] },
      },
    ],
  },
];

const profiles: readonly SchedulerProfile[] = [{}, {}, ...documents].map((document) => profileOf(document));

/** The profiles of a scheduler: one or two. */
export const anyProfiles: fc.Arbitrary<readonly SchedulerProfile[]> = fc.array(fc.constantFrom(...profiles), {
  minLength: 1,
  maxLength: 2,
});
