// Partitions the plugins of a profile into those that the fast path caches and those that run on every node. Only
// built-in plugins are cached, and only if the profile enables them completely: a plugin with Filter but without its
// PreFilter is not cached.
import type { Framework } from '../framework/framework.js';
import type { SchedulingPlugin } from '../framework/plugin.js';
import type { Implementing, WeightedPlugin } from '../framework/profile-plugins.js';
import { spreadDefaults } from '../plugins/pod-topology-spread/applicable-constraints.js';
import type { SpreadDefaults } from '../plugins/pod-topology-spread/applicable-constraints.js';
import { scaleToHighestReversed, scaleToHighest } from '../plugins/normalize-scores.js';
import type { PluginArguments } from '../configuration/plugin-arguments.js';
import type { PodFacts } from '../pod/pod-facts.js';
import { isScalarResource } from '../pod/resource-amounts.js';

/** A filter plugin and its index among the profile's filters. */
export interface PositionedFilter {
  readonly plugin: Implementing<'filter'>;
  readonly position: number;
}

/** A score plugin that depends on the pod and the node alone. */
export interface NodeLocalScore extends WeightedPlugin {
  /** Scales a raw score by the highest raw score. Absent if raw scores are final. */
  readonly normalize?: (score: number, highest: number) => number;
}

/** The plugins of a profile, partitioned. */
export interface FastPathProfile {
  /** Cached filters that depend on the pod and the node alone. */
  readonly localFilters: readonly PositionedFilter[];
  /** Filters that run on every node. */
  readonly uncachedFilters: readonly PositionedFilter[];
  /** Indices of the filters on other pods; undefined if the profile does not enable them or they are not cached. */
  readonly spreadPosition: number | undefined;
  readonly affinityPosition: number | undefined;
  /** PreFilters that run in every cycle. */
  readonly uncachedPreFilters: readonly Implementing<'preFilter'>[];
  /** PreFilters that run only when cached plugins have to run on a node. */
  readonly cachedPreFilters: readonly Implementing<'preFilter'>[];
  readonly localScores: readonly NodeLocalScore[];
  /** ImageLocality depends on the images of all nodes and is cached separately. */
  readonly imageScore: WeightedPlugin | undefined;
  readonly spreadWeight: number | undefined;
  readonly affinityWeight: number | undefined;
  readonly uncachedPreScores: readonly Implementing<'preScore'>[];
  readonly uncachedScores: readonly WeightedPlugin[];
  /** Names of uncached score plugins that give all nodes the same score if their PreFilter skipped. */
  readonly constantScores: readonly string[];
  readonly spreadDefaults: SpreadDefaults;
  readonly affinityArguments: PluginArguments['InterPodAffinity'];
  /** Scored extended resources, which devices may provide. */
  readonly scoredScalars: readonly string[];
}

/** Partitions the plugins of a profile. Plugins named in `foreign` are not built in and never cached. */
export function fastPathProfile(
  { plugins, profile: { args } }: Framework,
  foreign: ReadonlySet<string> = new Set(),
): FastPathProfile {
  const filters = plugins.filter.map((plugin, position) => ({ plugin, position }));
  const isBuiltin = ({ name }: { readonly name: string }, names: ReadonlySet<string>): boolean =>
    names.has(name) && !foreign.has(name);
  const isCachedFilter = ({ plugin }: PositionedFilter): boolean =>
    isBuiltin(plugin, columnFilters) &&
    (plugin.preFilter === undefined || plugins.preFilter.some(({ name }) => name === plugin.name));
  const isCachedScore = ({ plugin }: WeightedPlugin): boolean =>
    isBuiltin(plugin, columnScores) &&
    (plugin.preScore === undefined || plugins.preScore.some(({ name }) => name === plugin.name));
  const uncachedFilters = filters.filter((each) => !isCachedFilter(each));
  const uncachedScores = plugins.score.filter((each) => !isCachedScore(each));
  const uncachedFilterNames = new Set(uncachedFilters.map(({ plugin }) => plugin.name));
  const uncachedScoreNames = new Set(uncachedScores.map(({ plugin }) => plugin.name));
  const isUncachedPreFilter = (plugin: Implementing<'preFilter'>): boolean =>
    uncachedFilterNames.has(plugin.name) || !isBuiltin(plugin, columnFilters);
  const positionOf = (name_: string): number | undefined =>
    filters.find((each) => each.plugin.name === name_ && isCachedFilter(each))?.position;
  const scoreOf = (name_: string): WeightedPlugin | undefined =>
    plugins.score.find((each) => each.plugin.name === name_ && isCachedScore(each));
  return {
    localFilters: filters.filter((each) => isCachedFilter(each) && !peerPlugins.has(each.plugin.name)),
    uncachedFilters,
    spreadPosition: positionOf('PodTopologySpread'),
    affinityPosition: positionOf('InterPodAffinity'),
    uncachedPreFilters: plugins.preFilter.filter(isUncachedPreFilter),
    cachedPreFilters: plugins.preFilter.filter((plugin) => !isUncachedPreFilter(plugin)),
    localScores: plugins.score
      .filter(
        (each) => isCachedScore(each) && !peerPlugins.has(each.plugin.name) && each.plugin.name !== 'ImageLocality',
      )
      .map((each) => ({ ...each, ...normalizers.get(each.plugin.name) })),
    imageScore: scoreOf('ImageLocality'),
    spreadWeight: scoreOf('PodTopologySpread')?.weight,
    affinityWeight: scoreOf('InterPodAffinity')?.weight,
    uncachedPreScores: plugins.preScore.filter(
      (plugin) => uncachedScoreNames.has(plugin.name) || !isBuiltin(plugin, columnScores),
    ),
    uncachedScores,
    constantScores: uncachedScores
      .filter(({ plugin }) => plugin.preScore === undefined && constantWhenSkipped.has(plugin.name))
      .map(({ plugin }) => plugin.name),
    spreadDefaults: spreadDefaults(args.PodTopologySpread),
    affinityArguments: args.InterPodAffinity,
    scoredScalars: [
      ...args.NodeResourcesFit.scoringStrategy.resources,
      ...args.NodeResourcesBalancedAllocation.resources,
    ]
      .map(({ name }) => name)
      .filter(isScalarResource),
  };
}

/** Plugins that give all nodes the same score if their PreFilter skipped. */
export const constantWhenSkipped: ReadonlySet<string> = new Set(['VolumeBinding', 'DynamicResources']);

/** Returns whether a plugin's result is the same for all nodes in the same state (`NodeStateNumbers`). */
export function dependsOnStateOnly(
  { plugin: { name } }: { readonly plugin: SchedulingPlugin },
  { nodeName }: PodFacts,
): boolean {
  return statePlugins.has(name) || (name === 'NodeName' && nodeName === '');
}

const statePlugins: ReadonlySet<string> = new Set([
  'NodeUnschedulable',
  'TaintToleration',
  'NodeResourcesFit',
  'NodeResourcesBalancedAllocation',
]);
const peerPlugins: ReadonlySet<string> = new Set(['PodTopologySpread', 'InterPodAffinity']);
const columnFilters: ReadonlySet<string> = new Set([
  'NodeUnschedulable',
  'NodeName',
  'TaintToleration',
  'NodeAffinity',
  'NodePorts',
  'NodeResourcesFit',
  ...peerPlugins,
]);
const columnScores: ReadonlySet<string> = new Set([
  'TaintToleration',
  'NodeAffinity',
  'NodeResourcesFit',
  'NodeResourcesBalancedAllocation',
  'ImageLocality',
  ...peerPlugins,
]);
const normalizers: ReadonlyMap<string, Required<Pick<NodeLocalScore, 'normalize'>>> = new Map([
  ['TaintToleration', { normalize: scaleToHighestReversed }],
  ['NodeAffinity', { normalize: scaleToHighest }],
]);
