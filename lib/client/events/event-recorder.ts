// Records Events of the core group. `record` returns at once; Events are written one after the other. Failed deliveries
// are retried for a while, refused Events are emitted as failures, and Events beyond the queue limit are dropped. As
// client-go/tools/record, recorder.go and event.go.
import { catchError, concatMap, defer, finalize, ignoreElements, from, of, tap } from 'rxjs';
import { Outlet, isApiError, nameIsDnsSubdomain, pause, printTime } from '../../core/index.js';
import type { Activity, Clock, Part, Random } from '../../core/index.js';
import type { Event } from '../../core/types/index.js';
import type { Client } from '../client.js';
import { EventCorrelation } from './event-correlation.js';
import type { CorrelatedEvent, EventDetails } from './event-correlation.js';

/** Options of a recorder. */
export interface EventRecorderOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** Jitter of retries, and names. A stream of the recorder's own. */
  readonly random: Random;
  /** The name of the component, such as `persistentvolume-controller`. */
  readonly component: string;
  /** Returns the client that writes an Event. Default: `client` writes all of them. */
  readonly clientOf?: (details: EventDetails) => Client;
}

/** An Event could not be written. The work that it is about is not affected. */
export interface EventFailed extends Activity {
  readonly type: 'event-failed';
  readonly details: EventDetails;
  readonly error: unknown;
}

/** Writes what is recorded while it runs, and emits what could not be written. Never errors. */
export interface EventRecorder extends Part<EventFailed> {
  /** Records an Event. Dropped while the recorder does not run. */
  record(details: EventDetails): void;
}

/** Creates a recorder. Its name as a part is `events/<component>`. */
export function eventRecorder(options: EventRecorderOptions): EventRecorder {
  const { client, clock, random, component, clientOf = () => client } = options;
  const correlation = new EventCorrelation();
  const line = new Outlet<QueuedEvent>();
  let waiting = 0;
  // Recorders of one process name Events about one object at one time: each begins at a number of its own.
  let sequence = firstSequence(component);

  const write = async ({ details, atMs }: QueuedEvent, signal: AbortSignal): Promise<void> => {
    sequence = (sequence + 1) % 1_000_000;
    const nameOf = (): string =>
      eventName(details.regarding.name ?? '', { nowMs: atMs, sequence, otherName: () => random.uuid() });
    const correlated = correlation.add(details, atMs, nameOf);
    if (correlated === undefined) return;
    const event = eventOf(details, correlated, atMs, component);
    for (let tries = 1; ; tries += 1) {
      try {
        await send(clientOf(details), event, signal);
        return;
      } catch (error) {
        // The server would refuse it again.
        if (tries === triesMax || isApiError(error) || signal.aborted) throw error;
      }
      // Jitter: recorders that lost the same server do not retry at once.
      await pause(clock, tries === 1 ? retryMs * random.next() : retryMs, signal);
    }
  };
  const send = async (sender: Client, event: Event, signal: AbortSignal): Promise<void> => {
    const events = sender.kind('v1', 'Event');
    const { metadata, count = 1, lastTimestamp = '', message = '' } = event;
    const { name = '', namespace = '' } = metadata;
    if (count > 1) {
      try {
        await events.patch({ namespace, name }, { strategic: { count, lastTimestamp, message } }, { signal });
        return;
      } catch (error) {
        // Events expire: the object of this series may be deleted.
        if (!isApiError(error, 'NotFound')) throw error;
      }
    }
    await events.in(namespace).create(event, { signal });
  };

  return {
    name: `events/${component}`,
    record: (details) => {
      if (waiting < waitingMax) line.emit({ details, atMs: clock.now() });
    },
    run: () =>
      defer(() => {
        const controller = new AbortController();
        waiting = 0;
        return line.values$.pipe(
          tap(() => (waiting += 1)),
          concatMap((queued) =>
            from(write(queued, controller.signal)).pipe(
              ignoreElements(),
              catchError((error: unknown) => of<EventFailed>({ type: 'event-failed', details: queued.details, error })),
              finalize(() => (waiting -= 1)),
            ),
          ),
          finalize(() => controller.abort()),
        );
      }),
  };
}

/** A number below a million that depends on a name. */
function firstSequence(name: string): number {
  let hash = 0;
  for (let index = 0; index < name.length; index += 1) hash = (hash * 31 + name.charCodeAt(index)) % 1_000_000;
  return hash;
}

/** Returns the name of an Event about an object: `web.17f3a2…`, unique within the component. */
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

interface QueuedEvent {
  readonly details: EventDetails;
  readonly atMs: number;
}

/** The maximum number of Events waiting to be written; further ones are dropped. */
const waitingMax = 1000;
const retryMs = 10_000;
const triesMax = 12;

function eventOf(
  { regarding: about, type, reason, host }: EventDetails,
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
    source: { component, ...(host !== undefined && { host }) },
    reportingComponent: component,
    ...(host !== undefined && { reportingInstance: host }),
  };
}
