// ReplicationControllers: so many pods of one template, selected by labels alone; older than ReplicaSets. When one is
// deleted its pods stay, unless the caller says otherwise. As pkg/registry/core/replicationcontroller/strategy.go and
// pkg/apis/core/validation/validation.go, ValidateReplicationController.
import { collect } from '../../errors/collect.js';
import { fieldInvalid, fieldNotFound, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import { deepEqual } from '../../objects/json.js';
import { selectorFromLabels } from '../../objects/label-selector.js';
import { validateNonNegative } from '../../objects/meta-validation.js';
import type { Frozen } from '../../objects/meta.js';
import { isDns1123Subdomain } from '../../objects/names.js';
import type { ReplicationController, ReplicationControllerSpec } from '../../types/core-v1.generated.js';
import { podNameWarnings } from '../apps/pod-name-warnings.js';
import { replicaCounting } from '../apps/replica-counts.js';
import { labelsCell } from '../apps/template-cells.js';
import { validateReplicaTemplate } from '../apps/template-validation.js';
import type { KindStrategy } from '../kind-strategy.js';
import { podSpecDefaults } from '../pods/pod-defaults.js';
import { podTemplateValidationOptions } from '../pods/pod-validation-options.js';
import type { PodValidationOptions } from '../pods/pod-validation-options.js';
import { podTemplateWarnings } from '../pods/pod-warnings.js';
import { printedMap } from '../printed-values.js';

const specPath = fieldPath('spec');
const templatePath = specPath.child('template');

/** The strategy of ReplicationControllers. */
export const replicationController: KindStrategy<ReplicationController> = {
  nameRule,
  validate: ({ spec = {} }) => validateSpec(spec, podTemplateValidationOptions(spec.template)),
  warningsOnCreate: ({ metadata, spec }) => [
    ...podNameWarnings(metadata?.name),
    ...(spec?.template === undefined ? [] : podTemplateWarnings(spec.template, templatePath)),
  ],
  validateUpdate: ({ spec = {} }, old) => [
    ...validateSpec(spec, podTemplateValidationOptions(spec.template, old.spec?.template)),
    ...validateInconvertible(spec, old),
  ],
  warningsOnUpdate(object, old) {
    // Old and new are taken for each other, as Kubernetes does.
    const template = old.spec?.template;
    if (template === undefined || object.metadata?.generation === old.metadata?.generation) return [];
    return podTemplateWarnings(template, templatePath, object.spec?.template);
  },
  propagation: 'Orphan',
  ...replicaCounting<ReplicationController>(({ spec }) => labelsCell(spec?.selector)),
};

/**
 * Of subdomains, but only the finished name is checked, and its length is said to be in bytes. As validate.LongName.
 */
function nameRule(name: string, prefix: boolean): readonly string[] {
  return prefix
    ? []
    : isDns1123Subdomain(name).map((wrong) => wrong.replace(/^(must be no more than \d+) characters$/, '$1 bytes'));
}

/**
 * Labels of the template are those of the object and of the selector, by default; and the pods' defaults.
 */
export function replicationControllerDefaults(object: ReplicationController): void {
  const { spec } = object;
  const labels = spec?.template?.metadata?.labels;
  if (spec !== undefined && labels !== undefined) {
    if (isEmpty(spec.selector)) spec.selector = { ...labels };
    if (isEmpty(object.metadata?.labels)) (object.metadata ??= {}).labels = { ...labels };
  }
  if (spec?.template?.spec !== undefined) podSpecDefaults(spec.template.spec);
}

function validateSpec(spec: Frozen<ReplicationControllerSpec>, options: PodValidationOptions): readonly FieldError[] {
  const { minReadySeconds = 0, selector, replicas, template } = spec;
  return [
    ...validateNonNegative(minReadySeconds, specPath.child('minReadySeconds')),
    ...(isEmpty(selector) ? [fieldRequired(specPath.child('selector'))] : []),
    ...(replicas === undefined
      ? [fieldRequired(specPath.child('replicas'))]
      : validateNonNegative(replicas, specPath.child('replicas'))),
    ...(template === undefined
      ? [fieldRequired(templatePath)]
      : validateReplicaTemplate(template, templatePath, {
          selector: selectorFromLabels(selector),
          kind: 'ReplicationController',
          options,
        })),
  ];
}

const inconvertible = 'non-convertible.kubernetes.io/';

/**
 * What a former version could not say may not change. As ValidateUpdate and pkg/apis/core/helper, NonConvertibleFields.
 */
function validateInconvertible(
  spec: Frozen<ReplicationControllerSpec>,
  old: Frozen<ReplicationController>,
): readonly FieldError[] {
  return collect(Object.entries(old.metadata?.annotations ?? {}), ([key, value]) => {
    const field = key.slice(inconvertible.length);
    if (!key.startsWith(inconvertible) || field.includes('/')) return [];
    if (!field.includes('selector')) {
      const { reason, message } = fieldNotFound(specPath, value);
      return [{ reason, field, message: `${message}: unknown non-convertible field` }];
    }
    if (deepEqual(spec.selector ?? {}, old.spec?.selector ?? {})) return [];
    return [
      fieldInvalid(specPath.child('selector'), printedMap(spec.selector), 'cannot update non-convertible selector'),
    ];
  });
}

function isEmpty(map: Readonly<Record<string, string>> | undefined): boolean {
  return Object.keys(map ?? {}).length === 0;
}
