// What makes pods alike. Pods with the same node signature fit and score the same on every node by itself; pods with
// the same peer signature stand the same to all other pods. Pods of one template have both in common, as a rule, and
// those of a StatefulSet, which have labels of their own, at least the first. JSON, so that no two texts can run into
// each other.
import type { Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import type { PodFacts } from './pod-facts.js';
import { containerRequests } from './requests.js';
import type { ResourceAmounts } from './resource-amounts.js';
import { specFacts } from './spec-facts.js';
import type { SpecFacts } from './spec-facts.js';
import { selectingController } from './topology-spread.js';

/** Tells classes of devices that changed from those that did not. What is known of the cluster does. */
export interface ClassVersions {
  /** Another number whenever one came, changed or went. */
  version(kind: 'DeviceClass'): number;
}

/** What built-in plugins look at that regard a node by itself. */
export function nodeSignature(pod: PodFacts, objects: ClassVersions): string {
  // Of most pods it is in the specification alone, which replicas share.
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
    // Huge pages that the pod as a whole requests count for its fit, but not for its score.
    object.spec?.resources?.requests === undefined ? 0 : [...containerRequests(object).scalars],
    // A class of devices may stand behind what a node does not have.
    requests.scalars.size === 0 ? 0 : objects.version('DeviceClass'),
    hostPorts,
    nodeName,
    images,
    containerCount,
    ...wishesForNodes(object),
  ]);
}

/** What built-in plugins look at that regard the pods on nodes. */
export function peerSignature({ object, namespace, labels }: PodFacts): string {
  const { affinity, topologySpreadConstraints } = object.spec ?? {};
  return JSON.stringify([
    namespace,
    labels,
    affinity?.podAffinity ?? 0,
    affinity?.podAntiAffinity ?? 0,
    topologySpreadConstraints ?? 0,
    // By its controller a pod may be spread though it says nothing itself.
    selectingController(object) ?? 0,
    ...wishesForNodes(object),
  ]);
}

/** Which nodes a pod wants or endures: they decide where it goes, and among which nodes it is spread. */
export function wishesForNodes({ spec }: Frozen<Pod>): readonly unknown[] {
  return [spec?.nodeSelector ?? 0, spec?.affinity?.nodeAffinity ?? 0, spec?.tolerations ?? 0];
}

function amounts({ milliCpu, memory, ephemeralStorage, scalars }: ResourceAmounts): readonly unknown[] {
  return [milliCpu, memory, ephemeralStorage, ...scalars];
}
