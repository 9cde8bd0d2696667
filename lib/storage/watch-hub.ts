/**
 * Delivers commits to watchers. Each receives the batches of its prefix in the order of revisions, each once, and
 * everyone hears one batch before anyone hears the next, also when a watcher commits from its callback.
 *
 * Delivery is a microtask of its own: no watcher's code runs inside the call that committed or subscribed, as it would
 * not with a store behind a socket; and it is over before anyone who awaits that commit goes on. Delivery is a push
 * without buffers, so no watcher falls behind and none is ended with `overrun`; what waits for the microtask is what
 * was committed in one go, and `isFull` bounds it. A subscriber that throws does not affect others (RxJS reports it).
 *
 * Cost: watchers are found by prefix (PrefixTrie), so those of other prefixes cost nothing.
 */
import type { Subscriber } from 'rxjs';
import { PrefixTrie } from './prefix-trie.js';
import type { Batch, Change, Revision } from './store.js';

/** What a new watcher wants to hear. */
export interface WatchRequest {
  readonly prefix: string;
  /** Batches of the past to begin with, already reduced to the prefix. */
  readonly backlog: readonly Batch[];
  /** The last revision that it has seen after the backlog. */
  readonly seen: Revision;
}

/** The watchers of one store. */
export class WatchHub {
  readonly #watchers = new Set<Watcher>();
  readonly #byPrefix = new PrefixTrie<Watcher>();
  readonly #waitingMax: number;
  #waiting: (() => void)[] = [];
  #isDelivering = false;

  constructor(waitingMax: number) {
    this.#waitingMax = waitingMax;
  }

  /** Returns whether so many deliveries wait that the store must not commit more before its callers have paused. */
  get isFull(): boolean {
    return this.#waiting.length >= this.#waitingMax;
  }

  /** Returns whether everything has been delivered. */
  get isQuiet(): boolean {
    return !this.#isDelivering && this.#waiting.length === 0;
  }

  /** Takes in a watcher. Returns how to let it go. */
  add(subscriber: Subscriber<Batch>, { prefix, backlog, seen }: WatchRequest): () => void {
    const watcher: Watcher = { subscriber, seen };
    this.#watchers.add(watcher);
    this.#byPrefix.add(prefix, watcher);
    if (backlog.length > 0) {
      this.#enqueue(() => {
        for (const batch of backlog) tell(watcher, batch);
      });
    }
    return () => {
      this.#watchers.delete(watcher);
      this.#byPrefix.remove(prefix, watcher);
    };
  }

  /** Queues a batch for the present watchers. Call in the order of revisions, when the batch can be read. */
  publish(batch: Batch): void {
    if (this.#watchers.size > 0) this.#enqueue(() => this.#deliver(batch));
  }

  /** Gives every watcher a bookmark at this revision, the newest; one that waits for a later one hears nothing. */
  progress(revision: Revision): Promise<void> {
    // Those that are there now: who joins before the delivery may have a backlog that comes after it.
    const watchers = [...this.#watchers].filter(({ seen }) => seen <= revision);
    const bookmark = freezeBatch({ revision, changes: [] });
    return this.#afterDelivery(() => {
      for (const watcher of watchers) tell(watcher, bookmark);
    });
  }

  /** Completes every watcher, after what it is still to hear. */
  close(): Promise<void> {
    return this.#afterDelivery(() => {
      for (const { subscriber } of this.#watchers) subscriber.complete();
    });
  }

  #deliver(batch: Batch): void {
    const { revision, changes } = batch;
    const [first] = changes;
    // The receivers are determined before the first delivery: a callback may add and remove watchers.
    if (first !== undefined && changes.length === 1)
      for (const watcher of this.#byPrefix.along(first.key)) hear(watcher, batch);
    else
      for (const [watcher, own] of this.#match(batch))
        hear(watcher, own.length === changes.length ? batch : freezeBatch({ revision, changes: own }));
  }

  /** Who hears of the batch, and of which changes. */
  #match({ changes }: Batch): Iterable<readonly [Watcher, readonly Change[]]> {
    const matched = new Map<Watcher, Change[]>();
    for (const change of changes) {
      for (const watcher of this.#byPrefix.along(change.key)) {
        const own = matched.get(watcher);
        if (own === undefined) matched.set(watcher, [change]);
        else own.push(change);
      }
    }
    return matched;
  }

  #afterDelivery(action: () => void): Promise<void> {
    return new Promise((resolve) => {
      this.#enqueue(() => {
        action();
        resolve();
      });
    });
  }

  #enqueue(delivery: () => void): void {
    this.#waiting.push(delivery);
    if (this.#isDelivering || this.#waiting.length > 1) return;
    queueMicrotask(() => this.#deliverAll());
  }

  #deliverAll(): void {
    this.#isDelivering = true;
    // Round by round: what is enqueued meanwhile gathers in an array of its own, so that none has to be shifted.
    while (this.#waiting.length > 0) {
      const round = this.#waiting;
      this.#waiting = [];
      for (const delivery of round) delivery();
    }
    this.#isDelivering = false;
  }
}

/** The changes of a batch below a prefix as a batch, or undefined where there are none. */
export function batchBelow(prefix: string, batch: Batch): Batch | undefined {
  const changes = batch.changes.filter(({ key }) => key.startsWith(prefix));
  if (changes.length === 0) return undefined;
  return changes.length === batch.changes.length ? batch : freezeBatch({ revision: batch.revision, changes });
}

/** A batch that may be handed to many. */
export function freezeBatch(batch: Batch): Batch {
  Object.freeze(batch.changes);
  return Object.freeze(batch);
}

interface Watcher {
  readonly subscriber: Subscriber<Batch>;
  /** It hears of no revision up to this one. */
  seen: Revision;
}

/** One that joined later has heard of it. */
function hear(watcher: Watcher, batch: Batch): void {
  if (watcher.seen >= batch.revision) return;
  watcher.seen = batch.revision;
  tell(watcher, batch);
}

function tell({ subscriber }: Watcher, batch: Batch): void {
  try {
    subscriber.next(batch); // nothing, if it has let go
  } catch (error) {
    subscriber.error(error); // only a hand-made Subscriber throws here
  }
}
