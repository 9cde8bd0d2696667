// Taints that a pod tolerates. As pkg/apis/core/validation/validation.go, ValidateTolerations.
import { fieldInvalid, fieldNotSupported } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import { int64Of, numError } from '../../go/strconv.js';
import type { Frozen } from '../../objects/meta.js';
import { isLabelValue } from '../../objects/names.js';
import type { Toleration } from '../../types/core-v1.generated.js';
import { validateLabelName } from '../label-selector-validation.js';
import { printedWord } from '../printed-values.js';
import { each, noErrors, validateOneOf } from './field-checks.js';
import type { FieldErrors } from './field-checks.js';

/** What passes although new objects may not have it. */
export interface TolerationOptions {
  /** Operators that compare numbers, which are on trial. */
  readonly allowComparisons?: boolean;
}

/** Every toleration. */
export function validateTolerations(
  tolerations: readonly Frozen<Toleration>[] | undefined,
  path: FieldPath,
  options: TolerationOptions = {},
): FieldErrors {
  return each(tolerations, path, (toleration, at) => {
    const { key = '', value = '', tolerationSeconds } = toleration;
    const effect: string = toleration.effect ?? '';
    const operator: string = toleration.operator ?? '';
    const errors: FieldError[] = [...(key === '' ? noErrors : validateLabelName(key, at.child('key')))];
    if (key === '' && operator !== 'Exists') {
      const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
      errors.push(fieldInvalid(at.child('operator'), printedWord(operator), detail));
    }
    if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
      errors.push(
        fieldInvalid(
          at.child('effect'),
          printedWord(effect),
          "effect must be 'NoExecute' when `tolerationSeconds` is set",
        ),
      );
    }
    errors.push(...validateValue(operator, value, at, options));
    if (effect !== '')
      errors.push(...validateOneOf(effect, ['NoSchedule', 'PreferNoSchedule', 'NoExecute'], at.child('effect')));
    return errors;
  });
}

/** Values that go with the operator; most errors are reported at the operator. */
function validateValue(operator: string, value: string, path: FieldPath, options: TolerationOptions): FieldErrors {
  const at = path.child('operator');
  switch (operator) {
    case 'Equal':
    case '': {
      const wrong = isLabelValue(value);
      return wrong.length === 0 ? noErrors : [fieldInvalid(at, value, wrong.join(';'))];
    }
    case 'Exists':
      return value === '' ? noErrors : [fieldInvalid(at, value, "value must be empty when `operator` is 'Exists'")];
    case 'Lt':
    case 'Gt':
      if (options.allowComparisons === true) return validateNumber(value, path.child('value'));
      return [fieldNotSupported(at, printedWord(operator), ['Equal', 'Exists', 'Lt', 'Gt'])];
    default:
      return [fieldNotSupported(at, printedWord(operator), ['Equal', 'Exists'])];
  }
}

/** A decimal int64 without superfluous digits. */
function validateNumber(value: string, path: FieldPath): FieldErrors {
  const errors: FieldError[] = [];
  if (value === '') errors.push(fieldInvalid(path, value, 'must be non-empty'));
  else if (!/^(?:0|-?[1-9][0-9]*)$/.test(value)) errors.push(fieldInvalid(path, value, decimalSentence));
  return int64Of(value) === undefined ? [...errors, fieldInvalid(path, value, numError('ParseInt', value))] : errors;
}

const decimalSentence =
  "must be a valid decimal integer in canonical form: optional '-' sign, no leading zeros, no '-0', and digits 0-9 only";
