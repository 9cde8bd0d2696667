// Extended resources that nodes do not have themselves but a device class stands behind. A pod that asks for one gets
// devices through a claim that the scheduler makes for it: thought up for each node, since a node may have some of the
// resources by itself, and stored once the node is chosen. As pkg/scheduler/framework/plugins/dynamicresources,
// extendeddynamicresources.go.
import { controllerOf } from '../../../core/index.js';
import type { Random } from '../../../core/index.js';
import type { KnownObjects } from '../../cluster/known-objects.js';
import type { NodeView } from '../../cluster/node-view.js';
import type { PodFacts } from '../../pod/pod-facts.js';
import { deviceClassBehind, mayBeDevices } from '../device-classes.js';
import { deviceClaimDemands } from './allocation/device-demands.js';
import type { DeviceClaimDemands, DemandReader } from './allocation/device-demands.js';
import type { Allocation, FrozenResourceClaim, FrozenDeviceClass } from './allocation/devices.js';
import { extendedRequests } from './extended-requests.js';
import type { ExtendedRequests } from './extended-requests.js';

/** Says that a claim was made for the extended resources of its owner. */
const annotation = 'resource.kubernetes.io/extended-resource-claim';

/** The claim of a pod for extended resources. */
export interface ExtendedClaim {
  /** Thought up, or once it was stored as the API answered. */
  claim: FrozenResourceClaim;
  /** It was made in an earlier attempt, for a node that the pod did not get: it is of no use any more. */
  readonly isLeftOver: boolean;
  /** Whether it is in the API by now. */
  isStored: boolean;
  /** The resources of the pod that have a class behind them. */
  readonly classes: ReadonlyMap<string, FrozenDeviceClass>;
  /** What it demands, by the resources that a node lacks. */
  readonly demands: Map<string, ExtendedDemands>;
  /** What was decided for the chosen node. */
  decided?: ExtendedDecision;
}

/** What was decided for extended resources. */
export interface ExtendedDecision {
  /** As it was thought up for the node. */
  readonly claim: FrozenResourceClaim;
  readonly allocation: Allocation;
  readonly mappings: ExtendedRequests['mappings'];
}

/** What a node would have to give in devices. */
export interface ExtendedDemands {
  readonly demands: DeviceClaimDemands;
  readonly mappings: ExtendedRequests['mappings'];
}

/** The claim that a pod needs for its extended resources; undefined where no class stands behind any. */
export function extendedClaim(pod: PodFacts, objects: KnownObjects, random: Random): ExtendedClaim | undefined {
  const classes = classesBehind(pod, objects);
  if (classes.size === 0) return undefined;
  const leftOver = objects
    .list('ResourceClaim', pod.namespace)
    .find((claim) => claim.metadata?.annotations?.[annotation] === 'true' && controllerOf(claim)?.uid === pod.uid);
  return {
    claim: leftOver ?? thoughtUp(pod, random.uuid()),
    isLeftOver: leftOver !== undefined,
    isStored: leftOver !== undefined,
    classes,
    demands: new Map(),
  };
}

/**
 * Whether a node knows nothing of an extended resource that no class stands behind. Others say so first, unless they
 * ignore it.
 */
export function isForeignTo(
  { allocatable }: NodeView,
  { requests: { scalars } }: PodFacts,
  { classes }: ExtendedClaim,
): boolean {
  return Array.from(scalars).some(
    ([resource, amount]) =>
      amount > 0 && !classes.has(resource) && !allocatable.scalars.has(resource) && mayBeDevices(resource),
  );
}

/** What is left to devices on a node; undefined where it has all by itself. */
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

function classesBehind(
  { requests: { scalars } }: PodFacts,
  objects: KnownObjects,
): ReadonlyMap<string, FrozenDeviceClass> {
  const classes = new Map<string, FrozenDeviceClass>();
  for (const [resource, amount] of scalars) {
    const behind = amount > 0 ? deviceClassBehind(objects, resource) : undefined;
    if (behind !== undefined) classes.set(resource, behind);
  }
  return classes;
}

/** Its name and uid are for messages and for the ledger only: the API gives it others. */
function thoughtUp({ namespace, name, uid: owner }: PodFacts, uid: string): FrozenResourceClaim {
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
