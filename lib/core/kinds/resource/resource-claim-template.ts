// ResourceClaimTemplate: what ResourceClaims of pods are made from. As
// pkg/registry/resource/resourceclaimtemplate/strategy.go.
import { fieldInvalid } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import { deepEqual } from '../../objects/json.js';
import type { Frozen } from '../../objects/meta.js';
import { nameIsDnsSubdomain } from '../../objects/names.js';
import type { ResourceClaimTemplate } from '../../types/resource-v1.generated.js';
import type { ExpressionCheck } from '../expression-check.js';
import type { KindStrategy, WriteContext } from '../kind-strategy.js';
import { validateTemplateMeta } from '../pods/claim-template-validation.js';
import { age, ageColumn, nameColumn } from '../table-cells.js';
import { validateDeviceClaim } from './device-claim.js';
import { printedTemplateSpec } from './internal-form.js';

/** The strategy of ResourceClaimTemplates. */
export function resourceClaimTemplate(check: ExpressionCheck): KindStrategy<ResourceClaimTemplate> {
  const path = fieldPath('spec');
  const validate = (
    { spec }: Frozen<ResourceClaimTemplate>,
    { checkExpression = check }: WriteContext,
  ): readonly FieldError[] => [
    ...validateTemplateMeta(spec.metadata ?? {}, path.child('metadata')),
    ...validateDeviceClaim(spec.spec.devices ?? {}, path.child('spec').child('devices'), {
      check: checkExpression,
      stored: false,
    }),
  ];
  return {
    nameRule: nameIsDnsSubdomain,
    validate,
    validateUpdate: (template, old, context) => [
      ...validate(template, context),
      ...(deepEqual(template.spec, old.spec)
        ? []
        : [fieldInvalid(path, printedTemplateSpec(template.spec), 'field is immutable')]),
    ],
    answersDeleted: true,
    table: {
      columns: [nameColumn, ageColumn],
      row: (template, now) => ({ cells: [template.metadata?.name ?? '', age(template, now)] }),
    },
  };
}
