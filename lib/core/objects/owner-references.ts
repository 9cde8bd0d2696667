// Ownership between objects, as metadata.ownerReferences records it. Identity is the uid: a name may be reused by a new
// object, a uid never. Nothing here changes its argument; an update that changes nothing returns its argument.
// As apimachinery/pkg/apis/meta/v1/controller_ref.go.
import { printGroupVersion } from './gvk.js';
import type { GroupVersionKind } from './gvk.js';
import type { ApiObject, Frozen, OwnerReference } from './meta.js';

/** Options of `ownerReference`. */
export interface OwnerReferenceOptions {
  /** The owner manages the dependent; at most one owner may. Left out when undefined. */
  readonly controller?: boolean;
  /** Foreground deletion of the owner waits for the dependent. Left out when undefined. */
  readonly blockOwnerDeletion?: boolean;
  /** The kind of the owner where the object does not have it: items of typed lists carry no apiVersion and kind. */
  readonly gvk?: GroupVersionKind;
}

/** A list of references without repetitions, and the uids that were repeated (once per repetition). */
export interface DedupedOwnerReferences {
  readonly references: readonly Frozen<OwnerReference>[];
  readonly duplicates: readonly string[];
}

/** The reference to the managing controller, if the object has one. */
export function controllerOf(object: Frozen<ApiObject>): Frozen<OwnerReference> | undefined {
  return object.metadata?.ownerReferences?.find((reference) => reference.controller === true);
}

/** Returns whether `owner`, by uid, is the managing controller of `object`. */
export function isControlledBy(object: Frozen<ApiObject>, owner: Frozen<ApiObject>): boolean {
  return hasUid(owner) && controllerOf(object)?.uid === owner.metadata?.uid;
}

/** Returns whether `owner`, by uid, is among the owners of `object`. */
export function isOwnedBy(object: Frozen<ApiObject>, owner: Frozen<ApiObject>): boolean {
  if (!hasUid(owner)) return false;
  return object.metadata?.ownerReferences?.some((reference) => reference.uid === owner.metadata?.uid) ?? false;
}

/** A reference to a persisted owner. Throws TypeError when the owner's kind, name or uid is unknown. */
export function ownerReference(owner: Frozen<ApiObject>, options: OwnerReferenceOptions = {}): OwnerReference {
  const { controller, blockOwnerDeletion, gvk } = options;
  const apiVersion = gvk === undefined ? owner.apiVersion : printGroupVersion(gvk);
  const kind = gvk === undefined ? owner.kind : gvk.kind;
  const { name, uid } = owner.metadata ?? {};
  if (!apiVersion || !kind || !name || !uid) {
    throw new TypeError('an owner reference needs the apiVersion, kind, name and uid of the owner');
  }
  return {
    apiVersion,
    kind,
    name,
    uid,
    ...(controller !== undefined && { controller }),
    ...(blockOwnerDeletion !== undefined && { blockOwnerDeletion }),
  };
}

/** The object with `reference` added, or put in place of the one with the same uid. */
export function withOwnerReference<T extends Frozen<ApiObject>>(object: T, reference: Frozen<OwnerReference>): T {
  const references = object.metadata?.ownerReferences ?? [];
  const index = references.findIndex(({ uid }) => uid === reference.uid);
  const current = references[index];
  if (current !== undefined && identity(current) === identity(reference)) return object;
  const ownerReferences = current === undefined ? [...references, reference] : references.with(index, reference);
  return { ...object, metadata: { ...object.metadata, ownerReferences } };
}

/** The object without any reference to the owner with this uid; the field goes with its last entry. */
export function withoutOwnerReference<T extends Frozen<ApiObject>>(object: T, uid: string): T {
  const { ownerReferences: references = [], ...rest } = object.metadata ?? {};
  const kept = references.filter((reference) => reference.uid !== uid);
  if (kept.length === references.length) return object;
  return { ...object, metadata: kept.length === 0 ? rest : { ...rest, ownerReferences: kept } };
}

/**
 * Drops references equal in every field to an earlier one. As the API server does on create and update:
 * apiserver/pkg/endpoints/handlers/rest.go, dedupOwnerReferences, but in linear time.
 */
export function dedupeOwnerReferences(references: readonly Frozen<OwnerReference>[]): DedupedOwnerReferences {
  const seen = new Set<string>();
  const duplicates: string[] = [];
  const kept = references.filter((reference) => {
    const key = identity(reference);
    if (seen.has(key)) {
      duplicates.push(reference.uid);
      return false;
    }
    seen.add(key);
    return true;
  });
  return { references: duplicates.length === 0 ? references : kept, duplicates };
}

/** An object that was never persisted has no uid and owns nothing. */
function hasUid(object: Frozen<ApiObject>): boolean {
  return Boolean(object.metadata?.uid);
}

/** Unset and false are different answers here, as with Go's pointers. */
function identity(reference: Frozen<OwnerReference>): string {
  const { apiVersion, kind, name, uid, controller, blockOwnerDeletion } = reference;
  return JSON.stringify([apiVersion, kind, name, uid, controller ?? null, blockOwnerDeletion ?? null]);
}
