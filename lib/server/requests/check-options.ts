// Options of lists and watches that contradict themselves are refused before anything is done, with the words of
// meta/internalversion/validation. Those of writes are checked where writes are opened (open-write.ts).
import { fieldForbidden, fieldNotSupported, fieldPath } from '../../core/index.js';
import type { FieldError } from '../../core/index.js';
import type { RequestOptions } from '../../client/index.js';
import { refuseOptions } from './open-write.js';

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
  refuseOptions('ListOptions', errors);
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
  refuseOptions('ListOptions', errors);
}
