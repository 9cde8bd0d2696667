// RuntimeClasses: how containers of a pod are run, what that costs, and on which nodes it can be done.
// As pkg/registry/node/runtimeclass/strategy.go and pkg/apis/node/validation, ValidateRuntimeClass.
import { collect } from '../../errors/collect.js';
import { fieldDuplicate, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import type { FieldPath } from '../../errors/field-path.js';
import { validateImmutable, validateLabels } from '../../objects/meta-validation.js';
import type { Frozen } from '../../objects/meta.js';
import { isDns1123Label, nameIsDnsSubdomain } from '../../objects/names.js';
import type { Toleration } from '../../types/core-v1.generated.js';
import type { RuntimeClass } from '../../types/node-v1.generated.js';
import { nodeLabelDeprecation } from '../deprecated-node-labels.js';
import { goForms } from '../../go/struct-form.js';
import { invalidEach } from '../invalid-each.js';
import type { KindStrategy } from '../kind-strategy.js';
import { validateContainerResources } from '../pods/resource-validation.js';
import { validateTolerations } from '../pods/toleration-validation.js';
import { age, ageColumn, nameColumn, textColumn } from '../table-cells.js';

/** The strategy of RuntimeClasses. */
export const runtimeClass: KindStrategy<RuntimeClass> = {
  nameRule: nameIsDnsSubdomain,
  validate,
  validateUpdate: (object, old) => [
    ...validate(object),
    ...validateImmutable(object.handler, old.handler, fieldPath('handler')),
  ],
  warningsOnCreate: warnings,
  warningsOnUpdate: warnings,
  createsOnUpdate: true,
  requiresResourceVersion: true,
  table: {
    columns: [nameColumn, textColumn('Handler', 'What nodes call this way of running containers.'), ageColumn],
    row: (object, now) => ({ cells: [object.metadata?.name ?? '', object.handler, age(object, now)] }),
  },
};

const print = goForms({ Toleration: 'key! operator! value! effect! tolerationSeconds' });

function validate({ handler, overhead, scheduling }: Frozen<RuntimeClass>): readonly FieldError[] {
  const { nodeSelector = {}, tolerations = [] } = scheduling ?? {};
  const limits = overhead?.podFixed;
  const path = fieldPath('scheduling');
  return [
    ...(handler === ''
      ? [fieldRequired(fieldPath('handler'))]
      : invalidEach(fieldPath('handler'), handler, isDns1123Label(handler))),
    ...(limits === undefined
      ? []
      : validateContainerResources({ limits }, fieldPath('overhead'), { claimNames: new Set(), options: {} })),
    ...validateLabels(nodeSelector, path.child('nodeSelector')),
    ...validateTolerations(tolerations, path.child('tolerations')),
    ...validateDifferent(tolerations, path.child('tolerations')),
  ];
}

/** No two tolerations of the same taints. */
function validateDifferent(tolerations: readonly Frozen<Toleration>[], path: FieldPath): readonly FieldError[] {
  const seen = new Set<string>();
  return collect(tolerations, (toleration, index) => {
    const { key = '', operator = '', value = '', effect = '' } = toleration;
    const meaning = JSON.stringify([key, operator, value, effect]);
    const repeated = seen.has(meaning);
    seen.add(meaning);
    return repeated ? [fieldDuplicate(path.index(index), print('Toleration', toleration))] : [];
  });
}

function warnings({ scheduling }: Frozen<RuntimeClass>): readonly string[] {
  return collect(Object.keys(scheduling?.nodeSelector ?? {}), (key) => {
    const message = nodeLabelDeprecation(key);
    return message === undefined ? [] : [`scheduling.nodeSelector: ${message}`];
  });
}
