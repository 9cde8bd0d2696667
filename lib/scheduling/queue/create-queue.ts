// The implementation of the scheduling queue: pods by name, the parts of the queue and the nominator. Subscribers of
// `ready` and `run` are notified at the end of each operation, when all moves are complete.

import { NEVER, concat, defer, ignoreElements, of, switchMap, take, tap, type Observable } from 'rxjs';
import { Outlet, objectKey, type Clock, type Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import type { Log } from '../bounded-log.js';
import { clusterEvents, labelOf, type ClusterEvent } from './cluster-event.js';
import { Nominator, nominatedNode, uidOf } from './nominator.js';
import { QueueParts } from './queue-parts.js';
import { QueueEntry, priorityOf, type QueuedPod, type QueuePart } from './queued-pod.js';
import type { Rejector } from './rejectors.js';
import type {
  RemoveOptions,
  AttemptFailure,
  QueueFigures,
  SchedulingQueue,
  SchedulingQueueOptions,
  MoveOptions,
} from './scheduling-queue.js';

/** Creates an empty queue. */
export function createSchedulingQueue(options: SchedulingQueueOptions): SchedulingQueue {
  return new PrioritySchedulingQueue(options);
}

class PrioritySchedulingQueue implements SchedulingQueue {
  readonly #clock: Clock;
  readonly #parts: QueueParts;
  /** Every pod in any part, by namespace and name. */
  readonly #entries = new Map<string, QueueEntry>();
  readonly #nominator = new Nominator();
  readonly #arrivals = new Outlet<undefined>();
  readonly #dueTimes = new Outlet<number>();
  /** The time for which the timer of `run` is set; Infinity if it is not set. */
  #armedFor = Infinity;
  #cycle = 0;

  constructor(options: SchedulingQueueOptions) {
    this.#clock = options.clock;
    this.#parts = new QueueParts(options);
  }

  add(pod: Frozen<Pod>): void {
    this.#enqueue(pod, clusterEvents.unscheduledPodAdd);
    this.#notifyWaiters();
  }

  update(old: Frozen<Pod>, pod: Frozen<Pod>, events: readonly ClusterEvent[]): void {
    const entry = this.#entryOf(pod);
    if (entry === undefined) this.#enqueue(pod, clusterEvents.unscheduledPodUpdate);
    else this.#applyUpdate(entry, old, pod, events);
    if (entry?.part !== 'binding' && nominatedNode(old) !== nominatedNode(pod)) this.#moveOnReleasedNomination(old);
    this.#notifyWaiters();
  }

  delete(pod: Frozen<Pod>, { bound = false }: RemoveOptions = {}): void {
    this.#nominator.delete(pod);
    const entry = this.#entryOf(pod);
    if (entry !== undefined) this.#removeEntry(entry);
    if (!bound) this.#moveOnReleasedNomination(pod);
    this.#notifyWaiters();
  }

  pop(): QueuedPod | undefined {
    // Does not rely on the timer: a scheduler that never yields would not let it fire.
    this.#parts.moveDue();
    const entry = this.#parts.popNext();
    if (entry !== undefined) {
      this.#cycle += 1;
      this.#nominator.changed(entry.pod);
    }
    this.#notifyWaiters();
    return entry;
  }

  ready(): Observable<void> {
    return defer(() => (this.#isReady() ? of(undefined) : this.#arrivals.values$.pipe(take(1))));
  }

  release(pod: QueuedPod): void {
    const entry = entryFrom(pod);
    this.#parts.inFlight.end(entry);
    if (entry.part === 'in-flight') entry.part = 'binding';
  }

  done(pod: QueuedPod): void {
    const entry = entryFrom(pod);
    if (isBeingScheduled(entry)) this.#removeEntry(entry);
    if (entry.part === 'gone') this.#parts.inFlight.end(entry);
  }

  requeueFailed(pod: QueuedPod, { rejectors = [], pending = [], nominatedNodeName }: AttemptFailure): QueuePart {
    const entry = entryFrom(pod);
    if (!isBeingScheduled(entry)) {
      this.done(entry); // deleted or replaced meanwhile
      return entry.part;
    }
    entry.pod = entry.latest;
    const rejectorOf = (plugin: string): Rejector =>
      this.#parts.rejectors.of(entry.pod.spec?.schedulerName ?? '', plugin);
    const pendingRejectors = pending.map(rejectorOf);
    this.#parts.requeue(entry, [...new Set([...pendingRejectors, ...rejectors.map(rejectorOf)])], pendingRejectors);
    this.#nominator.set(entry.pod, nominatedNodeName ?? nominatedNode(entry.pod));
    this.#notifyWaiters();
    return entry.part;
  }

  moveOnEvent(event: ClusterEvent, old: unknown, current: unknown, options: MoveOptions = {}): void {
    this.#parts.requeueAllHelped({ event, old, new: current }, options);
    this.#notifyWaiters();
  }

  activate(pods: Iterable<Frozen<Pod>>): void {
    for (const pod of pods) {
      const entry = this.#entryOf(pod);
      if (entry === undefined) continue;
      if (entry.part === 'in-flight') this.#activateLater(entry);
      else this.#parts.activate(entry, labelOf(clusterEvents.forceActivate));
    }
    this.#notifyWaiters();
  }

  nominate(pod: Frozen<Pod>, nodeName: string): void {
    if (nodeName === '' || this.#entryOf(pod) !== undefined) this.#nominator.set(pod, nodeName);
  }

  removeNomination(pod: Frozen<Pod>, nodeName: string): void {
    const nominated = this.#nominator.nodeOf(uidOf(pod));
    this.#nominator.delete(pod);
    if (nominated === undefined || nominated === nodeName) return;
    // The status may not contain the nomination yet.
    this.#moveOnReleasedNomination({ ...pod, status: { ...pod.status, nominatedNodeName: nominated } });
    this.#notifyWaiters();
  }

  nominatedNodes(): Iterable<string> {
    return this.#nominator.nodes();
  }

  nominationOf(uid: string): string | undefined {
    return this.#nominator.nodeOf(uid);
  }

  get nominationChanges(): Log<string> {
    return this.#nominator.changes;
  }

  nominatedTo(nodeName: string): readonly Frozen<Pod>[] {
    return this.#nominator.podsOf(nodeName, ({ key, uid, bare }) => {
      const entry = this.#entries.get(key);
      return entry !== undefined && !isBeingScheduled(entry) && uidOf(entry.pod) === uid ? entry.pod : bare;
    });
  }

  find(pod: Frozen<Pod>): QueuedPod | undefined {
    return this.#entryOf(pod);
  }

  figures(): QueueFigures {
    const { active, backoff, errorBackoff, pool, inFlight, rejectors, incoming } = this.#parts;
    return {
      active: active.size,
      backoff: backoff.size + errorBackoff.size,
      unschedulable: pool.ungated,
      gated: pool.gated,
      inFlight: inFlight.size,
      recordedEvents: inFlight.recorded,
      recordedByEvent: inFlight.recordedByEvent(),
      nominated: this.#nominator.size,
      cycle: this.#cycle,
      rejected: Array.from(rejectors.all(), ({ profile, plugin, rejected }) => ({
        profile,
        plugin,
        pods: rejected,
      })).filter(({ pods }) => pods > 0),
      incoming: incoming.list(),
    };
  }

  run(): Observable<never> {
    const dueTimes = defer(() => {
      this.#armedFor = this.#parts.nextDue();
      return concat(of(this.#armedFor), this.#dueTimes.values$);
    });
    return dueTimes.pipe(
      switchMap((due) => (due === Infinity ? NEVER : this.#clock.timer(due - this.#clock.now()))),
      tap(() => {
        this.#armedFor = Infinity;
        this.#parts.moveDue();
        this.#notifyWaiters();
      }),
      ignoreElements(),
    );
  }

  #enqueue(pod: Frozen<Pod>, event: ClusterEvent): void {
    const key = objectKey(pod);
    const existing = this.#entries.get(key);
    if (existing !== undefined && uidOf(existing.pod) === uidOf(pod)) {
      // Added twice: the pod is updated and activated.
      this.#applyUpdate(existing, existing.latest, pod, []);
      this.activate([pod]);
      return;
    }
    if (existing !== undefined) {
      this.#nominator.delete(existing.pod);
      this.#removeEntry(existing);
    }
    const entry = new QueueEntry(key, pod, this.#clock.now());
    this.#parts.add(entry, labelOf(event));
    this.#entries.set(key, entry);
    if (entry.part === 'active') this.#nominator.set(pod, nominatedNode(pod));
  }

  #applyUpdate(entry: QueueEntry, old: Frozen<Pod>, pod: Frozen<Pod>, events: readonly ClusterEvent[]): void {
    entry.latest = pod;
    if (entry.part === 'in-flight') {
      for (const event of events) this.#parts.inFlight.add({ event, old, new: pod, target: entry });
    }
    if (isBeingScheduled(entry)) return;
    entry.pod = pod;
    this.#nominator.update(old, pod);
    this.#parts.reorder(entry);
    if (entry.part !== 'unschedulable') return;
    events.some((event) => this.#parts.requeueIfHelped(entry, { event, old, new: pod, target: entry }, labelOf(event)));
  }

  #removeEntry(entry: QueueEntry): void {
    this.#parts.remove(entry);
    this.#entries.delete(entry.key);
  }

  #activateLater(entry: QueueEntry): void {
    this.#parts.inFlight.add({ event: clusterEvents.forceActivate, old: undefined, new: entry.latest, target: entry });
  }

  /**
   * A nominated pod counts as present for pods of equal or lower priority, so removing its nomination may help them.
   */
  #moveOnReleasedNomination(pod: Frozen<Pod>): void {
    if (nominatedNode(pod) === '') return;
    const priority = priorityOf(pod);
    this.#parts.requeueAllHelped(
      { event: clusterEvents.assignedPodDelete, old: pod, new: undefined },
      { only: (other) => priorityOf(other) <= priority },
    );
  }

  #entryOf(pod: Frozen<Pod>): QueueEntry | undefined {
    const entry = this.#entries.get(objectKey(pod));
    return entry !== undefined && uidOf(entry.pod) === uidOf(pod) ? entry : undefined;
  }

  #isReady(): boolean {
    return this.#parts.active.size > 0 || this.#parts.backoff.size > 0;
  }

  #notifyWaiters(): void {
    const due = this.#parts.nextDue();
    // An early timer is harmless. It is set again only if it would fire too late, or for nothing.
    if (due < this.#armedFor || (due === Infinity && this.#armedFor !== Infinity)) {
      this.#armedFor = due;
      this.#dueTimes.emit(due);
    }
    if (this.#arrivals.subscribers > 0 && this.#isReady()) this.#arrivals.emit(undefined);
  }
}

function isBeingScheduled(entry: QueueEntry): boolean {
  return entry.part === 'in-flight' || entry.part === 'binding';
}

function entryFrom(pod: QueuedPod): QueueEntry {
  if (!(pod instanceof QueueEntry)) throw new TypeError('scheduling queue: not a pod returned by pop()');
  return pod;
}
