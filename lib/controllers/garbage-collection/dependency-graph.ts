// The dependency graph of the garbage collector: a node per object, and from each owner to its dependents. It is a
// plain data structure: events of objects go in, and what they call for comes out. An event costs as much as the object
// has owners and, where the object goes or begins to wait for them, dependents.
//
// An owner that is referred to but not observed yet is a virtual node: the collector verifies it with a request, until
// it is observed or proven absent. Each node counts the dependents that block its foreground deletion, so that an owner
// is looked at once, when the last of them goes. As pkg/controller/garbagecollector/graph_builder.go.
import type { KindName, Stored } from '../../client/index.js';
import type { Frozen } from '../../core/index.js';
import type { OwnerReference } from '../../core/types/index.js';
import {
  alternateIdentity,
  identityOf,
  isSameIdentity,
  ownerIdentity,
  partitionDependents,
  refersTo,
} from './object-identity.js';
import type { ObjectIdentity, ReferringObject } from './object-identity.js';

/** The finalizers by which an object waits for the garbage collector. */
export const foregroundFinalizer = 'foregroundDeletion';
export const orphanFinalizer = 'orphan';

/** An object in the graph. */
export interface GraphNode extends ReferringObject {
  readonly identity: ObjectIdentity;
  /** The object as last observed; undefined for a virtual node. */
  readonly object: Stored | undefined;
  readonly dependents: ReadonlySet<GraphNode>;
  /** How many dependents have a reference to it with blockOwnerDeletion. */
  readonly blockingDependents: number;
}

/** What an event calls for. Nodes may be repeated. */
export interface GraphChange {
  /** Nodes that may have to be deleted or finalized now. */
  readonly toDelete: GraphNode[];
  /** Nodes whose dependents are to be orphaned. */
  readonly toOrphan: GraphNode[];
  /** Owners that are known not to exist. */
  readonly absent: ObjectIdentity[];
  /** Dependents that refer to an owner of another namespace. */
  readonly misplaced: { readonly dependent: GraphNode; readonly ownerUid: string }[];
}

/** Returns whether an object waits for its dependents to be deleted. */
export function isDeletingDependents(object: Stored | undefined): boolean {
  return isWaiting(object, foregroundFinalizer);
}

/** The graph. */
export class DependencyGraph {
  readonly #nodes = new Map<string, Node>();

  /** The number of nodes. */
  get size(): number {
    return this.#nodes.size;
  }

  /** Returns the node of a uid. */
  node(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  /** Emits all nodes. */
  nodes(): Iterable<GraphNode> {
    return this.#nodes.values();
  }

  /** An object was listed, created or changed. To observe the same object again calls for nothing. */
  observe(kind: KindName, object: Stored): GraphChange {
    const change = noChange();
    const { uid } = object.metadata;
    const known = this.#nodes.get(uid);
    const node = known ?? new Node(identityOf(kind, object));
    if (known === undefined) this.#nodes.set(uid, node);
    const before = node.object;
    if (known !== undefined && before === undefined) verifyCoordinates(node, identityOf(kind, object), change);
    node.observe(kind, object);
    this.#relink(node, before?.metadata.ownerReferences ?? [], change);
    if (isWaiting(object, orphanFinalizer)) {
      if (!isWaiting(before, orphanFinalizer)) change.toOrphan.push(node);
    } else if (isDeletingDependents(object) && (!isDeletingDependents(before) || isWaiting(before, orphanFinalizer))) {
      for (const dependent of node.dependents) change.toDelete.push(dependent);
      change.toDelete.push(node);
    }
    return change;
  }

  /** An object is gone. */
  forget(uid: string): GraphChange {
    const change = noChange();
    const node = this.#nodes.get(uid);
    if (node !== undefined) this.#remove(node, node.identity, change);
    return change;
  }

  /** The server has no object with these coordinates and uid. */
  confirmAbsent(identity: ObjectIdentity): GraphChange {
    const change = noChange();
    const node = this.#nodes.get(identity.uid);
    if (node === undefined) return change;
    const { matching, mismatching } = partitionDependents(node.dependents, identity);
    const isVirtual = node.object === undefined;
    const isDisputed = isVirtual ? mismatching.length > 0 : !isSameIdentity(node.identity, identity);
    if (!isDisputed) {
      this.#remove(node, identity, change);
      return change;
    }
    // The uid may exist under the coordinates of other dependents.
    if (matching.length > 0) change.absent.push(identity);
    for (const dependent of matching) change.toDelete.push(dependent);
    if (isVirtual && isSameIdentity(node.identity, identity)) {
      // Still virtual: the collector verifies it again, by its new coordinates.
      node.identity = alternateIdentity(mismatching, identity) ?? identity;
    }
    return change;
  }

  /**
   * The objects of a kind can no longer be observed. Those with dependents become virtual, to be verified when the kind
   * is served again; the others are dropped and block their owners no more.
   */
  unobserve({ apiVersion, kind }: KindName): GraphChange {
    const change = noChange();
    for (const node of this.#nodes.values()) {
      if (node.object === undefined || node.identity.kind !== kind || node.identity.apiVersion !== apiVersion) continue;
      const { references } = node;
      node.object = undefined;
      this.#relink(node, references, change);
      if (node.dependents.size > 0) change.toDelete.push(node);
      else this.#nodes.delete(node.identity.uid);
    }
    return change;
  }

  #remove(node: Node, identity: ObjectIdentity, change: GraphChange): void {
    this.#nodes.delete(node.identity.uid);
    const references = node.references;
    node.object = undefined;
    this.#relink(node, references, change);
    if (node.dependents.size > 0) change.absent.push(identity);
    for (const dependent of node.dependents) change.toDelete.push(dependent);
  }

  /** Brings the owners of a node up to date with its references. */
  #relink(node: Node, before: readonly Frozen<OwnerReference>[], change: GraphChange): void {
    const { references } = node;
    if (references === before || (references.length === 0 && before.length === 0)) return;
    const old = ownersIn(before);
    const current = ownersIn(references);
    for (const [uid, isBlocking] of old) {
      const owner = this.#nodes.get(uid);
      // An owner that went and was referred to again since does not know this dependent.
      if (owner?.dependents.has(node) !== true) continue;
      const stillBlocks = current.get(uid);
      if (stillBlocks === undefined) owner.removeDependent(node);
      owner.blockingDependents += Number(stillBlocks ?? false) - Number(isBlocking);
      if (isUnblocked(owner)) change.toDelete.push(owner);
    }
    this.#addToOwners(
      node,
      references.filter(({ uid }) => !old.has(uid)),
      current,
      change,
    );
  }

  #addToOwners(
    node: Node,
    references: readonly Frozen<OwnerReference>[],
    isBlocking: ReadonlyMap<string, boolean>,
    change: GraphChange,
  ): void {
    let needsVerification = false;
    for (const reference of references) {
      const known = this.#nodes.get(reference.uid);
      const owner = known ?? new Node(ownerIdentity(reference, node.namespace));
      if (known === undefined) {
        this.#nodes.set(reference.uid, owner);
        change.toDelete.push(owner);
      }
      if (!owner.dependents.has(node)) {
        owner.addDependent(node);
        owner.blockingDependents += Number(isBlocking.get(reference.uid) ?? false);
      }
      if (known === undefined || needsVerification) continue;
      if (isElsewhere(owner.identity, node)) {
        if (owner.object !== undefined) change.misplaced.push({ dependent: node, ownerUid: reference.uid });
        needsVerification = true;
      } else
        needsVerification =
          !refersTo(reference, owner.identity) ||
          // A virtual owner without a namespace may be of a kind that has namespaces.
          (owner.object === undefined && owner.identity.namespace !== node.namespace) ||
          isDeletingDependents(owner.object);
    }
    if (needsVerification) change.toDelete.push(node);
  }
}

class Node implements GraphNode {
  identity: ObjectIdentity;
  object: Stored | undefined;
  blockingDependents = 0;
  #dependents: Set<Node> | undefined;

  constructor(identity: ObjectIdentity) {
    this.identity = identity;
  }

  get namespace(): string {
    return this.identity.namespace;
  }

  get references(): readonly Frozen<OwnerReference>[] {
    return this.object?.metadata.ownerReferences ?? noReferences;
  }

  get dependents(): ReadonlySet<Node> {
    return this.#dependents ?? noDependents;
  }

  observe(kind: KindName, object: Stored): void {
    this.object = object;
    const { metadata } = object;
    const isSame =
      this.identity.kind === kind.kind &&
      this.identity.apiVersion === kind.apiVersion &&
      this.identity.name === metadata.name &&
      this.identity.namespace === (metadata.namespace ?? '');
    if (!isSame) this.identity = identityOf(kind, object);
  }

  addDependent(dependent: Node): void {
    (this.#dependents ??= new Set()).add(dependent);
  }

  removeDependent(dependent: Node): void {
    this.#dependents?.delete(dependent);
    if (this.#dependents?.size === 0) this.#dependents = undefined;
  }
}

const noReferences: readonly never[] = Object.freeze([]);
const noDependents: ReadonlySet<never> = new Set();

function noChange(): GraphChange {
  return { toDelete: [], toOrphan: [], absent: [], misplaced: [] };
}

/** A virtual node is observed: dependents that refer to it by other coordinates have to be verified. */
function verifyCoordinates(node: Node, observed: ObjectIdentity, change: GraphChange): void {
  if (isSameIdentity(node.identity, observed)) return;
  for (const dependent of partitionDependents(node.dependents, observed).mismatching) {
    if (isElsewhere(observed, dependent)) change.misplaced.push({ dependent, ownerUid: observed.uid });
    change.toDelete.push(dependent);
  }
}

/** The uids of owners, and whether a reference to each blocks its deletion. */
function ownersIn(references: readonly Frozen<OwnerReference>[]): ReadonlyMap<string, boolean> {
  const owners = new Map<string, boolean>();
  for (const { uid, blockOwnerDeletion = false } of references)
    owners.set(uid, blockOwnerDeletion || (owners.get(uid) ?? false));
  return owners;
}

/** Returns whether the owner has a namespace, and not that of the dependent. */
function isElsewhere(owner: ObjectIdentity, dependent: ReferringObject): boolean {
  return owner.namespace !== '' && owner.namespace !== dependent.namespace;
}

/** Returns whether an owner waits for its dependents, and none blocks it any more. */
function isUnblocked({ object, blockingDependents }: Node): boolean {
  return blockingDependents === 0 && isDeletingDependents(object);
}

function isWaiting(object: Stored | undefined, finalizer: string): boolean {
  if (object?.metadata.deletionTimestamp === undefined) return false;
  return object.metadata.finalizers?.includes(finalizer) ?? false;
}
