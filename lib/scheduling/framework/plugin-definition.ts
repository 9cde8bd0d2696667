// How plugins become known to a scheduler, before a configuration says which of them take part where: a name, the
// points they implement, and a maker. A plugin that needs nothing to be made is its own definition.
import type { ExtensionPoint, PluginRegistry } from '../configuration/extension-points.js';
import type { SchedulingPlugin } from './plugin.js';
import type { PluginMaker } from './plugin-tools.js';

/** A plugin that can be made for each profile. */
export interface PluginDefinition {
  readonly name: string;
  readonly points: readonly ExtensionPoint[];
  readonly make: PluginMaker;
}

/** The definition of a plugin that is there already: its points are those it has functions for. */
export function definitionOf(plugin: SchedulingPlugin | PluginDefinition): PluginDefinition {
  if ('make' in plugin) return plugin;
  return { name: plugin.name, points: pointsOf(plugin), make: () => plugin };
}

/** What a configuration has to know of plugins before it can enable them. */
export function registryOf(plugins: Iterable<SchedulingPlugin | PluginDefinition>): PluginRegistry {
  return new Map(Array.from(plugins, definitionOf).map(({ name, points }) => [name, points]));
}

/** The functions that make a plugin take part at a point: any one of them. */
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
