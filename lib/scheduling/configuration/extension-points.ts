// The extension points, and which of them each built-in plugin implements. The order of the default plugins is their
// execution order. As pkg/scheduler/apis/config/v1/default_plugins.go with the feature gates of v1.36.

/** The name of an extension point. */
export type ExtensionPoint = (typeof extensionPoints)[number];

/** All extension points, in the order in which Kubernetes expands them, which determines the first error. */
export const extensionPoints = [
  'preFilter',
  'filter',
  'postFilter',
  'reserve',
  'preScore',
  'score',
  'preBind',
  'bind',
  'postBind',
  'permit',
  'preEnqueue',
  'queueSort',
  'placementGenerate',
  'placementScore',
] as const;

/** The extension points of plugins, by plugin name. */
export type PluginRegistry = ReadonlyMap<string, readonly ExtensionPoint[]>;

/** The built-in plugins and their extension points. */
export const builtinPlugins: PluginRegistry = new Map<string, readonly ExtensionPoint[]>([
  ['SchedulingGates', ['preEnqueue']],
  ['PrioritySort', ['queueSort']],
  ['NodeUnschedulable', ['filter']],
  ['NodeName', ['filter']],
  ['TaintToleration', ['filter', 'preScore', 'score']],
  ['NodeAffinity', ['preFilter', 'filter', 'preScore', 'score']],
  ['NodePorts', ['preFilter', 'filter']],
  ['NodeResourcesFit', ['preFilter', 'filter', 'preScore', 'score']],
  ['VolumeRestrictions', ['preFilter', 'filter']],
  ['NodeVolumeLimits', ['preFilter', 'filter']],
  ['VolumeBinding', ['preFilter', 'filter', 'reserve', 'preBind', 'preScore', 'score']],
  ['VolumeZone', ['preFilter', 'filter']],
  ['PodTopologySpread', ['preFilter', 'filter', 'preScore', 'score']],
  ['InterPodAffinity', ['preFilter', 'filter', 'preScore', 'score']],
  ['DynamicResources', ['preEnqueue', 'preFilter', 'filter', 'postFilter', 'score', 'reserve', 'preBind']],
  ['DefaultPreemption', ['preEnqueue', 'postFilter']],
  ['NodeResourcesBalancedAllocation', ['preScore', 'score']],
  ['ImageLocality', ['score']],
  ['DefaultBinder', ['bind']],
  ['NodeDeclaredFeatures', ['preFilter', 'filter']],
]);

/** A plugin as listed in a configuration. The weight applies to scores; 0 or absent means 1. */
export interface PluginReference {
  readonly name: string;
  readonly weight?: number;
}

/** The plugins that a profile enables by default, at all points they implement. */
export const defaultPlugins: readonly PluginReference[] = [...builtinPlugins.keys()].map((name) => {
  const weight = defaultWeights().get(name);
  return weight === undefined ? { name } : { name, weight };
});

function defaultWeights(): ReadonlyMap<string, number> {
  return new Map([
    ['TaintToleration', 3],
    ['NodeAffinity', 2],
    ['NodeResourcesFit', 1],
    ['PodTopologySpread', 2],
    ['InterPodAffinity', 2],
    ['DynamicResources', 2],
    ['NodeResourcesBalancedAllocation', 1],
    ['ImageLocality', 1],
  ]);
}
