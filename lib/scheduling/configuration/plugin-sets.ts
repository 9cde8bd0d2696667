// Computes the plugins of each extension point from what a profile enables and disables. The profile's lists are merged
// with the defaults; then `multiPoint` plugins are expanded to all points they implement. Order at a point: multiPoint
// plugins that are listed again at the point, as listed; other multiPoint plugins; plugins listed only at the point. As
// mergePluginSet of pkg/scheduler/apis/config/v1 and expandMultiPointPlugins of pkg/scheduler/framework/runtime.
import { defaultPlugins, extensionPoints } from './extension-points.js';
import type { ExtensionPoint, PluginReference, PluginRegistry } from './extension-points.js';
import { aggregateText } from '../../core/index.js';

/** The plugins that a profile enables and disables at one point. `*` disables all defaults. */
export interface PluginSet {
  readonly enabled?: readonly PluginReference[];
  readonly disabled?: readonly PluginReference[];
}

/** The plugin sets of a profile, by extension point. */
export type PluginSets = Readonly<Partial<Record<ExtensionPoint | 'multiPoint', PluginSet>>>;

/** An enabled plugin. */
export interface EnabledPlugin {
  readonly name: string;
  /** The weight of its score; 1 at other points. */
  readonly weight: number;
}

/** The enabled plugins by extension point, in execution order. */
export type EnabledPlugins = Readonly<Record<ExtensionPoint, readonly EnabledPlugin[]>>;

/** Returns the enabled plugins of each point. Throws `SchedulerConfigurationError` with Kubernetes' message. */
export function enabledPlugins(schedulerName: string, sets: PluginSets, registry: PluginRegistry): EnabledPlugins {
  const everywhere = mergedPlugins(defaultPlugins, sets.multiPoint ?? {});
  for (const point of extensionPoints) checkListed(point, sets[point]?.enabled ?? [], registry);
  const entries = extensionPoints.map(
    (point) => [point, pluginsAt(point, sets[point] ?? {}, everywhere, registry)] as const,
  );
  // one entry per point
  const plugins = Object.freeze(Object.fromEntries(entries) as Record<ExtensionPoint, readonly EnabledPlugin[]>);
  if (plugins.queueSort.length !== 1)
    throw configurationError(
      `only one queue sort plugin required for profile with scheduler name "${schedulerName}", but got ${plugins.queueSort.length}`,
    );
  if (plugins.bind.length === 0)
    throw configurationError(`at least one bind plugin is needed for profile with scheduler name "${schedulerName}"`);
  if (plugins.placementGenerate.length > 1)
    throw configurationError(
      `at most one placement generate plugin is allowed for profile with scheduler name "${schedulerName}"`,
    );
  return plugins;
}

/** Merges a profile's set into the defaults: a default that is listed again keeps its position, others are appended. */
export function mergedPlugins(
  defaults: readonly PluginReference[],
  { enabled = [], disabled = [] }: PluginSet,
): readonly PluginReference[] {
  const dropped = new Set(disabled.map(({ name }) => name));
  if (dropped.has('*')) return enabled;
  // The last of two equal entries replaces the default; the other stays and is rejected later.
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
  // Weights listed at the point override those of multiPoint.
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
    if (points === undefined) throw configurationError(`${interfaceOf(point)} "${name}" does not exist`);
    if (!points.includes(point) || dropped.has(name)) continue;
    if (listed.includes(name)) relisted.add(name);
    else if (spread.has(name))
      throw configurationError(`plugin "${name}" already registered as "${interfaceOf(point)}"`);
    else spread.add(name);
  }
  return [...listed.filter((name) => relisted.has(name)), ...spread, ...listed.filter((name) => !relisted.has(name))];
}

function checkListed(point: ExtensionPoint, listed: readonly PluginReference[], registry: PluginRegistry): void {
  const seen = new Set<string>();
  for (const { name } of listed) {
    const points = registry.get(name);
    if (points === undefined) throw configurationError(`${interfaceOf(point)} "${name}" does not exist`);
    if (!points.includes(point))
      throw configurationError(`plugin "${name}" does not extend ${interfaceOf(point)} plugin`);
    if (seen.has(name)) throw configurationError(`plugin "${name}" already registered as "${interfaceOf(point)}"`);
    seen.add(name);
  }
}

/** Returns the Go interface name of a point, as Kubernetes' messages use it. */
function interfaceOf(point: ExtensionPoint): string {
  return `${point.charAt(0).toUpperCase()}${point.slice(1)}Plugin`;
}

function configurationError(problem: string): SchedulerConfigurationError {
  return new SchedulerConfigurationError([problem]);
}

/** An invalid configuration. The message has all errors in Kubernetes' words. */
export class SchedulerConfigurationError extends Error {
  override readonly name = 'SchedulerConfigurationError';

  constructor(problems: readonly string[]) {
    super(aggregateText(problems));
  }
}
