// One scheduling cycle as plugins see it: the pod, the cluster at the start of the cycle, and data that plugins keep
// until the pod is bound. Data is typed by its key: a plugin creates a key once, and only code that has the key can
// read the data. As kube-scheduler/framework/cycle_state.go.
import type { ClusterView } from '../cluster/cluster-view.js';
import type { PodFacts } from '../pod/pod-facts.js';
import type { Timings } from './timings.js';

/** One attempt to place a pod. */
export interface Cycle {
  readonly pod: PodFacts;
  /** A snapshot: it does not change during the cycle. */
  readonly cluster: ClusterView;
  readonly state: CycleState;
  /** Records the latency of plugins. Absent where nothing is measured, as in simulations. */
  readonly timings?: Timings;
}

/** The key of a plugin's data in a `CycleState`. Create one with `stateKey`. */
export interface StateKey<T extends StateData> {
  readonly name: string;
  /** Never set: binds the type parameter. */
  readonly of?: T;
}

/** Data of a plugin. Data with `copy` is copied when a simulation copies the state; other data is shared. */
export interface StateData {
  /** Returns an independent copy. */
  copy?(): this;
}

/** Creates a key for data of type `T`. The name is used in messages only. */
export function stateKey<T extends StateData>(name: string): StateKey<T> {
  return Object.freeze({ name });
}

/** The data that plugins keep during one cycle, by key. */
export class CycleState {
  readonly #data: Map<StateKey<StateData>, StateData>;
  #fill: (() => void) | undefined;

  constructor(remembered: Iterable<readonly [StateKey<StateData>, StateData]> = []) {
    this.#data = new Map(remembered);
  }

  /** Returns the data of a key, or undefined. */
  get<T extends StateData>(key: StateKey<T>): T | undefined {
    if (this.#fill !== undefined && !this.#data.has(key)) this.#fillNow();
    return this.#data.get(key) as T | undefined; // `set` accepts only values of the key's type
  }

  /** Returns the data of a key that must be there. Throws `not found`, which becomes the message that users see. */
  read<T extends StateData>(key: StateKey<T>): T {
    const remembered = this.get(key);
    if (remembered === undefined) throw new Error('not found');
    return remembered;
  }

  /** Stores the data of a key and replaces what was there. */
  set<T extends StateData>(key: StateKey<T>, value: T): void {
    this.#data.set(key, value);
  }

  /** Defers work whose results most cycles never read: `fill` runs at the first miss or copy. */
  fillLazily(fill: () => void): void {
    this.#fill = fill;
  }

  /** Returns a copy for a simulation. Changes to copied data do not show here. */
  copy(): CycleState {
    this.#fillNow();
    return new CycleState(Array.from(this.#data, ([key, value]) => [key, value.copy?.() ?? value] as const));
  }

  #fillNow(): void {
    const fill = this.#fill;
    this.#fill = undefined;
    fill?.();
  }
}
