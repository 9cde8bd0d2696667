// Events for people, about pods: kept in the API, and many of one sort as a series. The first of a sort is written when
// its turn comes, at once where nothing else is to be done; the second makes it a series; those that follow are counted
// here, and the count is written when the series ends, which is after six minutes without one, or now and then while it
// lasts. What cannot be delivered is tried again for a while; what is refused is told as a failure.
// As client-go/tools/events, event_broadcaster.go.
import { EMPTY, exhaustMap, ignoreElements, merge, of, repeat, tap } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Client, ResourceClient } from '../../client/index.js';
import { Outlet, isApiError, namespacedName, pause, printMicroTime } from '../../core/index.js';
import type { Clock, Frozen, Random } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import type { PodNote } from '../framework/plugin.js';
import { workOn } from './abortable.js';
import type { WriteFailed } from './attempt.js';
import { PacedWork } from './paced-work.js';
import { podEvent, seriesKey } from './pod-event.js';
import type { PodEvent } from './pod-event.js';

/** How notes are written. */
export interface PodNotesOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  /** What tells this scheduler from others of the same name: its host as a rule. */
  readonly instance: string;
}

/** Writes notes while it runs. */
export class PodNotes {
  readonly #options: PodNotesOptions;
  readonly #events: ResourceClient<PodEvent>;
  /** By what they have in common: the newer half, and the older, which goes as a whole when there are too many. */
  #newer = new Map<string, Series>();
  #older = new Map<string, Series>();
  readonly #line = new Outlet<Piece>();
  readonly #begun = new Outlet<undefined>();
  /** To tell of a pod is less urgent than to bind one. */
  readonly #unhurried: PacedWork<Piece>;
  readonly #failures = new Outlet<WriteFailed>();
  #underWay = 0;
  #sequence = 0;

  constructor(options: PodNotesOptions) {
    this.#options = options;
    this.#events = options.client.kind('events.k8s.io/v1', 'Event');
    this.#unhurried = new PacedWork({ clock: options.clock, leastPerTurn, mostPerTurn, waitingMax }, (piece, signal) =>
      piece(signal),
    );
  }

  /** Tells. `controller` is the scheduler's name. */
  note(note: PodNote, controller: string): void {
    const nowMs = this.#options.clock.now();
    this.#line.emit((signal) => this.#take(note, controller, nowMs, signal));
  }

  #take(note: PodNote, controller: string, nowMs: number, signal: AbortSignal): void {
    const { random, instance } = this.#options;
    this.#sequence = (this.#sequence + 1) % 1_000_000;
    const event = podEvent(note, {
      controller,
      instance,
      nowMs,
      sequence: this.#sequence,
      otherName: () => random.uuid(),
    });
    const key = seriesKey(event);
    const known = this.#newer.get(key) ?? this.#older.get(key);
    if (known !== undefined) {
      known.count += 1;
      known.seenAt = nowMs;
      if (known.count === 2) void this.#write(known, signal);
      return;
    }
    const series: Series = {
      event,
      about: note.about,
      count: 1,
      written: 0,
      seenAt: nowMs,
      writtenAt: nowMs,
      isBeingWritten: false,
    };
    if (this.#newer.size >= seriesMax / 2) this.#endOlder();
    this.#newer.set(key, series);
    void this.#write(series, signal);
    this.#begun.emit(undefined);
  }

  /** Writes for as long as somebody listens; emits what could not be written. */
  run(): Observable<WriteFailed> {
    const sweeping$ = this.#begun.values$.pipe(
      // One timer while there is anything, and none otherwise.
      exhaustMap(() =>
        this.#options.clock.timer(finishMs).pipe(
          tap(() => this.#sweep()),
          repeat({ delay: () => (this.#newer.size + this.#older.size > 0 ? of(undefined) : EMPTY) }),
        ),
      ),
      ignoreElements(),
    );
    return merge(
      this.#failures.values$,
      workOn(this.#line.values$, (piece, signal) => this.#unhurried.add(piece, signal)),
      sweeping$,
    );
  }

  #writeLater(series: Series): void {
    this.#line.emit((signal) => void this.#write(series, signal));
  }

  /** Writes what a series has come to; what it comes to meanwhile, afterwards. Never rejects. */
  async #write(series: Series, signal: AbortSignal): Promise<void> {
    if (series.isBeingWritten || series.count === series.written) return;
    if (this.#underWay >= underWayMax) {
      this.#failures.emit(failed(series, new Error(`${underWayMax} events wait to be written; one was dropped`)));
      return;
    }
    this.#underWay += 1;
    series.isBeingWritten = true;
    try {
      // The first two are written one by one; a count beyond them waits for the end.
      do await this.#sendPatiently(series, signal);
      while (series.written === 1 && series.count > 1);
    } catch (error) {
      if (!signal.aborted) this.#failures.emit(failed(series, error));
    }
    this.#underWay -= 1;
    series.isBeingWritten = false;
  }

  async #sendPatiently(series: Series, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    for (let tries = 1; ; tries += 1) {
      try {
        await this.#send(series, signal);
        return;
      } catch (error) {
        if (tries === triesMax || !isWorthRetrying(error, series)) throw error;
      }
      await pause(clock, retryMs * (1 + retryJitter * random.next()), signal);
    }
  }

  async #send(series: Series, signal: AbortSignal): Promise<void> {
    const { event, count, seenAt } = series;
    const name = namespacedName(event);
    if (series.written === 0 && count === 1) {
      await this.#events.in(name.namespace).create(event, { signal });
    } else {
      const observed = { count, lastObservedTime: printMicroTime(seenAt) };
      try {
        await this.#events.patch(name, { strategic: { series: observed } }, { signal });
      } catch (error) {
        // Events do not live long: the one that this continues may be gone.
        if (!isApiError(error, 'NotFound')) throw error;
        await this.#events.in(name.namespace).create({ ...event, series: observed }, { signal });
      }
    }
    series.written = count;
    series.writtenAt = this.#options.clock.now();
  }

  /** Ends series that went quiet, and tells of those that go on. */
  #sweep(): void {
    const now = this.#options.clock.now();
    for (const all of [this.#older, this.#newer]) {
      for (const [key, series] of all) {
        const isOver = now - series.seenAt >= finishMs;
        if (isOver) all.delete(key);
        if (series.count > series.written && (isOver || now - series.writtenAt >= refreshMs)) this.#writeLater(series);
      }
    }
  }

  #endOlder(): void {
    const ended = this.#older;
    this.#older = this.#newer;
    this.#newer = new Map();
    for (const series of ended.values()) if (series.count > series.written) this.#writeLater(series);
  }
}

/** Something to be done when it is its turn; must not throw. */
type Piece = (signal: AbortSignal) => void;

/** Notes of one sort. */
interface Series {
  readonly event: PodEvent;
  readonly about: Frozen<Pod>;
  count: number;
  /** The count that the API knows. */
  written: number;
  seenAt: number;
  writtenAt: number;
  isBeingWritten: boolean;
}

/** After so long without another a series is over. */
const finishMs = 6 * 60_000;
/** So often the count of a series that goes on is written. */
const refreshMs = 30 * 60_000;
const retryMs = 10_000;
const retryJitter = 0.25;
const triesMax = 12;
/** Series that are remembered; beyond, the older half ends. */
const seriesMax = 4096;
/**
 * Notes that are taken between two turns of the event loop, beside others and alone, and the most that wait for theirs.
 */
const leastPerTurn = 4;
const mostPerTurn = 64;
const waitingMax = 32_768;
/** Events that are being written or wait for another try. */
const underWayMax = 10_000;

/** What the server refused it will refuse again; but of a series it may be that the event came just now. */
function isWorthRetrying(error: unknown, { count }: Series): boolean {
  return !isApiError(error) || (count > 1 && isApiError(error, 'AlreadyExists'));
}

function failed({ about }: Series, error: unknown): WriteFailed {
  return { type: 'write-failed', what: 'event', pod: about, error };
}
