// The watches of the store: first each catches up, part by part, with what the worker reads from the log; then it joins
// the hub and hears what is committed.
//
// Nothing is lost or delivered twice in between, because the worker responds in the order of history: the response that
// says "this is all" comes before that of any later commit. And every commit sent after a watch began comes with the
// entries it replaced, because from its beginning on the watch counts as one when it is asked who is watched.
import type { Subscriber } from 'rxjs';
import { PrefixTrie } from '../prefix-trie.js';
import type { Batch, Revision } from '../store.js';
import { freezeBatch, WatchHub } from '../watch-hub.js';
import type { WireBatch } from './batches.js';
import type { Holds } from './holds.js';
import type { Calls } from './protocol.js';
import type { WorkerLink } from './worker-link.js';

/** What the watches need of the store. */
export interface WatchesOptions {
  readonly link: WorkerLink;
  /** Sends the writes taken so far: a watch that begins must come behind them. */
  readonly flush: () => void;
  readonly holds: Holds;
  /** Makes a batch of what was read from the log. */
  readonly decode: (batch: WireBatch) => Batch;
}

/** The watches of one store. */
export class Watches {
  readonly #options: WatchesOptions;
  // What waits to be delivered came in one response of the worker, so it needs no bound of its own.
  readonly #hub = new WatchHub(Infinity);
  readonly #prefixes = new PrefixTrie<Watch>();
  readonly #watches = new Set<Watch>();

  constructor(options: WatchesOptions) {
    this.#options = options;
  }

  /** Returns whether anyone watches anything. */
  get isEmpty(): boolean {
    return this.#watches.size === 0;
  }

  /** Returns whether anyone watches this key. */
  includes(key: string): boolean {
    return this.#watches.size > 0 && this.#prefixes.along(key).length > 0;
  }

  /** Begins a watch after a revision, or now. Returns how to end it. */
  add(subscriber: Subscriber<Batch>, prefix: string, after: Revision | undefined): () => void {
    this.#options.flush();
    const watch: Watch = { subscriber, prefix, bookmarkWanted: false, leave: undefined };
    this.#watches.add(watch);
    this.#prefixes.add(prefix, watch);
    // What happens after `after` must not be swept before it was delivered.
    const release = after === undefined ? undefined : this.#options.holds.hold(after);
    this.#catchUp(watch, { prefix, after, underway: false }, release ?? ((): void => undefined));
    return () => {
      release?.();
      watch.leave?.();
      this.#watches.delete(watch);
      this.#prefixes.remove(prefix, watch);
    };
  }

  /** Delivers a commit that was flagged as watched. Call in the order of revisions. */
  publish(batch: Batch): void {
    this.#hub.publish(batch);
  }

  /** Gives each watch a bookmark: at this revision, the newest, or where it stands once it has caught up. */
  progress(revision: Revision): Promise<void> {
    for (const watch of this.#watches) watch.bookmarkWanted = watch.leave === undefined;
    return this.#hub.progress(revision);
  }

  /** Completes every watch. */
  async complete(): Promise<void> {
    await this.#hub.close();
    for (const { subscriber } of [...this.#watches]) subscriber.complete();
  }

  /** Ends every watch with an error. */
  fail(error: unknown): void {
    for (const { subscriber } of [...this.#watches]) subscriber.error(error);
  }

  #catchUp(watch: Watch, ask: Calls['replay']['ask'], caughtUp: () => void): void {
    const { subscriber, prefix } = watch;
    this.#options.link.send('replay', ask, {
      answered: ({ batches, seen, newest }) => {
        try {
          for (const batch of batches) if (!subscriber.closed) subscriber.next(this.#options.decode(batch));
        } catch (error) {
          subscriber.error(error); // a value that cannot be decoded
        }
        if (subscriber.closed) return;
        if (seen < newest) {
          this.#catchUp(watch, { prefix, after: seen, underway: true }, caughtUp);
          return;
        }
        caughtUp();
        watch.leave = this.#hub.add(subscriber, { prefix, backlog: [], seen });
        if (watch.bookmarkWanted && seen === newest) subscriber.next(freezeBatch({ revision: seen, changes: [] }));
      },
      failed: (error) => subscriber.error(error),
    });
  }
}

interface Watch {
  readonly subscriber: Subscriber<Batch>;
  readonly prefix: string;
  bookmarkWanted: boolean;
  /** How it leaves the hub, once it is there. */
  leave: (() => void) | undefined;
}
