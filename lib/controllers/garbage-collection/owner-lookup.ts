// Finds out about owners: which resource a kind is, whether an owner exists, and whether it waits for its dependents.
// Owners that are known to be absent are remembered by their coordinates; a uid is never used twice.
import { LRUCache } from 'lru-cache';
import type { Client, Stored } from '../../client/index.js';
import { isNoMatchError, parseGroupVersion } from '../../core/index.js';
import type { Frozen, ResourceEntry, RestMapper } from '../../core/index.js';
import type { OwnerReference } from '../../core/types/index.js';
import type { ClassifiedReference, OwnerState } from './collection-decision.js';
import { isDeletingDependents } from './dependency-graph.js';
import { identityKey, ownerIdentity } from './object-identity.js';
import type { ObjectIdentity } from './object-identity.js';

/** Why an owner cannot be looked up. */
export class UnknownOwnerError extends Error {
  override readonly name = 'UnknownOwnerError';
  /** `kind`: the server does not serve the kind, perhaps not yet. `scope`: the object can never have such an owner. */
  readonly reason: 'kind' | 'scope';

  constructor(reason: 'kind' | 'scope', message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Returns whether an error is an UnknownOwnerError. */
export function isUnknownOwnerError(error: unknown): error is UnknownOwnerError {
  return error instanceof UnknownOwnerError;
}

/** Looks up owners. */
export interface OwnerLookup {
  /** Remembers that an owner does not exist. */
  addAbsent(owner: ObjectIdentity): void;
  /** Returns the newest version of an object; undefined if it does not exist. Throws UnknownOwnerError. */
  read(identity: ObjectIdentity, signal: AbortSignal): Promise<Stored | undefined>;
  /** Returns the resource of an object. Throws UnknownOwnerError. */
  entryOf(identity: ObjectIdentity): ResourceEntry;
  /** Returns the references of a dependent with the state of each owner. Throws UnknownOwnerError. */
  classify(
    references: readonly Frozen<OwnerReference>[],
    namespace: string,
    signal: AbortSignal,
  ): Promise<readonly ClassifiedReference[]>;
}

/** Creates a lookup. `mapper` returns the resources of this moment. */
export function ownerLookup(client: Client, mapper: () => RestMapper | undefined): OwnerLookup {
  const absent = new LRUCache<string, true>({ max: absentMax });

  const entryOf = ({ apiVersion, kind, namespace }: ObjectIdentity): ResourceEntry => {
    const { group, version } = parseGroupVersion(apiVersion);
    const entry = findEntry(mapper(), group, kind, version);
    if (entry === undefined)
      throw new UnknownOwnerError('kind', `unable to get REST mapping for ${apiVersion}/${kind}.`);
    if (entry.namespaced && namespace === '')
      throw new UnknownOwnerError('scope', 'cluster-scoped objects cannot refer to namespaced owners');
    return entry;
  };
  const read = async (identity: ObjectIdentity, signal: AbortSignal): Promise<Stored | undefined> => {
    const entry = entryOf(identity);
    const all = client.resource(entry);
    const objects = entry.namespaced ? all.in(identity.namespace) : all;
    return objects.find(identity.name, { signal });
  };

  const stateOf = async (
    reference: Frozen<OwnerReference>,
    namespace: string,
    signal: AbortSignal,
  ): Promise<OwnerState> => {
    const inNamespace = ownerIdentity(reference, namespace);
    const ofCluster = ownerIdentity(reference, '');
    if (absent.has(identityKey(ofCluster)) || absent.has(identityKey(inNamespace))) return 'dangling';
    const identity = entryOf(inNamespace).namespaced ? inNamespace : ofCluster;
    const owner = await read(identity, signal);
    if (owner?.metadata.uid === reference.uid) return isDeletingDependents(owner) ? 'waiting' : 'solid';
    absent.set(identityKey(identity), true);
    return 'dangling';
  };

  return {
    addAbsent: (owner) => absent.set(identityKey(owner), true),
    read,
    entryOf,
    classify: async (references, namespace, signal) => {
      const classified: ClassifiedReference[] = [];
      for (const reference of references)
        classified.push({ reference, state: await stateOf(reference, namespace, signal) });
      return classified;
    },
  };
}

/** As NewReferenceCache in graph_builder.go. */
const absentMax = 500;

function findEntry(
  mapper: RestMapper | undefined,
  group: string,
  kind: string,
  version: string,
): ResourceEntry | undefined {
  try {
    return mapper?.kind({ group, kind }, [version]);
  } catch (error) {
    if (isNoMatchError(error)) return undefined;
    throw error;
  }
}
