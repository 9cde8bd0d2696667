// Extended resources that are backed by a device class. A pod that requests one gets devices through a claim that the
// scheduler creates. The claim is computed per node, since a node may have some of the resources itself, and created
// once the node is chosen. As pkg/scheduler/framework/plugins/dynamicresources, extendeddynamicresources.go.
import { controllerOf } from '../../../core/index.js';
import type { Random } from '../../../core/index.js';
import type { ObjectLister } from '../../cluster/object-lister.js';
import type { NodeView } from '../../cluster/node-view.js';
import type { PodFacts } from '../../pod/pod-facts.js';
import { deviceClassBehind, canHaveDeviceClass } from '../device-classes.js';
import { deviceClaimDemands } from './allocation/device-demands.js';
import type { DeviceClaimDemands, DemandReader } from './allocation/device-demands.js';
import type { Allocation, FrozenResourceClaim, FrozenDeviceClass } from './allocation/devices.js';
import { extendedRequests } from './extended-requests.js';
import type { ExtendedRequests } from './extended-requests.js';

/** Marks a claim as created for the extended resources of its owner. */
const annotation = 'resource.kubernetes.io/extended-resource-claim';

/** The claim of a pod for extended resources. */
export interface ExtendedClaim {
  /** The planned claim, or the response after it was created. */
  claim: FrozenResourceClaim;
  /** Whether it was created in an earlier, failed attempt for another node and must be deleted. */
  readonly isOrphaned: boolean;
  /** Whether it has been created. */
  isStored: boolean;
  /** The device classes by resource of the pod. */
  readonly classes: ReadonlyMap<string, FrozenDeviceClass>;
  /** Its requests, by the resources that a node lacks. */
  readonly demands: Map<string, ExtendedDemands>;
  /** The decision for the chosen node. */
  decided?: ExtendedDecision;
}

/** The allocation for extended resources on the chosen node. */
export interface ExtendedDecision {
  /** The planned claim for the node. */
  readonly claim: FrozenResourceClaim;
  readonly allocation: Allocation;
  readonly mappings: ExtendedRequests['mappings'];
}

/** The requests that a node must satisfy with devices. */
export interface ExtendedDemands {
  readonly demands: DeviceClaimDemands;
  readonly mappings: ExtendedRequests['mappings'];
}

/** Returns the claim that a pod needs for its extended resources; undefined if no class backs any. */
export function extendedClaim(pod: PodFacts, objects: ObjectLister, random: Random): ExtendedClaim | undefined {
  const classes = backingClasses(pod, objects);
  if (classes.size === 0) return undefined;
  const leftOver = objects
    .list('ResourceClaim', pod.namespace)
    .find((claim) => claim.metadata?.annotations?.[annotation] === 'true' && controllerOf(claim)?.uid === pod.uid);
  return {
    claim: leftOver ?? plannedClaim(pod, random.uuid()),
    isOrphaned: leftOver !== undefined,
    isStored: leftOver !== undefined,
    classes,
    demands: new Map(),
  };
}

/**
 * Returns whether a node lacks an extended resource that no class backs. NodeResourcesFit rejects such a node first
 * unless it ignores the resource.
 */
export function lacksUnclassedResource(
  { allocatable }: NodeView,
  { requests: { scalars } }: PodFacts,
  { classes }: ExtendedClaim,
): boolean {
  return Array.from(scalars).some(
    ([resource, amount]) =>
      amount > 0 && !classes.has(resource) && !allocatable.scalars.has(resource) && canHaveDeviceClass(resource),
  );
}

/** Returns the requests for the resources that a node lacks; undefined if it has all. */
export function extendedDemands(
  extended: ExtendedClaim,
  pod: PodFacts,
  { allocatable }: NodeView,
  reader: DemandReader,
): ExtendedDemands | undefined {
  const lacking = [...extended.classes].filter(([resource]) => (allocatable.scalars.get(resource) ?? 0) === 0);
  if (lacking.length === 0) return undefined;
  const key = lacking.map(([resource]) => resource).join();
  const known = extended.demands.get(key);
  if (known !== undefined) return known;
  const { requests, mappings } = extendedRequests(pod.object, new Map(lacking));
  const demands = deviceClaimDemands({ ...extended.claim, spec: { devices: { requests } } }, reader);
  if (typeof demands === 'string') throw new Error(demands);
  const made = { demands, mappings };
  extended.demands.set(key, made);
  return made;
}

function backingClasses(
  { requests: { scalars } }: PodFacts,
  objects: ObjectLister,
): ReadonlyMap<string, FrozenDeviceClass> {
  const classes = new Map<string, FrozenDeviceClass>();
  for (const [resource, amount] of scalars) {
    const behind = amount > 0 ? deviceClassBehind(objects, resource) : undefined;
    if (behind !== undefined) classes.set(resource, behind);
  }
  return classes;
}

/** Creates the planned claim. Its name and uid are for messages and the tracker only; the API server assigns others. */
function plannedClaim({ namespace, name, uid: owner }: PodFacts, uid: string): FrozenResourceClaim {
  return {
    metadata: {
      namespace,
      name: '<extended-resources>',
      uid,
      generateName: `${name}-extended-resources-`,
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name, uid: owner, controller: true }],
      annotations: { [annotation]: 'true' },
    },
    spec: {},
  };
}
