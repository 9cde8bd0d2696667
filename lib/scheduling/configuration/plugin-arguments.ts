// What the built-in plugins can be told in a profile's pluginConfig, and what they assume where they are told nothing.
// As kube-scheduler/config/v1/types_pluginargs.go and pkg/scheduler/apis/config/v1/defaults.go.
import type { Frozen } from '../../core/index.js';
import { parseDurationMs } from '../../core/index.js';
import type { NodeAffinity, TopologySpreadConstraint } from '../../core/types/index.js';

/** A resource and how much it counts. */
export interface ResourceWeight {
  readonly name: string;
  readonly weight: number;
}

/** A point of the line from utilization, 0 to 100, to score, 0 to 10. */
export interface ShapePoint {
  readonly utilization: number;
  readonly score: number;
}

/** How nodes are scored by what is left on them. */
export interface ScoringStrategy {
  /** `LeastAllocated`, `MostAllocated` or `RequestedToCapacityRatio`. */
  readonly type: string;
  readonly resources: readonly ResourceWeight[];
  /** Of RequestedToCapacityRatio, and only of it. */
  readonly requestedToCapacityRatio?: { readonly shape: readonly ShapePoint[] };
}

/** The arguments of all built-in plugins that have some. */
export interface PluginArguments {
  readonly DefaultPreemption: {
    /** Default 10. */
    readonly minCandidateNodesPercentage: number;
    /** Default 100. */
    readonly minCandidateNodesAbsolute: number;
  };
  readonly DynamicResources: {
    /** For one node; default 10 s, 0 for no limit. */
    readonly filterTimeoutMs: number;
    /** Default 10 min. */
    readonly bindingTimeoutMs: number;
  };
  readonly InterPodAffinity: {
    /** What a required affinity of another pod counts in scores; default 1. */
    readonly hardPodAffinityWeight: number;
    readonly ignorePreferredTermsOfExistingPods: boolean;
  };
  readonly NodeAffinity: {
    /** Holds for every pod of the profile, beside the pod's own. */
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
    /** `System`, the default, or `List`: which constraints pods without any have. */
    readonly defaultingType: string;
    readonly defaultConstraints: readonly Frozen<TopologySpreadConstraint>[];
  };
  readonly VolumeBinding: {
    /** Default 600. */
    readonly bindTimeoutSeconds: number;
    /** Must not be given: the gate it belongs to is off. */
    readonly shape?: readonly ShapePoint[];
  };
}

/** The name of a built-in plugin that has arguments. */
export type ConfigurablePlugin = keyof PluginArguments;

/** Arguments as a document holds them: any of them may be missing. Durations are texts. */
export interface ArgumentDocuments {
  readonly DefaultPreemption: Partial<PluginArguments['DefaultPreemption']>;
  readonly DynamicResources: { readonly filterTimeout?: string; readonly bindingTimeout?: string };
  readonly InterPodAffinity: Partial<PluginArguments['InterPodAffinity']>;
  readonly NodeAffinity: PluginArguments['NodeAffinity'];
  readonly NodeResourcesBalancedAllocation: { readonly resources?: readonly Weightless[] };
  readonly NodeResourcesFit: {
    readonly ignoredResources?: readonly string[];
    readonly ignoredResourceGroups?: readonly string[];
    readonly scoringStrategy?: {
      readonly type?: string;
      readonly resources?: readonly Weightless[];
      readonly requestedToCapacityRatio?: { readonly shape?: readonly ShapePoint[] };
    };
  };
  readonly PodTopologySpread: Partial<PluginArguments['PodTopologySpread']>;
  readonly VolumeBinding: Partial<PluginArguments['VolumeBinding']>;
}

/** A resource to score; a weight of none or 0 is 1. */
export type Weightless = Pick<ResourceWeight, 'name'> & Partial<ResourceWeight>;

/** The arguments of all plugins, with defaults where the documents are silent. */
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

/** A weight of none or 0 is 1. */
function weighed(resources: readonly Weightless[] = []): readonly ResourceWeight[] {
  if (resources.length === 0)
    return [
      { name: 'cpu', weight: 1 },
      { name: 'memory', weight: 1 },
    ];
  return resources.map(({ name, weight = 0 }) => ({ name, weight: weight === 0 ? 1 : weight }));
}
