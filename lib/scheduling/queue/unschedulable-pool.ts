// The pods that wait for an event: rejected ones, listed with each of their rejectors, and gated ones, listed with the
// plugin that gates them alone, since only its events may open the gate. Also knows when the first of them has waited
// so long that time alone brings it back.

import type { QueueEntry } from './queued-pod.js';
import type { Rejector, Rejectors } from './rejectors.js';

/** The pool. An entry's rejectors and gate must not change while it is in here. */
export class UnschedulablePool {
  readonly #rejectors: Rejectors;
  readonly #entries = new Set<QueueEntry>();
  #gated = 0;
  #oldest = Infinity;

  constructor(rejectors: Rejectors) {
    this.#rejectors = rejectors;
  }

  /** How many pods are gated. */
  get gated(): number {
    return this.#gated;
  }

  /** How many are not. */
  get ungated(): number {
    return this.#entries.size - this.#gated;
  }

  /** No pod has been here longer than since then; Infinity when there is none. May be too early after removals. */
  get oldest(): number {
    return this.#entries.size === 0 ? Infinity : this.#oldest;
  }

  /** Everyone in it, as of now. */
  list(): readonly QueueEntry[] {
    return [...this.#entries];
  }

  /** Takes a pod in. */
  add(entry: QueueEntry): void {
    this.#entries.add(entry);
    this.#oldest = Math.min(this.#entries.size === 1 ? Infinity : this.#oldest, waitingSince(entry));
    if (entry.gatingPlugin !== undefined) this.#gated += 1;
    for (const rejector of this.#listedWith(entry)) rejector.pool.add(entry);
  }

  /** Takes it out. */
  remove(entry: QueueEntry): void {
    this.#entries.delete(entry);
    if (entry.gatingPlugin !== undefined) this.#gated -= 1;
    for (const rejector of this.#listedWith(entry)) rejector.pool.delete(entry);
  }

  /** Those that have waited longer than `longestMs`; `oldest` is exact for the others afterwards. */
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
