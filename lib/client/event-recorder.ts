// Writes Events of the core group, as controllers and kubelets tell people what they do. Notes are taken at once and
// written one after the other; nobody waits for them. What cannot be delivered is tried again for a while, what is
// refused is told as a failure, and what is too much is dropped. As client-go/tools/record, recorder.go and event.go.
import { catchError, concatMap, defer, finalize, ignoreElements, from, of, tap } from 'rxjs';
import { Outlet, isApiError, nameIsDnsSubdomain, pause, printTime } from '../core/index.js';
import type { Activity, Clock, Part, Random } from '../core/index.js';
import type { Event } from '../core/types/index.js';
import type { Client } from './client.js';
import { EventCorrelation } from './event-correlation.js';
import type { CorrelatedEvent, EventNote } from './event-correlation.js';

/** Who records. */
export interface EventRecorderOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** Spreads retries, and makes names. A stream of the recorder's own. */
  readonly random: Random;
  /** The name of the component, such as `persistentvolume-controller`. */
  readonly component: string;
}

/** An Event could not be written. The work that it is about is not affected. */
export interface EventFailed extends Activity {
  readonly type: 'event-failed';
  readonly note: EventNote;
  readonly error: unknown;
}

/** Writes what is recorded while it runs, and emits what could not be written. Never errors. */
export interface EventRecorder extends Part<EventFailed> {
  /** Records an Event. Those that are recorded while it does not run are lost. */
  record(note: EventNote): void;
}

/** Creates a recorder. Its name as a part is `events/<component>`. */
export function eventRecorder({ client, clock, random, component }: EventRecorderOptions): EventRecorder {
  const correlation = new EventCorrelation();
  const line = new Outlet<TakenNote>();
  const events = client.kind('v1', 'Event');
  let waiting = 0;
  let sequence = 0;

  const write = async ({ note, atMs }: TakenNote, signal: AbortSignal): Promise<void> => {
    sequence = (sequence + 1) % 1_000_000;
    const nameOf = (): string =>
      eventName(note.about.name ?? '', { nowMs: atMs, sequence, otherName: () => random.uuid() });
    const correlated = correlation.add(note, atMs, nameOf);
    if (correlated === undefined) return;
    const event = eventOf(note, correlated, atMs, component);
    for (let tries = 1; ; tries += 1) {
      try {
        await send(event, signal);
        return;
      } catch (error) {
        // What the server refused it will refuse again.
        if (tries === triesMax || isApiError(error) || signal.aborted) throw error;
      }
      // Those that lost the same server do not all come back at once.
      await pause(clock, tries === 1 ? retryMs * random.next() : retryMs, signal);
    }
  };
  const send = async (event: Event, signal: AbortSignal): Promise<void> => {
    const { metadata, count = 1, lastTimestamp = '', message = '' } = event;
    const { name = '', namespace = '' } = metadata;
    if (count > 1) {
      try {
        await events.patch({ namespace, name }, { strategic: { count, lastTimestamp, message } }, { signal });
        return;
      } catch (error) {
        // Events do not live long: the one that this continues may be gone.
        if (!isApiError(error, 'NotFound')) throw error;
      }
    }
    await events.in(namespace).create(event, { signal });
  };

  return {
    name: `events/${component}`,
    record: (note) => {
      if (waiting < waitingMax) line.emit({ note, atMs: clock.now() });
    },
    run: () =>
      defer(() => {
        const controller = new AbortController();
        waiting = 0;
        return line.values$.pipe(
          tap(() => (waiting += 1)),
          concatMap((taken) =>
            from(write(taken, controller.signal)).pipe(
              ignoreElements(),
              catchError((error: unknown) => of<EventFailed>({ type: 'event-failed', note: taken.note, error })),
              finalize(() => (waiting -= 1)),
            ),
          ),
          finalize(() => controller.abort()),
        );
      }),
  };
}

/** A name for an event about the object of that name: `web.17f3a2…`, unlike any other of that component. */
export function eventName(
  about: string,
  {
    nowMs,
    sequence,
    otherName,
  }: { readonly nowMs: number; readonly sequence: number; readonly otherName: () => string },
): string {
  const unique = `${about}.${(BigInt(nowMs) * 1_000_000n + BigInt(sequence)).toString(16)}`;
  return nameIsDnsSubdomain(unique, false).length === 0 ? unique : otherName();
}

interface TakenNote {
  readonly note: EventNote;
  readonly atMs: number;
}

/** Notes that wait to be written; what comes beyond is dropped. */
const waitingMax = 1000;
const retryMs = 10_000;
const triesMax = 12;

function eventOf(
  { about, type, reason }: EventNote,
  { message, tally: { name, firstMs, count } }: CorrelatedEvent,
  nowMs: number,
  component: string,
): Event {
  const namespace = about.namespace ?? '';
  return {
    metadata: { name, namespace: namespace === '' ? 'default' : namespace },
    involvedObject: about,
    reason,
    message,
    type,
    firstTimestamp: printTime(firstMs),
    lastTimestamp: printTime(nowMs),
    count,
    source: { component },
    reportingComponent: component,
  };
}
