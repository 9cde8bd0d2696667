// The pods being scheduled and what happened meanwhile. An event may help a pod after its nodes were looked at and
// before its failure is known; so events are recorded as long as any pod is in flight, and a pod that fails looks at
// those since it was popped. What no pod in flight can ask for any more is dropped.

import { labelOf } from './cluster-event.js';
import type { ClusterEvent } from './cluster-event.js';
import type { QueueEntry, QueuedPod } from './queued-pod.js';

/** An event with the objects it is about. */
export interface Happening {
  readonly event: ClusterEvent;
  /** Before; undefined for something new. */
  readonly old: unknown;
  /** After; undefined for something deleted. */
  readonly new: unknown;
  /** The only pod it concerns; everyone when absent. */
  readonly target?: QueuedPod;
}

/** Pods in flight and one shared record of events. */
export class InFlight {
  readonly #entries = new Set<QueueEntry>();
  readonly #recordedMax: number;
  #record: Happening[] = [];
  /** How many events were dropped from the front since the beginning: the position of the first one kept. */
  #dropped = 0;

  /** Beyond `recordedMax` events the oldest half is given up; see `since`. */
  constructor(recordedMax: number) {
    this.#recordedMax = recordedMax;
  }

  /** How many pods are in flight. */
  get size(): number {
    return this.#entries.size;
  }

  /** How many events are kept for them. */
  get recorded(): number {
    const [oldest] = this.#entries;
    return oldest === undefined
      ? 0
      : this.#dropped + this.#record.length - Math.max(oldest.recordedFrom, this.#dropped);
  }

  /** The same by event, as metrics name them. Walks through all that is kept. */
  recordedByEvent(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { event } of this.#record.slice(this.#record.length - this.recorded)) {
      const label = labelOf(event);
      counts.set(label, (counts.get(label) ?? 0) + 1);
    }
    return counts;
  }

  /** Begins to record for a pod. */
  begin(entry: QueueEntry): void {
    entry.recordedFrom = this.#dropped + this.#record.length;
    this.#entries.add(entry);
  }

  /** Records an event, if anyone is in flight. */
  add(happening: Happening): void {
    if (this.#entries.size === 0) return;
    if (this.#record.length >= this.#recordedMax) this.#drop(Math.ceil(this.#record.length / 2));
    this.#record.push(happening);
  }

  /** What happened since the pod was popped; undefined when that is not fully known and anything may have. */
  since(entry: QueueEntry): readonly Happening[] | undefined {
    if (!this.#entries.has(entry) || entry.recordedFrom < this.#dropped) return undefined;
    return this.#record.slice(entry.recordedFrom - this.#dropped);
  }

  /** Ends recording for a pod. */
  end(entry: QueueEntry): void {
    if (!this.#entries.delete(entry)) return;
    // Pods are kept in the order of popping: nobody needs what came before the first of them.
    const [oldest] = this.#entries;
    if (oldest === undefined) {
      this.#drop(this.#record.length);
      return;
    }
    // Dropping copies what is kept, so it waits until that is the smaller part.
    const unneeded = oldest.recordedFrom - this.#dropped;
    if (unneeded * 2 > this.#record.length) this.#drop(unneeded);
  }

  #drop(count: number): void {
    if (count === 0) return;
    this.#record = count === this.#record.length ? [] : this.#record.slice(count);
    this.#dropped += count;
  }
}
