// The specification of a PersistentVolume, in a volume or inline in an attachment, where little of it may be set.
// As ValidatePersistentVolumeSpec in pkg/apis/core/validation/validation.go.
import { findingsMax } from '../../errors/collect.js';
import { fieldForbidden, fieldInvalid, fieldNotSupported, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import type { Frozen } from '../../objects/meta.js';
import { isDns1123Subdomain } from '../../objects/names.js';
import { quantityToInteger } from '../../objects/quantity-arithmetic.js';
import { parseQuantity } from '../../objects/quantity.js';
import type { PersistentVolumeSpec } from '../../types/core-v1.generated.js';
import { validateAccessModes } from '../pods/claim-template-validation.js';
import { validateOneOf, required, requiredAndRuled, ruledIfGiven } from '../pods/field-checks.js';
import type { FieldErrors } from '../pods/field-checks.js';
import { validateNodeSelector } from '../pods/node-selector-validation.js';
import { printedMap } from '../printed-values.js';
import { validatePositiveQuantity } from '../quantity-validation.js';
import { validateVolumeSources } from './persistent-volume-sources.js';

type Spec = Frozen<PersistentVolumeSpec>;

/** Where the specification stands and what it is part of. */
export interface VolumeSpecContext {
  readonly path: FieldPath;
  /** The name of the volume; empty where it has none. */
  readonly name: string;
  /** The specification is inline in an attachment. */
  readonly inline: boolean;
  /** The old volume already selects by values that no label can have. */
  readonly allowInvalidLabelValues?: boolean;
}

/** Validates the specification of a volume. */
export function validateVolumeSpec(spec: Spec, context: VolumeSpecContext): FieldErrors {
  const { path, inline } = context;
  return [
    ...(inline ? validateInlineParts(spec, path) : []),
    ...required(spec.accessModes, path.child('accessModes')),
    ...validateAccessModes(spec.accessModes ?? [], path.child('accessModes')),
    ...(inline ? [] : validateCapacity(spec.capacity, path.child('capacity'))),
    ...validateReclaimPolicy(spec, context),
    ...validateAffinity(spec, context),
    ...validateVolumeSources(spec, context),
    ...validateRecycling(spec, path),
    ...validateClasses(spec, context),
  ];
}

const notInline = 'may not be specified in the context of inline volumes';

function validateInlineParts({ claimRef, capacity, csi }: Spec, path: FieldPath): FieldErrors {
  return [
    ...(claimRef === undefined ? [] : [fieldForbidden(path.child('claimRef'), notInline)]),
    ...(capacity === undefined ? [] : [fieldForbidden(path.child('capacity'), notInline)]),
    ...(csi === undefined
      ? [fieldRequired(path.child('csi'), 'has to be specified in the context of inline volumes')]
      : []),
  ];
}

/** Storage and nothing else. */
function validateCapacity(capacity: Readonly<Record<string, string>> | undefined, path: FieldPath): FieldErrors {
  const amounts = capacity ?? {};
  const errors: FieldError[] = capacity === undefined ? [fieldRequired(path)] : [];
  if (!Object.hasOwn(amounts, 'storage') || Object.keys(amounts).length > 1)
    errors.push(fieldNotSupported(path, printedMap(capacity), ['storage']));
  for (const [name, amount] of Object.entries(amounts)) {
    if (errors.length > findingsMax) break;
    errors.push(...validateBasicAmount(amount, path.key(name)), ...validatePositiveQuantity(amount, path.key(name)));
  }
  return errors;
}

/** An amount that is not negative. As validateBasicResource. */
export function validateBasicAmount(amount: string, path: FieldPath): FieldErrors {
  const value = quantityToInteger(parseQuantity(amount));
  return value < 0n ? [fieldInvalid(path, value, 'must be a valid resource quantity')] : [];
}

function validateReclaimPolicy(
  { persistentVolumeReclaimPolicy: policy }: Spec,
  { path, inline }: VolumeSpecContext,
): FieldErrors {
  const at = path.child('persistentVolumeReclaimPolicy');
  if (!inline || policy === undefined) return validateOneOf(policy, ['Delete', 'Recycle', 'Retain'], at);
  return policy === 'Retain' ? [] : [fieldForbidden(at, 'may only be Retain in the context of inline volumes')];
}

function validateAffinity(
  { nodeAffinity }: Spec,
  { path, inline, allowInvalidLabelValues = false }: VolumeSpecContext,
): FieldErrors {
  if (nodeAffinity === undefined) return [];
  const at = path.child('nodeAffinity');
  if (inline) return [fieldForbidden(at, notInline)];
  if (nodeAffinity.required === undefined)
    return [fieldRequired(at.child('required'), 'must specify required node constraints')];
  return validateNodeSelector(nodeAffinity.required, at.child('required'), {
    allowInvalidValues: allowInvalidLabelValues,
  });
}

/** The root of a node must not be recycled. */
function validateRecycling({ hostPath, persistentVolumeReclaimPolicy: policy }: Spec, path: FieldPath): FieldErrors {
  if (hostPath === undefined || policy !== 'Recycle' || !isRoot(hostPath.path)) return [];
  return [
    fieldForbidden(path.child('persistentVolumeReclaimPolicy'), "may not be 'recycle' for a hostPath mount of '/'"),
  ];
}

/** Returns whether an absolute path names the root once it is cleaned as Go's path.Clean does. */
function isRoot(path: string): boolean {
  if (!path.startsWith('/')) return false;
  let depth = 0;
  for (const part of path.split('/')) {
    if (part === '..') depth = Math.max(0, depth - 1);
    else if (part !== '' && part !== '.') depth++;
  }
  return depth === 0;
}

function validateClasses(spec: Spec, { path, inline }: VolumeSpecContext): FieldErrors {
  const { storageClassName = '', volumeMode, volumeAttributesClassName: attributes, csi } = spec;
  const errors: FieldError[] = [];
  if (!inline) errors.push(...ruledIfGiven(storageClassName, isDns1123Subdomain, path.child('storageClassName')));
  else if (storageClassName !== '') errors.push(fieldForbidden(path.child('storageClassName'), notInline));
  if (!inline) errors.push(...validateOneOf(volumeMode, ['Block', 'Filesystem'], path.child('volumeMode')));
  else if (volumeMode !== undefined && volumeMode !== 'Filesystem') {
    errors.push(
      fieldForbidden(
        path.child('volumeMode'),
        'may not specify volumeMode other than Filesystem in the context of inline volumes',
      ),
    );
  }
  if (attributes === undefined) return errors;
  const at = path.child('volumeAttributesClassName');
  if (attributes === '') errors.push(fieldRequired(at, 'an empty string is disallowed'));
  else errors.push(...requiredAndRuled(attributes, isDns1123Subdomain, at));
  if (csi === undefined)
    errors.push(fieldRequired(path.child('csi'), 'has to be specified when using volumeAttributesClassName'));
  return errors;
}
