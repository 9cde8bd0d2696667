// Decides what happens to an object that may be garbage, from the state of its owners. Pure. As
// pkg/controller/garbagecollector/garbagecollector.go, attemptToDeleteItem:
//
//   owners of the object                               decision
//   no references                                      keep it
//   one exists, none dangles or waits                  keep it
//   one exists, others dangle or wait                  keep it, and drop the references to the others
//   none exists, one waits, and it has dependents      delete it in the foreground, so that they go before it
//   none exists                                        delete it, as its finalizers or else Background say
import type { Stored } from '../../client/index.js';
import type { Frozen } from '../../core/index.js';
import type { OwnerReference } from '../../core/types/index.js';
import { foregroundFinalizer, orphanFinalizer } from './dependency-graph.js';

/** The state of an owner: it exists, it waits for its dependents to be deleted, or the reference dangles. */
export type OwnerState = 'solid' | 'waiting' | 'dangling';

/** A reference and the state of its owner. */
export interface ClassifiedReference {
  readonly reference: Frozen<OwnerReference>;
  readonly state: OwnerState;
}

/** What is done about an object. */
export type CollectionDecision =
  | { readonly do: 'keep' }
  /** Removes the references to these owners. */
  | { readonly do: 'drop-references'; readonly uids: readonly string[] }
  | {
      readonly do: 'delete';
      readonly policy: 'Orphan' | 'Foreground' | 'Background';
      /** Whether its references must stop blocking their owners first, because they may wait for each other. */
      readonly unblocksOwners: boolean;
    };

/** What the graph has about the dependents of an object. */
export interface DependentsState {
  readonly exist: boolean;
  /** Whether one of them waits for its own dependents. */
  readonly someWait: boolean;
}

/** Returns what is to be done about an object. */
export function decideCollection(
  { metadata: { finalizers = [] } }: Stored,
  references: readonly ClassifiedReference[],
  dependents: DependentsState,
): CollectionDecision {
  if (references.length === 0) return { do: 'keep' };
  const isSolid = references.some(({ state }) => state === 'solid');
  if (isSolid) {
    const uids = references.filter(({ state }) => state !== 'solid').map(({ reference }) => reference.uid);
    return uids.length === 0 ? { do: 'keep' } : { do: 'drop-references', uids };
  }
  if (dependents.exist && references.some(({ state }) => state === 'waiting'))
    return { do: 'delete', policy: 'Foreground', unblocksOwners: dependents.someWait };
  const policy = finalizers.includes(orphanFinalizer)
    ? 'Orphan'
    : finalizers.includes(foregroundFinalizer)
      ? 'Foreground'
      : 'Background';
  return { do: 'delete', policy, unblocksOwners: false };
}
