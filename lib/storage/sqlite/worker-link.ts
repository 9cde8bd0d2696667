// The main thread's end of the channel to the worker: requests go out, responses are matched to their callers. Answers
// are handed on in the order in which they arrive, before the next is looked at, for that order is history's.
//
// A port hands over messages for as long as new ones come, up to a thousand, before timers and sockets have their turn.
// With writers that answer every answer with a commit that was 100 ms and more. So what comes after the first
// millisecond of a turn of the event loop waits here, and every later turn hands on at least one.
//
// When the worker dies, everything under way fails: a write as `unknown-outcome`, since it may have become durable just
// before, anything else as `closed`. From then on every request is refused.
import { Worker } from 'node:worker_threads';
import { StoreError } from '../store-error.js';
import type { WorkerAnswer, Calls, WorkerRequest } from './protocol.js';
import { fromWire } from './sqlite-error.js';

/** What becomes of a request. One of the two is called, once. */
export interface Reply<T> {
  readonly answered: (answer: T) => void;
  readonly failed: (error: StoreError) => void;
}

/** How long answers are handed on within one turn of the event loop. */
const turnMsMax = 1;

/** A worker and the requests under way. */
export class WorkerLink {
  /** Settles when the worker has ended, whatever ended it. */
  readonly ended: Promise<void>;
  readonly #worker: Worker;
  /**
   * Those who wait, by the number of their request, and the numbers that are free again. No Map: one that is small and
   * always changing leaves a trail of outgrown tables, through which answered requests, with all their text, survive
   * until the next full collection. It tripled what every scavenge had to copy.
   */
  readonly #replies: (PendingReply | undefined)[] = [];
  readonly #freeIds: number[] = [];
  /** The number of requests under way. */
  #pending = 0;
  /** Returns for later turns. */
  readonly #waiting: WorkerAnswer[] = [];
  /** When the first answer of this turn was handed on; undefined when none was. */
  #turnBegan: number | undefined;
  readonly #onDeath: (error: StoreError) => void;
  /** Why there is no worker any more. */
  #end: StoreError | undefined;

  /** Starts the worker. `onDeath` is called if it ends unexpectedly. */
  constructor(program: URL, onDeath: (error: StoreError) => void) {
    this.#onDeath = onDeath;
    // Neither flags nor environment of the process: its loaders and instrumentation would start in the worker too, and
    // cost more than all else (tap's makes it five times as slow).
    this.#worker = new Worker(program, {
      name: 'vivarium-sqlite',
      env: {},
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
    // Only requests under way keep the process alive.
    this.#worker.unref();
    this.#worker.on('message', (answer: WorkerAnswer) => this.#hear(answer));
    this.#worker.on('messageerror', (cause: Error) => this.#die(cause));
    this.#worker.on('error', (cause: Error) => this.#die(cause));
    this.ended = new Promise((resolve) => {
      this.#worker.on('exit', (code) => {
        this.#die(new Error(`the worker exited with code ${code}`));
        resolve();
      });
    });
  }

  /** Sends a request. */
  send<C extends keyof Calls>(call: C, ask: Calls[C]['ask'], reply: Reply<Calls[C]['answer']>): void {
    if (this.#end !== undefined) {
      reply.failed(this.#end);
      return;
    }
    const id = this.#freeIds.pop() ?? this.#replies.length;
    // The worker answers a call with what the protocol says it does; the types cannot follow it across the line.
    this.#replies[id] = {
      call,
      answered: (answer) => reply.answered(answer as Calls[C]['answer']),
      failed: reply.failed,
    };
    if (this.#pending === 0) this.#worker.ref();
    this.#pending += 1;
    const request = { id, call, ask } as WorkerRequest;
    this.#worker.postMessage(request);
  }

  /** Sends a request and waits for the answer. */
  call<C extends keyof Calls>(call: C, ask: Calls[C]['ask']): Promise<Calls[C]['answer']> {
    return new Promise((answered, failed) => this.send(call, ask, { answered, failed }));
  }

  /** Has the worker close the database and end. */
  async close(): Promise<void> {
    const closing = this.call('close', {});
    this.#end ??= closed();
    await closing;
    this.#worker.ref(); // until it has ended
    await this.ended;
  }

  /** Ends the worker at once, whatever it is doing. For one that could not open its database. */
  async kill(): Promise<void> {
    this.#end ??= closed();
    await this.#worker.terminate();
  }

  #hear(answer: WorkerAnswer): void {
    if (this.#turnBegan === undefined) this.#beginTurn();
    else if (this.#waiting.length > 0 || performance.now() - this.#turnBegan > turnMsMax) {
      this.#waiting.push(answer);
      return;
    }
    this.#handOn(answer);
  }

  #beginTurn(): void {
    this.#turnBegan = performance.now();
    setImmediate(() => {
      this.#turnBegan = undefined;
      const answer = this.#waiting.shift();
      if (answer === undefined) return;
      this.#beginTurn();
      this.#handOn(answer);
    });
  }

  #handOn(answer: WorkerAnswer): void {
    const reply = this.#replies[answer.id];
    this.#replies[answer.id] = undefined;
    this.#freeIds.push(answer.id);
    this.#pending -= 1;
    if (this.#pending === 0) this.#worker.unref();
    if ('error' in answer) reply?.failed(fromWire(answer.error));
    else reply?.answered(answer.answer);
  }

  #die(cause: Error): void {
    for (const answer of this.#waiting.splice(0)) this.#handOn(answer);
    const first = this.#end === undefined;
    this.#end ??= new StoreError('closed', `the worker of the store ended: ${cause.message}`, { cause });
    for (const reply of this.#replies.splice(0))
      reply?.failed(reply.call === 'write' ? unknownOutcome(cause) : this.#end);
    if (first) this.#onDeath(this.#end);
  }
}

interface PendingReply extends Reply<unknown> {
  readonly call: keyof Calls;
}

function closed(): StoreError {
  return new StoreError('closed', 'the store is closed');
}

function unknownOutcome(cause: Error): StoreError {
  return new StoreError('unknown-outcome', `the worker of the store ended before it answered: ${cause.message}`, {
    cause,
  });
}
