// ValidatingAdmissionPolicy: rules in CEL that requests must meet.
// As pkg/registry/admissionregistration/validatingadmissionpolicy/strategy.go and
// pkg/apis/admissionregistration/validation/validation.go, validateValidatingAdmissionPolicySpec.
import { collect, visitUntilFull } from '../../errors/collect.js';
import { fieldDuplicate, fieldInvalid, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import type { FieldPath } from '../../errors/field-path.js';
import { utf8Length } from '../../objects/names.js';
import type { Frozen } from '../../objects/meta.js';
import type {
  AuditAnnotation,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyStatus,
  Validation,
} from '../../types/admissionregistration-v1.generated.js';
import { validateConditions } from '../condition-validation.js';
import type { ExpressionCheck } from '../expression-check.js';
import type { KindStrategy } from '../kind-strategy.js';
import { validateLabelName } from '../label-selector-validation.js';
import { keepMetadata } from '../status-metadata.js';
import { integerColumn } from '../table-cells.js';
import { hasLineBreak, isBlank, trimSpace } from '../../go/trim-space.js';
import { policyScope, policyStrategy, validatePolicyConditions, validatePolicyFrame } from './admission-policy.js';
import { validateWord } from './match-rules.js';
import { validateVariables } from './policy-parts.js';
import type { PolicyScope } from './policy-parts.js';
import { warningsForName } from './static-names.js';

/** The strategy of ValidatingAdmissionPolicies. */
export const validatingAdmissionPolicy: KindStrategy<ValidatingAdmissionPolicy> = {
  ...policyStrategy<ValidatingAdmissionPolicy>({
    validate: validatePolicy,
    column: integerColumn('Validations', 'How many rules there are.'),
    count: ({ spec }) => spec?.validations?.length ?? 0,
  }),
  subresources: {
    status: {
      prepareForUpdate: keepMetadata,
      validateUpdate: ({ status = {} }) => validateStatus(status),
      warningsOnUpdate: warningsForName,
    },
  },
};

interface Stored {
  readonly validations: ReadonlySet<string>;
  readonly messages: ReadonlySet<string>;
  readonly annotations: ReadonlySet<string>;
}

function validatePolicy(
  { metadata, spec = {} }: Frozen<ValidatingAdmissionPolicy>,
  old: Frozen<ValidatingAdmissionPolicy> | undefined,
  check: ExpressionCheck,
): readonly FieldError[] {
  const path = fieldPath('spec');
  const before = old?.spec ?? {};
  const { validations = [], auditAnnotations = [] } = spec;
  const scope = policyScope(spec, check);
  const stored: Stored = {
    validations: new Set(before.validations?.map(({ expression }) => expression)),
    messages: new Set(before.validations?.map(({ messageExpression = '' }) => messageExpression)),
    annotations: new Set(before.auditAnnotations?.map(({ valueExpression }) => valueExpression)),
  };
  const errors = [...validatePolicyFrame(spec), ...validatePolicyConditions(spec, old && before, scope)];
  errors.push(...validateVariables(path.child('variables'), scope, stored.validations));
  if (validations.length === 0 && auditAnnotations.length === 0) {
    const sentence = 'validations or auditAnnotations must contain at least one item';
    return [
      ...errors,
      fieldRequired(path.child('validations'), sentence),
      fieldRequired(path.child('auditAnnotations'), sentence),
    ];
  }
  visitUntilFull(validations, errors, (validation, index) =>
    errors.push(...validateValidation(validation, path.child('validations').index(index), scope, stored)),
  );
  errors.push(...validateAnnotations(metadata?.name ?? '', auditAnnotations, scope, stored));
  return errors;
}

function validateValidation(
  validation: Frozen<Validation>,
  path: FieldPath,
  scope: PolicyScope,
  stored: Stored,
): readonly FieldError[] {
  const { expression, message = '', messageExpression = '', reason } = validation;
  const errors: FieldError[] = [];
  if (isBlank(expression)) errors.push(fieldRequired(path.child('expression'), 'expression is not specified'));
  else {
    const place = { path: path.child('expression'), stored: stored.validations.has(expression) };
    errors.push(...scope.check({ kind: 'admission', use: 'validation', expression, ...scope, ...place }));
  }
  if (messageExpression !== '') {
    const at = path.child('messageExpression');
    if (isBlank(messageExpression)) errors.push(fieldInvalid(at, messageExpression, 'must be non-empty if specified'));
    else {
      const place = { path: at, stored: stored.messages.has(messageExpression) };
      errors.push(
        ...scope.check({ kind: 'admission', use: 'message', expression: messageExpression, ...scope, ...place }),
      );
    }
  }
  if (message !== '' && isBlank(message))
    errors.push(fieldInvalid(path.child('message'), message, 'must be non-empty if specified'));
  else if (hasLineBreak(trimSpace(message)))
    errors.push(fieldInvalid(path.child('message'), message, 'must not contain line breaks'));
  return [...errors, ...validateWord(reason, path.child('reason'), reasons)];
}

const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];

function validateAnnotations(
  policyName: string,
  annotations: readonly Frozen<AuditAnnotation>[],
  scope: PolicyScope,
  stored: Stored,
): readonly FieldError[] {
  const path = fieldPath('spec', 'auditAnnotations');
  const errors: FieldError[] = [];
  if (annotations.length > annotationsMax) {
    const printed = annotations.map(({ key, valueExpression }) => ({ Key: key, ValueExpression: valueExpression }));
    errors.push(fieldInvalid(path, printed, `must not have more than ${annotationsMax} auditAnnotations`));
  }
  const seen = new Set<string>();
  visitUntilFull(annotations, errors, ({ key, valueExpression }, index) => {
    const at = path.index(index);
    if (policyName === '') errors.push(fieldInvalid(at.child('key'), key, 'requires metadata.name be non-empty'));
    else errors.push(...validateLabelName(`${policyName}/${key}`, at.child('key')));
    const expression = trimSpace(valueExpression);
    const place = { path: at.child('valueExpression'), stored: stored.annotations.has(valueExpression) };
    if (expression === '') errors.push(fieldRequired(place.path, 'valueExpression is not specified'));
    else if (utf8Length(expression) > annotationBytesMax)
      errors.push(fieldRequired(place.path, `must not exceed ${annotationBytesMax} bytes in length`));
    else errors.push(...scope.check({ kind: 'admission', use: 'auditAnnotation', expression, ...scope, ...place }));
    if (seen.has(key)) errors.push(fieldDuplicate(at.child('key'), key));
    seen.add(key);
  });
  return errors;
}

const annotationsMax = 20;
const annotationBytesMax = 5 * 1024;

/** Returns whether `fieldRef` is a JSONPath is not asked: only controllers write it. */
function validateStatus({
  typeChecking,
  conditions = [],
}: Frozen<ValidatingAdmissionPolicyStatus>): readonly FieldError[] {
  const path = fieldPath('status', 'typeChecking', 'expressionWarnings');
  const warnings = collect(typeChecking?.expressionWarnings ?? [], ({ warning, fieldRef }, index) => [
    ...(warning === '' ? [fieldRequired(path.index(index).child('warning'))] : []),
    ...(isBlank(fieldRef) ? [fieldRequired(path.index(index).child('fieldRef'))] : []),
  ]);
  return [...warnings, ...validateConditions(conditions, fieldPath('status', 'conditions'))];
}
