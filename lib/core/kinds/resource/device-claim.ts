// What a claim requests: requests for devices, constraints between them, configuration for their drivers. Shared by
// ResourceClaim, ResourceClaimTemplate and, for selectors and configuration, DeviceClass.
// As pkg/apis/resource/validation/validation.go, validateDeviceClaim.
import { collect } from '../../errors/collect.js';
import { fieldInvalid, fieldNotSupported, fieldRequired, fieldTooLong } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import { utf8Length, isDns1123Subdomain, isLabelValue } from '../../objects/names.js';
import { isJsonObject } from '../../objects/json.js';
import type {
  DeviceClaim,
  DeviceConstraint,
  DeviceRequest,
  DeviceSelector,
  DeviceToleration,
  ExactDeviceRequest,
  OpaqueDeviceConfiguration,
} from '../../types/resource-v1.generated.js';
import type { ExpressionCheck } from '../expression-check.js';
import { invalidEach } from '../invalid-each.js';
import { validateLabelName } from '../label-selector-validation.js';
import type { Loose } from '../loose.js';
import { printedWord } from '../printed-values.js';
import { validateList, validateSet } from './bounded-lists.js';
import { validateDriverName } from '../driver-name.js';
import { validateFullyQualifiedName, validateLabelLike } from './device-names.js';

type FieldErrors = readonly FieldError[];

/** How expressions are checked. */
export interface SelectorScope {
  readonly check: ExpressionCheck;
  /** The object already held these expressions. */
  readonly stored: boolean;
}

/** The requests of a claim by name, with their subrequests. */
export type RequestNames = ReadonlyMap<string, ReadonlySet<string>>;

/** Validates what a claim requests. */
export function validateDeviceClaim(claim: Loose<DeviceClaim>, path: FieldPath, scope: SelectorScope): FieldErrors {
  const names = requestNames(claim);
  return [
    ...validateSet(claim.requests, path.child('requests'), {
      itemsMax: requestsMax,
      check: (request, at) => validateRequest(request, at, scope),
      key: ({ name = '' }) => name,
    }),
    ...validateList(claim.constraints, path.child('constraints'), {
      itemsMax: 32,
      check: (constraint, at) => validateConstraint(constraint, at, names),
    }),
    ...validateList(claim.config, path.child('config'), {
      itemsMax: configMax,
      check: ({ requests, opaque }, at) => [
        ...validateRequestRefs(requests, at.child('requests'), names),
        ...validateOpaqueConfiguration(opaque, at),
      ],
    }),
  ];
}

/** The names that constraints, configuration and results may refer to. */
export function requestNames({ requests = [] }: Loose<DeviceClaim>): RequestNames {
  return new Map(
    requests.map(({ name = '', firstAvailable = [] }) => [
      name,
      new Set(firstAvailable.map((request) => request.name ?? '')),
    ]),
  );
}

/** Selectors of devices. */
export function validateSelectors(
  selectors: readonly Loose<DeviceSelector>[] | undefined,
  path: FieldPath,
  scope: SelectorScope,
): FieldErrors {
  return validateList(selectors, path, {
    itemsMax: 32,
    check({ cel }, at) {
      if (cel === undefined) return [fieldRequired(at.child('cel'))];
      const place = at.child('cel').child('expression');
      const { expression = '' } = cel;
      if (utf8Length(expression) > expressionBytesMax) return [fieldTooLong(place, expressionBytesMax)];
      return scope.check({ kind: 'device', expression, path: place, stored: scope.stored });
    },
  });
}

/** Configuration that only a driver understands. `stored` parameters may be larger. */
export function validateOpaqueConfiguration(
  opaque: Loose<OpaqueDeviceConfiguration> | undefined,
  path: FieldPath,
  stored = false,
): FieldErrors {
  const at = path.child('opaque');
  if (opaque === undefined) return [fieldRequired(at)];
  return [
    ...validateDriverName(opaque.driver ?? '', at.child('driver')),
    ...validateRaw(opaque.parameters, at.child('parameters'), stored ? Infinity : parametersBytesMax),
  ];
}

/** Embedded JSON, which must be an object of at most so many bytes. */
export function validateRaw(value: unknown, path: FieldPath, bytesMax: number): FieldErrors {
  if (value === undefined || value === null) return [fieldRequired(path)];
  if (utf8Length(JSON.stringify(value)) > bytesMax) return [fieldTooLong(path, bytesMax)];
  return isJsonObject(value) ? [] : [fieldInvalid(path, '<value omitted>', 'must be a valid JSON object')];
}

/** References to requests of the claim: `request` or `request/subrequest`. */
export function validateRequestRefs(
  references: readonly string[] | undefined,
  path: FieldPath,
  names: RequestNames,
): FieldErrors {
  return validateSet(references, path, {
    itemsMax: requestsMax,
    check: (name, at) => validateRequestRef(name, at, names),
    key: (name) => name,
  });
}

/** One such reference. */
export function validateRequestRef(name: string, path: FieldPath, names: RequestNames): FieldErrors {
  const sentence =
    "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
  const segments = name.split('/', 3);
  if (segments.length > 2) return [fieldInvalid(path, name, sentence)];
  const errors = collect(segments, (segment) => validateLabelLike(segment, path));
  const [request = '', subrequest] = segments;
  const known = subrequest === undefined ? names.has(request) : names.get(request)?.has(subrequest) === true;
  return known ? errors : [...errors, fieldInvalid(path, name, sentence)];
}

/** How many configurations a claim or a class has at most. */
export const configMax = 32;

/** What a taint does to those that do not tolerate it. */
export const taintEffects: readonly string[] = ['NoExecute', 'NoSchedule', 'None'];

const requestsMax = 32;
const expressionBytesMax = 10 * 1024;
const parametersBytesMax = 10 * 1024;

function validateRequest(request: Loose<DeviceRequest>, path: FieldPath, scope: SelectorScope): FieldErrors {
  const { name = '', exactly, firstAvailable = [] } = request;
  const errors = validateLabelLike(name, path.child('name'));
  const rule = 'exactly one of `exactly` or `firstAvailable` is required';
  if (exactly !== undefined && firstAvailable.length > 0)
    return [...errors, fieldInvalid(path, null, `${rule}, but multiple fields are set`)];
  if (exactly !== undefined) return [...errors, ...validateDevices(exactly, path.child('exactly'), scope)];
  if (firstAvailable.length === 0) return [...errors, fieldRequired(path, rule)];
  const subrequests = validateSet(firstAvailable, path.child('firstAvailable'), {
    itemsMax: 8,
    check: (subrequest, at) => [
      ...validateLabelLike(subrequest.name ?? '', at.child('name')),
      ...validateDevices(subrequest, at, scope),
    ],
    key: (subrequest) => subrequest.name ?? '',
  });
  return [...errors, ...subrequests];
}

/** What a request and a subrequest have in common. */
function validateDevices(
  request: Loose<Omit<ExactDeviceRequest, 'adminAccess'>>,
  path: FieldPath,
  scope: SelectorScope,
): FieldErrors {
  const { deviceClassName: className = '', allocationMode = '', count = 0, tolerations = [] } = request;
  const classPath = path.child('deviceClassName');
  return [
    ...(className === ''
      ? [fieldRequired(classPath)]
      : invalidEach(classPath, className, isDns1123Subdomain(className))),
    ...validateSelectors(request.selectors, path.child('selectors'), scope),
    ...validateAllocationMode(allocationMode, count, path),
    ...collect(tolerations, (toleration, index) =>
      validateToleration(toleration, path.child('tolerations').index(index)),
    ),
  ];
}

function validateAllocationMode(mode: string, count: number, path: FieldPath): FieldErrors {
  switch (mode) {
    case 'All':
      return count === 0
        ? []
        : [fieldInvalid(path.child('count'), count, "must not be specified when allocationMode is 'All'")];
    case 'ExactCount':
      return count > 0 ? [] : [fieldInvalid(path.child('count'), count, 'must be greater than zero')];
    default:
      return [fieldNotSupported(path.child('allocationMode'), printedWord(mode), ['All', 'ExactCount'])];
  }
}

function validateToleration(
  { key = '', operator = '', value = '', effect = '' }: Loose<DeviceToleration>,
  path: FieldPath,
): FieldErrors {
  const errors = key === '' ? [] : [...validateLabelName(key, path.child('key'))];
  const at = path.child('value');
  if (operator === 'Equal') errors.push(...invalidEach(at, value, isLabelValue(value)));
  else if (operator === 'Exists') {
    if (value !== '') errors.push(fieldInvalid(at, value, 'must be empty for operator `Exists`'));
  } else if (operator === '') errors.push(fieldRequired(path.child('operator')));
  else errors.push(fieldNotSupported(path.child('operator'), printedWord(operator), ['Equal', 'Exists']));
  if (effect !== '' && !taintEffects.includes(effect))
    errors.push(fieldNotSupported(path.child('effect'), printedWord(effect), taintEffects));
  return errors;
}

/** Kubernetes' sentence about a constraint without an attribute is that of one with two. */
function validateConstraint(
  { requests, matchAttribute, distinctAttribute }: Loose<DeviceConstraint>,
  path: FieldPath,
  names: RequestNames,
): FieldErrors {
  const errors = validateRequestRefs(requests, path.child('requests'), names);
  if (matchAttribute !== undefined)
    return [...errors, ...validateFullyQualifiedName(matchAttribute, path.child('matchAttribute'))];
  if (distinctAttribute !== undefined)
    return [...errors, ...validateFullyQualifiedName(distinctAttribute, path.child('distinctAttribute'))];
  return [
    ...errors,
    fieldRequired(
      path,
      'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set',
    ),
  ];
}
