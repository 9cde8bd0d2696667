// References of autoscalers to objects of any version: what is scaled, and what a metric describes.
// As pkg/apis/autoscaling/validation/validation.go, ValidateCrossVersionObjectReference.
import { fieldInvalid, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import { parseGroupVersion } from '../../objects/gvk.js';
import { isPathSegment } from '../../objects/names.js';
import { isParseError } from '../../objects/parse-error.js';
import type { CrossVersionObjectReference } from '../../types/autoscaling-v2.generated.js';
import { invalidEach } from '../invalid-each.js';
import type { Loose } from '../loose.js';

/** What is tolerated. */
export interface ReferenceLeniency {
  /** The core group, whose name is empty. */
  readonly coreGroup?: boolean;
  /** Any apiVersion, readable or not. */
  readonly anyVersion?: boolean;
}

/** Validates a reference. */
export function validateReference(
  reference: Loose<CrossVersionObjectReference>,
  path: FieldPath,
  leniency: ReferenceLeniency,
): readonly FieldError[] {
  const { kind = '', name = '', apiVersion = '' } = reference;
  const wrong = wrongApiVersion(reference, leniency);
  return [
    ...validateSegment(kind, path.child('kind')),
    ...validateSegment(name, path.child('name')),
    ...(wrong === undefined ? [] : [fieldInvalid(path.child('apiVersion'), apiVersion, wrong)]),
  ];
}

/** Validates a reference's apiVersion, if anything. */
export function wrongApiVersion(
  { apiVersion = '' }: Loose<CrossVersionObjectReference>,
  leniency: ReferenceLeniency,
): string | undefined {
  if (leniency.anyVersion === true) return undefined;
  try {
    const { group } = parseGroupVersion(apiVersion);
    return group === '' && leniency.coreGroup !== true ? 'apiVersion must specify API group' : undefined;
  } catch (error) {
    if (isParseError(error)) return error.message;
    throw error;
  }
}

function validateSegment(text: string, path: FieldPath): readonly FieldError[] {
  return text === '' ? [fieldRequired(path)] : invalidEach(path, text, isPathSegment(text));
}
