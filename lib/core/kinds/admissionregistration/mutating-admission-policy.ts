// MutatingAdmissionPolicy: changes to requests, written in CEL.
// As pkg/registry/admissionregistration/mutatingadmissionpolicy/strategy.go and
// pkg/apis/admissionregistration/validation/validation.go, validateMutatingAdmissionPolicySpec.
import { fieldInvalid, fieldNotSupported, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import type { FieldPath } from '../../errors/field-path.js';
import { deepEqual } from '../../objects/deep-equal.js';
import type { Frozen } from '../../objects/meta.js';
import { nameIsDnsSubdomain } from '../../objects/names.js';
import type { MutatingAdmissionPolicy, Mutation } from '../../types/admissionregistration-v1.generated.js';
import type { ExpressionCheck } from '../expression-check.js';
import type { KindStrategy } from '../kind-strategy.js';
import { printedWord } from '../printed-values.js';
import { age, ageColumn, integerColumn, nameColumn, textColumn } from '../table-cells.js';
import { trimSpace } from '../trim-space.js';
import { validateMatchConditions } from './match-conditions.js';
import { validateMutatingOperations, validateWord } from './match-rules.js';
import { paramKindCell, validateVariables } from './policy-parts.js';
import type { PolicyScope } from './policy-parts.js';
import { warningsForName } from './static-names.js';
import { validatePolicyFrame } from './validating-admission-policy.js';
import { reinvocationPolicies } from './webhooks.js';

/** What is particular to MutatingAdmissionPolicies. */
export function mutatingAdmissionPolicy(check: ExpressionCheck): KindStrategy<MutatingAdmissionPolicy> {
  return {
    nameRule: nameIsDnsSubdomain,
    validate: (policy) => validatePolicy(policy, undefined, check),
    validateUpdate: (policy, old) => validatePolicy(policy, old, check),
    warningsOnCreate: warningsForName,
    warningsOnUpdate: warningsForName,
    changesGeneration: (policy, old) => !deepEqual(policy.spec, old.spec),
    requiresResourceVersion: true,
    table: {
      columns: [nameColumn, integerColumn('Mutations', 'How many changes there are.'), textColumn('ParamKind', 'The kind of the parameters.'), ageColumn],
      row: (policy, now) => ({
        cells: [policy.metadata?.name ?? '', policy.spec?.mutations?.length ?? 0, paramKindCell(policy.spec?.paramKind), age(policy, now)],
      }),
    },
  };
}

function validatePolicy(
  { spec = {} }: Frozen<MutatingAdmissionPolicy>,
  old: Frozen<MutatingAdmissionPolicy> | undefined,
  check: ExpressionCheck,
): readonly FieldError[] {
  const path = fieldPath('spec');
  const before = old?.spec ?? {};
  const { variables = [], mutations = [], reinvocationPolicy = '' } = spec;
  const scope: PolicyScope = { check, hasParams: spec.paramKind !== undefined, variables };
  const conditions = new Set(before.matchConditions?.map(({ expression }) => expression));
  // Of JSON patches Kubernetes remembers nothing: it looks for them among the others.
  const stored = new Set(before.mutations?.map(({ applyConfiguration }) => applyConfiguration?.expression ?? ''));
  const keepsConditions = old !== undefined && deepEqual(spec.paramKind, before.paramKind) && deepEqual(spec.matchConditions, before.matchConditions);
  const errors = [...validatePolicyFrame(spec), ...validateMutatingOperations(spec.matchConstraints, path.child('matchConstraints'))];
  if (!keepsConditions) errors.push(...validateMatchConditions(spec.matchConditions, path.child('matchConditions'), { ...scope, stored: conditions }));
  errors.push(...validateVariables(path.child('variables'), scope, new Set()));
  if (mutations.length === 0) errors.push(fieldRequired(path.child('mutations'), 'mutations must contain at least one item'));
  mutations.forEach((mutation, index) => errors.push(...validateMutation(mutation, path.child('mutations').index(index), scope, stored)));
  if (reinvocationPolicy === '') return [...errors, fieldRequired(path.child('reinvocationPolicy'))];
  return [...errors, ...validateWord(reinvocationPolicy, path.child('reinvocationPolicy'), reinvocationPolicies)];
}

function validateMutation(mutation: Frozen<Mutation>, path: FieldPath, scope: PolicyScope, stored: ReadonlySet<string>): readonly FieldError[] {
  const patchType: string = mutation.patchType;
  if (patchType === '') return [fieldRequired(path.child('patchType'))];
  if (patchType !== 'JSONPatch' && patchType !== 'ApplyConfiguration') {
    return [fieldNotSupported(path.child('patchType'), printedWord(patchType), ['ApplyConfiguration', 'JSONPatch'])];
  }
  const [use, other] = patchType === 'JSONPatch' ? (['jsonPatch', 'applyConfiguration'] as const) : (['applyConfiguration', 'jsonPatch'] as const);
  const patch = mutation[use];
  const expression = trimSpace(patch?.expression ?? '');
  const place = { path: path.child(use).child('expression'), stored: stored.has(patch?.expression ?? '') };
  const errors: FieldError[] = [];
  if (patch === undefined) errors.push(fieldRequired(path.child(use), `must be specified when patchType is ${patchType}`));
  else if (expression === '') errors.push(fieldRequired(place.path));
  else errors.push(...scope.check({ kind: 'admission', use, expression, ...scope, ...place }));
  if (mutation[other] === undefined) return errors;
  return [...errors, fieldInvalid(path.child(other), `{${other}}`, `must not be specified when patchType is ${patchType}`)];
}
