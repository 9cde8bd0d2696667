// A binary heap whose items know their place in it, so that any of them is removed or moved in O(log n) without a
// search. An item is in one heap at a time.

/** An item that a heap may hold. Only the heap writes the index. */
export interface HeapItem {
  /** The index of the item in the heap; -1 outside. */
  heapIndex: number;
}

/** Items by an order; the first is at hand. Equal items come out in any order: let `compare` leave no ties. */
export class IndexedHeap<T extends HeapItem> {
  readonly #items: T[] = [];
  readonly #compare: (one: T, other: T) => number;

  /** `compare` returns below 0 if the first argument comes first. */
  constructor(compare: (one: T, other: T) => number) {
    this.#compare = compare;
  }

  /** How many items it holds. */
  get size(): number {
    return this.#items.length;
  }

  /** The first item, left where it is. */
  peek(): T | undefined {
    return this.#items[0];
  }

  /** Takes an item in. */
  push(item: T): void {
    this.#items.push(item);
    this.#rise(item, this.#items.length - 1);
  }

  /** Takes the first item out. */
  pop(): T | undefined {
    const first = this.#items[0];
    if (first !== undefined) this.remove(first);
    return first;
  }

  /** Takes an item out that is in this heap. */
  remove(item: T): void {
    const index = item.heapIndex;
    const last = this.#items.pop();
    item.heapIndex = -1;
    if (last === undefined || last === item) return;
    this.#settle(last, index);
  }

  /** Finds the place of an item whose order may have changed. */
  moved(item: T): void {
    this.#settle(item, item.heapIndex);
  }

  #settle(item: T, index: number): void {
    this.#rise(item, index);
    if (item.heapIndex === index) this.#sink(item, index);
  }

  #rise(item: T, from: number): void {
    let index = from;
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = this.#items[above];
      if (parent === undefined || this.#compare(item, parent) >= 0) break;
      this.#put(parent, index);
      index = above;
    }
    this.#put(item, index);
  }

  #sink(item: T, from: number): void {
    let index = from;
    for (;;) {
      let below = 2 * index + 1;
      let child = this.#items[below];
      if (child === undefined) break;
      const right = this.#items[below + 1];
      if (right !== undefined && this.#compare(right, child) < 0) {
        child = right;
        below += 1;
      }
      if (this.#compare(item, child) <= 0) break;
      this.#put(child, index);
      index = below;
    }
    this.#put(item, index);
  }

  #put(item: T, index: number): void {
    this.#items[index] = item;
    item.heapIndex = index;
  }
}
