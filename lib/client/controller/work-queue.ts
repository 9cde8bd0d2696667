// The work queue of a controller, without time and without effects: the driver in `controller.ts` passes the time in
// and runs what `take` returns. Items are identified by a key; of the items of one key only the newest is kept. A key
// is in one of four states, or unknown:
//
//   unknown ── add ─────────────► ready
//   ready   ── take ────────────► running ── add ─────────────────► superseded
//   running ── done ────────────► unknown
//           ── requeue, failed ─► delayed ── add, or time is up ──► ready
//   superseded ── done, requeue, failed ───► ready
//
// `addAfter` delays a key that is unknown, or makes a delayed one due earlier. While a key is ready or runs, the time
// is kept: the key is delayed until then, at the latest, when its run ends.
//
// So a key never runs twice at once, duplicates collapse, a delayed key occupies no worker, and a newer item is run at
// once even if the one before it failed. Failures of a key are counted until it succeeds. As client-go/util/workqueue.
import { IndexedHeap, TokenBucket, backoffLadders, delayAfter } from '../../core/index.js';
import type { BackoffLadder, HeapItem } from '../../core/index.js';

/** How a queue orders and delays its items. */
export interface WorkQueueOptions<Item> {
  keyOf(item: Item): string;
  /** The delay after failures in a row of one key. Default: client-go's, 5 ms doubling to 1,000 s. */
  readonly backoff?: BackoffLadder;
  /** The limit of all retries together. Default: client-go's, 10 per second and 100 at once. */
  readonly retryLimit?: RetryLimit;
  /** The failures in a row after which a key is given up until it is added again. Default: never. */
  readonly failuresMax?: number;
}

/** A token bucket. */
export interface RetryLimit {
  readonly perSecond: number;
  readonly burst: number;
}

/** A work queue. Holds one entry per key that is ready, running or delayed. */
export class WorkQueue<Item> {
  readonly #options: Required<WorkQueueOptions<Item>>;
  readonly #entries = new Map<string, Entry<Item>>();
  /** In the order in which they became ready. */
  readonly #ready = new Set<Entry<Item>>();
  readonly #delayed = new IndexedHeap<Entry<Item>>(
    (one, other) => one.dueAtMs - other.dueAtMs || one.sequence - other.sequence,
  );
  readonly #bucket: TokenBucket;
  #sequence = 0;

  constructor({
    backoff = backoffLadders.workQueueItem,
    retryLimit = { perSecond: 10, burst: 100 },
    failuresMax = Infinity,
    ...options
  }: WorkQueueOptions<Item>) {
    this.#options = { backoff, retryLimit, failuresMax, keyOf: (item) => options.keyOf(item) };
    this.#bucket = new TokenBucket(retryLimit);
  }

  /** How many keys are known: ready, running or delayed. */
  get size(): number {
    return this.#entries.size;
  }

  /** When the next delayed key becomes ready; undefined if there is none. */
  get nextDueAtMs(): number | undefined {
    return this.#delayed.peek()?.dueAtMs;
  }

  /** Adds an item, which replaces the one of its key. */
  add(item: Item): void {
    const key = this.#options.keyOf(item);
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      this.#makeReady(this.#create(key, item));
      return;
    }
    entry.item = item;
    if (entry.state === 'running') entry.state = 'superseded';
    else if (entry.state === 'delayed') {
      this.#delayed.remove(entry);
      this.#makeReady(entry);
    }
  }

  /** Adds an item that becomes ready at that time, unless its key is due earlier. It replaces the one of its key. */
  addAfter(item: Item, dueAtMs: number): void {
    const key = this.#options.keyOf(item);
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      this.#delay(this.#create(key, item), dueAtMs);
      return;
    }
    entry.item = item;
    if (entry.state !== 'delayed') entry.laterAtMs = Math.min(entry.laterAtMs, dueAtMs);
    else if (dueAtMs < entry.dueAtMs) {
      this.#delayed.remove(entry);
      this.#delay(entry, dueAtMs);
    }
  }

  /** Removes the next item that is ready and marks its key as running; undefined if none is ready. */
  take(nowMs: number): Item | undefined {
    for (let due = this.#delayed.peek(); due !== undefined && due.dueAtMs <= nowMs; due = this.#delayed.peek()) {
      this.#delayed.remove(due);
      this.#makeReady(due);
    }
    const [entry] = this.#ready;
    if (entry === undefined) return undefined;
    this.#ready.delete(entry);
    entry.state = 'running';
    return entry.item;
  }

  /** The run of an item succeeded, and its key has nothing to do until it is added again. */
  done(item: Item): void {
    const key = this.#options.keyOf(item);
    const entry = this.#running(key);
    entry.failures = 0;
    if (this.#readyAgain(entry)) return;
    if (entry.laterAtMs < Infinity) this.#delay(entry, Infinity);
    else this.#entries.delete(key);
  }

  /** The run of an item succeeded, and its key is to run again after a delay. */
  requeue(item: Item, delayMs: number, nowMs: number): void {
    const entry = this.#running(this.#options.keyOf(item));
    entry.failures = 0;
    if (!this.#readyAgain(entry)) this.#delay(entry, nowMs + delayMs);
  }

  /**
   * The run of an item failed. Returns the delay until its key runs again: 0 if a newer item is ready, undefined if the
   * key is given up.
   */
  failed(item: Item, nowMs: number): number | undefined {
    const key = this.#options.keyOf(item);
    const entry = this.#running(key);
    entry.failures += 1;
    if (this.#readyAgain(entry)) return 0;
    const { backoff, failuresMax } = this.#options;
    if (entry.failures > failuresMax && entry.laterAtMs === Infinity) {
      this.#entries.delete(key);
      return undefined;
    }
    const delayMs = Math.ceil(Math.max(delayAfter(backoff, entry.failures), this.#bucket.reserve(nowMs)));
    this.#delay(entry, nowMs + delayMs);
    return entry.dueAtMs - nowMs;
  }

  #create(key: string, item: Item): Entry<Item> {
    this.#sequence += 1;
    const created: Entry<Item> = {
      item,
      state: 'ready',
      failures: 0,
      dueAtMs: 0,
      laterAtMs: Infinity,
      sequence: this.#sequence,
      heapIndex: -1,
    };
    this.#entries.set(key, created);
    return created;
  }

  #running(key: string): Entry<Item> {
    const entry = this.#entries.get(key);
    if (entry?.state !== 'running' && entry?.state !== 'superseded') throw new Error(`${key} is not running`);
    return entry;
  }

  /** Makes a key ready whose item was replaced while it ran. */
  #readyAgain(entry: Entry<Item>): boolean {
    if (entry.state !== 'superseded') return false;
    this.#makeReady(entry);
    return true;
  }

  #makeReady(entry: Entry<Item>): void {
    entry.state = 'ready';
    this.#ready.add(entry);
  }

  /** Delays a key until that time, or until a time before that was added while it was ready or ran. */
  #delay(entry: Entry<Item>, dueAtMs: number): void {
    this.#sequence += 1;
    entry.state = 'delayed';
    entry.dueAtMs = Math.min(dueAtMs, entry.laterAtMs);
    entry.laterAtMs = Infinity;
    entry.sequence = this.#sequence;
    this.#delayed.push(entry);
  }
}

interface Entry<Item> extends HeapItem {
  item: Item;
  state: 'ready' | 'running' | 'superseded' | 'delayed';
  failures: number;
  /** When a delayed key becomes ready. */
  dueAtMs: number;
  /** The earliest time that was added while the key was ready or ran; Infinity for none. */
  laterAtMs: number;
  sequence: number;
}
