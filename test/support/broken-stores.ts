// The reference store with one defect each, of the kinds that real stores have had. Every one of them must be caught by
// a check whose name matches `breaks`: that is how we know that the suite can fail, and for the right reason.
import {
  concat,
  concatMap,
  defer,
  filter,
  from,
  map,
  mergeMap,
  NEVER,
  of,
  pairwise,
  startWith,
  Subject,
  type Observable,
} from 'rxjs';
import { virtualClock, type Clock } from '../../lib/core/index.js';
import type { Batch, Entry, Listing, Store, Transaction } from '../../lib/storage/index.js';
import type { StoreHarness } from '../../lib/testing/store-suite.js';
import { emptyDisk, referenceLimits, referenceStore, type Disk } from './reference-store.js';

/** A defect and the promise it breaks. */
export interface Defect {
  readonly name: string;
  readonly breaks: RegExp;
  /** What differs from the right store. */
  readonly damage?: (store: Store, clock: Clock) => Partial<Store>;
  /** What happens to the disk while the store is closed. */
  readonly rot?: (disk: Disk) => void;
}

/** A harness around the reference store, with a defect or without. */
export async function referenceHarness(defect?: Defect): Promise<StoreHarness> {
  const clock = virtualClock();
  const disk = emptyDisk();
  const open = (): Store => {
    const store = referenceStore(clock, disk);
    return defect?.damage === undefined ? store : damaged(store, defect.damage(store, clock));
  };
  let store = open();
  return {
    store,
    elapse: (ms) => clock.advance(ms),
    reopen: async () => {
      await store.close();
      defect?.rot?.(disk);
      return (store = open());
    },
    limits: referenceLimits,
    leftBehind: () => Array.from({ length: clock.pending }, () => 'a timer'),
    ...(defect !== undefined && { patienceMs: 100 }),
    dispose: () => store.close(),
  };
}

/** A store whose calls go to another, except those replaced. */
export function damaged(store: Store, replaced: Partial<Store>): Store {
  return {
    get: (key, options) => store.get(key, options),
    list: (prefix, options) => store.list(prefix, options),
    commit: (transaction) => store.commit(transaction),
    watch: (prefix, options) => store.watch(prefix, options),
    revision: () => store.revision(),
    requestProgress: () => store.requestProgress(),
    compact: (revision) => store.compact(revision),
    grantLease: (ttlMs) => store.grantLease(ttlMs),
    renewLease: (lease) => store.renewLease(lease),
    revokeLease: (lease) => store.revokeLease(lease),
    close: () => store.close(),
    ...replaced,
  };
}

/** Damages the batches of every watch. */
function damagedWatch(damage: (batches$: Observable<Batch>) => Observable<Batch>): (store: Store) => Partial<Store> {
  return (store) => ({ watch: (prefix, options) => damage(store.watch(prefix, options)) });
}

/** Counts, and says when it is time again. */
function every(nth: number): () => boolean {
  let count = 0;
  return () => ++count % nth === 0;
}

const isEvent = ({ changes }: Batch): boolean => changes.length > 0;

/** All defects. */
export const defects: readonly Defect[] = [
  {
    name: 'a get now and then answers from the revision before, and says so',
    breaks: /^a read without a revision shows|one order that explains/,
    damage: (store) => {
      const stale = every(10);
      return {
        get: async (key, options) => {
          const reading = await store.get(key, options);
          return options?.revision === undefined && reading.revision > 1 && stale()
            ? store.get(key, { revision: reading.revision - 1 })
            : reading;
        },
      };
    },
  },
  {
    name: 'a get now and then answers from the revision before, and claims the newest',
    breaks: /^a read without a revision shows|one order that explains/,
    damage: (store) => {
      const stale = every(10);
      return {
        get: async (key, options) => {
          const reading = await store.get(key, options);
          if (options?.revision !== undefined || reading.revision === 1 || !stale()) return reading;
          return { ...(await store.get(key, { revision: reading.revision - 1 })), revision: reading.revision };
        },
      };
    },
  },
  {
    name: 'now and then a write is answered but lost',
    breaks: /one order that explains|^gapless/,
    damage: (store) => {
      const lost = every(20);
      return {
        commit: async (transaction) => {
          if ((transaction.put?.length ?? 0) === 0 || !lost()) return store.commit(transaction);
          return { committed: true, revision: (await store.revision()) + 1 };
        },
      };
    },
  },
  {
    name: 'the puts of a transaction are written one by one',
    breaks: /^one revision stands for all changes|^watches are atomic|never leave them apart/,
    damage: (store) => ({
      commit: async (transaction) => {
        const [first, ...rest] = transaction.put ?? [];
        if (first === undefined) return store.commit(transaction);
        let outcome = await store.commit({ ...transaction, put: [first] });
        if (outcome.committed) for (const put of rest) outcome = await store.commit({ put: [put] });
        return outcome;
      },
    }),
  },
  {
    name: 'conditions are looked at before the write, not with it',
    breaks: /^strictly serializable/,
    damage: (store) => ({
      commit: async ({ compare = [], ...writes }) => {
        const looked = await store.commit({ compare });
        return looked.committed ? store.commit(writes) : looked;
      },
    }),
  },
  {
    name: 'only the first condition counts',
    breaks: /happens only if every condition holds|one order that explains/,
    damage: (store) => ({
      commit: (transaction) => store.commit({ ...transaction, compare: transaction.compare?.slice(0, 1) ?? [] }),
    }),
  },
  {
    name: 'found lacks absent keys',
    breaks: /^a failed commit answers with the current entries/,
    damage: (store) => ({
      commit: async (transaction) => {
        const outcome = await store.commit(transaction);
        return outcome.committed
          ? outcome
          : { ...outcome, found: outcome.found.filter((entry) => entry !== undefined) };
      },
    }),
  },
  {
    name: 'deleting an absent key takes a revision',
    breaks: /^gapless: a commit that changes nothing/,
    damage: (store) => ({
      commit: async (transaction) => {
        const before = await store.revision();
        const outcome = await store.commit(transaction);
        if (!outcome.committed || outcome.revision > before || (transaction.delete?.length ?? 0) === 0) return outcome;
        return store.commit({ put: [{ key: '/unrelated', value: {} }] });
      },
    }),
  },
  {
    name: 'a list is in the order of UTF-16',
    breaks: /^lists are in byte order/,
    damage: (store) => ({
      list: async (prefix, options) => {
        const listing = await store.list(prefix, options);
        return { ...listing, entries: listing.entries.toSorted((a, b) => (a.key < b.key ? -1 : 1)) };
      },
    }),
  },
  {
    name: 'a list of /a stops at the slash',
    breaks: /^a list has exactly the keys/,
    damage: (store) => ({
      list: async (prefix, options) =>
        without(await store.list(prefix, options), ({ key }) => key.startsWith(`${prefix}0`)),
    }),
  },
  {
    name: 'remaining counts the page too',
    breaks: /^a page has at most/,
    damage: (store) => ({
      list: async (prefix, options) => {
        const listing = await store.list(prefix, options);
        return { ...listing, remaining: listing.remaining === 0 ? 0 : listing.remaining + listing.entries.length };
      },
    }),
  },
  {
    name: 'the next page is of the newest revision',
    breaks: /^pages are of one revision/,
    damage: (store) => ({
      list: async (prefix, options = {}) => {
        const { revision, ...rest } = options;
        return {
          ...(await store.list(prefix, options.after === undefined ? options : rest)),
          ...(revision !== undefined && { revision }),
        };
      },
    }),
  },
  {
    name: 'a watch drops every 100th batch',
    breaks: /^watches are ordered, unique, reliable|^watches are resumable/,
    damage: (store) => {
      const dropped = every(100);
      return {
        watch: (prefix, options) => store.watch(prefix, options).pipe(filter((batch) => !isEvent(batch) || !dropped())),
      };
    },
  },
  {
    name: 'a watch shows now and then a batch twice',
    breaks: /^watches are ordered, unique/,
    damage: (store) => {
      const twice = every(100);
      return {
        watch: (prefix, options) =>
          store
            .watch(prefix, options)
            .pipe(mergeMap((batch) => (isEvent(batch) && twice() ? of(batch, batch) : of(batch)))),
      };
    },
  },
  {
    name: 'a watch splits batches',
    breaks: /^watches are atomic/,
    damage: damagedWatch(
      mergeMap(({ revision, changes }) =>
        changes.length < 2
          ? of({ revision, changes })
          : from(changes.map((change) => ({ revision, changes: [change] }))),
      ),
    ),
  },
  {
    name: 'a watch now and then delivers two batches in the wrong order',
    breaks: /^watches are ordered/,
    damage: (store) => ({
      watch: (prefix, options) =>
        store.watch(prefix, options).pipe(
          startWith(undefined),
          pairwise(),
          mergeMap(([before, batch]) =>
            batch === undefined
              ? []
              : before !== undefined && batch.revision % 10 === 0 && isEvent(before) && isEvent(batch)
                ? [batch, before]
                : [batch],
          ),
        ),
    }),
  },
  {
    name: 'a watch begins with the revision it is to come after',
    breaks: /^watches are resumable|^watches are ordered/,
    damage: (store) => ({
      watch: (prefix, { after } = {}) =>
        store.watch(prefix, after === undefined ? {} : { after: Math.max(0, after - 1) }),
    }),
  },
  {
    name: 'a resumed watch skips what it missed',
    breaks: /^watches are resumable|from every earlier revision/,
    damage: (store) => ({ watch: (prefix) => store.watch(prefix) }),
  },
  {
    name: 'a watch without a revision begins when it is made, not when it is subscribed',
    breaks: /^a watch without a revision begins/,
    damage: (store) => ({
      watch: (prefix, options) => {
        if (options?.after !== undefined) return store.watch(prefix, options);
        const after = store.revision();
        return from(after).pipe(mergeMap((revision) => store.watch(prefix, { after: revision })));
      },
    }),
  },
  {
    name: 'a watch without a revision begins a moment late',
    breaks: /^a watch without a revision shows every commit/,
    damage: (store) => ({
      watch: (prefix, options) => {
        if (options?.after !== undefined) return store.watch(prefix, options);
        const later = async (): Promise<number> => (
          await new Promise((resolve) => setImmediate(resolve)),
          store.revision()
        );
        return defer(later).pipe(mergeMap((after) => store.watch(prefix, { after })));
      },
    }),
  },
  {
    name: 'a watch after 0 begins now',
    breaks: /^a watch after 0 shows history/,
    damage: (store) => ({ watch: (prefix, options = {}) => store.watch(prefix, options.after === 0 ? {} : options) }),
  },
  {
    name: 'a watch sorts the changes of a batch',
    breaks: /^a batch has the puts of its transaction/,
    damage: damagedWatch(
      map((batch) => ({ ...batch, changes: batch.changes.toSorted((a, b) => (a.key < b.key ? -1 : 1)) })),
    ),
  },
  {
    name: 'a watch forgets what was there before an update',
    breaks: /^a watch shows creates, updates/,
    damage: damagedWatch(
      map((batch) => ({
        ...batch,
        changes: batch.changes.map((change) => (change.type === 'put' ? { ...change, previous: undefined } : change)),
      })),
    ),
  },
  {
    name: 'a watch of a prefix shows deletes of others',
    breaks: /^a watch shows exactly the keys/,
    damage: (store) => ({
      watch: (prefix, options) =>
        store.watch('', options).pipe(
          map((batch) => ({
            ...batch,
            changes: batch.changes.filter((change) => change.type === 'delete' || change.key.startsWith(prefix)),
          })),
          filter((batch) => batch.changes.length > 0),
        ),
    }),
  },
  {
    name: 'requests for progress are not heard',
    breaks: /^watches are bookmarkable/,
    damage: () => ({ requestProgress: () => Promise.resolve() }),
  },
  {
    name: 'bookmarks run ahead of changes',
    breaks: /^watches are bookmarkable/,
    damage: damagedWatch(
      concatMap((batch) => (isEvent(batch) ? of({ revision: batch.revision, changes: [] }, batch) : of(batch))),
    ),
  },
  {
    name: 'a commit from within a watch is delivered before the batch it answers',
    breaks: /^a watcher that writes while it listens/,
    damage: (store) => {
      const batches: Batch[] = [];
      const subject = new Subject<Batch>();
      store.watch('').subscribe({
        next: (batch) => batches.push(batch),
        error: (error: unknown) => subject.error(new Error('the watch failed', { cause: error })),
        complete: () => subject.complete(),
      });
      return {
        commit: (transaction) => {
          const outcome = store.commit(transaction);
          for (const batch of batches.splice(0)) subject.next(batch);
          return outcome;
        },
        requestProgress: async () => subject.next({ revision: await store.revision(), changes: [] }),
        watch: () => subject.asObservable(),
      };
    },
  },
  {
    name: 'a watch runs ahead of what can be read',
    breaks: /^what a watch has shown, every read shows/,
    damage: (store) => ({
      get: async (key, options) => {
        const reading = store.revision().then((revision) => store.get(key, { revision: Math.max(1, revision - 1) }));
        return options?.revision === undefined ? reading : store.get(key, options);
      },
    }),
  },
  {
    name: 'a list at a compacted revision is of what is left',
    breaks: /^compaction amid readers/,
    damage: (store) => ({
      list: async (prefix, options = {}) => {
        try {
          return await store.list(prefix, options);
        } catch {
          return {
            ...(await store.list(prefix)),
            ...(options.revision !== undefined && { revision: options.revision }),
          };
        }
      },
    }),
  },
  {
    name: 'a watch from a compacted revision skips in silence',
    breaks: /^compaction is refused by name/,
    damage: (store) => {
      let compacted = 0;
      return {
        compact: async (revision) => {
          await store.compact(revision);
          compacted = Math.max(compacted, revision);
        },
        watch: (prefix, { after } = {}) =>
          store.watch(prefix, after === undefined ? {} : { after: Math.max(after, compacted) }),
      };
    },
  },
  {
    name: 'a compacted revision is read as the oldest left',
    breaks: /^compaction is refused by name/,
    damage: (store) => {
      let compacted = 1;
      return {
        compact: async (revision) => {
          await store.compact(revision);
          compacted = Math.max(compacted, revision);
        },
        get: (key, { revision } = {}) =>
          store.get(key, revision === undefined ? {} : { revision: Math.max(revision, compacted) }),
      };
    },
  },
  {
    name: 'compaction goes one revision too far',
    breaks: /^compaction leaves the compacted revision/,
    damage: (store) => ({
      compact: async (revision) => store.compact(revision < (await store.revision()) ? revision + 1 : revision),
    }),
  },
  {
    name: 'a revoked lease forgets puts that came while it ended',
    breaks: /^a put that races with the end of its lease/,
    damage: (store) => ({
      revokeLease: async (lease) => {
        await store.revokeLease(lease);
        await Promise.resolve();
      },
      commit: async (transaction) => {
        try {
          return await store.commit(transaction);
        } catch {
          return store.commit({ put: (transaction.put ?? []).map(({ key, value }) => ({ key, value })) });
        }
      },
    }),
  },
  {
    name: 'a lease deletes its keys one by one',
    breaks: /^revoking a lease deletes its keys at once, in one commit/,
    damage: (store) => ({
      revokeLease: async (lease) => {
        const { entries } = await store.list('');
        for (const entry of entries) if (entry.lease === lease) await store.commit({ delete: [entry.key] });
        await store.revokeLease(lease);
      },
    }),
  },
  {
    name: 'renewing a lease does nothing',
    breaks: /^renewing a lease/,
    damage: () => ({ renewLease: () => Promise.resolve() }),
  },
  {
    name: 'a lease ends early',
    breaks: /^leases end on the clock/,
    damage: (store) => ({ grantLease: (ttlMs) => store.grantLease(ttlMs / 2) }),
  },
  {
    name: 'a lease ends late',
    breaks: /^leases end on the clock/,
    damage: (store) => ({ grantLease: (ttlMs) => store.grantLease(ttlMs + 1) }),
  },
  {
    name: 'values are handed out unfrozen',
    breaks: /^a value that was read cannot be changed/,
    damage: (store) => ({
      get: async (key, options) => {
        const { entry, revision } = await store.get(key, options);
        return { entry: entry && { ...entry, value: { ...entry.value } }, revision };
      },
    }),
  },
  {
    name: 'values are taken when the commit is carried out, not when it is called',
    breaks: /^changing the object that was put changes nothing/,
    damage: (store) => ({
      commit: async (transaction) => {
        await Promise.resolve();
        return store.commit(transaction);
      },
    }),
  },
  {
    name: 'values lose a key named __proto__',
    breaks: /^a value with a `__proto__` key/,
    damage: (store) => ({ commit: (transaction) => store.commit(withoutProto(transaction)) }),
  },
  {
    name: 'a closed store still answers',
    breaks: /^a closed store refuses every call/,
    damage: (store) => {
      let closed = false;
      return {
        close: async () => {
          closed = true;
          await store.close();
        },
        revision: async () => (closed ? 7 : store.revision()),
      };
    },
  },
  {
    name: 'a closed store keeps a timer',
    breaks: /^a closed store leaves nothing behind/,
    damage: (store, clock) => ({ close: () => (clock.timer(1).subscribe(), store.close()) }),
  },
  {
    name: 'watches stay open when the store closes',
    breaks: /^closing completes every watch/,
    damage: damagedWatch((batches$) => concat(batches$, NEVER)),
  },
  {
    name: 'a call under way never settles when the store closes',
    breaks: /^calls under way settle/,
    damage: (store) => {
      let closed = false;
      return {
        close: async () => {
          closed = true;
          await store.close();
        },
        requestProgress: async () => {
          await Promise.resolve();
          return closed ? new Promise(() => undefined) : store.requestProgress();
        },
      };
    },
  },
  {
    name: 'the last commit is lost when the store closes',
    breaks: /^durable/,
    rot: ({ commits }) => void commits.splice(Math.max(1, commits.length - 1)),
  },
  {
    name: 'history is lost when the store closes',
    breaks: /^durable/,
    rot: ({ commits }) => void commits.splice(0, commits.length - 1),
  },
  {
    name: 'leases are lost when the store closes',
    breaks: /^durable: leases/,
    rot: ({ leases }) => void leases.splice(0),
  },
];

function without(listing: Listing, dropped: (entry: Entry) => boolean): Listing {
  return { ...listing, entries: listing.entries.filter((entry) => !dropped(entry)) };
}

function withoutProto(transaction: Transaction): Transaction {
  const assign = (_key: string, value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).filter(([name]) => name !== '__proto__'));
  };
  return JSON.parse(JSON.stringify(transaction), assign) as Transaction;
}
