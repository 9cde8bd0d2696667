// Events of both groups; the hub is the core one. They live for an hour, an update of a missing one creates it, and
// they never keep others alive. The core group takes nearly anything, for the sake of old clients; events.k8s.io is
// strict. As pkg/registry/core/event/strategy.go, pkg/apis/core/validation/events.go and printEvent.
import { fieldInvalid, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import type { FieldPath } from '../../errors/field-path.js';
import {
  utf8Length,
  isDns1123Subdomain,
  isQualifiedName,
  nameIsDnsSubdomain,
  nameIsPathSegment,
} from '../../objects/names.js';
import { deepEqual } from '../../objects/json.js';
import type { Frozen } from '../../objects/meta.js';
import type { Event, EventSource, ObjectReference } from '../../types/core-v1.generated.js';
import { validateFinalizerNames } from '../finalizer-names.js';
import { invalidEach } from '../invalid-each.js';
import type { KindStrategy, WriteContext } from '../kind-strategy.js';
import { eventTable } from './event-table.js';

type Version = WriteContext['version'];

/** The strategy of Events. */
export const event: KindStrategy<Event> = {
  nameRule: nameIsPathSegment,
  validate: (object, { version }) => [
    ...validateLegacy(object, version),
    ...(isStrict(version) ? validateNew(object) : []),
  ],
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
  const atHome =
    eventTime === undefined
      ? isOldHome(namespace, about)
      : about !== '' || namespace === 'default' || namespace === 'kube-system';
  const errors: FieldError[] = [];
  if (!atHome)
    errors.push(fieldInvalid(fieldPath('involvedObject', 'namespace'), about, 'does not match event.namespace'));
  if (eventTime !== undefined)
    errors.push(...validateReport(object, group === '' ? paths.reportingComponent : paths.reportingController));
  errors.push(...invalidEach(paths.namespace, namespace, isDns1123Subdomain(namespace)));
  return errors;
}

/** Events come in numbers, and hardly any is wrong: these are not made for each. */
const paths = {
  reportingComponent: fieldPath('reportingComponent'),
  reportingController: fieldPath('reportingController'),
  namespace: fieldPath('namespace'),
  name: fieldPath('metadata', 'name'),
} as const;

function isOldHome(namespace: string, about: string): boolean {
  return about === '' ? namespace === '' || namespace === 'default' : namespace === about;
}

function validateReport(object: Frozen<Event>, controllerPath: FieldPath): readonly FieldError[] {
  const {
    reportingComponent: controller = '',
    reportingInstance = '',
    action = '',
    reason = '',
    message = '',
  } = object;
  const errors: FieldError[] = [];
  if (controller === '') errors.push(fieldRequired(controllerPath));
  errors.push(...invalidEach(controllerPath, controller, isQualifiedName(controller)));
  const check = (field: string, value: string, bytesMax: number): void => {
    if (utf8Length(value) > bytesMax)
      errors.push(fieldInvalid(fieldPath(field), '', `can have at most ${bytesMax} characters`));
  };
  const checkPresent = (field: string, value: string): void => {
    if (value === '') errors.push(fieldRequired(fieldPath(field)));
    else check(field, value, 128);
  };
  checkPresent('reportingInstance', reportingInstance);
  checkPresent('action', action);
  checkPresent('reason', reason);
  check('message', message, 1024);
  return errors;
}

/** events.k8s.io: a proper name, a time, a type, and none of the fields that only old events have. */
function validateNew(object: Frozen<Event>): readonly FieldError[] {
  const { metadata, eventTime, type = '', firstTimestamp, lastTimestamp, count, source } = object;
  const { name = '', generateName = '' } = metadata;
  const errors: FieldError[] = [];
  if (generateName !== '')
    errors.push(
      ...invalidEach(fieldPath('metadata', 'generateName'), generateName, nameIsDnsSubdomain(generateName, true)),
    );
  if (name !== '') errors.push(...invalidEach(paths.name, name, nameIsDnsSubdomain(name, false)));
  errors.push(...validateFinalizerNames(metadata), ...validateSeries(object));
  if (eventTime === undefined) errors.push(fieldRequired(fieldPath('eventTime')));
  if (type !== 'Normal' && type !== 'Warning')
    errors.push(fieldInvalid(fieldPath('type'), '', `has invalid value: ${type}`));
  const checkUnset = (field: string, value: unknown): void => {
    if (value !== undefined) errors.push(fieldInvalid(fieldPath(field), '', 'needs to be unset'));
  };
  checkUnset('firstTimestamp', firstTimestamp);
  checkUnset('lastTimestamp', lastTimestamp);
  checkUnset('count', count);
  checkUnset('source', source?.component ?? source?.host);
  return errors;
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
    return deepEqual(object[field] ?? absent, old[field] ?? absent)
      ? []
      : [fieldInvalid(fieldPath(name), printed, 'field is immutable')];
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
  const {
    kind = '',
    namespace = '',
    name = '',
    uid = '',
    apiVersion = '',
    resourceVersion = '',
    fieldPath: path = '',
  } = reference;
  return {
    Kind: kind,
    Namespace: namespace,
    Name: name,
    UID: uid,
    APIVersion: apiVersion,
    ResourceVersion: resourceVersion,
    FieldPath: path,
  };
}

function goSource(source: Frozen<EventSource> | undefined): object {
  return { Component: source?.component ?? '', Host: source?.host ?? '' };
}
