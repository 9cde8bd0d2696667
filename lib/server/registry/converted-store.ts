// A store whose values are converted into one version of a custom resource when they are read: by webhook, so reads
// wait for it and the order of a watch is kept. A watch or list whose conversion fails errors, and the cache repeats
// it. Only reads are converted: transactions take values in the storage version. As the codec of the storage of a
// version in apiextensions-apiserver/pkg/apiserver/customresource_handler.go, crdConversionRESTOptionsGetter.
import { concatMap } from 'rxjs';
import type { ConvertObjects, JsonObject } from '../../core/index.js';
import type { Batch, Change, Entry, Store } from '../../storage/index.js';

/** Returns a store that reads values in the version. Closing it closes nothing. */
export function convertedStore(store: Store, convert: ConvertObjects, apiVersion: string): Store {
  const convertAll = async (values: readonly JsonObject[]): Promise<readonly JsonObject[]> => {
    const others = values.filter((value) => value.apiVersion !== apiVersion);
    if (others.length === 0) return values;
    const converted = await convert(others, apiVersion);
    let next = 0;
    return values.map((value) => (value.apiVersion === apiVersion ? value : (converted[next++] ?? value)));
  };
  const convertEntries = async (entries: readonly Entry[]): Promise<readonly Entry[]> => {
    const values = await convertAll(entries.map(({ value }) => value));
    return entries.map((entry, index) => ({ ...entry, value: values[index] ?? entry.value }));
  };
  const convertBatch = async ({ revision, changes }: Batch): Promise<Batch> => {
    if (changes.length === 0) return { revision, changes };
    const entries = changes.flatMap(entriesOf);
    const converted = await convertEntries(entries);
    const byEntry = new Map(entries.map((entry, index) => [entry, converted[index] ?? entry]));
    return { revision, changes: changes.map((change) => withEntries(change, byEntry)) };
  };
  // Without `settledRevision`: what the store has delivered may still wait for its conversion.
  return {
    async get(key, options) {
      const { entry, revision } = await store.get(key, options);
      const [converted] = entry === undefined ? [] : await convertEntries([entry]);
      return { entry: converted, revision };
    },
    async list(prefix, options) {
      const { entries, ...listing } = await store.list(prefix, options);
      return { ...listing, entries: await convertEntries(entries) };
    },
    commit: (transaction) => store.commit(transaction),
    watch: (prefix, options) => store.watch(prefix, options).pipe(concatMap(convertBatch)),
    revision: () => store.revision(),
    requestProgress: () => store.requestProgress(),
    compact: (revision) => store.compact(revision),
    grantLease: (ttlMs) => store.grantLease(ttlMs),
    renewLease: (lease) => store.renewLease(lease),
    revokeLease: (lease) => store.revokeLease(lease),
    close: () => Promise.resolve(),
  };
}

function entriesOf(change: Change): readonly Entry[] {
  const { previous } = change;
  return [...(change.type === 'put' ? [change.entry] : []), ...(previous === undefined ? [] : [previous])];
}

function withEntries(change: Change, converted: ReadonlyMap<Entry, Entry>): Change {
  const of = (entry: Entry): Entry => converted.get(entry) ?? entry;
  if (change.type === 'delete') return { ...change, previous: of(change.previous) };
  return { ...change, entry: of(change.entry), previous: change.previous && of(change.previous) };
}
