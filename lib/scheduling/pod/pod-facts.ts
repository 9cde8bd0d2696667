// All that the scheduler wants to know of a pod, read from its object once. Objects are frozen values, so the facts
// hold for as long as the object does, and go with it. Nothing here depends on other objects: what does, such as the
// spread constraints of a profile, is computed where those are at hand.
import { deepFreeze, volumeClaims } from '../../core/index.js';
import type { Frozen, Labels, VolumeClaim } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import { deviceClaims } from './device-claims.js';
import type { PodDeviceClaim } from './device-claims.js';
import { podAffinity, podAntiAffinity } from './pod-affinity.js';
import type { AffinityTerms } from './pod-affinity.js';
import { heldRequests, mayBeResized, nonZeroHeldRequests } from './requests.js';
import type { NonZeroRequests } from './requests.js';
import type { ResourceAmounts } from './resource-amounts.js';
import { specFacts } from './spec-facts.js';
import type { SpecFacts } from './spec-facts.js';
import { ownSpreadConstraints } from './topology-spread.js';
import type { SpreadConstraints } from './topology-spread.js';

/** What a pod asks for, and what it is. */
export interface PodFacts extends SpecFacts {
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
  /** What it takes on its node, resizing included. */
  readonly held: ResourceAmounts;
  /** The same for scoring. */
  readonly nonZeroHeld: NonZeroRequests;
  readonly affinity: AffinityTerms;
  readonly antiAffinity: AffinityTerms;
  /** Undefined where those of the profile apply. */
  readonly spread: SpreadConstraints | undefined;
  readonly volumeClaims: readonly VolumeClaim[];
  readonly deviceClaims: readonly PodDeviceClaim[];
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
    held: resized ? heldRequests(pod) : requests,
    nonZeroHeld: resized || ofSpec.hasPodLevelRequests ? nonZeroHeldRequests(pod) : nonZeroRequests,
    affinity: podAffinity(pod),
    antiAffinity: podAntiAffinity(pod),
    spread: ownSpreadConstraints(pod),
    volumeClaims: volumeClaims(pod),
    deviceClaims: deviceClaims(pod),
  });
}

const noLabels: Labels = deepFreeze({});
const noGates: readonly string[] = [];
