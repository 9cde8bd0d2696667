// Which nodes can reach a volume: its node affinity, compiled once per object. Where a node's kubelet has migrated an
// in-tree plugin to a CSI driver, the affinity is translated to the driver's topology label. As
// component-helpers/storage/volume, CheckNodeAffinity, and csi-translation-lib.
import { compileNodeTerms, errorText, matchesAnyTerm } from '../../../core/index.js';
import type { Frozen, FrozenVolume, Labels, NodeTerm, Selector } from '../../../core/index.js';
import type { CSINode, NodeSelectorRequirement, NodeSelectorTerm } from '../../../core/types/index.js';
import type { ObjectLister } from '../../cluster/object-lister.js';
import type { NodeView } from '../../cluster/node-view.js';
import { memoizeByKinds } from '../memoize.js';
import { inTreePluginOf } from './in-tree-plugins.js';
import type { InTreePlugin } from './in-tree-plugins.js';
import { legacyRegionLabel, legacyZoneLabel, regionLabel, zoneLabel, zoneSeparator } from './zone-labels.js';

/**
 * Returns whether a node can reach a volume, with the affinity translated if the node has migrated its plugin. Throws
 * if it cannot be translated.
 */
export function isReachable(volume: FrozenVolume, node: NodeView, objects: ObjectLister): boolean {
  const reach = affinityOf(volume);
  const { plugin } = reach;
  const isMigrated =
    isMigratedSomewhere(plugin, objects) && migratedPlugins(objects.get('CSINode', node.name)).includes(plugin.name);
  return matchesTerms(isMigrated ? migratedTerms(volume, plugin, reach) : reach.terms, node.labels);
}

/** Returns whether every node can reach a volume, translated or not. */
export function isReachableEverywhere(volume: FrozenVolume, objects: ObjectLister): boolean {
  const { terms, plugin } = affinityOf(volume);
  return terms === undefined && !isMigratedSomewhere(plugin, objects);
}

/** Returns whether labels satisfy a volume's untranslated affinity, which is used to match volumes to claims. */
export function isVolumeReachable(volume: FrozenVolume, labels: Labels): boolean {
  return matchesTerms(affinityOf(volume).terms, labels);
}

/** Returns labels that a node needs for `isVolumeReachable`; undefined if there are alternatives. */
export function requiredLabels(volume: FrozenVolume): Selector | undefined {
  const { terms } = affinityOf(volume);
  return terms?.length === 1 ? terms[0]?.labels : undefined;
}

/** The annotation in which the kubelet lists migrated plugins. */
export const migratedPluginsAnnotation = 'storage.alpha.kubernetes.io/migrated-plugins';

interface CompiledAffinity {
  /** Undefined: every node. */
  readonly terms: readonly NodeTerm[] | undefined;
  readonly plugin: InTreePlugin | undefined;
  /** The translated terms, once computed. */
  migrated?: readonly NodeTerm[] | undefined;
}

function affinityOf(volume: FrozenVolume): CompiledAffinity {
  const known = affinities.get(volume);
  if (known !== undefined) return known;
  const { spec = {} } = volume;
  const reach: CompiledAffinity = { terms: compiled(requiredTerms(volume)), plugin: inTreePluginOf(spec) };
  affinities.set(volume, reach);
  return reach;
}

const affinities = new WeakMap<FrozenVolume, CompiledAffinity>();

/** Volumes are matched by labels only: name terms are matched against the empty name. */
function matchesTerms(terms: readonly NodeTerm[] | undefined, labels: Labels): boolean {
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

/** Returns whether any node has migrated the plugin; if not, no node needs to be checked. */
function isMigratedSomewhere(plugin: InTreePlugin | undefined, objects: ObjectLister): plugin is InTreePlugin {
  return plugin?.handle !== undefined && migratedSomewhere(objects).has(plugin.name);
}

const migratedSomewhere = memoizeByKinds(
  ['CSINode'],
  (objects): ReadonlySet<string> => new Set(objects.list('CSINode').flatMap(migratedPlugins)),
);

function migratedTerms(
  volume: FrozenVolume,
  plugin: InTreePlugin,
  reach: CompiledAffinity,
): readonly NodeTerm[] | undefined {
  if ('migrated' in reach) return reach.migrated;
  try {
    plugin.handle?.(volume.spec ?? {}, volume.metadata?.labels ?? {}); // throws for a volume without a handle
  } catch (error) {
    throw new Error(`could not translate pv: ${errorText(error)}`, { cause: error });
  }
  const { topologyKey } = plugin;
  reach.migrated = topologyKey === undefined ? reach.terms : compiled(translateZones(topologyKey, volume));
  return reach.migrated;
}

/** Returns the terms with zones under the driver's key: those of the affinity, or else of the volume's labels. */
function translateZones(topologyKey: string, volume: FrozenVolume): readonly Frozen<NodeSelectorTerm>[] | undefined {
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

/** Affinity takes precedence over labels, and current label names over legacy ones. */
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
