// Where plugins take part in scheduling, and which of the built-in ones take part where. The order of the default
// plugins is the order in which they run. As pkg/scheduler/apis/config/v1/default_plugins.go with the gates of v1.36.

/** A point of the scheduling cycle that plugins implement. */
export type ExtensionPoint = (typeof extensionPoints)[number];

/** All points, in the order in which Kubernetes fills them, which decides what is complained about first. */
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

/** Which points each plugin implements, by the plugin's name. */
export type PluginRegistry = ReadonlyMap<string, readonly ExtensionPoint[]>;

/** The built-in plugins. */
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

/** A plugin that is listed in a configuration. The weight matters where it scores; none or 0 is 1. */
export interface PluginReference {
  readonly name: string;
  readonly weight?: number;
}

/** The plugins of a profile that names none, at all points they implement. */
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
