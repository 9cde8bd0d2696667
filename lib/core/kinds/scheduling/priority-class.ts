// PriorityClasses: names for priorities of pods. Two of them belong to the system and are always the same.
// As pkg/registry/scheduling/priorityclass/strategy.go, pkg/apis/scheduling/validation/validation.go and
// pkg/apis/scheduling/v1/helpers.go.
import { fieldForbidden, fieldInvalid, fieldNotSupported, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import type { Frozen } from '../../objects/meta.js';
import { nameIsDnsSubdomain } from '../../objects/names.js';
import type { PriorityClass } from '../../types/scheduling-v1.generated.js';
import type { KindStrategy } from '../kind-strategy.js';
import type { KindTable } from '../kind-table.js';
import { printedWord } from '../printed-values.js';
import { age, ageColumn, integerColumn, nameColumn, textColumn } from '../table-cells.js';

const table: KindTable<PriorityClass> = {
  columns: [
    nameColumn,
    integerColumn('Value', 'The priority of pods of this class.'),
    { name: 'Global-Default', type: 'boolean', description: 'Whether pods without a class are of this one.' },
    ageColumn,
    textColumn('PreemptionPolicy', 'Whether pods of this class may take the place of others.'),
  ],
  row: (object, now) => {
    const { metadata, value = 0, globalDefault = false, preemptionPolicy = '' } = object;
    return { cells: [metadata?.name ?? '', value, globalDefault, age(object, now), preemptionPolicy] };
  },
};

/** The strategy of PriorityClasses. */
export const priorityClass: KindStrategy<PriorityClass> = {
  nameRule: nameIsDnsSubdomain,
  changesGeneration: () => false,
  validate: (object) => [...validateValue(object), ...validatePolicy(object.preemptionPolicy)],
  validateUpdate: (object, old) => [
    ...(object.value === old.value ? [] : [fieldForbidden(fieldPath('value'), 'may not be changed in an update.')]),
    ...(object.preemptionPolicy === old.preemptionPolicy
      ? []
      : [
          fieldInvalid(
            policyPath,
            object.preemptionPolicy === undefined ? null : printedWord(object.preemptionPolicy),
            'field is immutable',
          ),
        ]),
  ],
  table,
};

/** The classes of the system, by name. */
export const systemPriorityClasses: ReadonlyMap<string, { readonly value: number; readonly description: string }> =
  new Map([
    [
      'system-node-critical',
      {
        value: 2_000_001_000,
        description: 'Used for system critical pods that must not be moved from their current node.',
      },
    ],
    [
      'system-cluster-critical',
      {
        value: 2_000_000_000,
        description:
          'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
      },
    ],
  ]);

const policyPath = fieldPath('preemptionPolicy');
const policies = ['PreemptLowerPriority', 'Never'];
const systemPrefix = 'system-';
const userValueMax = 1_000_000_000;

function validateValue({ metadata, value = 0, globalDefault = false }: Frozen<PriorityClass>): readonly FieldError[] {
  const name = metadata?.name ?? '';
  if (!name.startsWith(systemPrefix)) {
    return value > userValueMax
      ? [fieldForbidden(fieldPath('value'), `maximum allowed value of a user defined priority is ${userValueMax}`)]
      : [];
  }
  const problem = systemProblem(name, value, globalDefault);
  if (problem === undefined) return [];
  return [
    fieldForbidden(
      fieldPath('metadata', 'name'),
      `priority class names with '${systemPrefix}' prefix are reserved for system use only. error: ${problem}`,
    ),
  ];
}

function systemProblem(name: string, value: number, globalDefault: boolean): string | undefined {
  const known = systemPriorityClasses.get(name)?.value;
  if (known === undefined) return `${name} is not a known system priority class`;
  if (value !== known) return `value of ${name} PriorityClass must be ${known}`;
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

function validatePolicy(policy: string | undefined): readonly FieldError[] {
  if (policy === undefined || policies.includes(policy)) return [];
  return policy === '' ? [fieldRequired(policyPath)] : [fieldNotSupported(policyPath, printedWord(policy), policies)];
}
