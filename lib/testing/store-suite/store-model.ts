/**
 * What a store must answer, computed the simple way: every version of every key is kept. The suite compares stores with
 * it after random commits; the checker of recorded histories replays commits on it and takes some back.
 */
import type { Change, Entry, Listing, StoreListOptions, Outcome, Revision, Transaction } from '../../storage/index.js';

interface Version {
  readonly revision: Revision;
  /** Undefined: deleted. */
  readonly entry: Entry | undefined;
}

/** The history of a store. Takes valid transactions only, and no leases. */
export class StoreModel {
  readonly #versions = new Map<string, Version[]>();
  readonly #changes = new Map<Revision, readonly Change[]>();
  readonly #start: Revision;
  #keys: string[] = [];
  #revision: Revision;

  /** Starts from the state that a list of everything answered. */
  constructor(initial: Pick<Listing, 'revision' | 'entries'>) {
    this.#start = initial.revision;
    this.#revision = initial.revision;
    for (const entry of initial.entries) this.#write(entry.key, { revision: initial.revision, entry });
  }

  /** The newest revision. */
  get revision(): Revision {
    return this.#revision;
  }

  /** The oldest revision it can speak of. */
  get start(): Revision {
    return this.#start;
  }

  /** Carries out a transaction. */
  commit({ compare = [], put = [], delete: deletes = [] }: Transaction): Outcome {
    const revision = this.#revision;
    const holds = compare.every(({ key, modRevision }) => (this.get(key)?.modRevision ?? 0) === modRevision);
    if (!holds) return { committed: false, revision, found: compare.map(({ key }) => this.get(key)) };
    const next = revision + 1;
    const changes: Change[] = put.map(({ key, value }) => {
      const previous = this.get(key);
      const entry = { key, value, createRevision: previous?.createRevision ?? next, modRevision: next };
      return { type: 'put', key, entry, previous };
    });
    for (const key of deletes) {
      const previous = this.get(key);
      if (previous !== undefined) changes.push({ type: 'delete', key, previous });
    }
    if (changes.length === 0) return { committed: true, revision };
    for (const change of changes)
      this.#write(change.key, { revision: next, entry: change.type === 'put' ? change.entry : undefined });
    this.#changes.set(next, changes);
    this.#revision = next;
    return { committed: true, revision: next };
  }

  /** The entry of a key, now or at a revision. */
  get(key: string, revision: Revision = this.#revision): Entry | undefined {
    return this.#versions.get(key)?.findLast((version) => version.revision <= revision)?.entry;
  }

  /** A page. */
  list(prefix: string, { limit = Infinity, after, revision = this.#revision }: StoreListOptions = {}): Listing {
    const all: Entry[] = [];
    for (const key of this.#keys) {
      if (!key.startsWith(prefix) || (after !== undefined && compareKeys(key, after) <= 0)) continue;
      const entry = this.get(key, revision);
      if (entry !== undefined) all.push(entry);
    }
    const entries = all.slice(0, limit);
    return { entries, revision, remaining: all.length - entries.length };
  }

  /** What a revision changed below a prefix, in order of keys. */
  changes(revision: Revision, prefix = ''): readonly Change[] {
    return sortChanges((this.#changes.get(revision) ?? []).filter(({ key }) => key.startsWith(prefix)));
  }

  /** Takes back every commit after a revision. */
  rewind(revision: Revision): void {
    for (; this.#revision > revision; this.#revision -= 1) {
      for (const { key } of this.#changes.get(this.#revision) ?? []) this.#versions.get(key)?.pop();
      this.#changes.delete(this.#revision);
    }
  }

  #write(key: string, version: Version): void {
    const versions = this.#versions.get(key);
    if (versions !== undefined) {
      versions.push(version);
      return;
    }
    this.#versions.set(key, [version]);
    this.#keys = [...this.#keys, key].sort(compareKeys);
  }
}

/** The order of UTF-8 bytes, which is that of code points; JavaScript's own `<` goes by UTF-16 units and differs. */
export function compareKeys(a: string, b: string): number {
  for (let index = 0; index < a.length && index < b.length; index++) {
    const difference = (a.codePointAt(index) ?? 0) - (b.codePointAt(index) ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Changes by key: the order within a batch is unspecified. */
export function sortChanges(changes: readonly Change[]): readonly Change[] {
  return changes.toSorted((a, b) => compareKeys(a.key, b.key));
}
