// Which plugins run at each point, from what a profile enables and disables. First the profile's lists are laid over
// the default ones; then the plugins enabled at all points (`multiPoint`) are spread over the points they implement. At
// one point run, in this order: those of multiPoint that are listed at the point again, as listed there; the rest of
// multiPoint; those listed only at the point.
// As mergePluginSet of pkg/scheduler/apis/config/v1 and expandMultiPointPlugins of pkg/scheduler/framework/runtime.
import { defaultPlugins, extensionPoints } from './extension-points.js';
import type { ExtensionPoint, PluginReference, PluginRegistry } from './extension-points.js';
import { SchedulerConfigurationError } from './configuration-error.js';

/** What a profile says of one point. `*` disables all that is enabled by default. */
export interface PluginSet {
  readonly enabled?: readonly PluginReference[];
  readonly disabled?: readonly PluginReference[];
}

/** What a profile says of all points. */
export type PluginSets = Readonly<Partial<Record<ExtensionPoint | 'multiPoint', PluginSet>>>;

/** A plugin at a point. */
export interface EnabledPlugin {
  readonly name: string;
  /** How much its score counts. 1 where it does not score. */
  readonly weight: number;
}

/** The plugins of every point, in the order in which they run. */
export type EnabledPlugins = Readonly<Record<ExtensionPoint, readonly EnabledPlugin[]>>;

/** The plugins that run at each point. Throws `SchedulerConfigurationError` in Kubernetes' words. */
export function enabledPlugins(schedulerName: string, sets: PluginSets, registry: PluginRegistry): EnabledPlugins {
  const everywhere = mergedPlugins(defaultPlugins, sets.multiPoint ?? {});
  for (const point of extensionPoints) checkListed(point, sets[point]?.enabled ?? [], registry);
  const entries = extensionPoints.map(
    (point) => [point, pluginsAt(point, sets[point] ?? {}, everywhere, registry)] as const,
  );
  // one entry for each point
  const plugins = Object.freeze(Object.fromEntries(entries) as Record<ExtensionPoint, readonly EnabledPlugin[]>);
  if (plugins.queueSort.length !== 1)
    throw refused(
      `only one queue sort plugin required for profile with scheduler name "${schedulerName}", but got ${plugins.queueSort.length}`,
    );
  if (plugins.bind.length === 0)
    throw refused(`at least one bind plugin is needed for profile with scheduler name "${schedulerName}"`);
  if (plugins.placementGenerate.length > 1)
    throw refused(
      `at most one placement generate plugin is allowed for profile with scheduler name "${schedulerName}"`,
    );
  return plugins;
}

/** Default plugins as a profile changes them: one that it lists again keeps its place, others follow. */
export function mergedPlugins(
  defaults: readonly PluginReference[],
  { enabled = [], disabled = [] }: PluginSet,
): readonly PluginReference[] {
  const dropped = new Set(disabled.map(({ name }) => name));
  if (dropped.has('*')) return enabled;
  // Of a plugin that is listed twice the last takes the place; the others stay, and are refused later.
  const replacements = new Map(enabled.map((plugin) => [plugin.name, plugin]));
  const kept = defaults
    .filter(({ name }) => !dropped.has(name))
    .map((plugin) => replacements.get(plugin.name) ?? plugin);
  return [...kept, ...enabled.filter((plugin) => !kept.includes(plugin))];
}

function pluginsAt(
  point: ExtensionPoint,
  set: PluginSet,
  everywhere: readonly PluginReference[],
  registry: PluginRegistry,
): readonly EnabledPlugin[] {
  const names = namesAt(point, set, everywhere, registry);
  if (point !== 'score' && point !== 'placementScore')
    return Object.freeze(names.map((name) => Object.freeze({ name, weight: 1 })));
  // What is listed at the point stands last, and wins.
  const weights = new Map(
    [...everywhere, ...(set.enabled ?? [])].map(({ name, weight = 0 }) => [name, weight === 0 ? 1 : weight]),
  );
  return Object.freeze(names.map((name) => Object.freeze({ name, weight: weights.get(name) ?? 1 })));
}

function namesAt(
  point: ExtensionPoint,
  { enabled = [], disabled = [] }: PluginSet,
  everywhere: readonly PluginReference[],
  registry: PluginRegistry,
): readonly string[] {
  const listed = enabled.map(({ name }) => name);
  const dropped = new Set(disabled.map(({ name }) => name));
  if (dropped.has('*')) return listed;
  const spread = new Set<string>();
  const relisted = new Set<string>();
  for (const { name } of everywhere) {
    const points = registry.get(name);
    if (points === undefined) throw refused(`${interfaceOf(point)} "${name}" does not exist`);
    if (!points.includes(point) || dropped.has(name)) continue;
    if (listed.includes(name)) relisted.add(name);
    else if (spread.has(name)) throw refused(`plugin "${name}" already registered as "${interfaceOf(point)}"`);
    else spread.add(name);
  }
  return [...listed.filter((name) => relisted.has(name)), ...spread, ...listed.filter((name) => !relisted.has(name))];
}

function checkListed(point: ExtensionPoint, listed: readonly PluginReference[], registry: PluginRegistry): void {
  const seen = new Set<string>();
  for (const { name } of listed) {
    const points = registry.get(name);
    if (points === undefined) throw refused(`${interfaceOf(point)} "${name}" does not exist`);
    if (!points.includes(point)) throw refused(`plugin "${name}" does not extend ${interfaceOf(point)} plugin`);
    if (seen.has(name)) throw refused(`plugin "${name}" already registered as "${interfaceOf(point)}"`);
    seen.add(name);
  }
}

/** The name that Kubernetes' messages give a point. */
function interfaceOf(point: ExtensionPoint): string {
  return `${point.charAt(0).toUpperCase()}${point.slice(1)}Plugin`;
}

function refused(problem: string): SchedulerConfigurationError {
  return new SchedulerConfigurationError([problem]);
}
