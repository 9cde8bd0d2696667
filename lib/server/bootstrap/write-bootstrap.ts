// Writes the objects of a new cluster, those that are not there yet, many in one transaction: a server that shares its
// store with others, or finds it as it was left, changes nothing.
import { groupVersionKindOf, printTime } from '../../core/index.js';
import type { ApiObject, Clock, Frozen, Random } from '../../core/index.js';
import type { Comparison, Entry, Put, Store } from '../../storage/index.js';
import type { Registry } from '../registry/registry.js';
import type { StoredKind } from '../registry/stored-kind.js';

/** What it takes to write. */
export interface BootstrapTools {
  readonly registry: Registry;
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
}

/** An object that was there already, or something in its place. */
export interface Found<T extends Frozen<ApiObject> = Frozen<ApiObject>> {
  /** What would have been written. */
  readonly object: T;
  readonly stored: StoredKind;
  readonly entry: Entry;
}

/** Resolves when all of the objects are there, with those that were before. */
export async function writeBootstrap<T extends Frozen<ApiObject>>(
  objects: readonly T[],
  tools: BootstrapTools,
): Promise<readonly Found<T>[]> {
  const drafts = objects.flatMap((object) => draftOf(object, tools));
  const found: Found<T>[] = [];
  for (let from = 0; from < drafts.length; from += transactionMax) {
    let missing = drafts.slice(from, from + transactionMax);
    while (missing.length > 0) {
      const compare: readonly Comparison[] = missing.map(({ put }) => ({ key: put.key, modRevision: 0 }));
      const outcome = await tools.store.commit({ compare, put: missing.map(({ put }) => put) });
      if (outcome.committed) break;
      missing = missing.filter(({ object, stored, done }, index) => {
        const entry = outcome.found[index];
        if (entry === undefined) return true;
        done();
        found.push({ object, stored, entry });
        return false;
      });
    }
  }
  return found;
}

/** etcd takes 128 operations in a transaction unless it is told otherwise. */
const transactionMax = 100;

interface Draft<T> {
  readonly object: T;
  readonly stored: StoredKind;
  readonly put: Put;
  /** Called where it was not written after all. */
  readonly done: () => void;
}

function draftOf<T extends Frozen<ApiObject>>(
  object: T,
  { registry, clock, random }: BootstrapTools,
): readonly Draft<T>[] {
  const { group, version, kind } = groupVersionKindOf(object);
  const served = registry.scheme.kind({ group, version, kind })?.resource;
  const stored = served && registry.endpoint({ group, version, resource: served.plural })?.stored;
  if (stored === undefined) return []; // a scheme of fewer kinds
  const metadata = { ...object.metadata, uid: random.uuid(), creationTimestamp: printTime(clock.now()) };
  const draft: Frozen<ApiObject> = { ...object, metadata };
  // Nobody changes what is written: it is frozen.
  const { key, value, done } = stored.write(
    stored.keyOf(metadata.namespace ?? '', metadata.name ?? ''),
    draft as ApiObject,
  );
  // What was written is complete as it reads back. It stays known as such, until somebody writes it again: a server
  // that has just started answers without having parsed a schema. It is little, and a store in memory holds it anyway.
  return [{ object, stored, put: { key, value }, done }];
}
