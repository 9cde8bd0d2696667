// Whether a volume can be provisioned for a claim on a node: the class has a provisioner, its allowed topologies
// include the node, and a driver that tracks capacity has enough for the node. As
// pkg/scheduler/framework/plugins/volumebinding, checkVolumeProvisions.
import {
  claimKey,
  classOfClaim,
  integerValue,
  matchesLabels,
  noProvisioner,
  quote,
  readableSelector,
} from '../../../../core/index.js';
import type { FrozenClaim, Frozen, Labels, Selector } from '../../../../core/index.js';
import type { CSIStorageCapacity, StorageClass } from '../../../../core/types/index.js';
import type { ObjectLister } from '../../../cluster/object-lister.js';
import { memoizeByKinds } from '../../memoize.js';
import { labelBuckets } from '../label-buckets.js';
import type { LabelBuckets } from '../label-buckets.js';

/** A claim for which a volume may be provisioned. */
export interface ProvisionableClaim {
  readonly claim: FrozenClaim;
  readonly storageClass: Frozen<StorageClass>;
  /** The requested bytes if the driver tracks capacity; else undefined. */
  readonly size: number | undefined;
}

/** Why no volume can be provisioned: no provisioner or topology, or not enough space. */
export type ProvisioningProblem = 'unavailable' | 'no-space';

/** Collects what provisioning depends on. Throws if a claim has no class. */
export function provisionableClaim(claim: FrozenClaim, objects: ObjectLister): ProvisionableClaim {
  const className = classOfClaim(claim);
  if (className === '') throw new Error(`no class for claim ${quote(claimKey(claim))}`);
  const storageClass = objects.get('StorageClass', className);
  if (storageClass === undefined) throw new Error(`failed to find storage class ${quote(className)}`);
  const requested = claim.spec?.resources?.requests?.storage;
  const isTracked =
    requested !== undefined && objects.get('CSIDriver', storageClass.provisioner)?.spec.storageCapacity === true;
  return { claim, storageClass, size: isTracked ? integerValue(requested) : undefined };
}

/** Returns why a volume cannot be provisioned on a node with these labels. */
export function provisioningProblem(
  { storageClass, size }: ProvisionableClaim,
  labels: Labels,
  objects: ObjectLister,
): ProvisioningProblem | undefined {
  const { provisioner } = storageClass;
  if (!hasProvisioner(provisioner) || !isAllowed(storageClass, labels)) return 'unavailable';
  if (size === undefined) return undefined;
  const capacities =
    capacitiesByClass(objects)
      .get(storageClass.metadata?.name ?? '')
      ?.for(labels) ?? [];
  return capacities.some((list) => list.some(({ limit, nodes }) => limit >= size && matchesLabels(nodes, labels)))
    ? undefined
    : 'no-space';
}

/** Returns whether a volume can be provisioned on every node. */
export function isProvisionableEverywhere({
  storageClass: { provisioner, allowedTopologies = [] },
  size,
}: ProvisionableClaim): boolean {
  return hasProvisioner(provisioner) && allowedTopologies.length === 0 && size === undefined;
}

function hasProvisioner(provisioner: string): boolean {
  return provisioner !== '' && provisioner !== noProvisioner;
}

/** Returns the largest volume that a capacity allows, in bytes; undefined if it is not given. */
export function volumeLimit({ maximumVolumeSize, capacity }: Frozen<CSIStorageCapacity>): number | undefined {
  const limit = maximumVolumeSize ?? capacity;
  return limit === undefined ? undefined : integerValue(limit);
}

/** No terms allow every node; a term without requirements allows none. */
function isAllowed({ allowedTopologies = [] }: Frozen<StorageClass>, labels: Labels): boolean {
  if (allowedTopologies.length === 0) return true;
  return allowedTopologies.some(
    ({ matchLabelExpressions: demands = [] }) =>
      demands.length > 0 && demands.every(({ key, values }) => hasOneOf(labels, key, values)),
  );
}

function hasOneOf(labels: Labels, key: string, values: readonly string[]): boolean {
  const value = labels[key];
  return value !== undefined && values.includes(value);
}

/** The free capacity of a driver, and the nodes it applies to. */
interface Capacity {
  readonly limit: number;
  readonly nodes: Selector;
}

const capacitiesByClass = memoizeByKinds(['CSIStorageCapacity'], (objects) => {
  const byClass = new Map<string, Capacity[]>();
  for (const capacity of objects.list('CSIStorageCapacity')) {
    const { storageClassName, nodeTopology } = capacity;
    const limit = volumeLimit(capacity);
    if (nodeTopology === undefined || limit === undefined) continue;
    const list = byClass.get(storageClassName) ?? [];
    byClass.set(storageClassName, list);
    list.push({ limit, nodes: readableSelector(nodeTopology) });
  }
  return new Map(
    Array.from(byClass, ([name, list]): [string, LabelBuckets<Capacity>] => [
      name,
      labelBuckets(list, ({ nodes }) => nodes),
    ]),
  );
});
