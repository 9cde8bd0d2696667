// How events are printed: when, what, about whom. Events of the new API have no count and no first and last time; a
// series has both. As printEvent in pkg/printers/internalversion/printers.go.
import { humanDuration } from '../../go/duration.js';
import type { Frozen } from '../../objects/meta.js';
import { parseMicroTime } from '../../objects/time.js';
import type { Event } from '../../types/core-v1.generated.js';
import type { KindTable } from '../kind-table.js';
import { nameColumn, textColumn, timeSince } from '../table-cells.js';

/** The table of Events. */
export const eventTable: KindTable<Event> = {
  columns: [
    textColumn('Last Seen', 'How long ago it happened last.'),
    textColumn('Type', 'Normal or Warning.'),
    textColumn('Reason', 'Why, in one word.'),
    textColumn('Object', 'What it is about.'),
    textColumn('Subobject', 'Which part of the object it is about.', 1),
    textColumn('Source', 'Who reported it.', 1),
    textColumn('Message', 'What happened.'),
    textColumn('First Seen', 'How long ago it happened first.', 1),
    textColumn('Count', 'How often it happened.', 1),
    { ...nameColumn, priority: 1 },
  ],
  row: (event, now) => {
    const { metadata, type = '', reason = '', involvedObject, message = '', series } = event;
    const first =
      event.firstTimestamp === undefined ? microTimeSince(event.eventTime, now) : timeSince(event.firstTimestamp, now);
    const last = event.lastTimestamp === undefined ? first : timeSince(event.lastTimestamp, now);
    const { kind = '', name = '', fieldPath = '' } = involvedObject;
    const about = kind.toLowerCase() + (name === '' ? '' : `/${name}`);
    const lastSeen = series === undefined ? last : microTimeSince(series.lastObservedTime, now);
    const count = series === undefined ? (event.count ?? 1) : (series.count ?? 0);
    return {
      cells: [
        lastSeen,
        type,
        reason,
        about,
        fieldPath,
        printSource(event),
        message.trim(),
        first,
        count,
        metadata.name ?? '',
      ],
    };
  },
};

function microTimeSince(time: string | undefined, now: number): string {
  return time === undefined ? '<unknown>' : humanDuration(now - parseMicroTime(time));
}

function printSource({ source, reportingComponent = '', reportingInstance = '' }: Frozen<Event>): string {
  const component = source?.component ?? reportingComponent;
  const instance = source?.host ?? reportingInstance;
  return instance === '' ? component : `${component}, ${instance}`;
}
