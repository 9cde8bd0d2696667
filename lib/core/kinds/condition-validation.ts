// Conditions of a status: typed, dated and with a reason, each type once.
// As apimachinery/pkg/apis/meta/v1/validation/validation.go, ValidateConditions.
import { collect } from '../errors/collect.js';
import { fieldDuplicate, fieldInvalid, fieldNotSupported, fieldRequired, fieldTooLong } from '../errors/field-error.js';
import type { FieldError } from '../errors/field-error.js';
import type { FieldPath } from '../errors/field-path.js';
import { ALPHANUMERIC, LETTER, UNDERSCORE, isCharacter, utf8Length } from '../objects/names.js';
import type { Condition } from '../types/meta-v1.generated.js';
import { validateLabelName } from './label-selector-validation.js';
import type { Loose } from './loose.js';

/** Validates a list of conditions. */
export function validateConditions(conditions: readonly Loose<Condition>[], path: FieldPath): readonly FieldError[] {
  const seen = new Set<string>();
  return collect(conditions, (condition, index) => {
    const at = path.index(index);
    const { type = '' } = condition;
    const repeated = seen.has(type);
    seen.add(type);
    return [...(repeated ? [fieldDuplicate(at.child('type'), type)] : []), ...validateCondition(condition, at)];
  });
}

function validateCondition(condition: Loose<Condition>, path: FieldPath): readonly FieldError[] {
  const { type = '', status = '', observedGeneration = 0, lastTransitionTime, reason = '', message = '' } = condition;
  const errors = [...validateLabelName(type, path.child('type'))];
  if (!statuses.includes(status)) errors.push(fieldNotSupported(path.child('status'), status, statuses));
  if (observedGeneration < 0) {
    errors.push(
      fieldInvalid(path.child('observedGeneration'), observedGeneration, 'must be greater than or equal to zero'),
    );
  }
  if (lastTransitionTime === undefined) errors.push(fieldRequired(path.child('lastTransitionTime')));
  if (reason === '') errors.push(fieldRequired(path.child('reason')));
  else {
    if (!isReason(reason)) errors.push(fieldInvalid(path.child('reason'), reason, reasonSentence));
    if (utf8Length(reason) > reasonBytesMax) errors.push(fieldTooLong(path.child('reason'), reasonBytesMax));
  }
  if (utf8Length(message) > messageBytesMax) errors.push(fieldTooLong(path.child('message'), messageBytesMax));
  return errors;
}

const statuses = ['False', 'True', 'Unknown'];
const reasonBytesMax = 1024;
const messageBytesMax = 32 * 1024;

function isReason(reason: string): boolean {
  const last = reason.length - 1;
  if (!isCharacter(reason, 0, LETTER) || (last > 0 && !isCharacter(reason, last, ALPHANUMERIC | UNDERSCORE)))
    return false;
  for (let i = 1; i < last; i++) {
    if (!isCharacter(reason, i, ALPHANUMERIC | UNDERSCORE) && reason[i] !== ',' && reason[i] !== ':') return false;
  }
  return true;
}

const reasonSentence =
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', " +
  "and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or " +
  "'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')";
