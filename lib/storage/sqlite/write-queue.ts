// Writes on their way to the worker. Those of one turn go in one message, so that its cost is shared; a turn with many
// sends the first while the rest are still being made, so that the worker need not wait for the main thread.
//
// What waits is bounded: beyond it writes are refused as `unavailable`, before anything has happened.
import { StoreError } from '../store-error.js';
import type { GroupedWrite, WriteOutcome } from './protocol.js';
import type { WorkerLink } from './worker-link.js';

/** A write and the callbacks for its outcome. */
export interface QueuedWrite {
  readonly write: GroupedWrite;
  /** About what its values take. */
  readonly bytes: number;
  readonly settled: (outcome: WriteOutcome) => void;
  readonly failed: (error: StoreError) => void;
}

/** Writes in one message. */
const messageWritesMax = 16;
const messageBytesMax = 2 ** 20;

/** Writes and bytes under way. */
const waitingWritesMax = 65_536;
const waitingBytesMax = 2 ** 28;

/** The writes of a store that are under way. */
export class WriteQueue {
  readonly #link: Pick<WorkerLink, 'send'>;
  #unsent: QueuedWrite[] = [];
  #unsentBytes = 0;
  #waitingWrites = 0;
  #waitingBytes = 0;

  constructor(link: Pick<WorkerLink, 'send'>) {
    this.#link = link;
  }

  /** Takes a write. Its place in the order is behind all taken before. */
  add(queued: QueuedWrite): void {
    if (this.#waitingWrites >= waitingWritesMax || this.#waitingBytes + queued.bytes > waitingBytesMax) {
      queued.failed(
        new StoreError(
          'unavailable',
          `${this.#waitingWrites} writes of ${this.#waitingBytes} bytes wait for the disk already`,
        ),
      );
      return;
    }
    this.#waitingWrites += 1;
    this.#waitingBytes += queued.bytes;
    this.#unsent.push(queued);
    this.#unsentBytes += queued.bytes;
    if (this.#unsent.length >= messageWritesMax || this.#unsentBytes >= messageBytesMax) this.flush();
    else if (this.#unsent.length === 1) queueMicrotask(() => this.flush());
  }

  /** Sends what has not been sent. Has to come before any request that must not overtake it. */
  flush(): void {
    const sent = this.#unsent;
    const bytes = this.#unsentBytes;
    if (sent.length === 0) return;
    this.#unsent = [];
    this.#unsentBytes = 0;
    const leave = (): void => {
      this.#waitingWrites -= sent.length;
      this.#waitingBytes -= bytes;
    };
    this.#link.send(
      'write',
      { writes: sent.map(({ write }) => write), bytes },
      {
        answered: (outcomes) => {
          leave();
          for (const [index, outcome] of outcomes.entries()) sent[index]?.settled(outcome);
        },
        failed: (error) => {
          leave();
          for (const { failed } of sent) failed(error);
        },
      },
    );
  }
}
