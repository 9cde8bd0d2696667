// A store with an unreliable connection to it: its watches can be cut or held back, its calls made to fail, and what is
// asked of it is counted. The store below stays as it is.
import { Observable } from 'rxjs';
import type { Subscriber } from 'rxjs';
import type { Batch, Store } from '../../lib/storage/index.js';

type Call = 'get' | 'list' | 'revision' | 'requestProgress' | 'watch' | 'compact';

export class FlakyStore implements Store {
  readonly calls: Record<Call, number> = { get: 0, list: 0, revision: 0, requestProgress: 0, watch: 0, compact: 0 };
  /** How many entries were listed. */
  entriesListed = 0;
  /** What these calls fail with. */
  readonly failures = new Map<Call, Error>();
  readonly #store: Store;
  readonly #watches = new Set<Subscriber<Batch>>();
  #held: (() => void)[] | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  get openWatches(): number {
    return this.#watches.size;
  }

  /** Ends all watches with an error; what is held back is lost. */
  cut(error: Error): void {
    if (this.#held !== undefined) this.#held = [];
    for (const watch of [...this.#watches]) watch.error(error);
  }

  /** From now on watches receive nothing. */
  hold(): void {
    this.#held ??= [];
  }

  /** Delivers what was held back. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const tell of held) tell();
  }

  get: Store['get'] = (key, options) => this.#call('get', () => this.#store.get(key, options));
  list: Store['list'] = (prefix, options) =>
    this.#call('list', async () => {
      const listing = await this.#store.list(prefix, options);
      this.entriesListed += listing.entries.length;
      return listing;
    });
  revision: Store['revision'] = () => this.#call('revision', () => this.#store.revision());
  requestProgress: Store['requestProgress'] = () => this.#call('requestProgress', () => this.#store.requestProgress());

  watch: Store['watch'] = (prefix, options) =>
    new Observable((subscriber) => {
      this.calls.watch += 1;
      const failure = this.failures.get('watch');
      if (failure !== undefined) throw failure;
      this.#watches.add(subscriber);
      subscriber.add(() => this.#watches.delete(subscriber));
      return this.#store.watch(prefix, options).subscribe({
        next: (batch) =>
          this.#held === undefined ? subscriber.next(batch) : void this.#held.push(() => subscriber.next(batch)),
        error: (error: unknown) => subscriber.error(error),
        complete: () => subscriber.complete(),
      });
    });

  commit: Store['commit'] = (transaction) => this.#store.commit(transaction);
  compact: Store['compact'] = (revision) => this.#call('compact', () => this.#store.compact(revision));
  grantLease: Store['grantLease'] = (ttlMs) => this.#store.grantLease(ttlMs);
  renewLease: Store['renewLease'] = (lease) => this.#store.renewLease(lease);
  revokeLease: Store['revokeLease'] = (lease) => this.#store.revokeLease(lease);
  close: Store['close'] = () => this.#store.close();

  #call<T>(name: Call, call: () => Promise<T>): Promise<T> {
    this.calls[name] += 1;
    const failure = this.failures.get(name);
    return failure === undefined ? call() : Promise.reject(failure);
  }
}
