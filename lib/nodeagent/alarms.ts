// Times at which pods and nodes need attention: one heap and one timer of the clock for all, since a fleet has far more
// of them than a clock should have timers.
import { EMPTY, defer, merge, switchMap, tap } from 'rxjs';
import type { Observable } from 'rxjs';
import { IndexedHeap, Outlet } from '../core/index.js';
import type { Clock, HeapItem } from '../core/index.js';

/** Something that is to be called at a time. */
export class Alarm implements HeapItem {
  heapIndex = -1;
  /** When it is due; Infinity while it is not set. */
  atMs: number;
  /** Alarms of one time are called in the order in which they were set. */
  sequence = 0;
  readonly ring: () => void;

  constructor(ring: () => void) {
    this.ring = ring;
    this.atMs = Infinity;
  }
}

/** A set of alarms. They ring while `run` is subscribed. */
export class Alarms {
  readonly #clock: Clock;
  readonly #heap = new IndexedHeap<Alarm>((one, other) => one.atMs - other.atMs || one.sequence - other.sequence);
  readonly #earlier = new Outlet<void>();
  #sequence = 0;
  /** The time that the timer waits for. */
  #timerAtMs = Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many alarms are set. */
  get size(): number {
    return this.#heap.size;
  }

  /** Sets an alarm to a time, instead of its earlier one. Infinity cancels it. */
  set(alarm: Alarm, atMs: number): void {
    if (alarm.atMs === atMs && alarm.heapIndex >= 0) return;
    if (alarm.heapIndex >= 0) this.#heap.remove(alarm);
    alarm.atMs = atMs;
    if (atMs === Infinity) return;
    alarm.sequence = this.#sequence++;
    this.#heap.push(alarm);
    if (atMs < this.#timerAtMs) this.#earlier.emit();
  }

  /** Calls the alarms as they become due. Never emits. */
  run(): Observable<never> {
    return defer(() => {
      const again = new Outlet<void>();
      const wait$ = defer(() => {
        const first = this.#heap.peek();
        this.#timerAtMs = first?.atMs ?? Infinity;
        if (first === undefined) return EMPTY;
        return this.#clock.timer(first.atMs - this.#clock.now()).pipe(
          tap(() => {
            this.#timerAtMs = -Infinity;
            this.#ringDue();
            again.emit();
          }),
        );
      });
      const starts$ = merge(
        defer(() => [undefined]),
        this.#earlier.values$,
        again.values$,
      );
      return starts$.pipe(
        switchMap(() => wait$),
        switchMap(() => EMPTY),
      );
    });
  }

  #ringDue(): void {
    const nowMs = this.#clock.now();
    for (let due = this.#heap.peek(); due !== undefined && due.atMs <= nowMs; due = this.#heap.peek()) {
      this.#heap.remove(due);
      due.atMs = Infinity;
      due.ring();
    }
  }
}
