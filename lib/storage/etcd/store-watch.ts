/**
 * A watch of the store: the events of etcd as batches of changes, and bookmarks. Belongs to etcd-store.ts, which begins
 * it once the revision to begin after is known.
 */
import type { Subscriber } from 'rxjs';
import type { Batch, Revision } from '../store.js';
import type { ProgressWatch } from './etcd-progress.js';
import { EtcdWatch, type EtcdWatchOptions } from './etcd-watch.js';
import type { WatchEvent } from './messages.js';
import { changeOf, rangeOf } from './stored-entry.js';

/** What a watch of the store works with. */
export type StoreWatchOptions = Pick<EtcdWatchOptions, 'client' | 'clock' | 'random' | 'signal' | 'after'> & {
  readonly subscriber: Subscriber<Batch>;
  /** Of all keys of the store. */
  readonly storePrefix: string;
  /** Of the keys to watch, without the store's. */
  readonly prefix: string;
};

/** A watch that has begun. */
export class StoreWatch implements ProgressWatch {
  /** With the store's. */
  readonly prefix: string;
  readonly source: EtcdWatch;
  readonly #subscriber: Subscriber<Batch>;
  readonly #storePrefix: string;

  constructor({ subscriber, storePrefix, prefix, ...source }: StoreWatchOptions) {
    this.prefix = storePrefix + prefix;
    this.#subscriber = subscriber;
    this.#storePrefix = storePrefix;
    this.source = new EtcdWatch({
      ...source,
      range: rangeOf(this.prefix),
      withPrevious: true,
      onEvents: (revision, events) => this.#tell(revision, events),
      onFailure: (error) => subscriber.error(error),
    });
    void this.source.run();
  }

  bookmark(): void {
    this.#subscriber.next({ revision: this.source.seen, changes: [] });
  }

  #tell(revision: Revision, events: readonly WatchEvent[]): void {
    let changes;
    try {
      changes = events.map((event) => changeOf(event, this.#storePrefix));
    } catch (error) {
      this.#subscriber.error(error); // a value that cannot be read; unsubscribing stops the source
      return;
    }
    this.#subscriber.next({ revision, changes });
  }
}
