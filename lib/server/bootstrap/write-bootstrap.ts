// Writes the objects of a new cluster, those that are not there yet, in one transaction: a server that shares its store
// with others, or finds it as it was left, changes nothing.
import { groupVersionKindOf, printTime } from '../../core/index.js';
import type { ApiObject, Clock, Random } from '../../core/index.js';
import type { Comparison, Put, Store } from '../../storage/index.js';
import type { Registry } from '../registry/registry.js';

/** What it takes to write. */
export interface BootstrapTools {
  readonly registry: Registry;
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
}

/** Resolves when all of the objects are there. */
export async function writeBootstrap(objects: readonly ApiObject[], tools: BootstrapTools): Promise<void> {
  let missing = objects.flatMap((object) => entryOf(object, tools));
  while (missing.length > 0) {
    const compare: readonly Comparison[] = missing.map(({ put }) => ({ key: put.key, modRevision: 0 }));
    const outcome = await tools.store.commit({ compare, put: missing.map(({ put }) => put) });
    if (outcome.committed) break;
    missing = missing.filter((_, index) => outcome.found[index] === undefined);
  }
}

function entryOf(object: ApiObject, { registry, clock, random }: BootstrapTools): readonly { readonly put: Put }[] {
  const { group, version, kind } = groupVersionKindOf(object);
  const served = registry.scheme.kind({ group, version, kind })?.resource;
  const stored = served && registry.endpoint({ group, version, resource: served.plural })?.stored;
  if (stored === undefined) return []; // a scheme of fewer kinds
  const metadata = { ...object.metadata, uid: random.uuid(), creationTimestamp: printTime(clock.now()) };
  const pending = stored.write(stored.keyOf(metadata.namespace ?? '', metadata.name ?? ''), { ...object, metadata });
  pending.done();
  return [{ put: { key: pending.key, value: pending.value } }];
}
