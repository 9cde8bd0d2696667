// ValidatingAdmissionPolicyBinding and MutatingAdmissionPolicyBinding: where a policy applies, and with which
// parameters. As pkg/registry/admissionregistration/{validating,mutating}admissionpolicybinding/strategy.go.
import { collect } from '../../errors/collect.js';
import { fieldDuplicate, fieldInvalid, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import type { FieldPath } from '../../errors/field-path.js';
import { deepEqual } from '../../objects/json.js';
import type { Frozen } from '../../objects/meta.js';
import { nameIsDnsSubdomain } from '../../objects/names.js';
import type {
  MutatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicyBinding,
} from '../../types/admissionregistration-v1.generated.js';
import type { KindStrategy } from '../kind-strategy.js';
import { printedWord } from '../printed-values.js';
import { age, ageColumn, nameColumn, textColumn } from '../table-cells.js';
import { validateMatchResources, validateMutatingOperations, validateWord } from './match-rules.js';
import { paramRefCell, validateParamRef, validatePolicyName } from './policy-parts.js';
import { warningsForName } from './static-names.js';

type Binding = MutatingAdmissionPolicyBinding | ValidatingAdmissionPolicyBinding;

/** The strategy of ValidatingAdmissionPolicyBindings. */
export const validatingAdmissionPolicyBinding: KindStrategy<ValidatingAdmissionPolicyBinding> =
  bindingStrategy<ValidatingAdmissionPolicyBinding>(({ spec }) =>
    validateActions(spec.validationActions, fieldPath('spec', 'validationActions')),
  );

/** The strategy of MutatingAdmissionPolicyBindings. */
export const mutatingAdmissionPolicyBinding: KindStrategy<MutatingAdmissionPolicyBinding> =
  bindingStrategy<MutatingAdmissionPolicyBinding>(({ spec }) =>
    validateMutatingOperations(spec?.matchResources, fieldPath('spec', 'matchResources')),
  );

function bindingStrategy<T extends Binding>(
  validateRest: (binding: Frozen<T>) => readonly FieldError[],
): KindStrategy<T> {
  const validate = (binding: Frozen<T>): readonly FieldError[] => [
    ...validateBinding(binding),
    ...validateRest(binding),
  ];
  return {
    nameRule: nameIsDnsSubdomain,
    validate,
    validateUpdate: validate,
    warningsOnCreate: warningsForName,
    warningsOnUpdate: warningsForName,
    changesGeneration: (binding, old) => !deepEqual(binding.spec, old.spec),
    requiresResourceVersion: true,
    table: {
      columns: [
        nameColumn,
        textColumn('PolicyName', 'The policy that is bound.'),
        textColumn('ParamRef', 'The parameters it is bound with.'),
        ageColumn,
      ],
      row: (binding, now) => ({
        cells: [
          binding.metadata?.name ?? '',
          binding.spec?.policyName ?? '',
          paramRefCell(binding.spec?.paramRef),
          age(binding, now),
        ],
      }),
    },
  };
}

function validateBinding({ spec = {} }: Frozen<Binding>): readonly FieldError[] {
  const path = fieldPath('spec');
  return [
    ...validatePolicyName(spec.policyName, path.child('policyName')),
    ...validateParamRef(spec.paramRef, path.child('paramRef')),
    ...validateMatchResources(spec.matchResources, path.child('matchResources')),
  ];
}

function validateActions(actions: readonly string[] | undefined, path: FieldPath): readonly FieldError[] {
  if (actions === undefined || actions.length === 0)
    return [fieldRequired(path, 'at least one validation action is required')];
  const seen = new Set<string>();
  const errors = collect(actions, (action, index) => {
    const at = path.index(index);
    const repeated = seen.has(action);
    seen.add(action);
    return [
      ...validateWord(action, at, validationActions),
      ...(repeated ? [fieldDuplicate(at, printedWord(action))] : []),
    ];
  });
  if (!seen.has('Deny') || !seen.has('Warn')) return errors;
  const why = 'repeating the same validation failure information in the API response and headers serves no purpose';
  return [...errors, fieldInvalid(path, actions, `must not contain both Deny and Warn (${why})`)];
}

const validationActions = ['Audit', 'Deny', 'Warn'];
