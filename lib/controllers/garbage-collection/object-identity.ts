// The coordinates of objects in the dependency graph. An owner reference has no namespace: it means an object of the
// dependent's namespace or a cluster-scoped one, and only the server knows which. So references to one uid can disagree
// about the owner's coordinates, and each version of them is verified by itself.
import type { KindName, Stored } from '../../client/index.js';
import type { Frozen } from '../../core/index.js';
import type { OwnerReference } from '../../core/types/index.js';

/** The coordinates of an object. */
export interface ObjectIdentity extends KindName {
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** Returns the coordinates of an object of that kind. */
export function identityOf({ apiVersion, kind }: KindName, { metadata }: Stored): ObjectIdentity {
  return { apiVersion, kind, namespace: metadata.namespace ?? '', name: metadata.name, uid: metadata.uid };
}

/** Returns the coordinates of the owner that a dependent of that namespace refers to. */
export function ownerIdentity(
  { apiVersion, kind, name, uid }: Frozen<OwnerReference>,
  namespace: string,
): ObjectIdentity {
  return { apiVersion, kind, namespace, name, uid };
}

/** Returns whether a reference has the kind, name and uid of the owner. Namespaces are not compared. */
export function refersTo(reference: Frozen<OwnerReference>, owner: ObjectIdentity): boolean {
  const { apiVersion, kind, name, uid } = owner;
  return (
    reference.uid === uid && reference.name === name && reference.kind === kind && reference.apiVersion === apiVersion
  );
}

/** Returns whether two identities have the same coordinates. */
export function isSameIdentity(one: ObjectIdentity, other: ObjectIdentity): boolean {
  return one.namespace === other.namespace && refersTo(one, other);
}

/** A text that identifies the coordinates, for maps. */
export function identityKey({ apiVersion, kind, namespace, name, uid }: ObjectIdentity): string {
  return `${uid} ${apiVersion} ${kind} ${namespace} ${name}`;
}

/** As Kubernetes prints an identity in messages. */
export function printIdentity({ apiVersion, kind, namespace, name, uid }: ObjectIdentity): string {
  return `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
}

/** A dependent, as far as its references matter. */
export interface ReferringObject {
  readonly namespace: string;
  readonly references: readonly Frozen<OwnerReference>[];
}

/** Dependents by whether they mean the owner with these coordinates. One with several references can be in both. */
export function partitionDependents<T extends ReferringObject>(
  dependents: Iterable<T>,
  owner: ObjectIdentity,
): { readonly matching: readonly T[]; readonly mismatching: readonly T[] } {
  const matching: T[] = [];
  const mismatching: T[] = [];
  for (const dependent of dependents) {
    const isElsewhere = owner.namespace !== '' && owner.namespace !== dependent.namespace;
    const references = dependent.references.filter(({ uid }) => uid === owner.uid);
    if (!isElsewhere && references.some((reference) => refersTo(reference, owner))) matching.push(dependent);
    if (isElsewhere || references.some((reference) => !refersTo(reference, owner))) mismatching.push(dependent);
  }
  return { matching, mismatching };
}

/**
 * Returns other coordinates by which dependents refer to the same uid: the next ones in order after those that are
 * absent, or else the first. Undefined if there are none. So repeated calls try all of them in turn.
 */
export function alternateIdentity(
  dependents: readonly ReferringObject[],
  absent: ObjectIdentity,
): ObjectIdentity | undefined {
  const isClusterScoped = absent.namespace === '';
  const alternates = new Map<string, ObjectIdentity>();
  for (const { namespace, references } of dependents) {
    for (const reference of references) {
      if (reference.uid !== absent.uid) continue;
      // A kind that is cluster-scoped is so for every dependent.
      const isSameKind = reference.apiVersion === absent.apiVersion && reference.kind === absent.kind;
      const identity = ownerIdentity(reference, isClusterScoped && isSameKind ? '' : namespace);
      if (!isSameIdentity(identity, absent)) alternates.set(identityKey(identity), identity);
    }
  }
  const inOrder = [...alternates.values()].sort(compareIdentities);
  return inOrder.find((identity) => compareIdentities(absent, identity) < 0) ?? inOrder[0];
}

/** Kinds first, so that the order does not depend on whether a kind has namespaces. */
function compareIdentities(one: ObjectIdentity, other: ObjectIdentity): number {
  for (const part of ['kind', 'apiVersion', 'namespace', 'name', 'uid'] as const)
    if (one[part] !== other[part]) return one[part] < other[part] ? -1 : 1;
  return 0;
}
