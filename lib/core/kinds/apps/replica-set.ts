// ReplicaSets: so many pods of one template. As pkg/registry/apps/replicaset/strategy.go and
// pkg/apis/apps/validation/validation.go, ValidateReplicaSet.
import { fieldInvalid } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import { validateNonNegative } from '../../objects/meta-validation.js';
import type { Frozen } from '../../objects/meta.js';
import { nameIsDnsSubdomain } from '../../objects/names.js';
import type { ReplicaSet, ReplicaSetSpec } from '../../types/apps-v1.generated.js';
import type { KindStrategy } from '../kind-strategy.js';
import { podSpecDefaults } from '../pods/pod-defaults.js';
import { podTemplateValidationOptions } from '../pods/pod-validation-options.js';
import type { PodValidationOptions } from '../pods/pod-validation-options.js';
import { podTemplateWarnings } from '../pods/pod-warnings.js';
import { printedSelector } from '../printed-values.js';
import { podNameWarnings } from './pod-name-warnings.js';
import { replicaCounting } from './replica-counts.js';
import { selectorCell } from './template-cells.js';
import {
  readSelector,
  validateImmutableSelector,
  validateReplicaTemplate,
  validateRequiredSelector,
} from './template-validation.js';

const specPath = fieldPath('spec');
const templatePath = specPath.child('template');

/** The strategy of ReplicaSets. */
export const replicaSet: KindStrategy<ReplicaSet> = {
  nameRule: nameIsDnsSubdomain,
  validate: ({ spec }) => (spec === undefined ? [] : validateSpec(spec, podTemplateValidationOptions(spec.template))),
  warningsOnCreate: ({ metadata, spec }) => [
    ...podNameWarnings(metadata?.name),
    ...podTemplateWarnings(spec?.template ?? {}, templatePath),
  ],
  validateUpdate({ spec }, old) {
    if (spec === undefined) return [];
    return [
      ...validateSpec(spec, podTemplateValidationOptions(spec.template, old.spec?.template)),
      ...validateImmutableSelector(spec.selector, old.spec?.selector, specPath.child('selector')),
    ];
  },
  warningsOnUpdate(object, old) {
    if (object.metadata?.generation === old.metadata?.generation) return [];
    return podTemplateWarnings(object.spec?.template ?? {}, templatePath, old.spec?.template);
  },
  ...replicaCounting<ReplicaSet>(({ spec }) => selectorCell(spec?.selector)),
};

/** Defaults that depend on other fields: those of the pods. */
export function replicaSetDefaults({ spec }: ReplicaSet): void {
  if (spec?.template?.spec !== undefined) podSpecDefaults(spec.template.spec);
}

function validateSpec(spec: Frozen<ReplicaSetSpec>, options: PodValidationOptions): readonly FieldError[] {
  const { replicas = 0, minReadySeconds = 0, selector, template = {} } = spec;
  const selectorPath = specPath.child('selector');
  const read = readSelector(selector);
  return [
    ...validateNonNegative(replicas, specPath.child('replicas')),
    ...validateNonNegative(minReadySeconds, specPath.child('minReadySeconds')),
    // The word is Kubernetes' own.
    ...validateRequiredSelector(selector, selectorPath, 'deployment'),
    ...(read === undefined
      ? [fieldInvalid(selectorPath, printedSelector(selector), 'invalid label selector')]
      : validateReplicaTemplate(template, templatePath, { selector: read, kind: 'ReplicaSet', options })),
  ];
}
