// StorageClasses: how volumes are made. As pkg/registry/storage/storageclass/strategy.go and
// pkg/apis/storage/validation, ValidateStorageClass.
import { collect } from '../../errors/collect.js';
import { fieldDuplicate, fieldInvalid, fieldNotSupported, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import type { FieldPath } from '../../errors/field-path.js';
import { deepEqual } from '../../objects/json.js';
import { validateImmutable } from '../../objects/meta-validation.js';
import type { Frozen } from '../../objects/meta.js';
import { nameIsDnsSubdomain } from '../../objects/names.js';
import type { TopologySelectorLabelRequirement, TopologySelectorTerm } from '../../types/core-v1.generated.js';
import type { StorageClass } from '../../types/storage-v1.generated.js';
import { isDefaultClass } from '../../volumes/storage-classes.js';
import { nodeLabelDeprecation } from '../deprecated-node-labels.js';
import type { KindStrategy } from '../kind-strategy.js';
import type { KindTable } from '../kind-table.js';
import { validateLabelName } from '../label-selector-validation.js';
import type { Loose } from '../loose.js';
import { printedMap, printedWord } from '../printed-values.js';
import { age, ageColumn, nameColumn, textColumn } from '../table-cells.js';
import { validateParameters, validateProvisioner } from './class-validation.js';

const table: KindTable<StorageClass> = {
  columns: [
    nameColumn,
    textColumn('Provisioner', 'Who makes volumes of this class.'),
    textColumn('ReclaimPolicy', 'What becomes of released volumes.'),
    textColumn('VolumeBindingMode', 'When volumes are made and bound.'),
    textColumn('AllowVolumeExpansion', 'Whether volumes may grow.'),
    ageColumn,
  ],
  row: (object, now) => {
    const {
      metadata,
      provisioner,
      reclaimPolicy = 'Delete',
      volumeBindingMode = 'Immediate',
      allowVolumeExpansion = false,
    } = object;
    const suffix = isDefaultClass(object) ? ' (default)' : '';
    return {
      cells: [
        `${metadata?.name ?? ''}${suffix}`,
        provisioner,
        reclaimPolicy,
        volumeBindingMode,
        allowVolumeExpansion,
        age(object, now),
      ],
    };
  },
};

/** The strategy of StorageClasses. */
export const storageClass: KindStrategy<StorageClass> = {
  nameRule: nameIsDnsSubdomain,
  validate,
  validateUpdate: (object, old) => [
    ...validate(object),
    ...(deepEqual(object.parameters ?? {}, old.parameters ?? {})
      ? []
      : [fieldInvalid(fieldPath('parameters'), printedMap(object.parameters), 'field is immutable')]),
    ...validateImmutable(object.provisioner, old.provisioner, fieldPath('provisioner')),
    ...validateImmutable(object.reclaimPolicy, old.reclaimPolicy, fieldPath('reclaimPolicy')),
    ...validateImmutable(object.volumeBindingMode, old.volumeBindingMode, fieldPath('volumeBindingMode')),
  ],
  warningsOnCreate: warnings,
  warningsOnUpdate: warnings,
  answersDeleted: true,
  table,
};

const reclaimPolicies = ['Delete', 'Retain'];
const bindingModes = ['Immediate', 'WaitForFirstConsumer'];

function validate(object: Loose<StorageClass>): readonly FieldError[] {
  const { provisioner = '', parameters, reclaimPolicy = '', volumeBindingMode, allowedTopologies = [] } = object;
  return [
    ...validateProvisioner(provisioner, fieldPath('provisioner')),
    ...validateParameters(parameters, fieldPath('parameters'), true),
    ...(reclaimPolicy === '' || reclaimPolicies.includes(reclaimPolicy)
      ? []
      : [fieldNotSupported(fieldPath('reclaimPolicy'), printedWord(reclaimPolicy), reclaimPolicies)]),
    ...validateBindingMode(volumeBindingMode, fieldPath('volumeBindingMode')),
    ...validateTopologies(allowedTopologies, fieldPath('allowedTopologies')),
  ];
}

function validateBindingMode(mode: string | undefined, path: FieldPath): readonly FieldError[] {
  if (mode === undefined) return [fieldRequired(path)];
  return bindingModes.includes(mode) ? [] : [fieldNotSupported(path, printedWord(mode), bindingModes)];
}

/** Terms must differ; one without expressions counts as a duplicate of nothing, as Kubernetes has it. */
function validateTopologies(terms: readonly Loose<TopologySelectorTerm>[], path: FieldPath): readonly FieldError[] {
  const seen = new Set<string>();
  return collect(terms, ({ matchLabelExpressions = [] }, index) => {
    const at = path.index(index).child('matchLabelExpressions');
    const keys = new Map<string, readonly string[]>();
    const errors = collect(matchLabelExpressions, (requirement, i) => {
      const { key = '', values = [] } = requirement;
      const repeated = keys.has(key) ? [fieldDuplicate(at.index(i).child('key'), key)] : [];
      keys.set(key, [...new Set(values)].sort());
      return [...validateRequirement(requirement, at.index(i)), ...repeated];
    });
    const meaning = JSON.stringify([...keys].sort(([a], [b]) => (a < b ? -1 : 1)));
    const duplicate = keys.size === 0 || seen.has(meaning);
    seen.add(meaning);
    return duplicate ? [...errors, fieldDuplicate(at, '')] : errors;
  });
}

/** As pkg/apis/core/validation/validation.go, validateTopologySelectorLabelRequirement. */
function validateRequirement(
  { key = '', values = [] }: Loose<TopologySelectorLabelRequirement>,
  path: FieldPath,
): readonly FieldError[] {
  const seen = new Set<string>();
  const at = path.child('values');
  const errors = collect(values, (value, index) => {
    const repeated = seen.has(value);
    seen.add(value);
    return repeated ? [fieldDuplicate(at.index(index), value)] : [];
  });
  return [...(values.length === 0 ? [fieldRequired(at)] : []), ...errors, ...validateLabelName(key, path.child('key'))];
}

function warnings({ allowedTopologies = [] }: Frozen<StorageClass>): readonly string[] {
  const path = fieldPath('allowedTopologies');
  return collect(allowedTopologies, ({ matchLabelExpressions = [] }, i) =>
    collect(matchLabelExpressions, ({ key }, j) => {
      const message = nodeLabelDeprecation(key);
      const at = path.index(i).child('matchLabelExpressions').index(j).child('key');
      return message === undefined ? [] : [`${at.toString()}: ${message}`];
    }),
  );
}
