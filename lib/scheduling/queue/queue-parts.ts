// The parts of the queue and all moves between them. A move calls PreEnqueue first and then takes the pod from one part
// and adds it to another. So a plugin that throws loses no pod, and a pod is in one part at a time.

import type { Clock } from '../../core/index.js';
import { clusterEvents, isWildcard, labelOf } from './cluster-event.js';
import { InFlight, type ObservedEvent } from './in-flight.js';
import { IncomingPods } from './incoming-pods.js';
import { IndexedHeap } from '../../core/index.js';
import { backoffEndsAt, backoffUntil, isBackingOff, noBackoff, type PodBackoff } from './pod-backoff.js';
import type { QueueEntry } from './queued-pod.js';
import { Rejectors, type Rejector } from './rejectors.js';
import type { QueuePlugins, SchedulingQueueOptions, MoveOptions } from './scheduling-queue.js';
import { UnschedulablePool } from './unschedulable-pool.js';
import {
  queueingStrategy,
  queueingStrategySincePopped,
  type HintCall,
  type QueueingStrategy,
} from './queueing-strategy.js';

/** Interval at which the unschedulable pool is searched for overdue pods. */
const flushEveryMs = 30_000;

/** Active, back-off, error back-off, unschedulable, in flight. */
export class QueueParts {
  readonly active: IndexedHeap<QueueEntry>;
  readonly backoff: IndexedHeap<QueueEntry>;
  readonly errorBackoff: IndexedHeap<QueueEntry> = new IndexedHeap<QueueEntry>(
    (one, other) => one.backoffUntil - other.backoffUntil || one.sequence - other.sequence,
  );
  readonly rejectors: Rejectors;
  readonly pool: UnschedulablePool;
  readonly inFlight: InFlight;
  readonly incoming: IncomingPods = new IncomingPods();
  readonly #clock: Clock;
  readonly #plugins: QueuePlugins;
  readonly #hint: HintCall;
  readonly #bounds: PodBackoff;
  readonly #unschedulableMaxMs: number;
  readonly #startedAt: number;
  #sequence = 0;
  #eventCount = 0;

  constructor({
    clock,
    plugins,
    initialBackoffMs = 1000,
    maxBackoffMs = 10_000,
    unschedulableMaxMs = 300_000,
    recordedEventsMax = 65_536,
  }: SchedulingQueueOptions) {
    this.#clock = clock;
    this.#plugins = plugins;
    this.#hint = (plugin, observed, pod) => plugins.hint(plugin, observed, pod);
    this.#bounds = { initialMs: initialBackoffMs, maxMs: maxBackoffMs };
    this.#unschedulableMaxMs = unschedulableMaxMs;
    this.#startedAt = clock.now();
    const inOrder = (one: QueueEntry, other: QueueEntry): number =>
      plugins.compare(one, other) || one.sequence - other.sequence;
    this.active = new IndexedHeap(inOrder);
    this.backoff = new IndexedHeap<QueueEntry>(
      (one, other) => one.backoffUntil - other.backoffUntil || inOrder(one, other),
    );
    this.rejectors = new Rejectors(plugins.registrations);
    this.pool = new UnschedulablePool(this.rejectors);
    this.inFlight = new InFlight(recordedEventsMax);
  }

  /** Adds a new pod. */
  add(entry: QueueEntry, label: string): void {
    entry.sequence = ++this.#sequence;
    this.#place(entry, 'now', label);
  }

  /** Pops the next pod: from the active heap, else from the back-off heap, even if its back-off is not over. */
  popNext(): QueueEntry | undefined {
    const entry = this.active.peek() ?? this.backoff.peek();
    if (entry === undefined) return undefined;
    if (entry.part === 'backoff') this.incoming.count('active', 'PopFromBackoffQ');
    this.#detach(entry);
    this.#setRejectors(entry, [], []);
    entry.part = 'in-flight';
    entry.attempts += 1;
    this.inFlight.begin(entry);
    return entry;
  }

  /**
   * Requeues a pod after an attempt. `rejectors` starts with the pending ones; if it is empty, the attempt was an
   * error.
   */
  requeue(entry: QueueEntry, rejectors: readonly Rejector[], pending: readonly Rejector[]): void {
    const isError = rejectors.length === 0;
    this.#setRejectors(entry, rejectors, pending);
    entry.rejections += isError ? 0 : 1;
    entry.consecutiveErrors = isError ? entry.consecutiveErrors + 1 : 0;
    entry.queuedAt = this.#clock.now();
    entry.sequence = ++this.#sequence;
    entry.flushed = false;
    entry.flushedAt = noBackoff;
    entry.backoffUntil = backoffUntil(
      isError ? entry.consecutiveErrors : entry.rejections,
      entry.queuedAt,
      this.#bounds,
    );
    this.#place(
      entry,
      queueingStrategySincePopped(entry, this.inFlight, this.rejectors, this.#hint),
      'ScheduleAttemptFailure',
    );
  }

  /** Removes a pod for good. A pod in flight stays recorded until its attempt ends. */
  remove(entry: QueueEntry): void {
    if (entry.part !== 'in-flight') this.#detach(entry);
    this.#setRejectors(entry, [], []);
    entry.part = 'gone';
  }

  /** Restores the heap order after an update of a pod. */
  reorder(entry: QueueEntry): void {
    if (entry.part === 'active') this.active.moved(entry);
    else if (entry.part === 'backoff') this.backoff.moved(entry);
  }

  /** Moves a waiting pod to the active heap, regardless of back-off and rejectors. Only PreEnqueue can prevent it. */
  activate(entry: QueueEntry, label: string): void {
    // Pods in a back-off heap have passed PreEnqueue.
    if (entry.part === 'unschedulable') this.#place(entry, 'now', label);
    else if (entry.part === 'backoff' || entry.part === 'error-backoff') this.#moveToActive(entry, label);
  }

  /** Moves an unschedulable pod if the event may help it. Returns true if the pod left the pool. */
  requeueIfHelped(entry: QueueEntry, observed: ObservedEvent, label: string): boolean {
    const strategy = queueingStrategy(entry, observed, this.rejectors, this.#hint);
    if (strategy !== 'skip') this.#place(entry, strategy, label);
    return entry.part !== 'unschedulable';
  }

  /** Moves all unschedulable pods that the event may help, and records the event for pods in flight. */
  requeueAllHelped(observed: ObservedEvent, { only }: MoveOptions): void {
    const { rejectors, label } = this.rejectors.registeredFor(observed.event);
    const isWildcardEvent = isWildcard(observed.event);
    if (rejectors.size === 0 && !isWildcardEvent) return;
    const eventNumber = ++this.#eventCount;
    const requeueEach = (entries: Iterable<QueueEntry>): void => {
      // A pod that moves leaves the set during iteration; a pod that is gated again is appended and skipped by this
      // check.
      for (const entry of entries) {
        if (entry.evaluatedEvent === eventNumber) continue;
        entry.evaluatedEvent = eventNumber;
        if (only === undefined || only(entry.pod)) this.requeueIfHelped(entry, observed, observed.event.label ?? label);
      }
    };
    if (isWildcardEvent) requeueEach(this.pool.list());
    else for (const { pool } of rejectors) if (pool.size > 0) requeueEach(pool);
    this.inFlight.add(observed);
  }

  /** Moves pods whose back-off is over, and unschedulable pods that are overdue. */
  moveDue(): void {
    const now = this.#clock.now();
    for (const heap of [this.backoff, this.errorBackoff]) {
      for (
        let entry = heap.peek();
        entry !== undefined && !isBackingOff(entry.backoffUntil, now);
        entry = heap.peek()
      ) {
        this.#moveToActive(entry, 'BackoffComplete');
      }
    }
    if (now >= this.#flushDue()) this.#flush(now);
  }

  /** Returns when `moveDue` has to be called next; Infinity if nothing waits. */
  nextDue(): number {
    const backoff = backoffEndsAt(this.backoff.peek()?.backoffUntil ?? Infinity);
    const errorBackoff = backoffEndsAt(this.errorBackoff.peek()?.backoffUntil ?? Infinity);
    return Math.min(backoff, errorBackoff, this.#flushDue());
  }

  /** The first flush, every 30 s from the start, at which a pod may be overdue. */
  #flushDue(): number {
    const { oldest } = this.pool;
    if (oldest === Infinity) return Infinity;
    const rounds = Math.floor((oldest + this.#unschedulableMaxMs - this.#startedAt) / flushEveryMs) + 1;
    return this.#startedAt + rounds * flushEveryMs;
  }

  #flush(now: number): void {
    const overdue = this.pool.overdue(now, this.#unschedulableMaxMs);
    const event = clusterEvents.unschedulableTimeout;
    for (const entry of overdue) {
      entry.flushed = true;
      entry.flushedAt = now;
      this.#place(entry, 'after-backoff', labelOf(event));
    }
    if (overdue.length > 0) this.inFlight.add({ event, old: undefined, new: undefined });
  }

  #place(entry: QueueEntry, strategy: QueueingStrategy, label: string): void {
    if (strategy === 'skip') {
      this.#moveToPool(entry, label);
      return;
    }
    const gatingPlugin = this.#plugins.preEnqueue(entry.pod, entry.gatingPlugin);
    if (gatingPlugin !== undefined) this.#gate(entry, gatingPlugin, label);
    else if (strategy === 'after-backoff' && isBackingOff(entry.backoffUntil, this.#clock.now()))
      this.#moveToBackoff(entry, label);
    else this.#moveToActive(entry, label);
  }

  #gate(entry: QueueEntry, gatingPlugin: string, label: string): void {
    // Usually the pod stays where it is: each event that may help calls PreEnqueue of all gated pods.
    if (entry.part === 'unschedulable' && entry.gatingPlugin === gatingPlugin && !entry.flushed) return;
    this.#detach(entry);
    const rejector = this.rejectors.of(entry.pod.spec?.schedulerName ?? '', gatingPlugin);
    if (!entry.rejectors.includes(rejector)) this.#setRejectors(entry, [...entry.rejectors, rejector], entry.pending);
    entry.gatingPlugin = gatingPlugin;
    entry.flushed = false;
    this.#moveToPool(entry, label);
  }

  #moveToPool(entry: QueueEntry, label: string): void {
    this.#detach(entry);
    this.pool.add(entry);
    entry.part = 'unschedulable';
    this.incoming.count('unschedulable', label);
  }

  #moveToBackoff(entry: QueueEntry, label: string): void {
    this.#detach(entry);
    entry.gatingPlugin = undefined;
    entry.part = entry.rejectors.length === 0 ? 'error-backoff' : 'backoff';
    (entry.part === 'backoff' ? this.backoff : this.errorBackoff).push(entry);
    this.incoming.count('backoff', label);
  }

  #moveToActive(entry: QueueEntry, label: string): void {
    this.#detach(entry);
    entry.gatingPlugin = undefined;
    entry.initialAttemptAt ??= this.#clock.now();
    entry.part = 'active';
    this.active.push(entry);
    this.incoming.count('active', label);
  }

  #detach(entry: QueueEntry): void {
    const { part } = entry;
    entry.part = 'gone';
    if (part === 'active') this.active.remove(entry);
    else if (part === 'backoff') this.backoff.remove(entry);
    else if (part === 'error-backoff') this.errorBackoff.remove(entry);
    else if (part === 'unschedulable') this.pool.remove(entry);
    else if (part === 'in-flight') this.inFlight.end(entry);
  }

  #setRejectors(entry: QueueEntry, rejectors: readonly Rejector[], pending: readonly Rejector[]): void {
    for (const rejector of entry.rejectors) rejector.rejected -= 1;
    for (const rejector of rejectors) rejector.rejected += 1;
    entry.rejectors = rejectors;
    entry.pending = pending;
  }
}
