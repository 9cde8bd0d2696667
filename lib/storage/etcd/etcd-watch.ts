/**
 * One watch of etcd's, kept up through lost connections. It has a stream of its own, so that what etcd says of progress
 * on it is about this watch and no other. Every change is delivered exactly once: `seen` moves only
 * after a revision was handed on whole, and every new stream begins there.
 *
 * Where a stream begins: etcd takes a watch from the compacted revision itself, though what was deleted there is gone
 * and so are the previous values (etcd-io/etcd#18089, #19179). Asking for `seen` instead of `seen + 1`, and leaving out
 * what was seen, has etcd refuse exactly when `seen` is older than the compacted revision. But etcd lets a watch that
 * has history to read wait up to 100 ms, so a watch that knows of no revision after `seen` requests `seen + 1`; should
 * etcd have been further after all, it begins anew.
 */
import { backoffStep, type BackoffLadder, type BackoffState, type Clock, type Random } from '../../core/index.js';
import { StoreError } from '../store-error.js';
import type { Revision } from '../store.js';
import { isOldToken, type EtcdClient } from './etcd-client.js';
import { compactedError, isFinal, storeErrorOf } from './etcd-errors.js';
import { GrpcError, grpcStatuses } from './grpc-error.js';
import type { GrpcSession, GrpcStream } from './grpc-session.js';
import {
  encodeWatchCreate,
  encodeWatchProgress,
  type EtcdKeyRange,
  type WatchAnswer,
  type EtcdEvent,
} from './messages.js';
import { pauseUntilAborted } from './pause.js';

/** What to watch and whom to tell. */
export interface EtcdWatchOptions {
  readonly client: EtcdClient;
  readonly clock: Clock;
  readonly random: Random;
  /** Stops it when the store closes. */
  readonly signal: AbortSignal;
  readonly range: EtcdKeyRange;
  readonly after: Revision;
  /** Whether events bring the entry before. */
  readonly withPrevious: boolean;
  /** All events of one revision. */
  readonly onEvents: (revision: Revision, events: readonly EtcdEvent[]) => void;
  /** It cannot continue: its revision is compacted, or etcd denies it. Called once. */
  readonly onFailure: (error: unknown) => void;
}

/** Between streams. The connection has a ladder of its own; this one is for members that end streams. */
const ladder: BackoffLadder = {
  baseMs: 25,
  factor: 2,
  maxMs: 2_000,
  jitter: 0.5,
  resetAfterMs: 10_000,
  attemptsMax: Infinity,
};

/** A watch under way. */
export class EtcdWatch {
  readonly #options: EtcdWatchOptions;
  readonly #stopped = new AbortController();
  #seen: Revision;
  #stream: GrpcStream | undefined;
  #session: GrpcSession | undefined;
  /** Ends waiting for the current stream. */
  #leaveStream: () => void = () => undefined;
  /** Events of a revision whose other part is still to come. */
  #held: EtcdEvent[] = [];
  /** Whether the current stream was begun right after `seen`, in the belief that nothing is there yet. */
  #beganAfter = false;
  #hasToReadHistory = false;
  /** The revision that came without the previous values it needs. */
  #incomplete: Revision | undefined;
  /** Aborted with the next move. */
  readonly #waiting = new Set<AbortController>();

  constructor(options: EtcdWatchOptions) {
    this.#options = options;
    this.#seen = options.after;
  }

  /** Everything up to this revision has been delivered. */
  get seen(): Revision {
    return this.#seen;
  }

  /** Returns whether it was stopped or has failed. */
  get stopped(): boolean {
    return this.#stopped.signal.aborted;
  }

  /** The connection it is on, if it is on one. */
  get session(): GrpcSession | undefined {
    return this.#session;
  }

  /** Begins, and goes on until it is stopped or fails. Never rejects. */
  async run(): Promise<void> {
    const { signal } = this.#options;
    const stop = (): void => this.stop();
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
    await this.#followStreams();
    signal.removeEventListener('abort', stop);
  }

  /** Has etcd say how far it has got, if it is still on that connection. etcd does not answer while the watch lags. */
  askProgress(session: GrpcSession | undefined): void {
    if (session === this.#session) this.#stream?.write(encodeWatchProgress());
  }

  /** Resolves on the next delivery or progress notification, when the watch has ended, or after that time. */
  async moved(ms: number): Promise<void> {
    if (this.stopped) return;
    const move = new AbortController();
    this.#waiting.add(move);
    await pauseUntilAborted(this.#options.clock, ms, move.signal);
    this.#waiting.delete(move);
  }

  /** Records that everything up to this revision has been delivered, as established by another request. */
  advance(revision: Revision): void {
    if (this.#held.length > 0 || revision < this.#seen) return;
    this.#seen = revision;
    this.#move();
  }

  /**
   * Begins a new stream: where it is unknown whether everything was delivered, etcd is asked whether the revision is
   * still available.
   */
  restart(): void {
    this.#hasToReadHistory = true;
    this.#leaveStream();
  }

  /** Ends it, at once and from within a delivery too. */
  stop(): void {
    this.#stopped.abort();
    this.#leaveStream();
    this.#move();
  }

  async #followStreams(): Promise<void> {
    const { clock, random } = this.#options;
    const { signal } = this.#stopped;
    for (let backoff: BackoffState | undefined; !signal.aborted;) {
      const created = await this.#followStream();
      if (this.#hasToReadHistory && created) continue; // nothing went wrong
      const step = backoffStep(ladder, created ? undefined : backoff, { nowMs: clock.now(), random });
      backoff = step.state;
      await pauseUntilAborted(clock, step.delayMs, signal);
    }
  }

  /** Opens a stream and resolves when it has ended; returns whether the watch came to be on it. */
  async #followStream(): Promise<boolean> {
    let created = false;
    this.#held = [];
    await new Promise<void>((resolve) => {
      let left = false;
      const observer = {
        answer: (answer: WatchAnswer) => {
          created ||= answer.created && !answer.canceled;
          this.#onAnswer(answer);
        },
        end: (error: GrpcError | undefined) => {
          left = true;
          this.#onStreamError(error);
          resolve();
        },
      };
      this.#leaveStream = () => {
        left = true;
        this.#stream?.cancel();
        resolve();
      };
      this.#options.client.watch(observer).then(({ stream, session }) => {
        if (left) stream.cancel();
        else this.#begin(stream, session);
      }, observer.end);
    });
    this.#stream = undefined;
    this.#session = undefined;
    return created;
  }

  #begin(stream: GrpcStream, session: GrpcSession): void {
    const { range, withPrevious, client } = this.#options;
    this.#stream = stream;
    this.#session = session;
    this.#beganAfter = !this.#hasToReadHistory && this.#seen >= client.newest;
    this.#hasToReadHistory = false;
    stream.write(
      encodeWatchCreate({
        ...range,
        withPrevious,
        startRevision: Math.max(1, this.#beganAfter ? this.#seen + 1 : this.#seen),
      }),
    );
  }

  #onAnswer(answer: WatchAnswer): void {
    if (answer.canceled) this.#onCanceled(answer);
    else if (answer.created) {
      if (this.#beganAfter && answer.revision > this.#seen) this.restart();
    } else if (answer.events.length > 0) this.#takeEvents(answer);
    else this.advance(answer.revision);
  }

  #takeEvents({ events, fragment }: WatchAnswer): void {
    let batch = this.#held;
    this.#held = [];
    for (const event of events) {
      const revision = event.kv.modRevision;
      if (batch.length > 0 && batch[0]?.kv.modRevision !== revision) {
        if (!this.#deliver(batch)) return;
        batch = [];
      }
      if (revision > this.#seen) batch.push(event);
    }
    if (fragment) this.#held = batch;
    else this.#deliver(batch);
  }

  /** Hands on a revision; returns whether there is to be another. */
  #deliver(events: readonly EtcdEvent[]): boolean {
    const revision = events[0]?.kv.modRevision;
    if (revision === undefined) return true;
    if (this.#options.withPrevious && events.some(lacksPrevious)) {
      this.#onIncomplete(revision);
      return false;
    }
    this.#options.onEvents(revision, events);
    this.#seen = revision;
    this.#move();
    return !this.stopped;
  }

  // etcd reads previous values when it sends an event, and leaves them out if they were compacted meanwhile. Then
  // `seen` is older than the compacted revision, and beginning there anew is refused with its name.
  #onIncomplete(revision: Revision): void {
    if (this.#incomplete === revision) {
      this.#fail(new StoreError('corrupt', `etcd: revision ${revision} has changes without the values before them`));
      return;
    }
    this.#incomplete = revision;
    this.restart();
  }

  #move(): void {
    for (const move of this.#waiting) move.abort();
  }

  // A watch that is refused is created and canceled in one; its reason is an error's text.
  #onCanceled({ compactRevision, cancelReason }: WatchAnswer): void {
    if (compactRevision > 0) {
      this.#fail(compactedError(this.#seen, compactRevision));
    } else {
      this.#onStreamError(new GrpcError(grpcStatuses.unavailable, cancelReason, { reached: true }));
      this.#leaveStream();
    }
  }

  /** Most errors are a reason to try again; permissions are not. */
  #onStreamError(error: GrpcError | undefined): void {
    if (error === undefined) return;
    if (isOldToken(error)) this.#options.client.forgetToken();
    else if (isFinal(error)) this.#fail(storeErrorOf(error, 'read', this.#options.signal));
  }

  #fail(error: unknown): void {
    if (this.stopped) return;
    this.stop();
    this.#options.onFailure(error);
  }
}

function lacksPrevious({ type, kv, previous }: EtcdEvent): boolean {
  return previous === undefined && (type === 'delete' || kv.createRevision < kv.modRevision);
}
