// What may change about a claim, and what its status may say. As ValidatePersistentVolumeClaimUpdate and
// ValidatePersistentVolumeClaimStatusUpdate in pkg/apis/core/validation/validation.go.
import { collect } from '../../errors/collect.js';
import { fieldForbidden, fieldInvalid, fieldNotSupported, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { FieldPath, fieldPath } from '../../errors/field-path.js';
import { deepEqual } from '../../objects/json.js';
import { validateImmutable } from '../../objects/meta-validation.js';
import type { Frozen } from '../../objects/meta.js';
import { isQualifiedName } from '../../objects/names.js';
import { compareQuantities } from '../../objects/quantity-arithmetic.js';
import { parseQuantity } from '../../objects/quantity.js';
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '../../types/core-v1.generated.js';
import { internalForm } from '../internal-form.js';
import { invalidEach } from '../invalid-each.js';
import { validateLabelSelector } from '../label-selector-validation.js';
import type { ClaimValidationOptions } from '../pods/claim-template-validation.js';
import { printedDiff } from '../printed-diff.js';
import { printedWord } from '../printed-values.js';
import { validateResourceQuantity } from '../quantity-validation.js';
import { isNativeResource } from '../resource-names.js';
import { validateBasicAmount } from './persistent-volume-spec.js';

type Spec = Frozen<PersistentVolumeClaimSpec>;
type FieldErrors = readonly FieldError[];

/** What passes because the old claim has it. */
export function claimToleranceOf({ selector, dataSource, dataSourceRef }: Spec): ClaimValidationOptions {
  return {
    allowInvalidSelectorValues: validateLabelSelector(selector, FieldPath.nil).length > 0,
    allowInvalidDataSourceGroup: dataSource?.apiGroup !== undefined || dataSourceRef?.apiGroup !== undefined,
  };
}

/** Validates the change of a claim. */
export function validateClaimChange(
  object: Frozen<PersistentVolumeClaim>,
  old: Frozen<PersistentVolumeClaim>,
): FieldErrors {
  const { spec = {} } = object;
  const { spec: before = {} } = old;
  const upgraded = isClassFromAnnotation(object, old);
  const errors: FieldError[] = upgraded ? [] : [...validateSameAnnotation(object, old)];
  const compared = comparable(object, old, upgraded);
  const expected = {
    ...before,
    ...((before.volumeName ?? '') === '' && spec.volumeName !== undefined && { volumeName: spec.volumeName }),
  };
  if (!deepEqual(canonical(compared), canonical(expected))) {
    const difference = printedDiff(
      internalForm('PersistentVolumeClaimSpec', expected),
      internalForm('PersistentVolumeClaimSpec', compared),
    );
    const rule =
      'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
    errors.push(fieldForbidden(fieldPath('spec'), `${rule}\n${difference}`));
  }
  const size = storageOf(spec.resources?.requests);
  const shrunk = compareTexts(size, storageOf(before.resources?.requests)) < 0;
  if (shrunk && compareTexts(size, storageOf(old.status?.capacity)) <= 0) {
    errors.push(
      fieldForbidden(
        fieldPath('spec', 'resources', 'requests', 'storage'),
        'field can not be less than status.capacity',
      ),
    );
  }
  errors.push(...validateImmutable(spec.volumeMode, before.volumeMode, fieldPath('volumeMode')));
  return [...errors, ...validateAttributesClass(spec, old)];
}

/** Validates the status of a claim. */
export function validateVolumeClaimStatus({ spec = {}, status = {} }: Frozen<PersistentVolumeClaim>): FieldErrors {
  const { capacity = {}, allocatedResourceStatuses = {}, allocatedResources = {} } = status;
  const statusesPath = fieldPath('status', 'allocatedResourceStatuses');
  const amountsPath = fieldPath('status', 'allocatedResources');
  return [
    ...((spec.accessModes ?? []).length === 0 ? [fieldRequired(fieldPath('Spec', 'accessModes'))] : []),
    ...collect(Object.entries(capacity), ([name, amount]) =>
      validateBasicAmount(amount, fieldPath('status', 'capacity').key(name)),
    ),
    ...collect(Object.entries(allocatedResourceStatuses), ([name, state]) => [
      ...validateClaimResource(name, statusesPath),
      ...(resizeStates.includes(state) ? [] : [fieldNotSupported(statusesPath, printedWord(name), resizeStates)]),
    ]),
    ...collect(Object.entries(allocatedResources), ([name, amount]) => {
      const wrongName = validateClaimResource(name, amountsPath);
      const wrong = wrongName.length > 0 ? wrongName : validateBasicAmount(amount, amountsPath.key(name));
      return wrong.length > 0 ? wrong : validateResourceQuantity('storage', amount, amountsPath.key(name));
    }),
  ];
}

const classAnnotation = 'volume.beta.kubernetes.io/storage-class';

const resizeStates: readonly string[] = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
];

/** The new specification with everything that may change as it was before. */
function comparable(
  object: Frozen<PersistentVolumeClaim>,
  old: Frozen<PersistentVolumeClaim>,
  upgraded: boolean,
): Spec {
  const { spec = {} } = object;
  const { spec: before = {} } = old;
  const oldClass = annotationOf(old);
  const filledIn =
    spec.storageClassName !== undefined &&
    before.storageClassName === undefined &&
    (oldClass === undefined || oldClass === spec.storageClassName);
  let compared: Spec = spec;
  if (upgraded || filledIn) {
    const { storageClassName: _mayChange, ...rest } = compared;
    compared = rest;
  }
  if (object.status?.phase !== 'Bound') return compared;
  const { volumeAttributesClassName: _mayChange, ...rest } = compared;
  return {
    ...rest,
    ...(before.volumeAttributesClassName !== undefined && {
      volumeAttributesClassName: before.volumeAttributesClassName,
    }),
    ...(spec.resources?.requests !== undefined && {
      resources: {
        ...spec.resources,
        requests: { ...spec.resources.requests, storage: storageOf(before.resources?.requests) },
      },
    }),
  };
}

/** Amounts compare by value, lists and maps that are absent like empty ones. */
function canonical({ accessModes = [], resources = {}, ...rest }: Spec): unknown {
  const amounts = (list: Readonly<Record<string, string>> = {}): unknown =>
    Object.fromEntries(Object.entries(list).map(([name, text]) => [name, String(parseQuantity(text).nanos)]));
  return {
    ...rest,
    accessModes,
    resources: { limits: amounts(resources.limits), requests: amounts(resources.requests) },
  };
}

/** The class moves from the annotation, where it was first, to the field. */
function isClassFromAnnotation(object: Frozen<PersistentVolumeClaim>, old: Frozen<PersistentVolumeClaim>): boolean {
  const oldClass = annotationOf(old);
  const newClass = annotationOf(object);
  if (oldClass === undefined || old.spec?.storageClassName !== undefined) return false;
  return object.spec?.storageClassName === oldClass && (newClass === undefined || newClass === oldClass);
}

function validateSameAnnotation(
  object: Frozen<PersistentVolumeClaim>,
  old: Frozen<PersistentVolumeClaim>,
): FieldErrors {
  const [after, before] = [annotationOf(object) ?? '', annotationOf(old) ?? ''];
  return after === before
    ? []
    : [fieldInvalid(fieldPath('metadata', 'annotations', classAnnotation), after, 'field is immutable')];
}

function annotationOf({ metadata }: Frozen<PersistentVolumeClaim>): string | undefined {
  return metadata?.annotations?.[classAnnotation];
}

/** Once a class of attributes was applied there is no way back to none. */
function validateAttributesClass(spec: Spec, { spec: before, status }: Frozen<PersistentVolumeClaim>): FieldErrors {
  const { volumeAttributesClassName: name } = spec;
  if (name === before?.volumeAttributesClassName || status?.currentVolumeAttributesClassName === undefined) return [];
  const refuse = (value: string): FieldErrors => [
    fieldForbidden(
      fieldPath('spec', 'volumeAttributesClassName'),
      `update to ${value} is forbidden when status.currentVolumeAttributesClassName is not nil`,
    ),
  ];
  if (name === undefined) return refuse('nil');
  return name === '' ? refuse('empty string') : [];
}

/** Of Kubernetes' own resources only storage. */
function validateClaimResource(name: string, path: FieldPath): FieldErrors {
  const wrong = isQualifiedName(name);
  if (wrong.length > 0) return invalidEach(path, name, wrong);
  return isNativeResource(name) && name !== 'storage' ? [fieldNotSupported(path, name, ['storage'])] : [];
}

function storageOf(amounts: Readonly<Record<string, string>> | undefined): string {
  return amounts !== undefined && Object.hasOwn(amounts, 'storage') ? (amounts.storage ?? '0') : '0';
}

function compareTexts(a: string, b: string): number {
  return compareQuantities(parseQuantity(a), parseQuantity(b));
}
