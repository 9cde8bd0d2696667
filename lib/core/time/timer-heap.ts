// The earliest of very many timers, as a radix heap: time only moves forward, so timers need no full order before they
// are due. Bucket 0 holds what is due at `#last`, the time reached; bucket b what differs from it in bit b and in none
// above, the lowest bit being 1. So a lower bucket is wholly earlier than a higher one; all of one time are in one
// bucket, in the order in which they came; and when time enters a bucket, its timers spread over lower ones.
// Buckets are rings of slots in typed arrays: cancelling is O(1) and frees at once, and a timer moves down at most once
// a bit. A million at scattered times take 0.6 µs each in and out, at one time 0.2 µs; what RxJS holds for each of
// them costs more, 2 µs to make and 2 µs to fetch from memory in that order. Only the virtual clock uses it.

const bucketCount = 65;
/** The ring of what fires now stands apart from bucket 0, where timers set meanwhile wait for the next round. */
const round = bucketCount;
/** Rings begin and end in a slot of their own, numbered as the bucket. */
const ringCount = bucketCount + 1;
/** Times beyond it are taken for it: bits are compared in two words of 32. */
const endOfTime = 2 ** 62;

/** Items ordered by time; those of one time in the order in which they were added. */
export class TimerHeap<T> {
  /** By slot, in 16 bytes that share a line of cache: time, next slot, slot before. A free slot names the next free. */
  #times = new Float64Array(512);
  #links = new Int32Array(this.#times.buffer);
  #items: (T | undefined)[] = Array.from({ length: ringCount }, () => undefined);
  /** By bucket: nothing in it is earlier, but what was earliest may have gone. */
  readonly #bounds = new Float64Array(bucketCount);
  #size = 0;
  #last: number;
  #firstFree = -1;

  /**
   * Nothing may be added before `start`, and after `firstUntil` nothing before its answer or, if Infinity, its `until`.
   */
  constructor(start: number) {
    this.#last = start;
    for (let ring = 0; ring < ringCount; ring++) this.#clear(ring);
  }

  /** How many items wait. */
  get size(): number {
    return this.#size;
  }

  /** Adds an item and returns its slot, which stays reserved until the item is removed. */
  add(time: number, item: T): number {
    let slot = this.#firstFree;
    if (slot >= 0) this.#firstFree = this.#nextOf(slot);
    else {
      slot = this.#items.length;
      if (slot === this.#times.length / 2) this.#grow();
    }
    this.#items[slot] = item;
    this.#size += 1;
    this.#link(slot, Math.min(time, endOfTime));
    return slot;
  }

  /** Gives the item of that slot another time, as if it were added anew. */
  postpone(slot: number, time: number): void {
    this.#unlink(slot);
    this.#link(slot, Math.min(time, endOfTime));
  }

  /** Takes the item of that slot out, wherever it stands. */
  remove(slot: number): void {
    this.#unlink(slot);
    this.#items[slot] = undefined;
    this.#links[slot * 4 + 2] = this.#firstFree;
    this.#firstFree = slot;
    this.#size -= 1;
  }

  /** When the first item is due, whenever that is. Looks at a whole bucket. */
  firstTime(): number {
    if (!this.#isClear(round)) return this.#last;
    const bucket = this.#firstBucket();
    let first = Infinity;
    if (bucket < 0) return first;
    for (let slot = this.#nextOf(bucket); slot !== bucket; slot = this.#nextOf(slot)) {
      first = Math.min(first, timeAt(this.#times, slot * 2));
    }
    return first;
  }

  /** When the first item is due if that is not after `until`; Infinity otherwise. */
  firstUntil(until: number): number {
    for (;;) {
      if (!this.#isClear(round)) return this.#last;
      const bucket = this.#firstBucket();
      if (bucket < 0) return Infinity;
      if (bucket === 0) return this.#last;
      // Should what the bound was of be gone, the bucket spreads all the same, and the first item shows in a lower one.
      const bound = timeAt(this.#bounds, bucket);
      if (bound > until) return Infinity;
      this.#last = bound;
      this.#spread(bucket);
    }
  }

  /** Has everything due at the time that `firstUntil` answered fire next, and nothing added from here on. */
  startRound(): void {
    if (this.#isClear(0)) return;
    // What an error left behind in the last round goes first.
    const first = this.#nextOf(0);
    const last = this.#previousOf(0);
    const tail = this.#previousOf(round);
    this.#links[tail * 4 + 2] = first;
    this.#links[first * 4 + 3] = tail;
    this.#links[last * 4 + 2] = round;
    this.#links[round * 4 + 3] = last;
    this.#clear(0);
  }

  /** The first item of the round, left where it is. */
  peek(): T | undefined {
    return this.#items[this.#nextOf(round)];
  }

  #firstBucket(): number {
    for (let bucket = 0; bucket < bucketCount; bucket++) if (!this.#isClear(bucket)) return bucket;
    return -1;
  }

  #spread(bucket: number): void {
    let slot = this.#nextOf(bucket);
    this.#clear(bucket);
    while (slot !== bucket) {
      const following = this.#nextOf(slot);
      this.#link(slot, timeAt(this.#times, slot * 2));
      slot = following;
    }
  }

  #link(slot: number, time: number): void {
    const bucket = firstDifference(time, this.#last);
    const tail = this.#previousOf(bucket);
    if (tail === bucket || time < timeAt(this.#bounds, bucket)) this.#bounds[bucket] = time;
    this.#times[slot * 2] = time;
    this.#links[tail * 4 + 2] = slot;
    this.#links[slot * 4 + 3] = tail;
    this.#links[slot * 4 + 2] = bucket;
    this.#links[bucket * 4 + 3] = slot;
  }

  #unlink(slot: number): void {
    const next = this.#nextOf(slot);
    const previous = this.#previousOf(slot);
    this.#links[previous * 4 + 2] = next;
    this.#links[next * 4 + 3] = previous;
  }

  #isClear(ring: number): boolean {
    return this.#nextOf(ring) === ring;
  }

  #clear(ring: number): void {
    this.#links[ring * 4 + 2] = ring;
    this.#links[ring * 4 + 3] = ring;
  }

  #nextOf(slot: number): number {
    return at(this.#links, slot * 4 + 2);
  }

  #previousOf(slot: number): number {
    return at(this.#links, slot * 4 + 3);
  }

  #grow(): void {
    const times = new Float64Array(this.#times.length * 2);
    const links = new Int32Array(times.buffer);
    links.set(this.#links);
    this.#times = times;
    this.#links = links;
  }
}

/** The highest bit in which two whole numbers differ, the lowest being 1; 0 when they are equal. */
function firstDifference(one: number, other: number): number {
  const high = Math.floor(one / 2 ** 32) ^ Math.floor(other / 2 ** 32);
  return high === 0 ? 32 - Math.clz32(one ^ other) : 64 - Math.clz32(high);
}

// Elements known to be there. One reader for each kind of array: shared between two kinds it would not be inlined.
function timeAt(times: Float64Array, index: number): number {
  return times[index] ?? NaN;
}
function at(slots: Int32Array, index: number): number {
  return slots[index] ?? -1;
}
