// Facts derived from a pod's spec alone. Replicas created in this process share their spec objects, and binding copies
// all of them but nodeName, so the facts are cached by the containers array. Pods received over the network have their
// own objects and are computed each.
import {
  preferenceTolerations,
  preferredNodes,
  requiredNodes,
  toleratesTaintWithAny,
  unschedulableTaint,
} from '../../core/index.js';
import type { CompiledTerms, Frozen, RequiredNodes, WeightedNodeTerm } from '../../core/index.js';
import type { Pod, PodSpec, Toleration, Volume } from '../../core/types/index.js';
import { hostPorts } from './host-ports.js';
import type { HostPort } from './host-ports.js';
import { hasPodLevelRequests, nonZeroPodRequests, podRequests } from './requests.js';
import type { NonZeroRequests } from './requests.js';
import type { ResourceAmounts } from './resource-amounts.js';

/** The facts of a pod's spec. */
export interface SpecFacts {
  /** The resource requests of a pending pod. */
  readonly requests: ResourceAmounts;
  /** The cpu and memory requests used for scoring. */
  readonly nonZeroRequests: NonZeroRequests;
  /** Whether the pod has pod-level requests. */
  readonly hasPodLevelRequests: boolean;
  readonly hostPorts: readonly HostPort[];
  readonly requiredNodes: RequiredNodes | undefined;
  readonly preferredNodes: CompiledTerms<WeightedNodeTerm>;
  readonly tolerations: readonly Frozen<Toleration>[];
  /** The tolerations that apply to PreferNoSchedule taints. */
  readonly preferenceTolerations: readonly Frozen<Toleration>[];
  readonly toleratesUnschedulable: boolean;
  readonly images: readonly string[];
  /** The number of containers and init containers, used by ImageLocality. */
  readonly containerCount: number;
  /** See `attachableVolumes`. */
  readonly attachable: number;
}

/** Returns the facts of a pod's spec, cached while the parts they are computed from are identical. */
export function specFacts(pod: Frozen<Pod>): SpecFacts {
  const { spec } = pod;
  const containers = spec?.containers;
  if (spec === undefined || containers === undefined) return readFacts(pod);
  const known = factsByContainers.get(containers);
  if (known !== undefined && sharesParts(known.spec, spec)) return known.facts;
  const facts = readFacts(pod);
  factsByContainers.set(containers, { spec, facts });
  return facts;
}

const factsByContainers = new WeakMap<
  Frozen<PodSpec>['containers'],
  { readonly spec: Frozen<PodSpec>; readonly facts: SpecFacts }
>();

function sharesParts(a: Frozen<PodSpec>, b: Frozen<PodSpec>): boolean {
  return (
    a === b ||
    (a.initContainers === b.initContainers &&
      a.resources === b.resources &&
      a.overhead === b.overhead &&
      a.nodeSelector === b.nodeSelector &&
      a.affinity === b.affinity &&
      a.tolerations === b.tolerations &&
      a.volumes === b.volumes)
  );
}

function readFacts(pod: Frozen<Pod>): SpecFacts {
  const { spec } = pod;
  const tolerations = spec?.tolerations ?? nothingTolerated;
  return Object.freeze({
    requests: podRequests(pod),
    nonZeroRequests: nonZeroPodRequests(pod),
    hasPodLevelRequests: hasPodLevelRequests(pod),
    hostPorts: hostPorts(pod),
    requiredNodes: requiredNodes(pod),
    preferredNodes: preferredNodes(pod),
    tolerations,
    preferenceTolerations: tolerations.length === 0 ? tolerations : preferenceTolerations(tolerations),
    toleratesUnschedulable: toleratesTaintWithAny(tolerations, unschedulableTaint),
    images: podImages(pod),
    containerCount: (spec?.containers.length ?? 0) + (spec?.initContainers?.length ?? 0),
    attachable: attachableVolumes(pod),
  });
}

const nothingTolerated: readonly Frozen<Toleration>[] = [];

/**
 * Returns an upper bound of the volumes of a pod that count against node limits. The exact number needs the claims and
 * volumes, and is computed only for nodes that are nearly full.
 */
export function attachableVolumes({ spec }: Frozen<Pod>): number {
  let count = 0;
  for (const volume of spec?.volumes ?? []) if (!isLocalVolume(volume)) count += 1;
  return count;
}

/** Volume types that a node provides without attaching anything. Nearly every pod has some. */
function isLocalVolume({ emptyDir, configMap, secret, projected, downwardAPI, hostPath }: Frozen<Volume>): boolean {
  return (emptyDir ?? configMap ?? secret ?? projected ?? downwardAPI ?? hostPath) !== undefined;
}

/**
 * Returns the images of init containers, containers and volumes, in that order, with duplicates. As the plugin
 * ImageLocality.
 */
export function podImages({ spec }: Frozen<Pod>): readonly string[] {
  const { initContainers = [], containers = [], volumes = [] } = spec ?? {};
  const images = [...initContainers, ...containers].map(({ image = '' }) => imageName(image));
  for (const { image } of volumes) if (image !== undefined) images.push(imageName(image.reference ?? ''));
  return images;
}

/** Returns the name that nodes report for an image: with `:latest` if it has neither tag nor digest. */
export function imageName(image: string): string {
  return image.lastIndexOf(':') > image.lastIndexOf('/') ? image : `${image}:latest`;
}
