// Records Kubernetes Events about pods. Equal events form a series: the first is created, the second turns it into a
// series, later ones are counted in memory. The count is written when the series ends, six minutes after its last
// event, and every 30 minutes while it lasts. Writing is less urgent than binding and is throttled. Failed writes are
// retried for a while; rejected ones are emitted as failures. As client-go/tools/events, event_broadcaster.go.
import { EMPTY, exhaustMap, ignoreElements, merge, of, repeat, tap } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Client, ResourceClient } from '../../client/index.js';
import { Outlet, isApiError, namespacedName, pause, printMicroTime } from '../../core/index.js';
import type { Clock, Frozen, Random } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import type { PodEventDetails } from '../framework/plugin.js';
import { runConcurrently } from './abortable.js';
import type { WriteFailed } from './scheduler-activity.js';
import { TurnThrottle } from './turn-throttle.js';
import { podEvent, seriesKey } from './pod-event.js';
import type { PodEvent } from './pod-event.js';

/** The dependencies of a recorder. */
export interface PodEventRecorderOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  /** Distinguishes schedulers of the same name: usually the host name. */
  readonly instance: string;
}

/** Records Events while `run()` is subscribed to. */
export class PodEventRecorder {
  readonly #options: PodEventRecorderOptions;
  readonly #events: ResourceClient<PodEvent>;
  /** Series by key, in two generations. When the newer one is full, the older one is ended as a whole. */
  #newer = new Map<string, Series>();
  #older = new Map<string, Series>();
  readonly #tasks = new Outlet<Task>();
  readonly #seriesStarted = new Outlet<undefined>();
  /** Limits the events per turn of the event loop: binding pods comes first. */
  readonly #throttle: TurnThrottle<Task>;
  readonly #failures = new Outlet<WriteFailed>();
  #writesInProgress = 0;
  #sequence = 0;

  constructor(options: PodEventRecorderOptions) {
    this.#options = options;
    this.#events = options.client.kind('events.k8s.io/v1', 'Event');
    this.#throttle = new TurnThrottle({ clock: options.clock, minPerTurn, maxPerTurn, waitingMax }, (piece, signal) =>
      piece(signal),
    );
  }

  /** Records an Event. `controller` is the name of the scheduler. */
  record(note: PodEventDetails, controller: string): void {
    const nowMs = this.#options.clock.now();
    this.#tasks.emit((signal) => this.#recordNow(note, controller, nowMs, signal));
  }

  #recordNow(note: PodEventDetails, controller: string, nowMs: number, signal: AbortSignal): void {
    const { random, instance } = this.#options;
    this.#sequence = (this.#sequence + 1) % 1_000_000;
    const event = podEvent(note, {
      controller,
      instance,
      nowMs,
      sequence: this.#sequence,
      fallbackName: () => random.uuid(),
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
      about: note.regarding,
      count: 1,
      written: 0,
      seenAt: nowMs,
      writtenAt: nowMs,
      isBeingWritten: false,
    };
    if (this.#newer.size >= seriesMax / 2) this.#endOlder();
    this.#newer.set(key, series);
    void this.#write(series, signal);
    this.#seriesStarted.emit(undefined);
  }

  /** Writes while subscribed; emits failed writes. */
  run(): Observable<WriteFailed> {
    const sweeping$ = this.#seriesStarted.values$.pipe(
      // One timer while there is a series, none otherwise.
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
      runConcurrently(this.#tasks.values$, (piece, signal) => this.#throttle.add(piece, signal)),
      sweeping$,
    );
  }

  #writeLater(series: Series): void {
    this.#tasks.emit((signal) => void this.#write(series, signal));
  }

  /** Writes the current count of a series, and again if it reached 2 in the meantime. Never rejects. */
  async #write(series: Series, signal: AbortSignal): Promise<void> {
    if (series.isBeingWritten || series.count === series.written) return;
    if (this.#writesInProgress >= writesInProgressMax) {
      this.#failures.emit(
        failed(series, new Error(`${writesInProgressMax} events wait to be written; one was dropped`)),
      );
      return;
    }
    this.#writesInProgress += 1;
    series.isBeingWritten = true;
    try {
      // The first two are written separately; a higher count waits for the end of the series.
      do await this.#sendWithRetries(series, signal);
      while (series.written === 1 && series.count > 1);
    } catch (error) {
      if (!signal.aborted) this.#failures.emit(failed(series, error));
    }
    this.#writesInProgress -= 1;
    series.isBeingWritten = false;
  }

  async #sendWithRetries(series: Series, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    for (let tries = 1; ; tries += 1) {
      try {
        await this.#send(series, signal);
        return;
      } catch (error) {
        if (tries === triesMax || !isRetryable(error, series)) throw error;
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
        // Events expire: the one that this series continues may be gone.
        if (!isApiError(error, 'NotFound')) throw error;
        await this.#events.in(name.namespace).create({ ...event, series: observed }, { signal });
      }
    }
    series.written = count;
    series.writtenAt = this.#options.clock.now();
  }

  /** Ends series without recent events and writes the counts of long-running ones. */
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

/** A task; must not throw. */
type Task = (signal: AbortSignal) => void;

/** A series of equal events. */
interface Series {
  readonly event: PodEvent;
  readonly about: Frozen<Pod>;
  count: number;
  /** The count that has been written. */
  written: number;
  seenAt: number;
  writtenAt: number;
  isBeingWritten: boolean;
}

/** A series ends this long after its last event. */
const finishMs = 6 * 60_000;
/** How often the count of a running series is written. */
const refreshMs = 30 * 60_000;
const retryMs = 10_000;
const retryJitter = 0.25;
const triesMax = 12;
/** The most series in memory; beyond it the older half is ended. */
const seriesMax = 4096;
/** Events recorded per turn of the event loop, minimum and maximum, and the most that wait. */
const minPerTurn = 4;
const maxPerTurn = 64;
const waitingMax = 32_768;
/** The most events that are being written or wait for a retry. */
const writesInProgressMax = 10_000;

/** A rejected write is not retried, except AlreadyExists of a series: its event may have been created just now. */
function isRetryable(error: unknown, { count }: Series): boolean {
  return !isApiError(error) || (count > 1 && isApiError(error, 'AlreadyExists'));
}

function failed({ about }: Series, error: unknown): WriteFailed {
  return { type: 'write-failed', what: 'event', pod: about, error };
}
