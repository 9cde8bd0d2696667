// The two Events: the old one of the core group and that of events.k8s.io, one object in storage under different field
// names. The hub is the core one. As pkg/apis/events/v1/conversion.go; the fields that selectors may name are in the
// same file, AddFieldLabelConversionsForEvent.
import type * as coreV1 from '../../types/core-v1.generated.js';
import type * as eventsV1 from '../../types/events-v1.generated.js';
import type { HubConversion } from '../kind-definition.js';
import type { Open } from './open.js';
import { withoutUndefined } from './without-undefined.js';

type CoreEvent = Open<coreV1.Event>;
type Series = Open<coreV1.EventSeries>;
/** Only validation demands the times. */
type NewEvent = Open<Omit<eventsV1.Event, 'eventTime' | 'series'>> & {
  readonly eventTime?: string;
  readonly series?: Series;
};

/** What events.k8s.io/v1 registers. */
export const eventOfEventsGroup: HubConversion<NewEvent, CoreEvent> = {
  hub: { group: '', version: 'v1', kind: 'Event' },
  toHub: newToCore,
  fromHub: coreToNew,
  hubField: (field) => coreFields.get(field),
};

function newToCore(event: NewEvent): CoreEvent {
  const {
    regarding = {},
    note,
    deprecatedSource = {},
    deprecatedFirstTimestamp,
    deprecatedLastTimestamp,
    deprecatedCount,
  } = event;
  const {
    metadata = {},
    reason,
    type,
    eventTime,
    series,
    action,
    related,
    reportingController = '',
    reportingInstance = '',
  } = event;
  return withoutUndefined({
    metadata,
    involvedObject: regarding,
    reason,
    message: note,
    source: deprecatedSource,
    firstTimestamp: deprecatedFirstTimestamp,
    lastTimestamp: deprecatedLastTimestamp,
    count: deprecatedCount,
    type,
    eventTime,
    series: series && withoutZero(series),
    action,
    related,
    reportingComponent: reportingController,
    reportingInstance,
  });
}

function coreToNew(event: CoreEvent): NewEvent {
  const { metadata, involvedObject, message, source = {}, firstTimestamp, lastTimestamp, count } = event;
  const { reason, type, eventTime, series, action, related, reportingComponent, reportingInstance } = event;
  return withoutUndefined({
    metadata,
    eventTime,
    series: series && { ...series, count: series.count ?? 0 },
    reportingController: reportingComponent === '' ? undefined : reportingComponent,
    reportingInstance: reportingInstance === '' ? undefined : reportingInstance,
    action,
    reason,
    regarding: involvedObject,
    related,
    note: message,
    type,
    deprecatedSource: source,
    deprecatedFirstTimestamp: firstTimestamp,
    deprecatedLastTimestamp: lastTimestamp,
    deprecatedCount: count,
  });
}

/** The core group leaves a count of zero out, where events.k8s.io prints it. */
function withoutZero({ count, ...series }: Series): Series {
  return count === 0 || count === undefined ? series : { count, ...series };
}

const references = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];

const coreFields: ReadonlyMap<string, string> = new Map([
  ...references.map((part): [string, string] => [`regarding.${part}`, `involvedObject.${part}`]),
  ['reportingController', 'reportingComponent'],
  ...['reason', 'type', 'metadata.name', 'metadata.namespace'].map((field): [string, string] => [field, field]),
]);
