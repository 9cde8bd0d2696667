// DeviceClass: selectors and configuration that claims refer to by name. As
// pkg/registry/resource/deviceclass/strategy.go.
import { fieldInvalid } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import { deepEqual } from '../../objects/json.js';
import type { Frozen } from '../../objects/meta.js';
import { nameIsDnsSubdomain } from '../../objects/names.js';
import type { DeviceClass } from '../../types/resource-v1.generated.js';
import type { ExpressionCheck } from '../expression-check.js';
import type { KindStrategy } from '../kind-strategy.js';
import { isExtendedResource } from '../resource-names.js';
import { age, ageColumn, nameColumn } from '../table-cells.js';
import { validateList } from './bounded-lists.js';
import { configMax, validateOpaqueConfiguration, validateSelectors } from './device-claim.js';

/** The strategy of DeviceClasses. */
export function deviceClass(check: ExpressionCheck): KindStrategy<DeviceClass> {
  return {
    nameRule: nameIsDnsSubdomain,
    validate: (object, { checkExpression = check }) => validateClass(object, undefined, checkExpression),
    validateUpdate: (object, old, { checkExpression = check }) => validateClass(object, old, checkExpression),
    changesGeneration: (object, old) => !deepEqual(object.spec, old.spec),
    answersDeleted: true,
    table: {
      columns: [nameColumn, ageColumn],
      row: (object, now) => ({ cells: [object.metadata?.name ?? '', age(object, now)] }),
    },
  };
}

function validateClass(
  { spec }: Frozen<DeviceClass>,
  old: Frozen<DeviceClass> | undefined,
  check: ExpressionCheck,
): readonly FieldError[] {
  const path = fieldPath('spec');
  const { extendedResourceName: name } = spec;
  const keepsSelectors = old !== undefined && deepEqual(spec.selectors, old.spec.selectors);
  const keepsConfig = old !== undefined && deepEqual(spec.config, old.spec.config);
  return [
    ...validateSelectors(spec.selectors, path.child('selectors'), { check, stored: keepsSelectors }),
    ...validateList(spec.config, path.child('config'), {
      itemsMax: configMax,
      check: ({ opaque }, at) => validateOpaqueConfiguration(opaque, at, keepsConfig),
    }),
    ...(name === undefined || isExtendedResource(name)
      ? []
      : [fieldInvalid(path.child('extendedResourceName'), name, 'must be a valid extended resource name')]),
  ];
}
