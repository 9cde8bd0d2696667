// Creates Event objects about pods. As client-go/tools/events, event_recorder.go.
import { eventName } from '../../client/index.js';
import type { KindType } from '../../client/index.js';
import { namespacedName, objectReference, printMicroTime } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { ObjectReference, Pod } from '../../core/types/index.js';
import type { PodEventDetails } from '../framework/plugin.js';

/** An Event of events.k8s.io/v1. */
export type PodEvent = KindType<'events.k8s.io/v1', 'Event'>;

/** The reporter of an Event, and its time. */
export interface PodEventSource {
  /** The name of the scheduler. */
  readonly controller: string;
  /** Distinguishes schedulers of the same name. */
  readonly instance: string;
  readonly nowMs: number;
  /** Distinguishes Events of the same millisecond. */
  readonly sequence: number;
  /** Creates a name where that of the pod is too long to derive one. */
  readonly fallbackName: () => string;
}

/** Returns the Event. A note longer than the API allows is truncated. */
export function podEvent(
  { regarding, related, type, reason, action, note }: PodEventDetails,
  { controller, instance, nowMs, sequence, fallbackName }: PodEventSource,
): PodEvent {
  const { name, namespace } = namespacedName(regarding);
  return {
    metadata: {
      name: eventName(name, { nowMs, sequence, otherName: fallbackName }),
      namespace: namespace === '' ? 'default' : namespace,
    },
    eventTime: printMicroTime(nowMs),
    reportingController: controller,
    reportingInstance: `${controller}-${instance}`.slice(0, instanceMax),
    action,
    reason,
    regarding: referenceTo(regarding),
    ...(related !== undefined && { related: referenceTo(related) }),
    note: truncateNote(note),
    type,
  };
}

/** Returns the key of an Event's series: everything but time and note. A changed pod starts another series. */
export function seriesKey({ type, action, reason, reportingController, regarding, related }: PodEvent): string {
  return `${type}|${action}|${reason}|${reportingController}|${printed(regarding)}|${printed(related)}`;
}

/** Limits of the API. */
const instanceMax = 128;
const noteBytesMax = 1024;

function printed({ namespace = '', name = '', uid = '', resourceVersion = '' }: ObjectReference = {}): string {
  return `${namespace}/${name}/${uid}/${resourceVersion}`;
}

function referenceTo(pod: Frozen<Pod>): ObjectReference {
  return objectReference({ apiVersion: 'v1', kind: 'Pod' }, pod);
}

/** Truncates a note at a character boundary and appends dots. */
function truncateNote(note: string): string {
  if (note.length <= noteBytesMax / 3) return note; // UTF-8 needs at most three bytes per UTF-16 unit
  const bytes = new TextEncoder().encode(note);
  if (bytes.length <= noteBytesMax) return note;
  let end = noteBytesMax - dots.length;
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return new TextDecoder().decode(bytes.subarray(0, end)) + dots;
}

const dots = ' ...';
