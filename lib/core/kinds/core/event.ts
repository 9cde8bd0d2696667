// Events of both groups; the hub is the core one. They live for an hour, an update of a missing one creates it, and they
// never keep others alive. The core group takes nearly anything, for the sake of old clients; events.k8s.io is strict.
// As pkg/registry/core/event/strategy.go, pkg/apis/core/validation/events.go and printEvent.
import { fieldInvalid, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import { utf8Length } from '../../objects/character-classes.js';
import { deepEqual } from '../../objects/deep-equal.js';
import type { Frozen } from '../../objects/meta.js';
import { isDns1123Subdomain, isQualifiedName, nameIsDnsSubdomain, nameIsPathSegment } from '../../objects/names.js';
import type { Event, EventSource, ObjectReference } from '../../types/core-v1.generated.js';
import { validateFinalizerNames } from '../finalizer-names.js';
import { invalidEach } from '../invalid-each.js';
import type { KindStrategy, WriteContext } from '../kind-strategy.js';
import { eventTable } from './event-table.js';

type Version = WriteContext['version'];

/** What is particular to Events. */
export const event: KindStrategy<Event> = {
  nameRule: nameIsPathSegment,
  validate: (object, { version }) => [...validateLegacy(object, version), ...(isStrict(version) ? validateNew(object) : [])],
  validateUpdate: (object, old, { version }) => [
    ...validateLegacy(object, version),
    ...(isStrict(version) ? validateChanges(object, old) : []),
  ],
  createsOnUpdate: true,
  ignoresPropagation: true,
  timeToLiveMs: 3_600_000,
  selectableFields: {
    'involvedObject.kind': ({ involvedObject }) => involvedObject.kind ?? '',
    'involvedObject.namespace': ({ involvedObject }) => involvedObject.namespace ?? '',
    'involvedObject.name': ({ involvedObject }) => involvedObject.name ?? '',
    'involvedObject.uid': ({ involvedObject }) => involvedObject.uid ?? '',
    'involvedObject.apiVersion': ({ involvedObject }) => involvedObject.apiVersion ?? '',
    'involvedObject.resourceVersion': ({ involvedObject }) => involvedObject.resourceVersion ?? '',
    'involvedObject.fieldPath': ({ involvedObject }) => involvedObject.fieldPath ?? '',
    reason: ({ reason = '' }) => reason,
    reportingComponent: ({ reportingComponent = '' }) => reportingComponent,
    source: ({ source, reportingComponent = '' }) => source?.component ?? reportingComponent,
    type: ({ type = '' }) => type,
  },
  table: eventTable,
};

function isStrict({ group }: Version): boolean {
  return group === 'events.k8s.io';
}

/** What every event must satisfy: old ones belong where their object is, new ones say who reports what. */
function validateLegacy(object: Frozen<Event>, { group }: Version): readonly FieldError[] {
  const { metadata, involvedObject, eventTime } = object;
  const { namespace = '' } = metadata;
  const about = involvedObject.namespace ?? '';
  const atHome = eventTime === undefined ? isOldHome(namespace, about) : about !== '' || namespace === 'default' || namespace === 'kube-system';
  return [
    ...(atHome ? [] : [fieldInvalid(fieldPath('involvedObject', 'namespace'), about, 'does not match event.namespace')]),
    ...(eventTime === undefined ? [] : validateReport(object, group === '' ? 'reportingComponent' : 'reportingController')),
    ...invalidEach(fieldPath('namespace'), namespace, isDns1123Subdomain(namespace)),
  ];
}

function isOldHome(namespace: string, about: string): boolean {
  return about === '' ? namespace === '' || namespace === 'default' : namespace === about;
}

function validateReport(object: Frozen<Event>, controllerField: string): readonly FieldError[] {
  const { reportingComponent: controller = '', reportingInstance = '', action = '', reason = '', message = '' } = object;
  const controllerPath = fieldPath(controllerField);
  return [
    ...(controller === '' ? [fieldRequired(controllerPath)] : []),
    ...invalidEach(controllerPath, controller, isQualifiedName(controller)),
    ...(reportingInstance === '' ? [fieldRequired(fieldPath('reportingInstance'))] : []),
    ...validateLength('reportingInstance', reportingInstance, 128),
    ...(action === '' ? [fieldRequired(fieldPath('action'))] : []),
    ...validateLength('action', action, 128),
    ...(reason === '' ? [fieldRequired(fieldPath('reason'))] : []),
    ...validateLength('reason', reason, 128),
    ...validateLength('message', message, 1024),
  ];
}

function validateLength(field: string, value: string, bytesMax: number): readonly FieldError[] {
  return utf8Length(value) > bytesMax ? [fieldInvalid(fieldPath(field), '', `can have at most ${bytesMax} characters`)] : [];
}

/** events.k8s.io: a proper name, a time, a type, and none of the fields that only old events have. */
function validateNew(object: Frozen<Event>): readonly FieldError[] {
  const { metadata, eventTime, type = '', firstTimestamp, lastTimestamp, count, source } = object;
  const { name = '', generateName = '' } = metadata;
  const unset = { firstTimestamp, lastTimestamp, count, source: source?.component ?? source?.host };
  return [
    ...(generateName === '' ? [] : invalidEach(fieldPath('metadata', 'generateName'), generateName, nameIsDnsSubdomain(generateName, true))),
    ...(name === '' ? [] : invalidEach(fieldPath('metadata', 'name'), name, nameIsDnsSubdomain(name, false))),
    ...validateFinalizerNames(metadata),
    ...validateSeries(object),
    ...(eventTime === undefined ? [fieldRequired(fieldPath('eventTime'))] : []),
    ...(type === 'Normal' || type === 'Warning' ? [] : [fieldInvalid(fieldPath('type'), '', `has invalid value: ${type}`)]),
    ...Object.entries(unset).flatMap(([field, value]) => (value === undefined ? [] : [fieldInvalid(fieldPath(field), '', 'needs to be unset')])),
  ];
}

function validateSeries({ series }: Frozen<Event>): readonly FieldError[] {
  if (series === undefined) return [];
  return [
    ...((series.count ?? 0) < 2 ? [fieldInvalid(fieldPath('series.count'), '', 'should be at least 2')] : []),
    ...(series.lastObservedTime === undefined ? [fieldRequired(fieldPath('series.lastObservedTime'))] : []),
  ];
}

/** events.k8s.io: only the series may change. */
function validateChanges(object: Frozen<Event>, old: Frozen<Event>): readonly FieldError[] {
  const changed = (field: keyof Event, printed: unknown, name: string = field): readonly FieldError[] => {
    const absent = field === 'source' ? {} : null;
    return deepEqual(object[field] ?? absent, old[field] ?? absent) ? [] : [fieldInvalid(fieldPath(name), printed, 'field is immutable')];
  };
  return [
    ...validateFinalizerNames(object.metadata),
    ...(deepEqual(object.series, old.series) ? [] : validateSeries(object)),
    ...changed('involvedObject', goReference(object.involvedObject)),
    ...changed('reason', object.reason ?? ''),
    ...changed('message', object.message ?? ''),
    ...changed('source', goSource(object.source)),
    ...changed('firstTimestamp', object.firstTimestamp),
    ...changed('lastTimestamp', object.lastTimestamp),
    ...changed('count', object.count ?? 0),
    ...changed('reason', object.reason ?? ''),
    ...changed('type', object.type ?? ''),
    ...changed('eventTime', object.eventTime),
    ...changed('action', object.action ?? ''),
    ...changed('related', object.related === undefined ? undefined : goReference(object.related)),
    ...changed('reportingComponent', object.reportingComponent ?? '', 'reportingController'),
    ...changed('reportingInstance', object.reportingInstance ?? ''),
  ];
}

/** A reference as Go prints it: every field, by its Go name. */
function goReference(reference: Frozen<ObjectReference>): object {
  const { kind = '', namespace = '', name = '', uid = '', apiVersion = '', resourceVersion = '', fieldPath: path = '' } = reference;
  return { Kind: kind, Namespace: namespace, Name: name, UID: uid, APIVersion: apiVersion, ResourceVersion: resourceVersion, FieldPath: path };
}

function goSource(source: Frozen<EventSource> | undefined): object {
  return { Component: source?.component ?? '', Host: source?.host ?? '' };
}
