// All that the scheduler wants to know of a pod, read from its object once. Objects are frozen values, so the facts hold
// for as long as the object does, and go with it. Nothing here depends on other objects: what does, such as the spread
// constraints of a profile, is computed where those are at hand.
import { deepFreeze } from '../../core/index.js';
import type { Frozen, Labels } from '../../core/index.js';
import type { Pod, Toleration } from '../../core/types/index.js';
import { deviceClaims, volumeClaims } from './claims.js';
import type { DeviceClaim, VolumeClaim } from './claims.js';
import { hostPorts } from './host-ports.js';
import type { HostPort } from './host-ports.js';
import { podImages } from './images.js';
import { preferredNodes, requiredNodes } from './node-affinity.js';
import type { CompiledTerms, RequiredNodes, WeightedNodeTerm } from './node-affinity.js';
import { podAffinity, podAntiAffinity } from './pod-affinity.js';
import type { AffinityTerms } from './pod-affinity.js';
import { hasPodLevelRequests, heldRequests, mayBeResized, nonZeroHeldRequests, nonZeroPodRequests, podRequests } from './requests.js';
import type { NonZeroRequests } from './requests.js';
import type { ResourceAmounts } from './resource-amounts.js';
import { preferenceTolerations, toleratesOne, unschedulableTaint } from './tolerations.js';
import { ownSpreadConstraints } from './topology-spread.js';
import type { SpreadConstraints } from './topology-spread.js';

/** What a pod asks for, and what it is. */
export interface PodFacts {
  readonly object: Frozen<Pod>;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly labels: Labels;
  readonly schedulerName: string;
  /** spec.nodeName, empty while the pod has none. */
  readonly nodeName: string;
  /** Absent counts as 0. */
  readonly priority: number;
  /** Whether it may make others leave. */
  readonly preempts: boolean;
  /** It has been deleted, and is on its way out. */
  readonly terminating: boolean;
  /** Names of the gates that hold it back. */
  readonly gates: readonly string[];
  /** What it asks for while it waits. */
  readonly requests: ResourceAmounts;
  /** The same for scoring. */
  readonly nonZeroRequests: NonZeroRequests;
  /** What it takes on its node, resizing included. */
  readonly held: ResourceAmounts;
  /** The same for scoring. */
  readonly nonZeroHeld: NonZeroRequests;
  readonly hostPorts: readonly HostPort[];
  readonly requiredNodes: RequiredNodes | undefined;
  readonly preferredNodes: CompiledTerms<WeightedNodeTerm>;
  readonly tolerations: readonly Frozen<Toleration>[];
  /** Those that PreferNoSchedule taints are held against. */
  readonly preferenceTolerations: readonly Frozen<Toleration>[];
  readonly toleratesUnschedulable: boolean;
  readonly affinity: AffinityTerms;
  readonly antiAffinity: AffinityTerms;
  /** Undefined where those of the profile apply. */
  readonly spread: SpreadConstraints | undefined;
  readonly images: readonly string[];
  /** Containers and init containers, by which the images are weighed. */
  readonly containerCount: number;
  readonly volumeClaims: readonly VolumeClaim[];
  readonly deviceClaims: readonly DeviceClaim[];
}

/** The facts of a pod. Asked again with the same object, the same facts. */
export function podFacts(pod: Frozen<Pod>): PodFacts {
  const known = factsByPod.get(pod);
  if (known !== undefined) return known;
  const facts = readFacts(pod);
  factsByPod.set(pod, facts);
  return facts;
}

const factsByPod = new WeakMap<Frozen<Pod>, PodFacts>();

function readFacts(pod: Frozen<Pod>): PodFacts {
  const { metadata = {}, spec } = pod;
  const tolerations = spec?.tolerations ?? nothingTolerated;
  const requests = podRequests(pod);
  const nonZeroRequests = nonZeroPodRequests(pod);
  const resized = mayBeResized(pod);
  return Object.freeze({
    object: pod,
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    labels: metadata.labels ?? noLabels,
    schedulerName: spec?.schedulerName ?? 'default-scheduler',
    nodeName: spec?.nodeName ?? '',
    priority: spec?.priority ?? 0,
    preempts: spec?.preemptionPolicy !== 'Never',
    terminating: metadata.deletionTimestamp !== undefined,
    gates: spec?.schedulingGates?.map(({ name }) => name) ?? noGates,
    requests,
    nonZeroRequests,
    held: resized ? heldRequests(pod) : requests,
    nonZeroHeld: resized || hasPodLevelRequests(pod) ? nonZeroHeldRequests(pod) : nonZeroRequests,
    hostPorts: hostPorts(pod),
    requiredNodes: requiredNodes(pod),
    preferredNodes: preferredNodes(pod),
    tolerations,
    preferenceTolerations: tolerations.length === 0 ? tolerations : preferenceTolerations(tolerations),
    toleratesUnschedulable: toleratesOne(tolerations, unschedulableTaint),
    affinity: podAffinity(pod),
    antiAffinity: podAntiAffinity(pod),
    spread: ownSpreadConstraints(pod),
    images: podImages(pod),
    containerCount: (spec?.containers.length ?? 0) + (spec?.initContainers?.length ?? 0),
    volumeClaims: volumeClaims(pod),
    deviceClaims: deviceClaims(pod),
  });
}

const nothingTolerated: readonly Frozen<Toleration>[] = [];
const noLabels: Labels = deepFreeze({});
const noGates: readonly string[] = [];
