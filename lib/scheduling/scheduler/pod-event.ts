// A note about a pod as an Event of the API. As client-go/tools/events, event_recorder.go.
import { eventName } from '../../client/index.js';
import type { KindType } from '../../client/index.js';
import { namespacedName, objectReference, printMicroTime } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { ObjectReference, Pod } from '../../core/types/index.js';
import type { PodNote } from '../framework/plugin.js';

/** An Event of events.k8s.io/v1. */
export type PodEvent = KindType<'events.k8s.io/v1', 'Event'>;

/** Who tells, and when. */
export interface Reporter {
  /** The scheduler's name. */
  readonly controller: string;
  /** What tells it from others of the same name. */
  readonly instance: string;
  readonly nowMs: number;
  /** Another one for every event of a millisecond. */
  readonly sequence: number;
  /** A name, where the pod's is too long to make one of. */
  readonly otherName: () => string;
}

/** The event. What the note has beyond what the API takes is cut off. */
export function podEvent(
  { about, related, type, reason, action, note }: PodNote,
  { controller, instance, nowMs, sequence, otherName }: Reporter,
): PodEvent {
  const { name, namespace } = namespacedName(about);
  return {
    metadata: {
      name: eventName(name, { nowMs, sequence, otherName }),
      namespace: namespace === '' ? 'default' : namespace,
    },
    eventTime: printMicroTime(nowMs),
    reportingController: controller,
    reportingInstance: `${controller}-${instance}`.slice(0, instanceMax),
    action,
    reason,
    regarding: referenceTo(about),
    ...(related !== undefined && { related: referenceTo(related) }),
    note: shortened(note),
    type,
  };
}

/**
 * What events of one series have in common: all but the time and the words. A pod that changed begins another series.
 */
export function seriesKey({ type, action, reason, reportingController, regarding, related }: PodEvent): string {
  return `${type}|${action}|${reason}|${reportingController}|${printed(regarding)}|${printed(related)}`;
}

/** As long as the API takes them. */
const instanceMax = 128;
const noteBytesMax = 1024;

function printed({ namespace = '', name = '', uid = '', resourceVersion = '' }: ObjectReference = {}): string {
  return `${namespace}/${name}/${uid}/${resourceVersion}`;
}

function referenceTo(pod: Frozen<Pod>): ObjectReference {
  return objectReference({ apiVersion: 'v1', kind: 'Pod' }, pod);
}

/** What does not fit ends in dots, and never within a character. */
function shortened(note: string): string {
  if (note.length <= noteBytesMax / 3) return note; // no character takes more than three bytes for each of its units
  const bytes = new TextEncoder().encode(note);
  if (bytes.length <= noteBytesMax) return note;
  let end = noteBytesMax - dots.length;
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return new TextDecoder().decode(bytes.subarray(0, end)) + dots;
}

const dots = ' ...';
