// VolumeAttributesClasses: properties of volumes that can change later; the class itself cannot.
// As pkg/registry/storage/volumeattributesclass/strategy.go and pkg/apis/storage/validation,
// ValidateVolumeAttributesClass.
import { collect } from '../../errors/collect.js';
import { fieldForbidden } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import { deepEqual } from '../../objects/json.js';
import type { Frozen } from '../../objects/meta.js';
import { nameIsDnsSubdomain } from '../../objects/names.js';
import type { VolumeAttributesClass } from '../../types/storage-v1.generated.js';
import type { KindStrategy } from '../kind-strategy.js';
import { age, ageColumn, nameColumn, textColumn } from '../table-cells.js';
import { validateParameters, validateProvisioner } from './class-validation.js';

/** The strategy of VolumeAttributesClasses. */
export const volumeAttributesClass: KindStrategy<VolumeAttributesClass> = {
  nameRule: nameIsDnsSubdomain,
  validate,
  validateUpdate: (object, old) => {
    const changed = [
      ...(object.driverName === old.driverName ? [] : ['driverName']),
      ...(deepEqual(object.parameters ?? {}, old.parameters ?? {}) ? [] : ['parameters']),
    ];
    return [
      ...collect(changed, (field) => [fieldForbidden(fieldPath(field), `updates to ${field} are forbidden.`)]),
      ...validate(object),
    ];
  },
  answersDeleted: true,
  table: {
    columns: [nameColumn, textColumn('DriverName', 'The driver that understands the parameters.'), ageColumn],
    row: (object, now) => ({ cells: [object.metadata?.name ?? '', object.driverName, age(object, now)] }),
  },
};

function validate({ driverName, parameters }: Frozen<VolumeAttributesClass>): readonly FieldError[] {
  return [
    ...validateProvisioner(driverName, fieldPath('driverName')),
    ...validateParameters(parameters, fieldPath('parameters'), false),
  ];
}
