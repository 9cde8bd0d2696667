// How a scheduler learns of plugins before a configuration enables them: a name, the extension points it implements and
// a factory. A plugin object without dependencies is its own definition.
import type { ExtensionPoint, PluginRegistry } from '../configuration/extension-points.js';
import type { SchedulingPlugin } from './plugin.js';
import type { PluginFactory } from './plugin-tools.js';

/** A plugin by name, with a factory that is called once per profile. */
export interface PluginDefinition {
  readonly name: string;
  readonly points: readonly ExtensionPoint[];
  readonly create: PluginFactory;
}

/**
 * Returns the definition of a plugin object: its points are those it has functions for. A definition is returned as it
 * is.
 */
export function definitionOf(plugin: SchedulingPlugin | PluginDefinition): PluginDefinition {
  if ('create' in plugin) return plugin;
  return { name: plugin.name, points: pointsOf(plugin), create: () => plugin };
}

/** Returns the extension points by plugin name, as `schedulerConfiguration` needs them to enable custom plugins. */
export function registryOf(plugins: Iterable<SchedulingPlugin | PluginDefinition>): PluginRegistry {
  return new Map(Array.from(plugins, definitionOf).map(({ name, points }) => [name, points]));
}

/** The functions of each point; a plugin with any of them implements the point. */
const pointFunctions: Readonly<Record<ExtensionPoint, readonly (keyof SchedulingPlugin)[]>> = {
  preEnqueue: ['preEnqueue'],
  queueSort: ['compare'],
  preFilter: ['preFilter'],
  filter: ['filter'],
  postFilter: ['postFilter'],
  preScore: ['preScore'],
  score: ['score'],
  reserve: ['reserve', 'unreserve'],
  permit: ['permit'],
  preBind: ['preBind'],
  bind: ['bind'],
  postBind: ['postBind'],
  placementGenerate: [],
  placementScore: [],
};

function pointsOf(plugin: SchedulingPlugin): readonly ExtensionPoint[] {
  const points = Object.keys(pointFunctions) as ExtensionPoint[]; // the record has a key for each point
  return points.filter((point) => pointFunctions[point].some((name) => plugin[name] !== undefined));
}
