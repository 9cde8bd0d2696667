// The rules of metadata that hold for every kind. What is wrong comes back as field errors, in the order and in the
// words of Kubernetes; entries of labels and annotations are checked in the order they were sent.
// As apimachinery/pkg/api/validation/objectmeta.go and apimachinery/pkg/apis/meta/v1/validation/validation.go.
//
// Kinds call these with their own name rule, then the registry once more with the least rule of all. They expect
// decoded objects: fields have their types, a generated name is already in place. Times are compared as text. A hostile
// object cannot make the response much larger than itself: no list or map reports more than a thousand errors.

import { collect } from '../errors/collect.js';
import { fieldForbidden, fieldInvalid, fieldRequired, fieldTooLong } from '../errors/field-error.js';
import type { FieldError } from '../errors/field-error.js';
import { fieldPath } from '../errors/field-path.js';
import type { FieldPath } from '../errors/field-path.js';
import { formatStrings, isPrintable } from '../go/format.js';
import { utf8Length, isLabelValue, isQualifiedName, nameIsDnsLabel } from './names.js';
import { deepEqual } from './json.js';
import { groupVersionKindOf, printGroupVersionKind } from './gvk.js';
import type { Frozen, ManagedFieldsEntry, ObjectMeta, OwnerReference } from './meta.js';
import type { NameRule } from './names.js';

/** What depends on the kind. */
export interface ObjectMetaRules {
  readonly namespaced: boolean;
  readonly nameRule: NameRule;
  /** Where the metadata is in the object; `metadata` unless it is that of a template. */
  readonly path?: FieldPath;
}

type FieldErrors = readonly FieldError[];
type StringMap = Readonly<Record<string, string>>;

/** Validates the metadata of an object that is about to be created. */
export function validateObjectMeta(meta: Frozen<ObjectMeta>, rules: ObjectMetaRules): FieldErrors {
  const { namespaced, nameRule, path = metadataPath } = rules;
  return allOf(
    validateName(meta, nameRule, path),
    validateNamespace(meta.namespace ?? '', namespaced, path),
    (meta.generation ?? 0) < 0 ? validateNonNegative(meta.generation ?? 0, path.child('generation')) : nothing,
    meta.labels === undefined ? nothing : validateLabels(meta.labels, path.child('labels')),
    meta.annotations === undefined ? nothing : validateAnnotations(meta.annotations, path.child('annotations')),
    meta.ownerReferences === undefined
      ? nothing
      : validateOwnerReferences(meta.ownerReferences, path.child('ownerReferences')),
    meta.finalizers === undefined ? nothing : validateFinalizers(meta.finalizers, path.child('finalizers')),
    meta.managedFields === undefined ? nothing : validateManagedFields(meta.managedFields, path.child('managedFields')),
  );
}

/** Validates the metadata of an object that is about to replace its former self. */
export function validateObjectMetaUpdate(
  meta: Frozen<ObjectMeta>,
  old: Frozen<ObjectMeta>,
  path: FieldPath = metadataPath,
): FieldErrors {
  return allOf(
    old.deletionTimestamp === undefined ? nothing : validateNoNewFinalizers(meta, old, path.child('finalizers')),
    validateRevision(meta, old, path),
    immutableTexts.every((field) => (meta[field] ?? '') === (old[field] ?? ''))
      ? nothing
      : immutableTexts.flatMap((field) => validateImmutable(meta[field] ?? '', old[field] ?? '', path.child(field))),
    immutableOptions.every((field) => meta[field] === old[field])
      ? nothing
      : immutableOptions.flatMap((field) => validateImmutable(meta[field], old[field], path.child(field))),
    meta.labels === undefined ? nothing : validateLabels(meta.labels, path.child('labels')),
    meta.annotations === undefined ? nothing : validateAnnotations(meta.annotations, path.child('annotations')),
    meta.ownerReferences === undefined
      ? nothing
      : validateOwnerReferences(meta.ownerReferences, path.child('ownerReferences')),
    meta.managedFields === undefined ? nothing : validateManagedFields(meta.managedFields, path.child('managedFields')),
  );
}

/** Labels: keys are qualified names, values are label values. */
export function validateLabels(labels: StringMap, path: FieldPath): FieldErrors {
  return collect(Object.keys(labels), (key) => {
    const value = labels[key] ?? '';
    return [...invalidEach(path, key, isQualifiedName(key)), ...invalidEach(path, value, isLabelValue(value))];
  });
}

/** Annotations: keys are qualified names in any case; keys and values together are bounded, values are free. */
export function validateAnnotations(annotations: StringMap, path: FieldPath): FieldErrors {
  let bytes = 0;
  const wrongKeys = collect(Object.keys(annotations), (key) => {
    bytes += utf8Length(key) + utf8Length(annotations[key] ?? '');
    return invalidEach(path, key, isQualifiedName(key.toLowerCase()));
  });
  return bytes > annotationBytesMax ? [...wrongKeys, fieldTooLong(path, annotationBytesMax)] : wrongKeys;
}

/** Returns whether annotations are within the limit of their total size. */
export function areAnnotationsWithinLimit(annotations: StringMap): boolean {
  let bytes = 0;
  for (const key in annotations) bytes += utf8Length(key) + utf8Length(annotations[key] ?? '');
  return bytes <= annotationBytesMax;
}

/** Validates a field manager: at most 128 bytes, all printable. Also the rule of the `fieldManager` query parameter. */
export function validateFieldManager(manager: string, path: FieldPath): FieldErrors {
  const bytes = utf8Length(manager);
  const tooLong = bytes > fieldManagerBytesMax ? [fieldTooLong(path, fieldManagerBytesMax)] : nothing;
  // Each error quotes the whole text, so a long text must not have many; Kubernetes has no such limit.
  if (bytes > fieldManagerScanBytesMax || isPrintable(manager)) return tooLong;
  let position = 0;
  const unprintable = collect(manager, (character) => {
    const at = position;
    position += utf8Length(character);
    if (isPrintable(character)) return nothing;
    const codePoint = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return [fieldInvalid(path, manager, `invalid character U+${codePoint} (at position ${at})`)];
  });
  return [...tooLong, ...unprintable];
}

/** A field that keeps its first value; absent and null are the same. */
export function validateImmutable(value: unknown, old: unknown, path: FieldPath): FieldErrors {
  return deepEqual(value ?? null, old ?? null) ? nothing : [fieldInvalid(path, value, 'field is immutable')];
}

/** A number that counts something. */
export function validateNonNegative(value: number, path: FieldPath): FieldErrors {
  return value < 0 ? [fieldInvalid(path, value, 'must be greater than or equal to 0')] : nothing;
}

const metadataPath: FieldPath = fieldPath('metadata');
const nothing: FieldErrors = Object.freeze([]);

const annotationBytesMax = 256 * 1024;
const fieldManagerBytesMax = 128;
const fieldManagerScanBytesMax = 1024;
const subresourceBytesMax = 256;
const controllerErrorsMax = 10;

const immutableTexts = ['name', 'namespace', 'uid'] as const;
const immutableOptions = ['creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const;

/** All of these in turn. Mostly there is nothing, and that is the same nothing every time. */
function allOf(...parts: readonly FieldErrors[]): FieldErrors {
  return parts.every(({ length }) => length === 0) ? nothing : parts.flat();
}

function invalidEach(path: FieldPath, value: string, sentences: readonly string[]): FieldErrors {
  return sentences.length === 0 ? nothing : sentences.map((sentence) => fieldInvalid(path, value, sentence));
}

function validateName(meta: Frozen<ObjectMeta>, nameRule: NameRule, path: FieldPath): FieldErrors {
  const { name = '', generateName = '' } = meta;
  return allOf(
    generateName === '' ? nothing : invalidEach(path.child('generateName'), generateName, nameRule(generateName, true)),
    name === ''
      ? [fieldRequired(path.child('name'), 'name or generateName is required')]
      : invalidEach(path.child('name'), name, nameRule(name, false)),
  );
}

function validateNamespace(namespace: string, namespaced: boolean, path: FieldPath): FieldErrors {
  const at = path.child('namespace');
  if (!namespaced) return namespace === '' ? nothing : [fieldForbidden(at, 'not allowed on this type')];
  return namespace === '' ? [fieldRequired(at)] : invalidEach(at, namespace, nameIsDnsLabel(namespace, false));
}

function validateOwnerReferences(references: readonly Frozen<OwnerReference>[], path: FieldPath): FieldErrors {
  let controller: string | undefined;
  let controllerErrors = 0;
  return collect(references, (reference) => {
    const errors = validateOwnerReference(reference, path);
    if (reference.controller !== true) return errors;
    const { kind, name } = completeReference(reference);
    const first = controller;
    controller ??= `${kind}/${name}`;
    // Every such error prints the whole list, so their number must not grow with it.
    if (first === undefined || controllerErrors++ >= controllerErrorsMax) return errors;
    const found = `Found "true" in references for ${first} and ${kind}/${name}`;
    const detail = `Only one reference can have Controller set to true. ${found}`;
    return [...errors, fieldInvalid(path, references.map(completeReference), detail)];
  });
}

function validateOwnerReference(reference: Frozen<OwnerReference>, path: FieldPath): FieldErrors {
  const complete = completeReference(reference);
  const gvk = groupVersionKindOf(complete);
  const errors: FieldError[] = [];
  if (gvk.version === '') {
    errors.push(fieldInvalid(path.child('apiVersion'), complete.apiVersion, 'version must not be empty'));
  }
  for (const field of ['kind', 'name', 'uid'] as const) {
    if (complete[field] === '') errors.push(fieldInvalid(path.child(field), '', 'must not be empty'));
  }
  if (gvk.group === '' && gvk.version === 'v1' && gvk.kind === 'Event') {
    errors.push(fieldInvalid(path, complete, `${printGroupVersionKind(gvk)} is disallowed from being an owner`));
  }
  return errors;
}

/** The reference as Go holds and prints it: text that was not sent is empty. */
function completeReference(reference: Frozen<Partial<OwnerReference>>): OwnerReference {
  const { apiVersion = '', kind = '', name = '', uid = '', controller, blockOwnerDeletion } = reference;
  return {
    apiVersion,
    kind,
    name,
    uid,
    ...(controller !== undefined && { controller }),
    ...(blockOwnerDeletion !== undefined && { blockOwnerDeletion }),
  };
}

function validateFinalizers(finalizers: readonly string[], path: FieldPath): FieldErrors {
  const wrong = collect(finalizers, (finalizer) => invalidEach(path, finalizer, isQualifiedName(finalizer)));
  if (!finalizers.includes('orphan') || !finalizers.includes('foregroundDeletion')) return wrong;
  return [...wrong, fieldInvalid(path, finalizers, 'finalizer orphan and foregroundDeletion cannot be both set')];
}

function validateNoNewFinalizers(meta: Frozen<ObjectMeta>, old: Frozen<ObjectMeta>, path: FieldPath): FieldErrors {
  if (!old.deletionTimestamp) return nothing;
  const allowed = new Set(old.finalizers);
  const added = new Set(meta.finalizers?.filter((finalizer) => !allowed.has(finalizer)));
  if (added.size === 0) return nothing;
  const rule = 'no new finalizers can be added if the object is being deleted';
  return [fieldForbidden(path, `${rule}, found new finalizers ${formatStrings([...added].sort())}`)];
}

function validateRevision(meta: Frozen<ObjectMeta>, old: Frozen<ObjectMeta>, path: FieldPath): FieldErrors {
  const { resourceVersion = '', generation = 0 } = meta;
  if (resourceVersion !== '' && generation >= (old.generation ?? 0)) return nothing;
  const errors: FieldError[] = [];
  if (resourceVersion === '') {
    errors.push(fieldInvalid(path.child('resourceVersion'), '', 'must be specified for an update'));
  }
  if (generation < (old.generation ?? 0)) {
    errors.push(fieldInvalid(path.child('generation'), generation, 'must not be decremented'));
  }
  return errors;
}

function validateManagedFields(entries: readonly Frozen<ManagedFieldsEntry>[], path: FieldPath): FieldErrors {
  return collect(entries, (entry, index) => {
    const { operation = '', fieldsType = '', manager = '', subresource = '' } = entry;
    const at = path.index(index);
    const errors: FieldError[] = [];
    if (operation !== 'Apply' && operation !== 'Update') {
      errors.push(fieldInvalid(at.child('operation'), operation, 'must be `Apply` or `Update`'));
    }
    if (fieldsType !== '' && fieldsType !== 'FieldsV1') {
      errors.push(fieldInvalid(at.child('fieldsType'), fieldsType, 'must be `FieldsV1`'));
    }
    errors.push(...validateFieldManager(manager, at.child('manager')));
    if (utf8Length(subresource) > subresourceBytesMax) {
      errors.push(fieldTooLong(at.child('subresource'), subresourceBytesMax));
    }
    return errors;
  });
}
