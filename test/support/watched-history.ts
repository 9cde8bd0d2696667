// The history of a store as watches delivered it, while processes write to the store and are killed: the state that
// follows from it, and the check that nothing is missing, doubled or torn. The values are those of sqlite-child.ts,
// each of which names the keys that were put together.
import { deepEqual } from '../../lib/core/index.js';
import type { Batch, Change, Entry, Store } from '../../lib/storage/store.js';

/** A commit that was answered. */
export interface Acknowledged {
  readonly revision: number;
  readonly id: string;
}

/** The batches delivered so far, and the state that follows from them. */
export class WatchedHistory {
  revision = 1;
  readonly #entries = new Map<string, Entry>();

  /** Applies further batches. Returns a description of the first error. */
  apply(batches: readonly Batch[], acknowledged: readonly Acknowledged[]): string | undefined {
    const ids = new Map<number, string>();
    for (const { revision, changes } of batches) {
      if (revision !== this.revision + 1) return `revision ${revision} was delivered after ${this.revision}`;
      this.revision = revision;
      for (const change of changes) {
        if (!deepEqual(change.previous, this.#entries.get(change.key)))
          return `revision ${revision} replaced something else at ${change.key}`;
        if (change.type === 'put') this.#entries.set(change.key, change.entry);
        else this.#entries.delete(change.key);
      }
      const torn = isTorn(changes);
      if (torn !== undefined) return `revision ${revision} is torn: ${torn}`;
      ids.set(revision, idOf(changes));
    }
    for (const { revision, id } of acknowledged) {
      if (ids.get(revision) !== id)
        return `commit ${id} was answered at revision ${revision}, where there is ${ids.get(revision) ?? 'nothing'}`;
    }
    return undefined;
  }

  /** Returns a description of how the store differs. */
  async compare(store: Store): Promise<string | undefined> {
    const { entries, revision } = await store.list('');
    if (revision !== this.revision) return `the store is at revision ${revision}, its watch at ${this.revision}`;
    if (entries.length !== this.#entries.size) return `${entries.length} entries, expected ${this.#entries.size}`;
    const wrong = entries.find((entry) => !deepEqual(entry, this.#entries.get(entry.key)));
    return wrong && `the entry of ${wrong.key} is not as the watches delivered it`;
  }
}

function idOf(changes: readonly Change[]): string {
  const [first] = changes;
  const id = first?.type === 'put' ? first.entry.value.id : undefined;
  return typeof id === 'string' ? id : 'no id';
}

/** Every value names the keys that were put together. */
function isTorn(changes: readonly Change[]): string | undefined {
  const put = changes.flatMap((change) => (change.type === 'put' ? [change] : []));
  const together = put[0]?.entry.value.puts;
  if (
    !deepEqual(
      together,
      put.map(({ key }) => key),
    )
  )
    return `${put.length} keys of ${JSON.stringify(together)}`;
  return put.some(({ entry }) => !deepEqual(entry.value, put[0]?.entry.value))
    ? 'values of two transactions'
    : undefined;
}
