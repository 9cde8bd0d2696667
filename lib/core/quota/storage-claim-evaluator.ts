// What claims use of quotas: their number and the storage they request, in all and of their storage class. Storage that
// is already allocated counts until a smaller request takes effect. As
// pkg/quota/v1/evaluator/core/persistent_volume_claims.go.
import { deepEqual } from '../objects/json.js';
import type { ApiObject, Frozen } from '../objects/meta.js';
import { compareQuantities, quantityFromInteger, quantityToInteger } from '../objects/quantity-arithmetic.js';
import type { Quantity } from '../objects/quantity-arithmetic.js';
import { parseQuantity } from '../objects/quantity.js';
import type { PersistentVolumeClaim } from '../types/core-v1.generated.js';
import { statedClass } from '../volumes/claims-and-volumes.js';
import { meetsRequirement } from './quota-evaluator.js';
import type { QuotaEvaluator } from './quota-evaluator.js';
import { oneObject } from './quota-amounts.js';
import type { QuotaAmounts } from './quota-amounts.js';

/** Measures PersistentVolumeClaims. */
export const storageClaimEvaluator: QuotaEvaluator = {
  resource: { group: '', resource: 'persistentvolumeclaims' },
  measures: (name) =>
    name === 'count/persistentvolumeclaims' ||
    measured.includes(name) ||
    measured.some((each) => name.endsWith(`${storageClassInfix}${each}`)),
  usageOf: (object) => usageOf(object as Frozen<PersistentVolumeClaim>),
  isInScope: (object, requirement) =>
    requirement.scopeName === 'VolumeAttributesClass' && meetsRequirement(requirement, attributesClasses(object)),
  handles: ({ operation, subresource, object, oldObject }) => {
    if (subresource === '') return true;
    return subresource === 'status' && operation === 'UPDATE' && oldObject !== undefined && changes(oldObject, object);
  },
  releases: changes,
};

const measured: readonly string[] = ['persistentvolumeclaims', 'requests.storage'];
const storageClassInfix = '.storageclass.storage.k8s.io/';

function usageOf(claim: Frozen<PersistentVolumeClaim>): QuotaAmounts {
  const storageClass = statedClass(claim) ?? '';
  const storage = storageOf(claim);
  const usage = new Map([
    ['persistentvolumeclaims', oneObject],
    ['count/persistentvolumeclaims', oneObject],
  ]);
  if (storage !== undefined) usage.set('requests.storage', storage);
  if (storageClass !== '') {
    for (const name of measured) {
      const amount = usage.get(name);
      if (amount !== undefined) usage.set(`${storageClass}${storageClassInfix}${name}`, amount);
    }
  }
  return usage;
}

function storageOf({ spec, status }: Frozen<PersistentVolumeClaim>): Quantity | undefined {
  const request = spec?.resources?.requests?.storage;
  if (request === undefined) return undefined;
  const requested = wholeUnits(parseQuantity(request));
  const allocated = status?.allocatedResources?.storage;
  if (allocated === undefined) return requested;
  const actual = wholeUnits(parseQuantity(allocated));
  return compareQuantities(actual, requested) > 0 ? actual : requested;
}

/** Rounded up; what needs no rounding stays as it is spelled. */
function wholeUnits(amount: Quantity): Quantity {
  const whole = quantityFromInteger(quantityToInteger(amount), amount.format);
  return compareQuantities(whole, amount) === 0 ? amount : whole;
}

/** Whether the status of a claim changed in what quotas measure. */
function changes(old: Frozen<ApiObject>, object: Frozen<ApiObject>): boolean {
  const allocatedIn = (claim: Frozen<ApiObject>): string | undefined =>
    (claim as Frozen<PersistentVolumeClaim>).status?.allocatedResources?.storage;
  return allocatedIn(old) !== allocatedIn(object) || !deepEqual(attributesClasses(old), attributesClasses(object));
}

/** The VolumeAttributesClasses that a claim has, had or will have, in the order of their names. */
function attributesClasses(object: Frozen<ApiObject>): readonly string[] {
  const { spec, status } = object as Frozen<PersistentVolumeClaim>;
  const names = [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ];
  return [...new Set(names.filter((name) => name !== undefined && name !== ''))].sort() as string[];
}
