// The pods being scheduled and the events meanwhile. An event may help a pod after its nodes were evaluated and before
// its failure is known. So events are recorded while any pod is in flight, and a failing pod is matched against those
// since it was popped. Events that no pod in flight needs are dropped.

import { labelOf } from './cluster-event.js';
import type { ClusterEvent } from './cluster-event.js';
import type { QueueEntry, QueuedPod } from './queued-pod.js';

/** An event with the objects it is about. */
export interface ObservedEvent {
  readonly event: ClusterEvent;
  /** The object before; undefined if it was added. */
  readonly old: unknown;
  /** The object after; undefined if it was deleted. */
  readonly new: unknown;
  /** The only pod it concerns. Default: all pods. */
  readonly target?: QueuedPod;
}

/** Pods in flight and one shared record of events. */
export class InFlight {
  readonly #entries = new Set<QueueEntry>();
  readonly #recordedMax: number;
  #record: ObservedEvent[] = [];
  /** Number of events dropped from the front so far: the position of the first recorded one. */
  #dropped = 0;

  /** Beyond `recordedMax` events the oldest half is dropped; see `since`. */
  constructor(recordedMax: number) {
    this.#recordedMax = recordedMax;
  }

  /** Number of pods in flight. */
  get size(): number {
    return this.#entries.size;
  }

  /** Number of recorded events. */
  get recorded(): number {
    const [oldest] = this.#entries;
    return oldest === undefined
      ? 0
      : this.#dropped + this.#record.length - Math.max(oldest.recordedFrom, this.#dropped);
  }

  /** The same by event label. Iterates over all recorded events. */
  recordedByEvent(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { event } of this.#record.slice(this.#record.length - this.recorded)) {
      const label = labelOf(event);
      counts.set(label, (counts.get(label) ?? 0) + 1);
    }
    return counts;
  }

  /** Starts recording for a pod. */
  begin(entry: QueueEntry): void {
    entry.recordedFrom = this.#dropped + this.#record.length;
    this.#entries.add(entry);
  }

  /** Records an event if any pod is in flight. */
  add(observed: ObservedEvent): void {
    if (this.#entries.size === 0) return;
    if (this.#record.length >= this.#recordedMax) this.#drop(Math.ceil(this.#record.length / 2));
    this.#record.push(observed);
  }

  /** Returns the events since the pod was popped; undefined if some of them were dropped. */
  since(entry: QueueEntry): readonly ObservedEvent[] | undefined {
    if (!this.#entries.has(entry) || entry.recordedFrom < this.#dropped) return undefined;
    return this.#record.slice(entry.recordedFrom - this.#dropped);
  }

  /** Stops recording for a pod. */
  end(entry: QueueEntry): void {
    if (!this.#entries.delete(entry)) return;
    // The set is in order of popping: events before the first pod's are not needed.
    const [oldest] = this.#entries;
    if (oldest === undefined) {
      this.#drop(this.#record.length);
      return;
    }
    // Dropping copies the rest, so it is done only when the rest is the smaller part.
    const unneeded = oldest.recordedFrom - this.#dropped;
    if (unneeded * 2 > this.#record.length) this.#drop(unneeded);
  }

  #drop(count: number): void {
    if (count === 0) return;
    this.#record = count === this.#record.length ? [] : this.#record.slice(count);
    this.#dropped += count;
  }
}
