// One attempt to place one pod, as plugins see it: the pod, the cluster as it was when the attempt began, and what each
// plugin wants to remember until the pod is bound. Memory is typed by its key: a plugin makes the key once, and who has
// no key sees nothing.
import type { ClusterView } from '../cluster/cluster-view.js';
import type { PodFacts } from '../pod/pod-facts.js';
import type { Timings } from './timings.js';

/** An attempt to place a pod. */
export interface Cycle {
  readonly pod: PodFacts;
  /** Does not change while the pod is being placed. */
  readonly cluster: ClusterView;
  readonly memory: CycleMemory;
  /** Takes down how long plugins take; absent where nobody wants to know, as in what-if. */
  readonly timings?: Timings;
}

/** Where a plugin finds what it remembered. Make one with `memoryKey`. */
export interface MemoryKey<T extends Remembered> {
  readonly name: string;
  /** Never there: it ties the type to the key. */
  readonly of?: T;
}

/** What can be remembered. With `copy` it takes part in what-if. */
export interface Remembered {
  /** The same once more: one may be changed without the other. */
  copy?(): this;
}

/** A key for memory of this type. The name is for people. */
export function memoryKey<T extends Remembered>(name: string): MemoryKey<T> {
  return Object.freeze({ name });
}

/** What plugins remember during a cycle. */
export class CycleMemory {
  readonly #remembered: Map<MemoryKey<Remembered>, Remembered>;
  #fill: (() => void) | undefined;

  constructor(remembered: Iterable<readonly [MemoryKey<Remembered>, Remembered]> = []) {
    this.#remembered = new Map(remembered);
  }

  /** What was remembered under the key. */
  get<T extends Remembered>(key: MemoryKey<T>): T | undefined {
    if (this.#fill !== undefined && !this.#remembered.has(key)) this.#fillNow();
    return this.#remembered.get(key) as T | undefined; // `set` takes only what the key is for
  }

  /** The same, of a plugin that knows it has been there. Throws `not found`, as users then read it. */
  recall<T extends Remembered>(key: MemoryKey<T>): T {
    const remembered = this.get(key);
    if (remembered === undefined) throw new Error('not found');
    return remembered;
  }

  /** Remembers, in place of what was there. */
  set<T extends Remembered>(key: MemoryKey<T>, value: T): void {
    this.#remembered.set(key, value);
  }

  /** Puts off work whose results most cycles never ask for: it is done when somebody misses something, or copies. */
  fillWhenMissed(fill: () => void): void {
    this.#fill = fill;
  }

  /** For what-if: changes to the copy do not show here, of what can be copied. */
  copy(): CycleMemory {
    this.#fillNow();
    return new CycleMemory(Array.from(this.#remembered, ([key, value]) => [key, value.copy?.() ?? value] as const));
  }

  #fillNow(): void {
    const fill = this.#fill;
    this.#fill = undefined;
    fill?.();
  }
}
