// Equivalence keys of pods. Pods with the same node signature get the same filter and score results from plugins that
// look at a node alone; pods with the same peer signature also from plugins that look at other pods. Pods of one
// template usually share both; pods of a StatefulSet have labels of their own and share the first. JSON, so that values
// cannot run into each other.
import type { Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import type { PodFacts } from './pod-facts.js';
import { containerRequests } from './requests.js';
import type { ResourceAmounts } from './resource-amounts.js';
import { specFacts } from './spec-facts.js';
import type { SpecFacts } from './spec-facts.js';
import { selectingController } from './topology-spread.js';

/** The version of the known DeviceClasses. */
export interface ClassVersions {
  /** Changes whenever an object of the kind is added, changed or deleted. */
  version(kind: 'DeviceClass'): number;
}

/** Returns the key of everything that the built-in plugins read of a pod when they evaluate a node by itself. */
export function nodeSignature(pod: PodFacts, objects: ClassVersions): string {
  // For most pods it depends on the spec alone, which replicas share.
  if (pod.nodeName !== '' || pod.requests.scalars.size > 0) return readNodeSignature(pod, objects);
  const spec = specFacts(pod.object);
  const known = signatures.get(spec);
  if (known !== undefined) return known;
  const signature = readNodeSignature(pod, objects);
  signatures.set(spec, signature);
  return signature;
}

const signatures = new WeakMap<SpecFacts, string>();

function readNodeSignature(
  { object, requests, nonZeroRequests, hostPorts, nodeName, images, containerCount }: PodFacts,
  objects: ClassVersions,
): string {
  return JSON.stringify([
    amounts(requests),
    nonZeroRequests.milliCpu,
    nonZeroRequests.memory,
    // Pod-level huge pages count for the filter but not for the score.
    object.spec?.resources?.requests === undefined ? 0 : [...containerRequests(object).scalars],
    // A DeviceClass may back a resource that a node does not have.
    requests.scalars.size === 0 ? 0 : objects.version('DeviceClass'),
    hostPorts,
    nodeName,
    images,
    containerCount,
    ...nodeConstraintsOf(object),
  ]);
}

/** Returns the key of everything that the built-in plugins read of a pod when they compare it with other pods. */
export function peerSignature({ object, namespace, labels }: PodFacts): string {
  const { affinity, topologySpreadConstraints } = object.spec ?? {};
  return JSON.stringify([
    namespace,
    labels,
    affinity?.podAffinity ?? 0,
    affinity?.podAntiAffinity ?? 0,
    topologySpreadConstraints ?? 0,
    // Default constraints apply through the pod's controller.
    selectingController(object) ?? 0,
    ...nodeConstraintsOf(object),
  ]);
}

/** The node selection and tolerations of a pod: they restrict where it fits, and between which nodes it is spread. */
export function nodeConstraintsOf({ spec }: Frozen<Pod>): readonly unknown[] {
  return [spec?.nodeSelector ?? 0, spec?.affinity?.nodeAffinity ?? 0, spec?.tolerations ?? 0];
}

function amounts({ milliCpu, memory, ephemeralStorage, scalars }: ResourceAmounts): readonly unknown[] {
  return [milliCpu, memory, ephemeralStorage, ...scalars];
}
