/**
 * A watch of the store: the events of etcd as batches of changes, and bookmarks. Belongs to etcd-store.ts, which begins
 * it once the revision to begin after is known.
 */
import type { Subscriber } from 'rxjs';
import type { Batch, Revision } from '../store.js';
import type { EntryCodec } from './entry-codec.js';
import type { ProgressWatch } from './etcd-progress.js';
import { EtcdWatch, type EtcdWatchOptions } from './etcd-watch.js';
import type { EtcdEvent } from './messages.js';

/** What a watch of the store works with. */
export type StoreWatchTools = Pick<EtcdWatchOptions, 'client' | 'clock' | 'random' | 'signal' | 'after'> & {
  readonly subscriber: Subscriber<Batch>;
  readonly codec: EntryCodec;
  /** Of the keys to watch. */
  readonly prefix: string;
};

/** A watch that has begun. */
export class StoreWatch implements ProgressWatch {
  /** As etcd has it. */
  readonly prefix: string;
  readonly source: EtcdWatch;
  readonly #subscriber: Subscriber<Batch>;
  readonly #codec: EntryCodec;

  constructor({ subscriber, codec, prefix, ...source }: StoreWatchTools) {
    this.prefix = codec.keyOf(prefix);
    this.#subscriber = subscriber;
    this.#codec = codec;
    this.source = new EtcdWatch({
      ...source,
      range: codec.rangeOf(prefix),
      withPrevious: true,
      onEvents: (revision, events) => this.#tell(revision, events),
      onFailure: (error) => subscriber.error(error),
    });
    void this.source.run();
  }

  bookmark(): void {
    this.#subscriber.next({ revision: this.source.seen, changes: [] });
  }

  #tell(revision: Revision, events: readonly EtcdEvent[]): void {
    let changes;
    try {
      changes = events.map((event) => this.#codec.decodeEvent(event));
    } catch (error) {
      this.#subscriber.error(error); // a value that cannot be read; unsubscribing stops the source
      return;
    }
    this.#subscriber.next({ revision, changes });
  }
}
