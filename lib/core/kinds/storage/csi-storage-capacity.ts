// CSIStorageCapacities: how much storage of a class there is for some nodes.
// As pkg/registry/storage/csistoragecapacity/strategy.go and pkg/apis/storage/validation, ValidateCSIStorageCapacity.
import { fieldInvalid } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { FieldPath, fieldPath } from '../../errors/field-path.js';
import { deepEqual } from '../../objects/json.js';
import { validateImmutable } from '../../objects/meta-validation.js';
import type { Frozen } from '../../objects/meta.js';
import { nameIsDnsSubdomain } from '../../objects/names.js';
import type { CSIStorageCapacity } from '../../types/storage-v1.generated.js';
import { nodeSelectorWarnings } from '../deprecated-node-labels.js';
import { invalidEach } from '../invalid-each.js';
import type { KindStrategy } from '../kind-strategy.js';
import { validateLabelSelector } from '../label-selector-validation.js';
import { printedSelector } from '../printed-values.js';
import { validateNonNegativeQuantity } from '../quantity-validation.js';

/** The strategy of CSIStorageCapacities. */
export const csiStorageCapacity: KindStrategy<CSIStorageCapacity> = {
  nameRule: nameIsDnsSubdomain,
  validate: (object) => validate(object, false),
  validateUpdate: (object, old) => [
    ...validate(object, validateLabelSelector(old.nodeTopology, FieldPath.nil).length > 0),
    ...(deepEqual(object.nodeTopology, old.nodeTopology)
      ? []
      : [fieldInvalid(fieldPath('nodeTopology'), printedSelector(object.nodeTopology), 'field is immutable')]),
    ...validateImmutable(object.storageClassName, old.storageClassName, fieldPath('storageClassName')),
  ],
  warningsOnCreate: ({ nodeTopology }) => nodeSelectorWarnings(nodeTopology, fieldPath('nodeTopology')),
  warningsOnUpdate: ({ nodeTopology }) => nodeSelectorWarnings(nodeTopology, fieldPath('nodeTopology')),
  requiresResourceVersion: true,
};

function validate(object: Frozen<CSIStorageCapacity>, allowInvalidValues: boolean): readonly FieldError[] {
  const { nodeTopology, storageClassName, capacity } = object;
  return [
    ...validateLabelSelector(nodeTopology, fieldPath('nodeTopology'), { allowInvalidValues }),
    ...invalidEach(fieldPath('storageClassName'), storageClassName, nameIsDnsSubdomain(storageClassName, false)),
    ...(capacity === undefined ? [] : validateNonNegativeQuantity(capacity, fieldPath('capacity'))),
  ];
}
