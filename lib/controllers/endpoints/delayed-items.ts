// Items that are added to a work queue after a delay. A key waits once: an earlier time replaces a later one, as
// client-go/util/workqueue, AddAfter. Timers run only while items wait.
import { finalize, mergeMap } from 'rxjs';
import type { Observable } from 'rxjs';
import { Outlet, printNamespacedName } from '../../core/index.js';
import type { Clock, NamespacedName } from '../../core/index.js';

/** A line of delayed items. */
export class DelayedItems {
  /** Emits each item when its delay is over. */
  readonly items$: Observable<NamespacedName>;
  readonly #clock: Clock;
  readonly #line = new Outlet<{ readonly item: NamespacedName; readonly dueMs: number }>();
  readonly #dueMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.items$ = this.#line.values$.pipe(
      mergeMap(({ item, dueMs }) =>
        clock.timer(dueMs - clock.now()).pipe(mergeMap(() => (this.#takeDue(item, dueMs) ? [item] : []))),
      ),
      finalize(() => this.#dueMs.clear()),
    );
  }

  /** Adds an item. */
  add(item: NamespacedName, delayMs: number): void {
    const key = printNamespacedName(item);
    const dueMs = this.#clock.now() + delayMs;
    if (dueMs >= (this.#dueMs.get(key) ?? Infinity)) return;
    this.#dueMs.set(key, dueMs);
    this.#line.emit({ item, dueMs });
  }

  #takeDue(item: NamespacedName, dueMs: number): boolean {
    const key = printNamespacedName(item);
    if (this.#dueMs.get(key) !== dueMs) return false;
    this.#dueMs.delete(key);
    return true;
  }
}
