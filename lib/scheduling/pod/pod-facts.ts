// Everything that the scheduler derives from a pod object, computed once per object. Objects are frozen values, so the
// facts are valid, and cached, as long as the object exists. Nothing here depends on other objects: what does, such as
// default spread constraints, is computed by the plugin.
import { deepFreeze, volumeClaims } from '../../core/index.js';
import type { Frozen, Labels, VolumeClaim } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import { podAffinity, podAntiAffinity } from './pod-affinity.js';
import type { AffinityTerms } from './pod-affinity.js';
import { requestsOnNode, mayBeResized, nonZeroRequestsOnNode } from './requests.js';
import type { NonZeroRequests } from './requests.js';
import type { ResourceAmounts } from './resource-amounts.js';
import { specFacts } from './spec-facts.js';
import type { SpecFacts } from './spec-facts.js';
import { ownSpreadConstraints } from './topology-spread.js';
import type { SpreadConstraints } from './topology-spread.js';

/** The facts of a pod. */
export interface PodFacts extends SpecFacts {
  readonly object: Frozen<Pod>;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly labels: Labels;
  readonly schedulerName: string;
  /** spec.nodeName; empty if absent. */
  readonly nodeName: string;
  /** spec.priority; 0 if absent. */
  readonly priority: number;
  /** Whether it may preempt others. */
  readonly preempts: boolean;
  /** Whether it has a deletionTimestamp. */
  readonly terminating: boolean;
  /** The names of its scheduling gates. */
  readonly gates: readonly string[];
  /** What it occupies on its node, including a resize in progress. */
  readonly requestsOnNode: ResourceAmounts;
  /** The cpu and memory it occupies for scoring. */
  readonly nonZeroRequestsOnNode: NonZeroRequests;
  readonly affinity: AffinityTerms;
  readonly antiAffinity: AffinityTerms;
  /** Undefined if the constraints of the profile apply. */
  readonly spread: SpreadConstraints | undefined;
  readonly volumeClaims: readonly VolumeClaim[];
  readonly deviceClaims: readonly PodDeviceClaim[];
}

/** Returns the facts of a pod, the same object for the same pod object. */
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
  const ofSpec = specFacts(pod);
  const { requests, nonZeroRequests } = ofSpec;
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
    hasPodLevelRequests: ofSpec.hasPodLevelRequests,
    hostPorts: ofSpec.hostPorts,
    requiredNodes: ofSpec.requiredNodes,
    preferredNodes: ofSpec.preferredNodes,
    tolerations: ofSpec.tolerations,
    preferenceTolerations: ofSpec.preferenceTolerations,
    toleratesUnschedulable: ofSpec.toleratesUnschedulable,
    images: ofSpec.images,
    containerCount: ofSpec.containerCount,
    attachable: ofSpec.attachable,
    requestsOnNode: resized ? requestsOnNode(pod) : requests,
    nonZeroRequestsOnNode: resized || ofSpec.hasPodLevelRequests ? nonZeroRequestsOnNode(pod) : nonZeroRequests,
    affinity: podAffinity(pod),
    antiAffinity: podAntiAffinity(pod),
    spread: ownSpreadConstraints(pod),
    volumeClaims: volumeClaims(pod),
    deviceClaims: deviceClaims(pod),
  });
}

const noLabels: Labels = deepFreeze({});
const noGates: readonly string[] = [];

/** An entry of spec.resourceClaims. */
export interface PodDeviceClaim {
  /** The name by which containers refer to it. */
  readonly name: string;
  /** The name of the ResourceClaim; undefined if it has not been created yet, null if none is needed. */
  readonly claim: string | null | undefined;
  readonly fromTemplate: boolean;
}

/** Returns the claims of spec.resourceClaims. The names of those from a template are in the pod's status. */
export function deviceClaims({ spec, status }: Frozen<Pod>): readonly PodDeviceClaim[] {
  const { resourceClaims = [] } = spec ?? {};
  if (resourceClaims.length === 0) return noDeviceClaims;
  const made = new Map(
    (status?.resourceClaimStatuses ?? []).map(({ name, resourceClaimName }) => [name, resourceClaimName ?? null]),
  );
  return resourceClaims.map(({ name, resourceClaimName }) => ({
    name,
    claim: resourceClaimName ?? made.get(name),
    fromTemplate: resourceClaimName === undefined,
  }));
}

const noDeviceClaims: readonly PodDeviceClaim[] = [];
