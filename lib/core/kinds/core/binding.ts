// Bindings of pods to nodes. They are never stored: the subresource that takes them changes the pod.
// As ValidatePodBinding in pkg/apis/core/validation/validation.go.
import { fieldNotSupported, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import type { Frozen } from '../../objects/meta.js';
import { nameIsPathSegment } from '../../objects/names.js';
import type { Binding } from '../../types/core-v1.generated.js';
import type { KindStrategy } from '../kind-strategy.js';

/** The strategy of Bindings. */
export const binding: KindStrategy<Binding> = { nameRule: nameIsPathSegment, validate: validateBinding };

/** Validates a binding: its target must be a named node. */
export function validateBinding({ target }: Frozen<Binding>): readonly FieldError[] {
  const { kind = '', name = '' } = target;
  const path = fieldPath('target');
  const errors: FieldError[] = [];
  if (kind !== '' && kind !== 'Node') errors.push(fieldNotSupported(path.child('kind'), kind, ['Node', '<empty>']));
  if (name === '') errors.push(fieldRequired(path.child('name')));
  return errors;
}
