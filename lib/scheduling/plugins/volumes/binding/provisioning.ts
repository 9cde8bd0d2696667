// Whether volumes could be made for claims on a node: the class must have somebody who makes them, the node must be
// where the class allows, and where a driver tells how much space it has left there must be enough within reach of the
// node. As pkg/scheduler/framework/plugins/volumebinding, checkVolumeProvisions.
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
import type { KnownObjects } from '../../../cluster/known-objects.js';
import { computedFrom } from '../../computed-from.js';
import { labelBuckets } from '../label-buckets.js';
import type { LabelBuckets } from '../label-buckets.js';

/** A claim for which a volume may be made. */
export interface ProvisionableClaim {
  readonly claim: FrozenClaim;
  readonly storageClass: Frozen<StorageClass>;
  /** How many bytes it asks for, where the driver tells how many it has; else undefined. */
  readonly size: number | undefined;
}

/** Why no volume can be made: nobody makes any there, or there is no space. */
export type ProvisioningProblem = 'unavailable' | 'no-space';

/** Reads what decides. Throws where a claim has no class. */
export function provisionableClaim(claim: FrozenClaim, objects: KnownObjects): ProvisionableClaim {
  const className = classOfClaim(claim);
  if (className === '') throw new Error(`no class for claim ${quote(claimKey(claim))}`);
  const storageClass = objects.get('StorageClass', className);
  if (storageClass === undefined) throw new Error(`failed to find storage class ${quote(className)}`);
  const requested = claim.spec?.resources?.requests?.storage;
  const isTracked =
    requested !== undefined && objects.get('CSIDriver', storageClass.provisioner)?.spec.storageCapacity === true;
  return { claim, storageClass, size: isTracked ? integerValue(requested) : undefined };
}

/** What stands in the way on a node with these labels. */
export function provisioningProblem(
  { storageClass, size }: ProvisionableClaim,
  labels: Labels,
  objects: KnownObjects,
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

/** Whether a volume could be made whichever node the pod gets. */
export function isProvisionableEverywhere({
  storageClass: { provisioner, allowedTopologies = [] },
  size,
}: ProvisionableClaim): boolean {
  return hasProvisioner(provisioner) && allowedTopologies.length === 0 && size === undefined;
}

function hasProvisioner(provisioner: string): boolean {
  return provisioner !== '' && provisioner !== noProvisioner;
}

/** The largest volume that capacity is good for, in bytes; undefined where that is not said. */
export function volumeLimit({ maximumVolumeSize, capacity }: Frozen<CSIStorageCapacity>): number | undefined {
  const limit = maximumVolumeSize ?? capacity;
  return limit === undefined ? undefined : integerValue(limit);
}

/** Without terms everything is allowed; a term without requirements allows nothing. */
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

/** Space that a driver has, and the nodes that can use it. */
interface Capacity {
  readonly limit: number;
  readonly nodes: Selector;
}

const capacitiesByClass = computedFrom(['CSIStorageCapacity'], (objects) => {
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
