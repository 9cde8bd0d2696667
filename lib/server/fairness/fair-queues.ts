// The seats of one priority level and who waits for them: fair queuing for requests, as
// apiserver/pkg/util/flowcontrol/fairqueuing/queueset (its doc.go has the theory).
//
// Imagine that every queue with something to do got its requests served at the same pace, all at once. `#progress` is
// how many seat-milliseconds each queue would have got by now; a queue's `nextStart` is where in that imagined world
// its next request begins. Served next, in the real world, is the request that would finish first in the imagined one.
// A request is taken to last 3 ms until it is known how long it did; then its queue's `nextStart` is put right. So a
// queue pays for what its requests used, and one that had nothing to do does not save up for later.
//
// Simpler than Kubernetes in three things. Queues exist only while they have requests, waiting or served, so an idle
// level costs nothing and sums are kept instead of counted. The clock knows whole milliseconds only. And no seats are
// kept after a write for the work of telling watchers of it, which here happens within the write.
import type { Clock } from '../../core/index.js';
import { after } from '../http/after.js';
import { SeatDemand } from './seat-demand.js';

/** How a level queues. */
export interface QueueTerms {
  /** None: a request that finds no seat is turned away. */
  readonly queues: number;
  readonly queueLengthMax: number;
}

/** Why a request was turned away. */
export type RejectReason = 'concurrency-limit' | 'queue-full' | 'time-out';

/** How long a request waits. */
export interface Patience {
  readonly waitMs: number;
  /** Ends waiting. */
  readonly signal?: AbortSignal | undefined;
}

/** A request that asks for seats. */
export interface SeatRequest<Request> {
  /** The queues it may wait in. */
  readonly hand: readonly number[];
  readonly seats: number;
  readonly request: Request;
}

/** Seats that a request has until it gives them back. */
export interface Seats {
  readonly count: number;
  readonly queue: Queue | undefined;
  readonly sinceMs: number;
}

interface Queue {
  readonly number: number;
  /** Those who wait, in the order in which they came. */
  readonly waiting: Set<Waiting>;
  waitingSeats: number;
  served: number;
  nextStart: number;
}

interface Waiting {
  readonly seats: number;
  readonly queue: Queue;
  readonly arrival: number;
  settle(outcome: Seats | RejectReason): void;
}

/** What a request is taken to last before it is known. */
const expectedMs = 3;

/** One level's seats and queues. */
export class FairQueues<Request> {
  readonly demand: SeatDemand;
  readonly #clock: Clock;
  readonly #patienceOf: (request: Request) => Patience;
  /** Those with requests, the one served last at the end. */
  readonly #queues = new Map<number, Queue>();
  #terms: QueueTerms = { queues: 0, queueLengthMax: 0 };
  #limit = 0;
  #seatsTaken = 0;
  #served = 0;
  #waiting = 0;
  #waitingSeats = 0;
  #turn = 0;
  #progress = 0;
  #progressMs: number;

  /** How long a request waits is asked only if it has to. */
  constructor(clock: Clock, patienceOf: (request: Request) => Patience) {
    this.#clock = clock;
    this.#patienceOf = patienceOf;
    this.#progressMs = clock.now();
    this.demand = new SeatDemand(this.#progressMs);
  }

  /** How many seats there are. */
  get limit(): number {
    return this.#limit;
  }

  /** From now on. */
  configure(terms: QueueTerms, limit: number): void {
    this.#advance(this.#clock.now());
    this.#terms = terms;
    this.#limit = limit;
    this.#dispatch();
  }

  /** Seats at once, or later, or the reason why not. */
  enter(claim: SeatRequest<Request>, now: number): Seats | RejectReason | Promise<Seats | RejectReason> {
    this.#advance(now);
    if (this.#terms.queues === 0)
      return this.#fits(claim.seats) ? this.#take(claim.seats, undefined, now) : 'concurrency-limit';
    const number = this.#shortest(claim.hand);
    const known = this.#queues.get(number);
    if (this.#seatsTaken >= this.#limit && (known?.waiting.size ?? 0) >= this.#terms.queueLengthMax)
      return 'queue-full';
    const queue = known ?? this.#open(number);
    if (this.#waiting > 0 || this.#seatsTaken >= this.#limit || !this.#fits(claim.seats))
      return this.#wait(claim, queue, now);
    // Nobody is before it.
    queue.nextStart = Math.max(queue.nextStart, this.#progress);
    return this.#serve(claim.seats, queue, now);
  }

  /** Gives seats back. */
  leave({ count, queue, sinceMs }: Seats, now: number): void {
    this.#advance(now);
    this.#served -= 1;
    this.#seatsTaken -= count;
    if (queue !== undefined) {
      queue.served -= 1;
      queue.nextStart -= count * (expectedMs - (now - sinceMs));
      this.#settleQueue(queue);
    }
    this.#tellDemand(now);
    if (this.#waiting > 0) this.#dispatch();
  }

  /** Turns away who waits. */
  close(): void {
    for (const { waiting } of [...this.#queues.values()]) for (const each of waiting) this.#giveUp(each);
  }

  #advance(now: number): void {
    const elapsedMs = now - this.#progressMs;
    if (elapsedMs <= 0) return;
    this.#progressMs = now;
    if (this.#queues.size > 0)
      this.#progress += (elapsedMs * Math.min(this.#seatsTaken + this.#waitingSeats, this.#limit)) / this.#queues.size;
  }

  /** A request wider than the level has it for itself. */
  #fits(seats: number): boolean {
    return seats > this.#limit ? this.#served === 0 : this.#seatsTaken + seats <= this.#limit;
  }

  /**
   * The queue of the hand with the fewest seats waited for. Where to begin changes, or flows with common queues would
   * pile up.
   */
  #shortest(hand: readonly number[]): number {
    const first = this.#turn++ % hand.length;
    let best = hand[first] ?? 0;
    let fewest = Infinity;
    for (let offset = 0; offset < hand.length && fewest > 0; offset++) {
      const number = hand[(first + offset) % hand.length] ?? 0;
      const seats = this.#queues.get(number)?.waitingSeats ?? 0;
      if (seats >= fewest) continue;
      fewest = seats;
      best = number;
    }
    return best;
  }

  #open(number: number): Queue {
    const queue: Queue = { number, waiting: new Set(), waitingSeats: 0, served: 0, nextStart: this.#progress };
    this.#queues.set(number, queue);
    return queue;
  }

  #take(count: number, queue: Queue | undefined, now: number): Seats {
    this.#served += 1;
    this.#seatsTaken += count;
    this.#tellDemand(now);
    return { count, queue, sinceMs: now };
  }

  #serve(seats: number, queue: Queue, now: number): Seats {
    queue.served += 1;
    queue.nextStart += seats * expectedMs;
    return this.#take(seats, queue, now);
  }

  #tellDemand(now: number): void {
    this.demand.set(this.#seatsTaken + this.#waitingSeats, now);
  }

  #wait({ seats, request }: SeatRequest<Request>, queue: Queue, now: number): Promise<Seats | RejectReason> {
    const { waitMs, signal } = this.#patienceOf(request);
    const outcome = new Promise<Seats | RejectReason>((resolve) => {
      const giveUp = (): void => this.#giveUp(waiting);
      // A client that is gone already finds out when its turn comes; its answer goes nowhere.
      const cancel = after(this.#clock, waitMs, giveUp);
      signal?.addEventListener('abort', giveUp, { once: true });
      const settle: Waiting['settle'] = (result) => {
        cancel();
        signal?.removeEventListener('abort', giveUp);
        resolve(result);
      };
      const waiting: Waiting = { seats, queue, arrival: this.#progress, settle };
      queue.waiting.add(waiting);
    });
    queue.waitingSeats += seats;
    this.#waiting += 1;
    this.#waitingSeats += seats;
    this.#settleQueue(queue);
    this.#tellDemand(now);
    this.#dispatch();
    return outcome;
  }

  #giveUp(waiting: Waiting): void {
    const now = this.#clock.now();
    this.#advance(now);
    this.#unqueue(waiting);
    this.#settleQueue(waiting.queue);
    this.#tellDemand(now);
    waiting.settle('time-out');
    // Whoever was too wide for the free seats may have stood before others.
    this.#dispatch();
  }

  #unqueue(waiting: Waiting): void {
    const { seats, queue } = waiting;
    queue.waiting.delete(waiting);
    queue.waitingSeats -= seats;
    this.#waiting -= 1;
    this.#waitingSeats -= seats;
  }

  /** No request begins before it came; a queue without any is gone. */
  #settleQueue(queue: Queue): void {
    const oldest = first(queue.waiting);
    if (oldest !== undefined) queue.nextStart = Math.max(queue.nextStart, oldest.arrival);
    else if (queue.served === 0) this.#queues.delete(queue.number);
  }

  /** Serves whom there are seats for. The next one waits for its seats: others do not overtake it. */
  #dispatch(): void {
    while (this.#waiting > 0 && this.#seatsTaken < this.#limit) {
      const next = this.#next();
      if (next === undefined || !this.#fits(next.seats)) return;
      const { queue } = next;
      this.#unqueue(next);
      const seats = this.#serve(next.seats, queue, this.#clock.now());
      this.#settleQueue(queue);
      // To the end: of queues that would finish at once the others are served first.
      this.#queues.delete(queue.number);
      this.#queues.set(queue.number, queue);
      next.settle(seats);
    }
  }

  #next(): Waiting | undefined {
    let best: Waiting | undefined;
    let soonest = Infinity;
    for (const { waiting, nextStart } of this.#queues.values()) {
      const oldest = first(waiting);
      if (oldest === undefined) continue;
      const finish = nextStart + oldest.seats * expectedMs;
      if (finish >= soonest) continue;
      soonest = finish;
      best = oldest;
    }
    return best;
  }
}

function first<T>(values: ReadonlySet<T>): T | undefined {
  for (const value of values) return value;
  return undefined;
}
