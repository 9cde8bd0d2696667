// What validating and mutating admission policies have in common: when they are written, how they are listed, and all
// of their specification but the rules themselves. As pkg/apis/admissionregistration/validation/validation.go.
import { fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import { deepEqual } from '../../objects/json.js';
import type { Frozen } from '../../objects/meta.js';
import { nameIsDnsSubdomain } from '../../objects/names.js';
import type {
  MutatingAdmissionPolicy,
  ValidatingAdmissionPolicy,
} from '../../types/admissionregistration-v1.generated.js';
import { uncheckedExpressions } from '../expression-check.js';
import type { ExpressionCheck } from '../expression-check.js';
import type { KindStrategy } from '../kind-strategy.js';
import type { TableColumn } from '../kind-table.js';
import { age, ageColumn, nameColumn, textColumn } from '../table-cells.js';
import { validateMatchConditions } from './match-conditions.js';
import { validateMatchResources, validateWord } from './match-rules.js';
import { paramKindCell, validateParamKind } from './policy-parts.js';
import type { PolicyScope } from './policy-parts.js';
import { warningsForName } from './static-names.js';
import { failurePolicies } from './webhooks.js';

type Policy = MutatingAdmissionPolicy | ValidatingAdmissionPolicy;
type PolicySpec = Pick<
  NonNullable<Frozen<Policy>['spec']>,
  'failurePolicy' | 'paramKind' | 'matchConstraints' | 'matchConditions' | 'variables'
>;

/** The strategy of one of the two kinds. */
export interface PolicyKind<T extends Policy> {
  validate(policy: Frozen<T>, old: Frozen<T> | undefined, check: ExpressionCheck): readonly FieldError[];
  /** Where its rules are counted. */
  readonly column: TableColumn;
  count(policy: Frozen<T>): number;
}

/** The strategy of a kind of policies. */
export function policyStrategy<T extends Policy>(kind: PolicyKind<T>): KindStrategy<T> {
  return {
    nameRule: nameIsDnsSubdomain,
    validate: (policy, { checkExpression = uncheckedExpressions }) => kind.validate(policy, undefined, checkExpression),
    validateUpdate: (policy, old, { checkExpression = uncheckedExpressions }) =>
      kind.validate(policy, old, checkExpression),
    warningsOnCreate: warningsForName,
    warningsOnUpdate: warningsForName,
    changesGeneration: (policy, old) => !deepEqual(policy.spec, old.spec),
    requiresResourceVersion: true,
    table: {
      columns: [nameColumn, kind.column, textColumn('ParamKind', 'The kind of the parameters.'), ageColumn],
      row: (policy, now) => ({
        cells: [
          policy.metadata?.name ?? '',
          kind.count(policy),
          paramKindCell(policy.spec?.paramKind),
          age(policy, now),
        ],
      }),
    },
  };
}

/** What expressions of a policy may name. */
export function policyScope({ paramKind, variables = [] }: PolicySpec, check: ExpressionCheck): PolicyScope {
  return { check, hasParams: paramKind !== undefined, variables };
}

/** What a policy must have besides its rules. */
export function validatePolicyFrame({ failurePolicy, paramKind, matchConstraints }: PolicySpec): readonly FieldError[] {
  const path = fieldPath('spec');
  const errors =
    failurePolicy === undefined
      ? [fieldRequired(path.child('failurePolicy'))]
      : [...validateWord(failurePolicy, path.child('failurePolicy'), failurePolicies)];
  if (paramKind !== undefined) errors.push(...validateParamKind(paramKind, path.child('paramKind')));
  if (matchConstraints === undefined) return [...errors, fieldRequired(path.child('matchConstraints'))];
  errors.push(...validateMatchResources(matchConstraints, path.child('matchConstraints')));
  if ((matchConstraints.resourceRules ?? []).length === 0)
    errors.push(fieldRequired(path.child('matchConstraints').child('resourceRules')));
  return errors;
}

/** Match conditions; those that stay as they were are not checked again. */
export function validatePolicyConditions(
  spec: PolicySpec,
  before: PolicySpec | undefined,
  scope: PolicyScope,
): readonly FieldError[] {
  if (
    before !== undefined &&
    deepEqual(spec.paramKind, before.paramKind) &&
    deepEqual(spec.matchConditions, before.matchConditions)
  )
    return [];
  const stored = new Set(before?.matchConditions?.map(({ expression }) => expression));
  return validateMatchConditions(spec.matchConditions, fieldPath('spec', 'matchConditions'), { ...scope, stored });
}
