// The parts of the queue and every move between them. A move asks the gate first, then takes the pod out of the part it
// is in and puts it into another; so a plugin that throws loses no pod, and a pod is in one part at a time.

import type { Clock } from '../../core/index.js';
import { clusterEvents, isWildcard, labelOf } from './cluster-event.js';
import { InFlight, type Happening } from './in-flight.js';
import { IncomingPods } from './incoming-pods.js';
import { IndexedHeap } from '../../core/index.js';
import { freeAt, heldUntil, isHeld, neverHeld, type PodBackoff } from './pod-backoff.js';
import type { QueueEntry } from './queued-pod.js';
import { Rejectors, type Rejector } from './rejectors.js';
import type { QueuePlugins, SchedulingQueueOptions, TellOptions } from './scheduling-queue.js';
import { UnschedulablePool } from './unschedulable-pool.js';
import { worthRequeueing, worthSincePopped, type Hint, type Worth } from './worth-requeueing.js';

/** How often the unschedulable pool is searched for pods that waited too long. */
const flushEveryMs = 30_000;

/** Active, backoff, error backoff, unschedulable, in flight. */
export class QueueParts {
  readonly active: IndexedHeap<QueueEntry>;
  readonly backoff: IndexedHeap<QueueEntry>;
  readonly errorBackoff: IndexedHeap<QueueEntry> = new IndexedHeap<QueueEntry>(
    (one, other) => one.heldUntil - other.heldUntil || one.sequence - other.sequence,
  );
  readonly rejectors: Rejectors;
  readonly pool: UnschedulablePool;
  readonly inFlight: InFlight;
  readonly incoming: IncomingPods = new IncomingPods();
  readonly #clock: Clock;
  readonly #plugins: QueuePlugins;
  readonly #hint: Hint;
  readonly #bounds: PodBackoff;
  readonly #unschedulableMaxMs: number;
  readonly #startedAt: number;
  #sequence = 0;
  #looks = 0;

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
    this.#hint = (plugin, happening, pod) => plugins.hint(plugin, happening, pod);
    this.#bounds = { initialMs: initialBackoffMs, maxMs: maxBackoffMs };
    this.#unschedulableMaxMs = unschedulableMaxMs;
    this.#startedAt = clock.now();
    const inOrder = (one: QueueEntry, other: QueueEntry): number =>
      plugins.compare(one, other) || one.sequence - other.sequence;
    this.active = new IndexedHeap(inOrder);
    this.backoff = new IndexedHeap<QueueEntry>((one, other) => one.heldUntil - other.heldUntil || inOrder(one, other));
    this.rejectors = new Rejectors(plugins.registrations);
    this.pool = new UnschedulablePool(this.rejectors);
    this.inFlight = new InFlight(recordedEventsMax);
  }

  /** Puts a new pod where it belongs. */
  enter(entry: QueueEntry, label: string): void {
    entry.sequence = ++this.#sequence;
    this.#place(entry, 'now', label);
  }

  /** Takes the next pod to try: of the backoff heap, held or not, when no other is there. */
  takeNext(): QueueEntry | undefined {
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

  /** Brings a pod back from an attempt. `rejectors` begin with those that are pending; none at all means an error. */
  comeBack(entry: QueueEntry, rejectors: readonly Rejector[], pending: readonly Rejector[]): void {
    const isError = rejectors.length === 0;
    this.#setRejectors(entry, rejectors, pending);
    entry.rejections += isError ? 0 : 1;
    entry.consecutiveErrors = isError ? entry.consecutiveErrors + 1 : 0;
    entry.queuedAt = this.#clock.now();
    entry.sequence = ++this.#sequence;
    entry.flushed = false;
    entry.flushedAt = neverHeld;
    entry.heldUntil = heldUntil(isError ? entry.consecutiveErrors : entry.rejections, entry.queuedAt, this.#bounds);
    this.#place(entry, worthSincePopped(entry, this.inFlight, this.rejectors, this.#hint), 'ScheduleAttemptFailure');
  }

  /** Takes a pod out for good. One in flight stays on the record until its attempt is over. */
  leave(entry: QueueEntry): void {
    if (entry.part !== 'in-flight') this.#detach(entry);
    this.#setRejectors(entry, [], []);
    entry.part = 'gone';
  }

  /** Finds the place of a pod whose object changed. */
  reorder(entry: QueueEntry): void {
    if (entry.part === 'active') this.active.moved(entry);
    else if (entry.part === 'backoff') this.backoff.moved(entry);
  }

  /** Has a waiting pod tried at once, whatever it waits for. Only its gate may keep it. */
  activate(entry: QueueEntry, label: string): void {
    // Who is in a backoff heap has passed the gate on the way in.
    if (entry.part === 'unschedulable') this.#place(entry, 'now', label);
    else if (entry.part === 'backoff' || entry.part === 'error-backoff') this.#moveToActive(entry, label);
  }

  /** Moves one unschedulable pod if something helps it. True when it is not in the pool any more. */
  help(entry: QueueEntry, happening: Happening, label: string): boolean {
    const worth = worthRequeueing(entry, happening, this.rejectors, this.#hint);
    if (worth !== 'skip') this.#place(entry, worth, label);
    return entry.part !== 'unschedulable';
  }

  /** Moves all unschedulable pods that something helps, and records it for those in flight. */
  helpAll(happening: Happening, { only }: TellOptions): void {
    const { rejectors, label } = this.rejectors.interestIn(happening.event);
    const isForAll = isWildcard(happening.event);
    if (rejectors.size === 0 && !isForAll) return;
    const look = ++this.#looks;
    const help = (waiting: Iterable<QueueEntry>): void => {
      // A pod that moves leaves its set during the walk; one that is gated anew joins at the end, and was looked at.
      for (const entry of waiting) {
        if (entry.lookedAtFor === look) continue;
        entry.lookedAtFor = look;
        if (only === undefined || only(entry.pod)) this.help(entry, happening, happening.event.label ?? label);
      }
    };
    if (isForAll) help(this.pool.list());
    else for (const { pool } of rejectors) if (pool.size > 0) help(pool);
    this.inFlight.add(happening);
  }

  /** Moves what time has freed: pods out of backoff, and pods that waited too long for an event. */
  moveDue(): void {
    const now = this.#clock.now();
    for (const heap of [this.backoff, this.errorBackoff]) {
      for (let entry = heap.peek(); entry !== undefined && !isHeld(entry.heldUntil, now); entry = heap.peek()) {
        this.#moveToActive(entry, 'BackoffComplete');
      }
    }
    if (now >= this.#flushDue()) this.#flush(now);
  }

  /** When `moveDue` has something to do again; Infinity when nothing waits. */
  nextDue(): number {
    const backoff = freeAt(this.backoff.peek()?.heldUntil ?? Infinity);
    const errorBackoff = freeAt(this.errorBackoff.peek()?.heldUntil ?? Infinity);
    return Math.min(backoff, errorBackoff, this.#flushDue());
  }

  /** The first of the rounds, every 30 s since the start, at which some pod may have waited too long. */
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

  #place(entry: QueueEntry, worth: Worth, label: string): void {
    if (worth === 'skip') {
      this.#moveToPool(entry, label);
      return;
    }
    const gatingPlugin = this.#plugins.preEnqueue(entry.pod, entry.gatingPlugin);
    if (gatingPlugin !== undefined) this.#gate(entry, gatingPlugin, label);
    else if (worth === 'after-backoff' && isHeld(entry.heldUntil, this.#clock.now())) this.#moveToBackoff(entry, label);
    else this.#moveToActive(entry, label);
  }

  #gate(entry: QueueEntry, gatingPlugin: string, label: string): void {
    // Most often it is where it belongs: every event that helps asks the gates of all pods behind them.
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
