// Who owns the claims of a pod of a StatefulSet, so that the garbage collector deletes them as the retention policy
// says. Deleted with the set: the set owns the claim. Deleted when scaled down: the pod owns it, but only once its
// ordinal is out of range, since pods are replaced too. Both: the set in range, the pod out of range. Claims with an
// owner of the same name and another uid, or with another controller, are left alone. Pure. As
// pkg/controller/statefulset/stateful_set_utils.go, isClaimOwnerUpToDate and updateClaimOwnerRefForSetAndPod.
import type { Stored } from '../../client/index.js';
import { isOwnedBy } from '../../core/index.js';
import type { ApiObject, Frozen, OwnerReference } from '../../core/index.js';
import type { PersistentVolumeClaim, Pod, StatefulSet } from '../../core/types/index.js';
import { controllerReference } from '../workloads/pod-control.js';
import type { OwnerKind } from '../workloads/pod-control.js';
import { isOrdinalInRange, ordinalOf, podKind, statefulSetKind } from './pod-identity.js';

/** A claim, and the pod and set that may own it. A pod that is not created yet has no uid. */
export interface ClaimOwnership {
  readonly claim: Stored<PersistentVolumeClaim>;
  readonly set: Stored<StatefulSet>;
  readonly pod: Frozen<Pod>;
}

/** Returns whether the owners of the claim are those that the policy of the set demands. */
export function hasDesiredOwners(ownership: ClaimOwnership): boolean {
  const { claim, set, pod } = ownership;
  if (hasStaleOwner(claim, set, statefulSetKind) || hasStaleOwner(claim, pod, podKind)) return true;
  if (hasForeignController(ownership)) return !isOwnedBy(claim, set) && !isOwnedBy(claim, pod);
  const owned = (claim.metadata.ownerReferences ?? []).filter(({ uid }) => isUidOf(uid, set) || isUidOf(uid, pod));
  if (owned.some(({ controller }) => controller !== true)) return false;
  const desired = desiredOwner(ownership);
  return isOwnedBy(claim, set) === (desired === 'set') && isOwnedBy(claim, pod) === (desired === 'pod');
}

/** Returns the owner references that the policy of the set demands. */
export function desiredOwners(ownership: ClaimOwnership): readonly Frozen<OwnerReference>[] {
  const { claim, set, pod } = ownership;
  const others = (claim.metadata.ownerReferences ?? []).filter(
    (reference) => !isNameOf(reference, set, statefulSetKind) && !isNameOf(reference, pod, podKind),
  );
  if (hasForeignController(ownership)) return others;
  const desired = desiredOwner(ownership);
  if (desired === undefined) return others;
  const owner = desired === 'set' ? set : pod;
  if (others.some(({ uid }) => isUidOf(uid, owner))) return others;
  return [...others, controllerReference(owner as Stored, desired === 'set' ? statefulSetKind : podKind)];
}

/** Returns whether another controller manages the claim, although the policy demands owners. */
export function hasForeignController({ claim, set, pod }: ClaimOwnership): boolean {
  const { whenDeleted, whenScaled } = retentionOf(set);
  if (whenDeleted === 'Retain' && whenScaled === 'Retain') return false;
  return (claim.metadata.ownerReferences ?? []).some((reference) => {
    if (isNameOf(reference, set, statefulSetKind)) return !isUidOf(reference.uid, set);
    if (isNameOf(reference, pod, podKind)) return !isUidOf(reference.uid, pod);
    return reference.controller === true;
  });
}

/**
 * Returns whether the claim belongs to an earlier pod of this name, so that it is about to be deleted and the pod must
 * wait for that. Only where claims are deleted when the set is scaled down.
 */
export function isStaleClaim({ claim, set, pod }: ClaimOwnership): boolean {
  return retentionOf(set).whenScaled !== 'Retain' && hasStaleOwner(claim, pod, podKind);
}

function desiredOwner({ set, pod }: ClaimOwnership): 'set' | 'pod' | undefined {
  const { whenDeleted, whenScaled } = retentionOf(set);
  if (whenScaled === 'Delete' && !isOrdinalInRange(set, ordinalOf(pod))) return 'pod';
  return whenDeleted === 'Delete' ? 'set' : undefined;
}

function retentionOf({ spec }: Frozen<StatefulSet>): { readonly whenDeleted: string; readonly whenScaled: string } {
  const { whenDeleted = 'Retain', whenScaled = 'Retain' } = spec?.persistentVolumeClaimRetentionPolicy ?? {};
  return { whenDeleted, whenScaled };
}

/** The first reference by name decides. */
function hasStaleOwner(claim: Stored<PersistentVolumeClaim>, owner: Frozen<ApiObject>, kind: OwnerKind): boolean {
  const reference = claim.metadata.ownerReferences?.find((each) => isNameOf(each, owner, kind));
  return reference !== undefined && !isUidOf(reference.uid, owner);
}

function isNameOf(reference: Frozen<OwnerReference>, owner: Frozen<ApiObject>, kind: OwnerKind): boolean {
  return (
    reference.apiVersion === kind.apiVersion && reference.kind === kind.kind && reference.name === owner.metadata?.name
  );
}

function isUidOf(uid: string, { metadata }: Frozen<ApiObject>): boolean {
  return uid === metadata?.uid;
}
