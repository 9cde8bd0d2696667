// The volumes that a claim can be bound to. A volume that is reserved for a claim is the only one that comes into
// question; else it is the smallest that fits, so that large ones are left for large claims.
// As component-helpers/storage/volume, FindMatchingVolume, and persistentVolumeOrderedIndex of the controller.
import { matchesLabels } from '../objects/label-selector.js';
import { compareQuantities } from '../objects/quantity-arithmetic.js';
import type { Quantity } from '../objects/quantity-arithmetic.js';
import { parseQuantity } from '../objects/quantity.js';
import { readableSelector } from '../objects/structured-selector.js';
import { classOfClaim, classOfVolume, isMeantFor } from './claims-and-volumes.js';
import type { FrozenClaim, FrozenVolume } from './claims-and-volumes.js';

/** Returns whether a volume that is unbound or reserved for the claim satisfies the claim. */
export function isSuitable(volume: FrozenVolume, claim: FrozenClaim): boolean {
  return (
    (volume.spec?.claimRef === undefined || isMeantFor(volume, claim)) &&
    volume.metadata?.deletionTimestamp === undefined &&
    hasSameMode(volume, claim) &&
    hasSameAttributes(volume, claim) &&
    isLargeEnough(volume, claim)
  );
}

/** Returns whether a suitable volume is available to every claim that requests its properties. */
export function offeredTo(claim: FrozenClaim): (volume: FrozenVolume) => boolean {
  const { selector } = claim.spec ?? {};
  const wanted = selector && readableSelector(selector);
  const className = classOfClaim(claim);
  return (volume) =>
    volume.status?.phase === 'Available' &&
    classOfVolume(volume) === className &&
    (wanted === undefined || matchesLabels(wanted, volume.metadata?.labels)) &&
    hasAccessModes(volume, claim);
}

/**
 * The volume that a claim gets wherever it is used. A claim that waits for its pod gets only one that is reserved for
 * it. Among those that fit, one with few access modes is taken before one with many, whatever their sizes.
 */
export function bestVolumeFor<V extends FrozenVolume>(
  claim: FrozenClaim,
  volumes: readonly V[],
  waits: boolean,
): V | undefined {
  const suitable = volumes.filter((volume) => isSuitable(volume, claim) && hasAccessModes(volume, claim));
  const meant = suitable.find((volume) => isMeantFor(volume, claim));
  if (meant !== undefined || waits) return meant;
  const [first, ...others] = suitable.filter(offeredTo(claim));
  return first && others.reduce((best, volume) => (byModesAndSize(volume, best) < 0 ? volume : best), first);
}

/** Returns whether a volume is used in the way the claim wants, as files or as a block device. */
export function hasSameMode({ spec: own }: FrozenVolume, { spec }: FrozenClaim): boolean {
  return (own?.volumeMode ?? 'Filesystem') === (spec?.volumeMode ?? 'Filesystem');
}

/** Returns whether a volume has the class of attributes that the claim requests. */
export function hasSameAttributes({ spec: own }: FrozenVolume, { spec }: FrozenClaim): boolean {
  return (own?.volumeAttributesClassName ?? '') === (spec?.volumeAttributesClassName ?? '');
}

/** Returns whether a volume allows every access mode that the claim requests. */
export function hasAccessModes({ spec: own }: FrozenVolume, { spec }: FrozenClaim): boolean {
  return (spec?.accessModes ?? []).every((mode) => own?.accessModes?.includes(mode));
}

/** Returns whether a volume has what the claim requests. */
export function isLargeEnough(volume: FrozenVolume, claim: FrozenClaim): boolean {
  return compareQuantities(capacityOf(volume), requestedStorage(claim)) >= 0;
}

/** Orders volumes by size, the smallest first. */
export function bySizeOfVolume(one: FrozenVolume, other: FrozenVolume): number {
  return compareQuantities(capacityOf(one), capacityOf(other));
}

/** Orders claims by what they request: small claims choose first, lest they take what only they could do without. */
export function bySizeOfClaim(one: FrozenClaim, other: FrozenClaim): number {
  return compareQuantities(requestedStorage(one), requestedStorage(other));
}

function byModesAndSize(one: FrozenVolume, other: FrozenVolume): number {
  const fewer = new Set(one.spec?.accessModes).size - new Set(other.spec?.accessModes).size;
  return fewer === 0 ? bySizeOfVolume(one, other) : fewer;
}

/** Nothing counts as none. */
function requestedStorage(claim: FrozenClaim): Quantity {
  return amountOf(claim, claim.spec?.resources?.requests?.storage);
}

function capacityOf(volume: FrozenVolume): Quantity {
  return amountOf(volume, volume.spec?.capacity?.storage);
}

/** The capacity of an object, parsed once. */
function amountOf(object: FrozenClaim | FrozenVolume, text = '0'): Quantity {
  const known = amounts.get(object);
  if (known !== undefined) return known;
  const amount = parseQuantity(text);
  amounts.set(object, amount);
  return amount;
}

const amounts = new WeakMap<FrozenClaim | FrozenVolume, Quantity>();
