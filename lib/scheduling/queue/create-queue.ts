// The scheduling queue: pods by name over the parts of the queue, with the nominator beside. Whoever waits for a pod or
// for time is told at the end of an operation, when all its moves are made and the head of the queue is right.

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
  TellOptions,
} from './scheduling-queue.js';

/** An empty queue. */
export function createSchedulingQueue(options: SchedulingQueueOptions): SchedulingQueue {
  return new NamedPodsQueue(options);
}

class NamedPodsQueue implements SchedulingQueue {
  readonly #clock: Clock;
  readonly #parts: QueueParts;
  /** Every pod in any part, by namespace and name. */
  readonly #entries = new Map<string, QueueEntry>();
  readonly #nominator = new Nominator();
  readonly #arrivals = new Outlet<undefined>();
  readonly #dueTimes = new Outlet<number>();
  /** When the timer of `run` fires; Infinity when none is set. */
  #armedFor = Infinity;
  #cycle = 0;

  constructor(options: SchedulingQueueOptions) {
    this.#clock = options.clock;
    this.#parts = new QueueParts(options);
  }

  add(pod: Frozen<Pod>): void {
    this.#takeIn(pod, clusterEvents.unscheduledPodAdd);
    this.#announce();
  }

  update(old: Frozen<Pod>, pod: Frozen<Pod>, events: readonly ClusterEvent[]): void {
    const entry = this.#entryOf(pod);
    if (entry === undefined) this.#takeIn(pod, clusterEvents.unscheduledPodUpdate);
    else this.#follow(entry, old, pod, events);
    if (entry?.part !== 'binding' && nominatedNode(old) !== nominatedNode(pod)) this.#tellRoomOf(old);
    this.#announce();
  }

  delete(pod: Frozen<Pod>, { bound = false }: RemoveOptions = {}): void {
    this.#nominator.delete(pod);
    const entry = this.#entryOf(pod);
    if (entry !== undefined) this.#letGo(entry);
    if (!bound) this.#tellRoomOf(pod);
    this.#announce();
  }

  pop(): QueuedPod | undefined {
    // Not left to the timer: a scheduler that never pauses would not let it fire.
    this.#parts.moveDue();
    const entry = this.#parts.takeNext();
    if (entry !== undefined) {
      this.#cycle += 1;
      this.#nominator.changed(entry.pod);
    }
    this.#announce();
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
    if (isTried(entry)) this.#letGo(entry);
    if (entry.part === 'gone') this.#parts.inFlight.end(entry);
  }

  failed(pod: QueuedPod, { rejectors = [], pending = [], nominatedNodeName }: AttemptFailure): QueuePart {
    const entry = entryFrom(pod);
    if (!isTried(entry)) {
      this.done(entry); // deleted or replaced meanwhile
      return entry.part;
    }
    entry.pod = entry.latest;
    const named = (plugin: string): Rejector => this.#parts.rejectors.of(entry.pod.spec?.schedulerName ?? '', plugin);
    const waitedFor = pending.map(named);
    this.#parts.comeBack(entry, [...new Set([...waitedFor, ...rejectors.map(named)])], waitedFor);
    this.#nominator.set(entry.pod, nominatedNodeName ?? nominatedNode(entry.pod));
    this.#announce();
    return entry.part;
  }

  tell(event: ClusterEvent, old: unknown, current: unknown, options: TellOptions = {}): void {
    this.#parts.helpAll({ event, old, new: current }, options);
    this.#announce();
  }

  activate(pods: Iterable<Frozen<Pod>>): void {
    for (const pod of pods) {
      const entry = this.#entryOf(pod);
      if (entry === undefined) continue;
      if (entry.part === 'in-flight') this.#activateLater(entry);
      else this.#parts.activate(entry, labelOf(clusterEvents.forceActivate));
    }
    this.#announce();
  }

  nominate(pod: Frozen<Pod>, nodeName: string): void {
    if (nodeName === '' || this.#entryOf(pod) !== undefined) this.#nominator.set(pod, nodeName);
  }

  assumed(pod: Frozen<Pod>, nodeName: string): void {
    const promised = this.#nominator.nodeOf(uidOf(pod));
    this.#nominator.delete(pod);
    if (promised === undefined || promised === nodeName) return;
    // What is promised here need not stand in its status yet.
    this.#tellRoomOf({ ...pod, status: { ...pod.status, nominatedNodeName: promised } });
    this.#announce();
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
    return this.#nominator.shownOf(nodeName, ({ key, uid, bare }) => {
      const entry = this.#entries.get(key);
      return entry !== undefined && !isTried(entry) && uidOf(entry.pod) === uid ? entry.pod : bare;
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
        this.#announce();
      }),
      ignoreElements(),
    );
  }

  #takeIn(pod: Frozen<Pod>, event: ClusterEvent): void {
    const key = objectKey(pod);
    const known = this.#entries.get(key);
    if (known !== undefined && uidOf(known.pod) === uidOf(pod)) {
      // Told twice: whatever that means, the pod is tried once more.
      this.#follow(known, known.latest, pod, []);
      this.activate([pod]);
      return;
    }
    if (known !== undefined) {
      this.#nominator.delete(known.pod);
      this.#letGo(known);
    }
    const entry = new QueueEntry(key, pod, this.#clock.now());
    this.#parts.enter(entry, labelOf(event));
    this.#entries.set(key, entry);
    if (entry.part === 'active') this.#nominator.set(pod, nominatedNode(pod));
  }

  #follow(entry: QueueEntry, old: Frozen<Pod>, pod: Frozen<Pod>, events: readonly ClusterEvent[]): void {
    entry.latest = pod;
    if (entry.part === 'in-flight') {
      for (const event of events) this.#parts.inFlight.add({ event, old, new: pod, target: entry });
    }
    if (isTried(entry)) return;
    entry.pod = pod;
    this.#nominator.update(old, pod);
    this.#parts.reorder(entry);
    if (entry.part !== 'unschedulable') return;
    events.some((event) => this.#parts.help(entry, { event, old, new: pod, target: entry }, labelOf(event)));
  }

  #letGo(entry: QueueEntry): void {
    this.#parts.leave(entry);
    this.#entries.delete(entry.key);
  }

  #activateLater(entry: QueueEntry): void {
    this.#parts.inFlight.add({ event: clusterEvents.forceActivate, old: undefined, new: entry.latest, target: entry });
  }

  /** A nominated pod counts as present for those of no higher priority: without its nomination there is room. */
  #tellRoomOf(pod: Frozen<Pod>): void {
    if (nominatedNode(pod) === '') return;
    const priority = priorityOf(pod);
    this.#parts.helpAll(
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

  #announce(): void {
    const due = this.#parts.nextDue();
    // A timer that comes too early does no harm, so one is only set again when it would come too late, or for nothing.
    if (due < this.#armedFor || (due === Infinity && this.#armedFor !== Infinity)) {
      this.#armedFor = due;
      this.#dueTimes.emit(due);
    }
    if (this.#arrivals.subscribers > 0 && this.#isReady()) this.#arrivals.emit(undefined);
  }
}

function isTried(entry: QueueEntry): boolean {
  return entry.part === 'in-flight' || entry.part === 'binding';
}

function entryFrom(pod: QueuedPod): QueueEntry {
  if (!(pod instanceof QueueEntry)) throw new TypeError('scheduling queue: this is not a pod that pop() gave out');
  return pod;
}
