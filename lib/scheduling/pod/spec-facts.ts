// What the scheduler wants to know of a specification alone. Replicas that were made in this process share theirs, and
// a pod that is bound keeps all of it but the name of its node: what was read of one holds for the others. Pods that
// come over the wire have each their own, and are read each.
import type { Frozen } from '../../core/index.js';
import type { Pod, PodSpec, Toleration } from '../../core/types/index.js';
import { attachableVolumes } from './attachable-volumes.js';
import { hostPorts } from './host-ports.js';
import type { HostPort } from './host-ports.js';
import { podImages } from './images.js';
import { preferredNodes, requiredNodes } from './node-affinity.js';
import type { CompiledTerms, RequiredNodes, WeightedNodeTerm } from './node-affinity.js';
import { hasPodLevelRequests, nonZeroPodRequests, podRequests } from './requests.js';
import type { NonZeroRequests } from './requests.js';
import type { ResourceAmounts } from './resource-amounts.js';
import { preferenceTolerations, toleratesOne, unschedulableTaint } from './tolerations.js';

/** What a specification asks for. */
export interface SpecFacts {
  /** What the pod asks for while it waits. */
  readonly requests: ResourceAmounts;
  /** The same for scoring. */
  readonly nonZeroRequests: NonZeroRequests;
  /** Whether the pod as a whole asks for something. */
  readonly hasPodLevelRequests: boolean;
  readonly hostPorts: readonly HostPort[];
  readonly requiredNodes: RequiredNodes | undefined;
  readonly preferredNodes: CompiledTerms<WeightedNodeTerm>;
  readonly tolerations: readonly Frozen<Toleration>[];
  /** Those that PreferNoSchedule taints are held against. */
  readonly preferenceTolerations: readonly Frozen<Toleration>[];
  readonly toleratesUnschedulable: boolean;
  readonly images: readonly string[];
  /** Containers and init containers, by which the images are weighed. */
  readonly containerCount: number;
  /** See `attachableVolumes`. */
  readonly attachable: number;
}

/** The facts of a pod's specification: the same as long as none of the parts that they are read from differs. */
export function specFacts(pod: Frozen<Pod>): SpecFacts {
  const { spec } = pod;
  const containers = spec?.containers;
  if (spec === undefined || containers === undefined) return readFacts(pod);
  const known = factsByContainers.get(containers);
  if (known !== undefined && isMadeOfSame(known.spec, spec)) return known.facts;
  const facts = readFacts(pod);
  factsByContainers.set(containers, { spec, facts });
  return facts;
}

const factsByContainers = new WeakMap<
  Frozen<PodSpec>['containers'],
  { readonly spec: Frozen<PodSpec>; readonly facts: SpecFacts }
>();

function isMadeOfSame(a: Frozen<PodSpec>, b: Frozen<PodSpec>): boolean {
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
    toleratesUnschedulable: toleratesOne(tolerations, unschedulableTaint),
    images: podImages(pod),
    containerCount: (spec?.containers.length ?? 0) + (spec?.initContainers?.length ?? 0),
    attachable: attachableVolumes(pod),
  });
}

const nothingTolerated: readonly Frozen<Toleration>[] = [];
