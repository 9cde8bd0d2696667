// Deletes the custom resources of a definition that is being deleted: directly in the store, in whatever version they
// are stored, without admission and without conversion, so that neither a webhook that is gone nor a version that is
// not served keeps them. Objects with finalizers are marked and stay until these are removed. As
// apiextensions-apiserver/pkg/controller/finalizer/crd_finalizer.go, deleteInstances.
import { isJsonObject, printTime } from '../../core/index.js';
import type { Clock, GroupResource, JsonObject } from '../../core/index.js';
import type { Entry, Revision, Store } from '../../storage/index.js';
import { customPrefix } from '../registry/stored-kind.js';

/** Dependencies of the deletion. */
export interface InstanceStore {
  readonly store: Store;
  readonly clock: Clock;
  /** Called after each commit. */
  readonly onCommitted: (key: string, revision: Revision) => void;
}

/** Deletes or marks all objects of a resource. Resolves to the number of those that remain. */
export async function deleteInstances(resource: GroupResource, parts: InstanceStore): Promise<number> {
  const prefix = customPrefix(resource);
  let after: string | undefined;
  let remaining = 0;
  for (;;) {
    const { entries } = await parts.store.list(prefix, { limit: pageMax, ...(after !== undefined && { after }) });
    for (const entry of entries) if (!(await deleteInstance(entry, parts))) remaining += 1;
    after = entries.at(-1)?.key;
    if (entries.length < pageMax || after === undefined) return remaining;
  }
}

const pageMax = 500;

/** Resolves to whether the object is gone. One that was changed meanwhile counts as remaining. */
async function deleteInstance({ key, value, modRevision }: Entry, parts: InstanceStore): Promise<boolean> {
  const { store, clock, onCommitted } = parts;
  const metadata: JsonObject = isJsonObject(value.metadata) ? value.metadata : {};
  const isHeld = Array.isArray(metadata.finalizers) && metadata.finalizers.length > 0;
  if (isHeld && metadata.deletionTimestamp !== undefined) return false;
  const compare = [{ key, modRevision }];
  const marked = { ...value, metadata: deletingMetadata(metadata, clock.now()) };
  const outcome = await store.commit(isHeld ? { compare, put: [{ key, value: marked }] } : { compare, delete: [key] });
  if (outcome.committed) onCommitted(key, outcome.revision);
  return outcome.committed && !isHeld;
}

function deletingMetadata(metadata: JsonObject, now: number): JsonObject {
  const generation = typeof metadata.generation === 'number' ? { generation: metadata.generation + 1 } : {};
  return { ...metadata, ...generation, deletionTimestamp: printTime(now), deletionGracePeriodSeconds: 0 };
}
