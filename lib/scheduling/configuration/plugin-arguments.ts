// The arguments of built-in plugins in a profile's pluginConfig, and their defaults. As
// kube-scheduler/config/v1/types_pluginargs.go and pkg/scheduler/apis/config/v1/defaults.go.
import type { Frozen } from '../../core/index.js';
import { parseDurationMs } from '../../core/index.js';
import type { NodeAffinity, TopologySpreadConstraint } from '../../core/types/index.js';

/** A resource and its weight. */
export interface ResourceWeight {
  readonly name: string;
  readonly weight: number;
}

/** A point of a piecewise linear function from utilization (0 to 100) to score (0 to 10). */
export interface ShapePoint {
  readonly utilization: number;
  readonly score: number;
}

/** How NodeResourcesFit scores nodes by their allocation. */
export interface ScoringStrategy {
  /** `LeastAllocated`, `MostAllocated` or `RequestedToCapacityRatio`. */
  readonly type: string;
  readonly resources: readonly ResourceWeight[];
  /** Set for RequestedToCapacityRatio only. */
  readonly requestedToCapacityRatio?: { readonly shape: readonly ShapePoint[] };
}

/** The completed arguments of all built-in plugins that have arguments. */
export interface PluginArguments {
  readonly DefaultPreemption: {
    /** Default 10. */
    readonly minCandidateNodesPercentage: number;
    /** Default 100. */
    readonly minCandidateNodesAbsolute: number;
  };
  readonly DynamicResources: {
    /** The limit per node; default 10 s, 0 for none. */
    readonly filterTimeoutMs: number;
    /** Default 10 min. */
    readonly bindingTimeoutMs: number;
  };
  readonly InterPodAffinity: {
    /** The weight of required affinity terms of existing pods in scores; default 1. */
    readonly hardPodAffinityWeight: number;
    readonly ignorePreferredTermsOfExistingPods: boolean;
  };
  readonly NodeAffinity: {
    /** Node affinity that applies to every pod of the profile, in addition to its own. */
    readonly addedAffinity?: Frozen<NodeAffinity>;
  };
  readonly NodeResourcesBalancedAllocation: {
    /** Default cpu and memory; every weight is 1. */
    readonly resources: readonly ResourceWeight[];
  };
  readonly NodeResourcesFit: {
    /** Extended resources that are not checked. */
    readonly ignoredResources: readonly string[];
    /** Prefixes of extended resources that are not checked. */
    readonly ignoredResourceGroups: readonly string[];
    /** Default LeastAllocated over cpu and memory. */
    readonly scoringStrategy: ScoringStrategy;
  };
  readonly PodTopologySpread: {
    /** `System` (default) or `List`: the constraints of pods without their own. */
    readonly defaultingType: string;
    readonly defaultConstraints: readonly Frozen<TopologySpreadConstraint>[];
  };
  readonly VolumeBinding: {
    /** Default 600. */
    readonly bindTimeoutSeconds: number;
    /** Rejected: its feature gate is off. */
    readonly shape?: readonly ShapePoint[];
  };
}

/** The name of a built-in plugin that has arguments. */
export type ConfigurablePlugin = keyof PluginArguments;

/** The arguments as written. Durations are Go duration strings. */
export interface ArgumentDocuments {
  readonly DefaultPreemption: Partial<PluginArguments['DefaultPreemption']>;
  readonly DynamicResources: { readonly filterTimeout?: string; readonly bindingTimeout?: string };
  readonly InterPodAffinity: Partial<PluginArguments['InterPodAffinity']>;
  readonly NodeAffinity: PluginArguments['NodeAffinity'];
  readonly NodeResourcesBalancedAllocation: { readonly resources?: readonly ResourceDocument[] };
  readonly NodeResourcesFit: {
    readonly ignoredResources?: readonly string[];
    readonly ignoredResourceGroups?: readonly string[];
    readonly scoringStrategy?: {
      readonly type?: string;
      readonly resources?: readonly ResourceDocument[];
      readonly requestedToCapacityRatio?: { readonly shape?: readonly ShapePoint[] };
    };
  };
  readonly PodTopologySpread: Partial<PluginArguments['PodTopologySpread']>;
  readonly VolumeBinding: Partial<PluginArguments['VolumeBinding']>;
}

/** A resource as written; a weight of 0 or none means 1. */
export type ResourceDocument = Pick<ResourceWeight, 'name'> & Partial<ResourceWeight>;

/** Returns the arguments of all plugins with defaults filled in. */
export function completeArguments(documents: Partial<ArgumentDocuments>): PluginArguments {
  const {
    DefaultPreemption: preemption,
    DynamicResources: devices,
    InterPodAffinity: affinity,
    NodeResourcesFit: fit,
    PodTopologySpread: spread,
    VolumeBinding: volumes,
  } = documents;
  return {
    DefaultPreemption: { minCandidateNodesPercentage: 10, minCandidateNodesAbsolute: 100, ...preemption },
    DynamicResources: {
      filterTimeoutMs: parseDurationMs(devices?.filterTimeout ?? '10s'),
      bindingTimeoutMs: parseDurationMs(devices?.bindingTimeout ?? '600s'),
    },
    InterPodAffinity: { hardPodAffinityWeight: 1, ignorePreferredTermsOfExistingPods: false, ...affinity },
    NodeAffinity: { ...documents.NodeAffinity },
    NodeResourcesBalancedAllocation: { resources: weighed(documents.NodeResourcesBalancedAllocation?.resources) },
    NodeResourcesFit: {
      ignoredResources: fit?.ignoredResources ?? [],
      ignoredResourceGroups: fit?.ignoredResourceGroups ?? [],
      scoringStrategy: completeStrategy(fit?.scoringStrategy ?? { type: 'LeastAllocated' }),
    },
    PodTopologySpread: { defaultingType: 'System', defaultConstraints: [], ...spread },
    VolumeBinding: { bindTimeoutSeconds: 600, ...volumes },
  };
}

function completeStrategy({
  type = '',
  resources,
  requestedToCapacityRatio: ratio,
}: NonNullable<ArgumentDocuments['NodeResourcesFit']['scoringStrategy']>): ScoringStrategy {
  return {
    type,
    resources: weighed(resources),
    ...(ratio && { requestedToCapacityRatio: { shape: ratio.shape ?? [] } }),
  };
}

/** Fills in weights: 0 or none means 1. Default: cpu and memory. */
function weighed(resources: readonly ResourceDocument[] = []): readonly ResourceWeight[] {
  if (resources.length === 0)
    return [
      { name: 'cpu', weight: 1 },
      { name: 'memory', weight: 1 },
    ];
  return resources.map(({ name, weight = 0 }) => ({ name, weight: weight === 0 ? 1 : weight }));
}
