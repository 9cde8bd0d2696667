// Options that contradict themselves are refused before anything is done, with the words of
// apimachinery/pkg/apis/meta/v1/validation and meta/internalversion/validation.
import {
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldPath,
  invalid,
  mediaTypes,
  fieldRequired,
  validateFieldManager,
} from '../../core/index.js';
import type { FieldError, FieldValidation } from '../../core/index.js';
import type { RequestOptions } from '../../client/index.js';

/** Options of a create. Throws ApiError 422. */
export function checkCreateOptions(options: RequestOptions): void {
  refuse('CreateOptions', writeErrors(options));
}

/** Options of an update. */
export function checkUpdateOptions(options: RequestOptions): void {
  refuse('UpdateOptions', writeErrors(options));
}

/** Options of a patch of that media type. */
export function checkPatchOptions(options: RequestOptions, patchType: string): void {
  const errors: FieldError[] = [];
  if (patchType === mediaTypes.applyPatch) {
    if ((options.fieldManager ?? '') === '')
      errors.push(fieldRequired(fieldPath('fieldManager'), 'is required for apply patch'));
  } else if (options.force !== undefined) {
    errors.push(fieldForbidden(fieldPath('force'), 'may not be specified for non-apply patch'));
  }
  refuse('PatchOptions', [...errors, ...writeErrors(options)]);
}

/** Options of a delete. */
export function checkDeleteOptions({ propagationPolicy, orphanDependents, dryRun = [] }: RequestOptions): void {
  const errors: FieldError[] = [];
  const path = fieldPath('propagationPolicy');
  if (orphanDependents !== undefined && propagationPolicy !== undefined) {
    errors.push(fieldInvalid(path, propagationPolicy, 'orphanDependents and deletionPropagation cannot be both set'));
  }
  if (propagationPolicy !== undefined && !propagationPolicies.includes(propagationPolicy)) {
    errors.push(fieldNotSupported(path, propagationPolicy, [...propagationPolicies, 'nil']));
  }
  refuse('DeleteOptions', [...errors, ...dryRunErrors(dryRun)]);
}

/** Options of a list. */
export function checkListOptions(options: RequestOptions): void {
  const { resourceVersion = '', resourceVersionMatch: match = '', continue: token = '' } = options;
  const errors: FieldError[] = [];
  if (match !== '') {
    const path = fieldPath('resourceVersionMatch');
    if (resourceVersion === '')
      errors.push(fieldForbidden(path, 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
    if (token !== '') errors.push(fieldForbidden(path, 'resourceVersionMatch is forbidden when continue is provided'));
    if (match !== 'Exact' && match !== 'NotOlderThan')
      errors.push(fieldNotSupported(path, match, ['Exact', 'NotOlderThan', '']));
    if (match === 'Exact' && resourceVersion === '0')
      errors.push(fieldForbidden(path, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
  }
  if (options.sendInitialEvents !== undefined)
    errors.push(fieldForbidden(fieldPath('sendInitialEvents'), 'sendInitialEvents is forbidden for list'));
  refuse('ListOptions', errors);
}

/** Options of a watch. */
export function checkWatchOptions(options: RequestOptions): void {
  const { resourceVersionMatch: match = '', continue: token = '', sendInitialEvents } = options;
  const path = fieldPath('resourceVersionMatch');
  const errors: FieldError[] = [];
  if (sendInitialEvents !== undefined && match !== 'NotOlderThan') {
    errors.push(fieldForbidden(path, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  }
  if (match !== '') {
    if (sendInitialEvents === undefined)
      errors.push(
        fieldForbidden(path, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'),
      );
    if (match !== 'NotOlderThan') errors.push(fieldNotSupported(path, match, ['NotOlderThan']));
    if (token !== '') errors.push(fieldForbidden(path, 'resourceVersionMatch is forbidden when continue is provided'));
  }
  refuse('ListOptions', errors);
}

/** The level of field validation asked for; `Warn` where nothing is said. */
export function fieldValidationOf({ fieldValidation = '' }: RequestOptions): FieldValidation {
  return fieldValidation === 'Ignore' || fieldValidation === 'Strict' ? fieldValidation : 'Warn';
}

/** Whether nothing shall be stored. */
export function isDryRun({ dryRun }: RequestOptions): boolean {
  return dryRun !== undefined && dryRun.length > 0;
}

const propagationPolicies: readonly string[] = ['Foreground', 'Background', 'Orphan'];
const none: readonly FieldError[] = [];
const fieldValidations: readonly string[] = ['', 'Ignore', 'Strict', 'Warn'];

function writeErrors({ fieldManager = '', dryRun = [], fieldValidation = '' }: RequestOptions): readonly FieldError[] {
  const isKnown = fieldValidations.includes(fieldValidation);
  if (fieldManager === '' && dryRun.length === 0 && isKnown) return none; // most of them
  const errors = [...validateFieldManager(fieldManager, fieldPath('fieldManager')), ...dryRunErrors(dryRun)];
  if (!isKnown) errors.push(fieldNotSupported(fieldPath('fieldValidation'), fieldValidation, fieldValidations));
  return errors;
}

function dryRunErrors(dryRun: readonly string[]): readonly FieldError[] {
  if (dryRun.every((each) => each === 'All')) return [];
  return [fieldNotSupported(fieldPath('dryRun'), dryRun, ['All'])];
}

function refuse(kind: string, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind }, '', errors);
}
