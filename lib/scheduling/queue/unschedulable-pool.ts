// The pods that wait for an event. Rejected pods are listed with each of their rejectors; gated pods only with the
// gating plugin, because only its events can ungate them. Also tracks when the first pod becomes overdue.

import type { QueueEntry } from './queued-pod.js';
import type { Rejector, Rejectors } from './rejectors.js';

/** The pool. The rejectors and the gate of a pod must not change while it is in the pool. */
export class UnschedulablePool {
  readonly #rejectors: Rejectors;
  readonly #entries = new Set<QueueEntry>();
  #gated = 0;
  #oldest = Infinity;

  constructor(rejectors: Rejectors) {
    this.#rejectors = rejectors;
  }

  /** Number of gated pods. */
  get gated(): number {
    return this.#gated;
  }

  /** Number of pods that are not gated. */
  get ungated(): number {
    return this.#entries.size - this.#gated;
  }

  /** Lower bound of the time since which pods wait; Infinity if the pool is empty. May be too early after removals. */
  get oldest(): number {
    return this.#entries.size === 0 ? Infinity : this.#oldest;
  }

  /** Returns all pods. */
  list(): readonly QueueEntry[] {
    return [...this.#entries];
  }

  /** Adds a pod. */
  add(entry: QueueEntry): void {
    this.#entries.add(entry);
    this.#oldest = Math.min(this.#entries.size === 1 ? Infinity : this.#oldest, waitingSince(entry));
    if (entry.gatingPlugin !== undefined) this.#gated += 1;
    for (const rejector of this.#listedWith(entry)) rejector.pool.add(entry);
  }

  /** Removes a pod. */
  remove(entry: QueueEntry): void {
    this.#entries.delete(entry);
    if (entry.gatingPlugin !== undefined) this.#gated -= 1;
    for (const rejector of this.#listedWith(entry)) rejector.pool.delete(entry);
  }

  /** Returns the pods that have waited longer than `longestMs`, and recomputes `oldest` for the others. */
  overdue(now: number, longestMs: number): readonly QueueEntry[] {
    const found: QueueEntry[] = [];
    this.#oldest = Infinity;
    for (const entry of this.#entries) {
      const since = waitingSince(entry);
      if (now - since > longestMs) found.push(entry);
      else this.#oldest = Math.min(this.#oldest, since);
    }
    return found;
  }

  #listedWith(entry: QueueEntry): readonly Rejector[] {
    if (entry.gatingPlugin === undefined) return entry.rejectors;
    return [this.#rejectors.of(entry.pod.spec?.schedulerName ?? '', entry.gatingPlugin)];
  }
}

function waitingSince(entry: QueueEntry): number {
  return Math.max(entry.queuedAt, entry.flushedAt);
}
