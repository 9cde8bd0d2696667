// Claims on storage as pods and workloads describe them: the template of a PersistentVolumeClaim and its specification.
// As pkg/apis/core/validation/validation.go, ValidatePersistentVolumeClaimTemplate and
// ValidatePersistentVolumeClaimSpec.
import { collect } from '../../errors/collect.js';
import { fieldForbidden, fieldInvalid, fieldNotSupported, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import { validateAnnotations, validateLabels } from '../../objects/meta-validation.js';
import type { Frozen, ObjectMeta } from '../../objects/meta.js';
import { isDns1123Label, isDns1123Subdomain } from '../../objects/names.js';
import type {
  PersistentVolumeClaimSpec,
  PersistentVolumeClaimTemplate,
  TypedObjectReference,
} from '../../types/core-v1.generated.js';
import { validateLabelSelector } from '../label-selector-validation.js';
import { printedWord } from '../printed-values.js';
import { validatePositiveQuantity, validateResourceQuantity } from '../quantity-validation.js';
import { noErrors, validateOneOf, required, ruled, ruledIfGiven } from './field-checks.js';
import type { FieldErrors } from './field-checks.js';

/** What passes although it is wrong, because the old claim has it. */
export interface ClaimValidationOptions {
  readonly allowInvalidSelectorValues?: boolean;
  readonly allowInvalidDataSourceGroup?: boolean;
}

/** A template: of its metadata only labels and annotations count, so nothing else may be set. */
export function validateClaimTemplate(
  template: Frozen<PersistentVolumeClaimTemplate>,
  path: FieldPath,
  options: ClaimValidationOptions = {},
): FieldErrors {
  const { metadata = {}, spec } = template;
  return [
    ...validateTemplateMeta(metadata, path.child('metadata')),
    ...validateClaimSpec(spec, path.child('spec'), options),
  ];
}

/** Metadata of a template for objects that are named by their maker. As ValidateTemplateObjectMeta. */
export function validateTemplateMeta(metadata: Frozen<ObjectMeta>, path: FieldPath): FieldErrors {
  const errors: FieldError[] = [
    ...validateAnnotations(metadata.annotations ?? {}, path.child('annotations')),
    ...validateLabels(metadata.labels ?? {}, path.child('labels')),
  ];
  for (const [field, reported] of forbiddenMeta) {
    if (metadata[field] !== undefined) errors.push(fieldForbidden(path.child(reported), 'cannot be set'));
  }
  return errors;
}

/** What the claim requests. */
export function validateClaimSpec(
  spec: Frozen<PersistentVolumeClaimSpec>,
  path: FieldPath,
  options: ClaimValidationOptions = {},
): FieldErrors {
  const { dataSource, dataSourceRef, storageClassName, volumeAttributesClassName } = spec;
  const errors: FieldError[] = [
    ...required(spec.accessModes, path.child('accessModes'), 'at least 1 access mode is required'),
    ...validateLabelSelector(spec.selector, path.child('selector'), {
      allowInvalidValues: options.allowInvalidSelectorValues === true,
    }),
    ...validateAccessModes(spec.accessModes ?? [], path.child('accessModes')),
    ...validateStorage(spec.resources?.requests, path.child('resources').key('storage')),
    ...ruledIfGiven(storageClassName, isDns1123Subdomain, path.child('storageClassName')),
    ...validateOneOf(spec.volumeMode, ['Block', 'Filesystem'], path.child('volumeMode')),
  ];
  if (dataSource !== undefined) errors.push(...validateDataSource(dataSource, path.child('dataSource'), options));
  if (dataSourceRef !== undefined)
    errors.push(...validateDataSource(dataSourceRef, path.child('dataSourceRef'), options));
  if (dataSource !== undefined && dataSourceRef !== undefined) {
    const { namespace = '' } = dataSourceRef;
    const same = (['apiGroup', 'kind', 'name'] as const).every((field) => dataSource[field] === dataSourceRef[field]);
    // Kubernetes prints a path here, which has no fields to print.
    if (namespace !== '')
      errors.push(fieldInvalid(path, {}, 'may not be specified when dataSourceRef.namespace is specified'));
    else if (!same) errors.push(fieldInvalid(path, {}, 'must match dataSourceRef'));
  }
  return [
    ...errors,
    ...ruledIfGiven(volumeAttributesClassName, isDns1123Subdomain, path.child('volumeAttributesClassName')),
  ];
}

/** In the order of the Go type, reported by its field names. */
const forbiddenMeta: readonly (readonly [keyof ObjectMeta, string])[] = [
  ['name', 'name'],
  ['generateName', 'generateName'],
  ['namespace', 'namespace'],
  ['selfLink', 'selfLink'],
  ['uid', 'uID'],
  ['resourceVersion', 'resourceVersion'],
  ['generation', 'generation'],
  ['creationTimestamp', 'creationTimestamp'],
  ['deletionTimestamp', 'deletionTimestamp'],
  ['deletionGracePeriodSeconds', 'deletionGracePeriodSeconds'],
  ['ownerReferences', 'ownerReferences'],
  ['finalizers', 'finalizers'],
  ['managedFields', 'managedFields'],
];

const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

/** Validates access modes: known ones, and ReadWriteOncePod alone. Of claims and volumes. */
export function validateAccessModes(modes: readonly string[], path: FieldPath): FieldErrors {
  const errors: FieldError[] = collect(
    modes.filter((mode) => !accessModes.includes(mode)),
    (mode) => [fieldNotSupported(path, printedWord(mode), accessModes)],
  );
  const known = modes.filter((mode) => accessModes.includes(mode));
  if (known.includes('ReadWriteOncePod') && known.some((mode) => mode !== 'ReadWriteOncePod')) {
    errors.push(fieldForbidden(path, 'may not use ReadWriteOncePod with other access modes'));
  }
  return errors;
}

function validateStorage(requests: Readonly<Record<string, string>> | undefined, path: FieldPath): FieldErrors {
  const storage = requests !== undefined && Object.hasOwn(requests, 'storage') ? requests.storage : undefined;
  if (storage === undefined) return [fieldRequired(path)];
  const wrong = validatePositiveQuantity(storage, path);
  return wrong.length > 0 ? wrong : validateResourceQuantity('storage', storage, path);
}

function validateDataSource(
  source: Frozen<TypedObjectReference>,
  path: FieldPath,
  options: ClaimValidationOptions,
): FieldErrors {
  const { apiGroup = '', kind, name, namespace = '' } = source;
  const errors: FieldError[] = [...required(name, path.child('name')), ...required(kind, path.child('kind'))];
  if (apiGroup === '' && kind !== 'PersistentVolumeClaim') {
    errors.push(fieldInvalid(path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"));
  }
  if (apiGroup !== '' && options.allowInvalidDataSourceGroup !== true) {
    errors.push(...ruled(apiGroup, isDns1123Subdomain, path.child('apiGroup')));
  }
  return [...errors, ...(namespace === '' ? noErrors : ruled(namespace, isDns1123Label, path.child('namespace')))];
}
