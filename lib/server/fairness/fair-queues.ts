// The seats of one priority level and the requests that wait for them: fair queuing, as
// apiserver/pkg/util/flowcontrol/fairqueuing/queueset (its doc.go has the theory).
//
// In an ideal server all queues with requests would be served concurrently at the same rate. `#progress` is how many
// seat-milliseconds each queue would have received by now; `nextStart` of a queue is when its next request would start
// there. The request that would finish first in the ideal server is dispatched next. A request is assumed to last 3 ms;
// when its duration is known, `nextStart` of its queue is corrected. So a queue pays for what its requests used, and an
// idle queue does not save up credit.
//
// Simpler than Kubernetes in three points. Queues exist only while they have requests, so an idle level costs nothing
// and sums are maintained instead of computed. Time is in whole milliseconds. No seats are held after a write for
// notifying watchers, which happens within the write here.
import type { Clock } from '../../core/index.js';
import { after } from '../http/deadlines.js';
import { SeatDemand } from './seat-demand.js';

/** The queue configuration of a level. */
export interface QueueTerms {
  /** The number of queues; with 0 a request without a seat is rejected. */
  readonly queues: number;
  readonly queueLengthMax: number;
}

/** Why a request was rejected. */
export type RejectReason = 'concurrency-limit' | 'queue-full' | 'time-out';

/** How long a request may wait. */
export interface WaitLimit {
  readonly waitMs: number;
  /** Ends waiting. */
  readonly signal?: AbortSignal | undefined;
}

/** A request for seats. */
export interface SeatRequest<Request> {
  /** The queues that the request may wait in. */
  readonly hand: readonly number[];
  readonly seats: number;
  readonly request: Request;
}

/** Seats that a request holds until it leaves. */
export interface Seats {
  readonly count: number;
  readonly queue: Queue | undefined;
  readonly sinceMs: number;
}

interface Queue {
  readonly number: number;
  /** Waiting requests in order of arrival. */
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

/** The assumed duration of a request until it is known. */
const expectedMs = 3;

/** The seats and queues of one level. */
export class FairQueues<Request> {
  readonly demand: SeatDemand;
  readonly #clock: Clock;
  readonly #patienceOf: (request: Request) => WaitLimit;
  /** Queues with requests, the one served last at the end. */
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

  /** `waitLimitOf` is called only for requests that have to wait. */
  constructor(clock: Clock, waitLimitOf: (request: Request) => WaitLimit) {
    this.#clock = clock;
    this.#patienceOf = waitLimitOf;
    this.#progressMs = clock.now();
    this.demand = new SeatDemand(this.#progressMs);
  }

  /** The number of seats. */
  get limit(): number {
    return this.#limit;
  }

  /** Sets queue configuration and number of seats. */
  configure(terms: QueueTerms, limit: number): void {
    this.#advance(this.#clock.now());
    this.#terms = terms;
    this.#limit = limit;
    this.#dispatch();
  }

  /** Returns seats, a promise of seats, or the reason of rejection. */
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
    // No request waits before it.
    queue.nextStart = Math.max(queue.nextStart, this.#progress);
    return this.#serve(claim.seats, queue, now);
  }

  /** Releases seats. */
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

  /** Rejects all waiting requests. */
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

  /** Whether seats are free; a request that needs more than the level has gets all of them. */
  #fits(seats: number): boolean {
    return seats > this.#limit ? this.#served === 0 : this.#seatsTaken + seats <= this.#limit;
  }

  /**
   * The queue of the hand with the fewest waiting seats. The search starts at a rotating position, or flows with common
   * queues would collide.
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
      // A client that has disconnected is noticed when its request is dispatched.
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
    // The removed request may have blocked others that need fewer seats.
    this.#dispatch();
  }

  #unqueue(waiting: Waiting): void {
    const { seats, queue } = waiting;
    queue.waiting.delete(waiting);
    queue.waitingSeats -= seats;
    this.#waiting -= 1;
    this.#waitingSeats -= seats;
  }

  /** Adjusts the start of a queue after a change; removes an empty queue. */
  #settleQueue(queue: Queue): void {
    const oldest = first(queue.waiting);
    if (oldest !== undefined) queue.nextStart = Math.max(queue.nextStart, oldest.arrival);
    else if (queue.served === 0) this.#queues.delete(queue.number);
  }

  /** Dispatches requests while there are seats. The next request waits for its seats: others do not overtake it. */
  #dispatch(): void {
    while (this.#waiting > 0 && this.#seatsTaken < this.#limit) {
      const next = this.#next();
      if (next === undefined || !this.#fits(next.seats)) return;
      const { queue } = next;
      this.#unqueue(next);
      const seats = this.#serve(next.seats, queue, this.#clock.now());
      this.#settleQueue(queue);
      // Moved to the end: among equal finish times the other queues come first.
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

/**
 * Deals a flow its hand of queues (shuffle sharding): it waits in the shortest of them, so that two flows seldom share
 * all queues and a flood of one does not block the other. As apiserver/pkg/util/shufflesharding/shufflesharding.go;
 * with a 53-bit hash instead of the first 64 bits of SHA-256, which is enough for the hands of Kubernetes' own levels
 * (at most 42 bits).
 */
export function dealHand(flow: string, queues: number, handSize: number): readonly number[] {
  const remainders: number[] = [];
  let rest = hash53(flow);
  for (let dealt = 0; dealt < handSize; dealt++) {
    const left = queues - dealt;
    remainders.push(rest % left);
    rest = Math.floor(rest / left);
  }
  // Each remainder is an index among the queues not dealt yet.
  return remainders.map((remainder, index) => {
    let card = remainder;
    for (let before = index - 1; before >= 0; before--) if (card >= (remainders[before] ?? 0)) card += 1;
    return card;
  });
}

/** Two independent hashes of 32 bits, mixed (after Murmur's finisher). */
function hash53(text: string): number {
  let high = 0x9e3779b9;
  let low = 0x41c6ce57;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 0x85ebca77);
    low = Math.imul(low ^ code, 0xc2b2ae3d);
  }
  high = Math.imul(high ^ (high >>> 15), 0x735a2d97) ^ Math.imul(low ^ (low >>> 13), 0x85ebca6b);
  low = Math.imul(low ^ (low >>> 15), 0xcaf649a9) ^ Math.imul(high ^ (high >>> 13), 0x2c1b3c6d);
  return (high >>> 11) * 2 ** 32 + (low >>> 0);
}
