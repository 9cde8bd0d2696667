// The requests of the garbage collector: deletes objects whose owners are gone, removes references, orphans dependents
// and removes the two finalizers.
//
// Decisions about observed objects start from the object of the watch instead of a GET. A deletion names its uid and
// resourceVersion, so that the server refuses one that was decided from an old version; the object is then read and
// the decision made again. Owners are always confirmed with a request. As
// pkg/controller/garbagecollector/garbagecollector.go, attemptToDeleteItem and attemptToOrphanWorker.
import type { Client, ResourceClient, Stored, StrategicPatch } from '../../client/index.js';
import { aggregateText, deepEqual, errorText, isApiError, isTerminating } from '../../core/index.js';
import type { RequestCause } from '../../core/index.js';
import type { OwnerReference } from '../../core/types/index.js';
import { decideCollection } from './collection-decision.js';
import type { CollectionDecision } from './collection-decision.js';
import { foregroundFinalizer, isDeletingDependents, orphanFinalizer } from './dependency-graph.js';
import type { DependencyGraph, GraphChange, GraphNode } from './dependency-graph.js';
import { printIdentity } from './object-identity.js';
import type { ObjectIdentity } from './object-identity.js';
import type { OwnerLookup } from './owner-lookup.js';

/** A step of the garbage collector. */
export type Collected =
  | {
      readonly type: 'collected';
      readonly object: ObjectIdentity;
      readonly policy: 'Orphan' | 'Foreground' | 'Background';
    }
  /** References to owners that are gone or going were removed. */
  | { readonly type: 'references-dropped'; readonly object: ObjectIdentity; readonly owners: readonly string[] }
  /** An owner no longer waits: its dependents are deleted or orphaned. */
  | { readonly type: 'finalized'; readonly object: ObjectIdentity; readonly finalizer: string };

/** What a collection uses. */
export interface CollectionTools {
  readonly client: Client;
  readonly graph: DependencyGraph;
  readonly lookup: OwnerLookup;
  /** Does what a change of the graph calls for. */
  readonly absorb: (change: GraphChange) => void;
  readonly emit: (did: Collected) => void;
  readonly signal: AbortSignal;
  readonly cause: RequestCause;
}

/** Deletes an object, or removes references or its finalizer, if its owners and dependents call for it. */
export async function attemptToDelete(node: GraphNode, tools: CollectionTools): Promise<void> {
  const { identity, object } = node;
  const isWaiting = isDeletingDependents(object);
  // A terminating object goes by itself; its dependents follow then.
  if (object !== undefined && isTerminating(object) && !isWaiting) return;
  if (isWaiting) {
    // The last dependent that goes adds the node again.
    if (node.blockingDependents === 0) await removeFinalizer(node, foregroundFinalizer, tools);
    return;
  }
  const latest = object ?? (await tools.lookup.read(identity, tools.signal));
  await collect(node, latest, tools);
}

/** Removes the references of all dependents to an owner, and then its finalizer. */
export async function attemptToOrphan(owner: GraphNode, tools: CollectionTools): Promise<void> {
  const failures: string[] = [];
  const orphan = async (dependent: GraphNode): Promise<void> => {
    try {
      await dropReferences(dependent, [owner.identity.uid], tools);
    } catch (error) {
      if (tools.signal.aborted) throw error;
      if (!isApiError(error, 'NotFound'))
        failures.push(`orphaning ${printIdentity(dependent.identity)} failed, ${errorText(error)}`);
    }
  };
  const dependents = [...owner.dependents];
  for (let at = 0; at < dependents.length; at += orphansAtOnce)
    await Promise.all(dependents.slice(at, at + orphansAtOnce).map(orphan));
  if (failures.length > 0) {
    const name = printIdentity(owner.identity);
    throw new Error(`failed to orphan dependents of owner ${name}, got errors: ${aggregateText(failures)}`);
  }
  await removeFinalizer(owner, orphanFinalizer, tools);
}

const orphansAtOnce = 50;

/** Decides from the latest known version. `before` is the one that a refused deletion was decided from. */
async function collect(
  node: GraphNode,
  latest: Stored | undefined,
  tools: CollectionTools,
  before?: Stored,
): Promise<void> {
  const { graph, lookup, absorb, signal } = tools;
  const { identity } = node;
  if (latest?.metadata.uid !== identity.uid) {
    absorb(graph.confirmAbsent(identity));
    return;
  }
  const { ownerReferences = [] } = latest.metadata;
  const references = await lookup.classify(ownerReferences, identity.namespace, signal);
  const decision = decideCollection(latest, references, dependentsState(node));
  if (decision.do === 'drop-references') await dropReferences(node, decision.uids, tools);
  if (decision.do !== 'delete') return;
  const current = decision.unblocksOwners ? await unblockOwners(node, latest, tools) : latest;
  // Changes that concern no reference must not keep the object alive: then only the uid is required.
  const isPinned = before === undefined || !deepEqual(before.metadata.ownerReferences, latest.metadata.ownerReferences);
  try {
    await deleteObject(current, node, decision, isPinned, tools);
  } catch (error) {
    if (isApiError(error, 'NotFound')) absorb(graph.confirmAbsent(identity));
    else if (isApiError(error, 'Conflict') && before === undefined)
      await collect(node, await lookup.read(identity, signal), tools, latest);
    else throw error;
  }
}

function dependentsState({ dependents }: GraphNode): { readonly exist: boolean; readonly someWait: boolean } {
  let someWait = false;
  for (const { object } of dependents) if (isDeletingDependents(object)) someWait = true;
  return { exist: dependents.size > 0, someWait };
}

async function deleteObject(
  { metadata: { uid, resourceVersion, name } }: Stored,
  { identity }: GraphNode,
  { policy }: CollectionDecision & { readonly do: 'delete' },
  isPinned: boolean,
  tools: CollectionTools,
): Promise<void> {
  const { signal, cause, emit } = tools;
  const preconditions = isPinned ? { uid, resourceVersion } : { uid };
  await objectsOf(identity, tools).delete(name, { propagationPolicy: policy, preconditions, signal, cause });
  emit({ type: 'collected', object: identity, policy });
}

async function dropReferences(node: GraphNode, uids: readonly string[], tools: CollectionTools): Promise<void> {
  const { identity } = node;
  await patchReferences(
    identity,
    // The uid makes the server refuse a patch of another object with that name.
    { uid: identity.uid, ownerReferences: uids.map((uid) => ({ $patch: 'delete', uid })) },
    (references) => references.filter(({ uid }) => !uids.includes(uid)),
    tools,
  );
  tools.emit({ type: 'references-dropped', object: identity, owners: uids });
}

/** Returns the object whose references block no owner. */
async function unblockOwners({ identity }: GraphNode, latest: Stored, tools: CollectionTools): Promise<Stored> {
  const { ownerReferences = [] } = latest.metadata;
  const unblocked = (reference: OwnerReference): OwnerReference => ({ ...reference, blockOwnerDeletion: false });
  const blocking = ownerReferences.filter(({ blockOwnerDeletion }) => blockOwnerDeletion === true);
  const patched = await patchReferences(
    identity,
    { uid: identity.uid, ownerReferences: blocking.map((reference) => ({ ...unblocked(reference) })) },
    (references) => references.map(unblocked),
    tools,
  );
  return patched ?? latest;
}

/** Sends a strategic merge patch, or a merge patch where the kind has no other. Undefined if the object is gone. */
async function patchReferences(
  identity: ObjectIdentity,
  strategic: { readonly uid: string; readonly ownerReferences: readonly StrategicPatch<OwnerReference>[] },
  change: (references: readonly OwnerReference[]) => readonly OwnerReference[],
  tools: CollectionTools,
): Promise<Stored | undefined> {
  const { signal, cause, lookup } = tools;
  const objects = objectsOf(identity, tools);
  try {
    return await objects.patch(identity.name, { strategic: { metadata: strategic } }, { signal, cause });
  } catch (error) {
    if (!isApiError(error, 'UnsupportedMediaType')) throw error;
    const latest = await lookup.read(identity, signal);
    if (latest?.metadata.uid !== identity.uid) return undefined;
    const { resourceVersion, ownerReferences = [] } = latest.metadata;
    const metadata = { resourceVersion, ownerReferences: change(ownerReferences) };
    return await objects.patch(identity.name, { merge: { metadata } }, { signal, cause });
  }
}

/** Removes a finalizer, first from the observed version and after a conflict from the newest. */
async function removeFinalizer(node: GraphNode, finalizer: string, tools: CollectionTools): Promise<void> {
  const { identity, object } = node;
  const { signal, cause, emit, lookup } = tools;
  const remove = async (version: Stored | undefined): Promise<void> => {
    if (version?.metadata.uid !== identity.uid) return;
    const { finalizers = [], resourceVersion } = version.metadata;
    if (!finalizers.includes(finalizer)) return;
    const rest = finalizers.filter((each) => each !== finalizer);
    const metadata = { resourceVersion, finalizers: rest.length === 0 ? null : rest };
    await objectsOf(identity, tools).patch(identity.name, { merge: { metadata } }, { signal, cause });
    emit({ type: 'finalized', object: identity, finalizer });
  };
  try {
    await remove(object);
  } catch (error) {
    if (isApiError(error, 'NotFound')) return;
    if (!isApiError(error, 'Conflict')) throw error;
    await remove(await lookup.read(identity, signal));
  }
}

function objectsOf(identity: ObjectIdentity, { client, lookup }: CollectionTools): ResourceClient {
  const entry = lookup.entryOf(identity);
  const all = client.resource(entry);
  return entry.namespaced ? all.in(identity.namespace) : all;
}
