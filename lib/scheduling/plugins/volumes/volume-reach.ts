// From which nodes a volume can be reached: its node affinity, compiled once for each object. Where the kubelet of a
// node has handed a plugin of old over to a driver, the affinity is read in the driver's words, for the driver labels
// nodes with a key of its own. As component-helpers/storage/volume, CheckNodeAffinity, and csi-translation-lib.
import { errorText } from '../../../core/index.js';
import type { Frozen, Labels, Selector, FrozenVolume } from '../../../core/index.js';
import type { CSINode, NodeSelectorRequirement, NodeSelectorTerm } from '../../../core/types/index.js';
import type { KnownObjects } from '../../cluster/known-objects.js';
import type { NodeView } from '../../cluster/node-view.js';
import { compileNodeTerms, matchesAnyTerm } from '../../pod/node-affinity.js';
import type { NodeTerm } from '../../pod/node-affinity.js';
import { computedFrom } from '../computed-from.js';
import { inTreePluginOf } from './in-tree-plugins.js';
import type { InTreePlugin } from './in-tree-plugins.js';
import { legacyRegionLabel, legacyZoneLabel, regionLabel, zoneLabel, zoneSeparator } from './zone-labels.js';

/** Whether a volume can be reached from a node, by the words that apply there. Throws where they cannot be found. */
export function isReachable(volume: FrozenVolume, node: NodeView, objects: KnownObjects): boolean {
  const reach = reachOf(volume);
  const { plugin } = reach;
  const isHandedOver =
    isMigratedSomewhere(plugin, objects) && migratedPlugins(objects.get('CSINode', node.name)).includes(plugin.name);
  return suits(isHandedOver ? migratedTerms(volume, plugin, reach) : reach.terms, node.labels);
}

/** Whether a volume can be reached from every node, in whichever words. */
export function isReachableEverywhere(volume: FrozenVolume, objects: KnownObjects): boolean {
  const { terms, plugin } = reachOf(volume);
  return terms === undefined && !isMigratedSomewhere(plugin, objects);
}

/** Whether a volume can be reached from a node by its own words: those that count while volumes are only matched. */
export function isVolumeReachable(volume: FrozenVolume, labels: Labels): boolean {
  return suits(reachOf(volume).terms, labels);
}

/** Labels that a node must have for `isWithinReach`; undefined where there are several ways. */
export function demandedLabels(volume: FrozenVolume): Selector | undefined {
  const { terms } = reachOf(volume);
  return terms?.length === 1 ? terms[0]?.labels : undefined;
}

/** The annotation in which the kubelet lists the plugins that it has handed over. */
export const migratedPluginsAnnotation = 'storage.alpha.kubernetes.io/migrated-plugins';

interface Reach {
  /** Undefined: from everywhere. */
  readonly terms: readonly NodeTerm[] | undefined;
  readonly plugin: InTreePlugin | undefined;
  /** The terms in the words of the driver, once somebody has asked. */
  migrated?: readonly NodeTerm[] | undefined;
}

function reachOf(volume: FrozenVolume): Reach {
  const known = reaches.get(volume);
  if (known !== undefined) return known;
  const { spec = {} } = volume;
  const reach: Reach = { terms: compiled(requiredTerms(volume)), plugin: inTreePluginOf(spec) };
  reaches.set(volume, reach);
  return reach;
}

const reaches = new WeakMap<FrozenVolume, Reach>();

/** Volumes are held against labels only: what a term says of a node's name is held against none. */
function suits(terms: readonly NodeTerm[] | undefined, labels: Labels): boolean {
  return terms === undefined || matchesAnyTerm(terms, labels, '');
}

function compiled(terms: readonly Frozen<NodeSelectorTerm>[] | undefined): readonly NodeTerm[] | undefined {
  return terms && compileNodeTerms(terms).terms;
}

function requiredTerms({ spec }: FrozenVolume): readonly Frozen<NodeSelectorTerm>[] | undefined {
  return spec?.nodeAffinity?.required?.nodeSelectorTerms;
}

function migratedPlugins(csiNode: Frozen<CSINode> | undefined): readonly string[] {
  return csiNode?.metadata?.annotations?.[migratedPluginsAnnotation]?.split(',') ?? [];
}

/** Whether some node has handed a plugin over; if not, no node has to be asked. */
function isMigratedSomewhere(plugin: InTreePlugin | undefined, objects: KnownObjects): plugin is InTreePlugin {
  return plugin?.handle !== undefined && migratedSomewhere(objects).has(plugin.name);
}

const migratedSomewhere = computedFrom(
  ['CSINode'],
  (objects): ReadonlySet<string> => new Set(objects.list('CSINode').flatMap(migratedPlugins)),
);

function migratedTerms(volume: FrozenVolume, plugin: InTreePlugin, reach: Reach): readonly NodeTerm[] | undefined {
  if ('migrated' in reach) return reach.migrated;
  try {
    plugin.handle?.(volume.spec ?? {}, volume.metadata?.labels ?? {}); // a volume that has none cannot be placed
  } catch (error) {
    throw new Error(`could not translate pv: ${errorText(error)}`, { cause: error });
  }
  const { topologyKey } = plugin;
  reach.migrated = topologyKey === undefined ? reach.terms : compiled(inWordsOf(topologyKey, volume));
  return reach.migrated;
}

/** Zones under the driver's key: those of the affinity, or else those that the labels of the volume tell. */
function inWordsOf(topologyKey: string, volume: FrozenVolume): readonly Frozen<NodeSelectorTerm>[] | undefined {
  const terms = requiredTerms(volume);
  const labels = volume.metadata?.labels ?? {};
  const legacy = usesLegacyNames(terms ?? [], labels);
  const zoneKey = legacy ? legacyZoneLabel : zoneLabel;
  const renamed = new Map(legacy ? [[legacyRegionLabel, regionLabel]] : []);
  if (terms !== undefined && hasValues(terms, zoneKey)) return withKeys(terms, renamed.set(zoneKey, topologyKey));
  const zones = [...new Set((labels[zoneKey] ?? '').split(zoneSeparator).map((zone) => zone.trim()))].filter(
    (zone) => zone !== '',
  );
  const base = terms && withKeys(terms, renamed);
  if (zones.length === 0) return base;
  const inZones: Frozen<NodeSelectorRequirement> = { key: topologyKey, operator: 'In', values: zones };
  const tied = base === undefined || base.length === 0 ? [{}] : base;
  return tied.map((term: Frozen<NodeSelectorTerm>) => ({
    ...term,
    matchExpressions: [...(term.matchExpressions ?? []), inZones],
  }));
}

/** The affinity decides before the labels, and the names of today before those of old. */
function usesLegacyNames(terms: readonly Frozen<NodeSelectorTerm>[], labels: Labels): boolean {
  if (hasKey(terms, zoneLabel)) return false;
  if (hasKey(terms, legacyZoneLabel)) return true;
  return labels[zoneLabel] === undefined && labels[legacyZoneLabel] !== undefined;
}

function hasKey(terms: readonly Frozen<NodeSelectorTerm>[], key: string): boolean {
  return terms.some(({ matchExpressions = [] }) => matchExpressions.some((each) => each.key === key));
}

function hasValues(terms: readonly Frozen<NodeSelectorTerm>[], key: string): boolean {
  return terms.some(({ matchExpressions = [] }) =>
    matchExpressions.some((each) => each.key === key && (each.values ?? []).length > 0),
  );
}

function withKeys(
  terms: readonly Frozen<NodeSelectorTerm>[],
  keys: ReadonlyMap<string, string>,
): readonly Frozen<NodeSelectorTerm>[] {
  return terms.map((term) => ({
    ...term,
    matchExpressions: (term.matchExpressions ?? []).map((each) => ({ ...each, key: keys.get(each.key) ?? each.key })),
  }));
}
