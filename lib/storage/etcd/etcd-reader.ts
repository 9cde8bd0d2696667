/**
 * Reads of etcd that name what there is when the revision requested is not there: etcd only says that it is compacted
 * or still to come, the store also says what the oldest or the newest is. For etcd-store.ts.
 */
import { isStoreError } from '../store-error.js';
import type { Revision } from '../store.js';
import { compactedError, futureRevisionError, isRefusal, storeErrorOf } from './etcd-errors.js';
import { EtcdWatch, type EtcdWatchOptions } from './etcd-watch.js';
import type { EtcdKeyRange, RangeAnswer, RangeRequest } from './messages.js';
import { settlesWithin } from './pause.js';

/** What reading works with. */
export type ReaderOptions = Pick<EtcdWatchOptions, 'client' | 'clock' | 'random' | 'signal'> & {
  /** Any key that the store may read. */
  readonly anyKey: string;
  /** How long to look for the oldest revision. */
  readonly timeoutMs: number;
};

/** Reads. */
export class EtcdReader {
  readonly #options: ReaderOptions;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  /** Reads keys; rejects with a StoreError. */
  async read(request: RangeRequest): Promise<RangeAnswer> {
    const { client, signal } = this.#options;
    try {
      return await client.range(request);
    } catch (error) {
      const { revision = 0 } = request;
      if (isRefusal(error, 'compacted')) throw compactedError(revision, await this.#oldest(request), error);
      if (!isRefusal(error, 'futureRevision')) throw storeErrorOf(error, 'read', signal);
      const newest = await this.newest();
      if (newest < revision) throw futureRevisionError(revision, newest, error);
      return await this.read(request); // it has come meanwhile
    }
  }

  /** The newest revision. */
  async newest(): Promise<Revision> {
    return (await this.read({ key: this.#options.anyKey, countOnly: true })).revision;
  }

  /** The oldest revision that is left, which etcd reports only to watches; undefined if it does not in time. */
  async #oldest({ key }: EtcdKeyRange): Promise<Revision | undefined> {
    let oldest: Revision | undefined;
    const watch = new EtcdWatch({
      ...this.#options,
      range: { key },
      after: 0,
      withPrevious: false,
      onEvents: () => undefined,
      onFailure: (error) => {
        if (isStoreError(error, 'compacted')) oldest = error.revision;
      },
    });
    await settlesWithin(this.#options.clock, this.#options.timeoutMs, watch.run());
    watch.stop();
    return oldest;
  }
}
