// MutatingAdmissionPolicy: changes to requests, written in CEL.
// As pkg/registry/admissionregistration/mutatingadmissionpolicy/strategy.go and
// pkg/apis/admissionregistration/validation/validation.go, validateMutatingAdmissionPolicySpec.
import { visitUntilFull } from '../../errors/collect.js';
import { fieldInvalid, fieldNotSupported, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import type { FieldPath } from '../../errors/field-path.js';
import type { Frozen } from '../../objects/meta.js';
import type { MutatingAdmissionPolicy, Mutation } from '../../types/admissionregistration-v1.generated.js';
import type { ExpressionCheck } from '../expression-check.js';
import type { KindStrategy } from '../kind-strategy.js';
import { printedWord } from '../printed-values.js';
import { integerColumn } from '../table-cells.js';
import { trimSpace } from '../../go/trim-space.js';
import { policyScope, policyStrategy, validatePolicyConditions, validatePolicyFrame } from './admission-policy.js';
import { validateMutatingOperations, validateWord } from './match-rules.js';
import { validateVariables } from './policy-parts.js';
import type { PolicyScope } from './policy-parts.js';
import { reinvocationPolicies } from './webhooks.js';

/** The strategy of MutatingAdmissionPolicies. */
export const mutatingAdmissionPolicy: KindStrategy<MutatingAdmissionPolicy> = policyStrategy<MutatingAdmissionPolicy>({
  validate: validatePolicy,
  column: integerColumn('Mutations', 'How many changes there are.'),
  count: ({ spec }) => spec?.mutations?.length ?? 0,
});

function validatePolicy(
  { spec = {} }: Frozen<MutatingAdmissionPolicy>,
  old: Frozen<MutatingAdmissionPolicy> | undefined,
  check: ExpressionCheck,
): readonly FieldError[] {
  const path = fieldPath('spec');
  const before = old?.spec ?? {};
  const { mutations = [], reinvocationPolicy = '' } = spec;
  const scope = policyScope(spec, check);
  // Of JSON patches Kubernetes remembers nothing: it looks for them among the others.
  const stored = new Set(before.mutations?.map(({ applyConfiguration }) => applyConfiguration?.expression ?? ''));
  const errors = [
    ...validatePolicyFrame(spec),
    ...validateMutatingOperations(spec.matchConstraints, path.child('matchConstraints')),
    ...validatePolicyConditions(spec, old && before, scope),
  ];
  errors.push(...validateVariables(path.child('variables'), scope, new Set()));
  if (mutations.length === 0)
    errors.push(fieldRequired(path.child('mutations'), 'mutations must contain at least one item'));
  visitUntilFull(mutations, errors, (mutation, index) =>
    errors.push(...validateMutation(mutation, path.child('mutations').index(index), scope, stored)),
  );
  if (reinvocationPolicy === '') return [...errors, fieldRequired(path.child('reinvocationPolicy'))];
  return [...errors, ...validateWord(reinvocationPolicy, path.child('reinvocationPolicy'), reinvocationPolicies)];
}

function validateMutation(
  mutation: Frozen<Mutation>,
  path: FieldPath,
  scope: PolicyScope,
  stored: ReadonlySet<string>,
): readonly FieldError[] {
  const patchType: string = mutation.patchType;
  if (patchType === '') return [fieldRequired(path.child('patchType'))];
  if (patchType !== 'JSONPatch' && patchType !== 'ApplyConfiguration') {
    return [fieldNotSupported(path.child('patchType'), printedWord(patchType), ['ApplyConfiguration', 'JSONPatch'])];
  }
  const [use, other] =
    patchType === 'JSONPatch'
      ? (['jsonPatch', 'applyConfiguration'] as const)
      : (['applyConfiguration', 'jsonPatch'] as const);
  const patch = mutation[use];
  const expression = trimSpace(patch?.expression ?? '');
  const place = { path: path.child(use).child('expression'), stored: stored.has(patch?.expression ?? '') };
  const errors: FieldError[] = [];
  if (patch === undefined)
    errors.push(fieldRequired(path.child(use), `must be specified when patchType is ${patchType}`));
  else if (expression === '') errors.push(fieldRequired(place.path));
  else errors.push(...scope.check({ kind: 'admission', use, expression, ...scope, ...place }));
  if (mutation[other] === undefined) return errors;
  return [
    ...errors,
    fieldInvalid(path.child(other), `{${other}}`, `must not be specified when patchType is ${patchType}`),
  ];
}
