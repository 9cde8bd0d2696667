// Options of reads: checks of list and watch options that contradict each other, in the words of
// meta/internalversion/validation, and resourceVersions as revisions, which are converted only here. Options of writes
// are checked in open-write.ts.
import { fieldForbidden, fieldNotSupported, fieldPath, badRequest, unclassifiedError } from '../../core/index.js';
import type { FieldError, RequestOptions } from '../../core/index.js';
import { refuseOptions } from './open-write.js';
import type { Freshness } from '../../cacher/index.js';
import type { Revision } from '../../storage/index.js';

/** Throws ApiError 422 where the options of a list contradict each other. */
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
  refuseOptions('ListOptions', errors);
}

/** Throws ApiError 422 where the options of a watch contradict each other. */
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
  refuseOptions('ListOptions', errors);
}

/**
 * How fresh a get must be: undefined for a consistent read, any cached state for `0`. Throws ApiError 500 for what is
 * no number, as a real server does.
 */
export function freshnessOf(resourceVersion: string | undefined): Freshness | undefined {
  if (resourceVersion === undefined || resourceVersion === '') return undefined;
  return { notOlderThan: parseRevision(resourceVersion, unclassifiedError) };
}

/** The revision of a list option. Throws ApiError 400. */
export function listRevision(resourceVersion: string): Revision {
  return parseRevision(resourceVersion, (problem) => badRequest(`invalid resource version: ${problem}`));
}

/** The revision after which a watch starts. Throws ApiError 500 for what is no number, as a real server does. */
export function watchRevision(resourceVersion: string): Revision {
  return parseRevision(resourceVersion, unclassifiedError);
}

function parseRevision(text: string, refusal: (problem: string) => Error): Revision {
  const isNumber = /^[0-9]+$/.test(text);
  // No store reaches revision 2^53 - 1, so larger numbers are all equal: a future revision.
  if (isNumber && (text.length < 20 || BigInt(text) < 2n ** 64n))
    return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
  const quoted = JSON.stringify(text);
  throw refusal(
    `resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: ${isNumber ? 'value out of range' : 'invalid syntax'}`,
  );
}
