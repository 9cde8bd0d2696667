// Which plugins of a profile columns stand for, and which are asked node by node all the same. Columns stand for
// built-in plugins only, and only where a profile has them whole: one that is enabled to filter but not to prepare for
// it is asked.
import type { Framework } from '../framework/framework.js';
import type { SchedulingPlugin } from '../framework/plugin.js';
import type { Implementing, WeightedPlugin } from '../framework/profile-plugins.js';
import { spreadDefaults } from '../plugins/pod-topology-spread/applicable-constraints.js';
import type { SpreadDefaults } from '../plugins/pod-topology-spread/applicable-constraints.js';
import { reverseShareOfHighest, shareOfHighest } from '../plugins/score-shares.js';
import type { PluginArguments } from '../configuration/plugin-arguments.js';
import type { PodFacts } from '../pod/pod-facts.js';
import { isScalarResource } from '../pod/resource-amounts.js';

/** A plugin and its place among the filters of the profile. */
export interface PlacedFilter {
  readonly plugin: Implementing<'filter'>;
  readonly position: number;
}

/** A plugin that scores nodes by themselves. */
export interface LocalScore extends WeightedPlugin {
  /** Makes a score of a count and the highest count; absent where counts are scores. */
  readonly share?: (score: number, highest: number) => number;
}

/** The plugins of a profile, as columns see them. */
export interface ColumnProfile {
  /** Filters that look at nothing but the pod and the node. */
  readonly localFilters: readonly PlacedFilter[];
  /** Filters that are asked. */
  readonly askedFilters: readonly PlacedFilter[];
  /** The places of the filters that look at other pods; undefined where the profile does not have them. */
  readonly spreadPosition: number | undefined;
  readonly affinityPosition: number | undefined;
  /** Run in every cycle. */
  readonly askedPreFilters: readonly Implementing<'preFilter'>[];
  /** Run for those who want to ask plugins that columns stand for. */
  readonly otherPreFilters: readonly Implementing<'preFilter'>[];
  readonly localScores: readonly LocalScore[];
  /** ImageLocality looks at all nodes that have an image, and is kept apart. */
  readonly imageScore: WeightedPlugin | undefined;
  readonly spreadWeight: number | undefined;
  readonly affinityWeight: number | undefined;
  readonly askedPreScores: readonly Implementing<'preScore'>[];
  readonly askedScores: readonly WeightedPlugin[];
  /** Names of those among them that score all nodes the same, unasked, where their filter has nothing to do. */
  readonly quietScores: readonly string[];
  readonly spreadDefaults: SpreadDefaults;
  readonly affinityArguments: PluginArguments['InterPodAffinity'];
  /** Scored resources that devices may stand for. */
  readonly scoredScalars: readonly string[];
}

/** Divides the plugins of a profile. Those of the names in `foreign` are not the built-in ones. */
export function columnProfile(
  { plugins, profile: { args } }: Framework,
  foreign: ReadonlySet<string> = new Set(),
): ColumnProfile {
  const filters = plugins.filter.map((plugin, position) => ({ plugin, position }));
  const isBuiltin = ({ name }: { readonly name: string }, names: ReadonlySet<string>): boolean =>
    names.has(name) && !foreign.has(name);
  const filterHere = ({ plugin }: PlacedFilter): boolean =>
    isBuiltin(plugin, columnFilters) &&
    (plugin.preFilter === undefined || plugins.preFilter.some(({ name }) => name === plugin.name));
  const scoreHere = ({ plugin }: WeightedPlugin): boolean =>
    isBuiltin(plugin, columnScores) &&
    (plugin.preScore === undefined || plugins.preScore.some(({ name }) => name === plugin.name));
  const askedFilters = filters.filter((each) => !filterHere(each));
  const askedScores = plugins.score.filter((each) => !scoreHere(each));
  const asksFilter = new Set(askedFilters.map(({ plugin }) => plugin.name));
  const asksScore = new Set(askedScores.map(({ plugin }) => plugin.name));
  const isAskedFirst = (plugin: Implementing<'preFilter'>): boolean =>
    asksFilter.has(plugin.name) || !isBuiltin(plugin, columnFilters);
  const positionOf = (wanted: string): number | undefined =>
    filters.find((each) => each.plugin.name === wanted && filterHere(each))?.position;
  const scoreOf = (wanted: string): WeightedPlugin | undefined =>
    plugins.score.find((each) => each.plugin.name === wanted && scoreHere(each));
  return {
    localFilters: filters.filter((each) => filterHere(each) && !peerPlugins.has(each.plugin.name)),
    askedFilters,
    spreadPosition: positionOf('PodTopologySpread'),
    affinityPosition: positionOf('InterPodAffinity'),
    askedPreFilters: plugins.preFilter.filter(isAskedFirst),
    otherPreFilters: plugins.preFilter.filter((plugin) => !isAskedFirst(plugin)),
    localScores: plugins.score
      .filter((each) => scoreHere(each) && !peerPlugins.has(each.plugin.name) && each.plugin.name !== 'ImageLocality')
      .map((each) => ({ ...each, ...shares.get(each.plugin.name) })),
    imageScore: scoreOf('ImageLocality'),
    spreadWeight: scoreOf('PodTopologySpread')?.weight,
    affinityWeight: scoreOf('InterPodAffinity')?.weight,
    askedPreScores: plugins.preScore.filter((plugin) => asksScore.has(plugin.name) || !isBuiltin(plugin, columnScores)),
    askedScores,
    quietScores: askedScores
      .filter(({ plugin }) => plugin.preScore === undefined && quietWhenSkipped.has(plugin.name))
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

/** Plugins that do not score a pod for which their filter has nothing to do. */
export const quietWhenSkipped: ReadonlySet<string> = new Set(['VolumeBinding', 'DynamicResources']);

/** Whether a plugin says the same of all nodes in the same state, as `NodeStates` has it. */
export function isByState(
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
const shares: ReadonlyMap<string, Required<Pick<LocalScore, 'share'>>> = new Map([
  ['TaintToleration', { share: reverseShareOfHighest }],
  ['NodeAffinity', { share: shareOfHighest }],
]);
