// PodTemplates: a template of pods on its own. As pkg/registry/core/podtemplate/strategy.go.
import { fieldPath } from '../../errors/field-path.js';
import { nameIsDnsSubdomain } from '../../objects/names.js';
import type { PodTemplate } from '../../types/core-v1.generated.js';
import type { KindStrategy } from '../kind-strategy.js';
import { nameColumn, textColumn } from '../table-cells.js';
import { validateFinalizerNames } from '../finalizer-names.js';
import { regularContainers } from './pod-containers.js';
import { dropInitContainerAnnotations, podSpecDefaults } from './pod-defaults.js';
import { semanticEqual } from './pod-equality.js';
import { validatePodTemplateSpec } from './pod-template-validation.js';
import { podTemplateValidationOptions } from './pod-validation-options.js';
import { podTemplateWarnings } from './pod-warnings.js';

/** Defaults of a template. */
export function podTemplateDefaults({ template }: PodTemplate): void {
  if (template?.metadata !== undefined) dropInitContainerAnnotations(template.metadata);
  if (template?.spec !== undefined) podSpecDefaults(template.spec);
}

/** The strategy of PodTemplates. */
export const podTemplate: KindStrategy<PodTemplate> = {
  nameRule: nameIsDnsSubdomain,
  validate: (object) => [
    ...validateFinalizerNames(object.metadata),
    ...validatePodTemplateSpec(object.template ?? {}, path),
  ],
  warningsOnCreate: ({ template }) => podTemplateWarnings(template ?? {}, path),

  validateUpdate: (object, old) => [
    ...validateFinalizerNames(object.metadata),
    ...validatePodTemplateSpec(
      object.template ?? {},
      path,
      podTemplateValidationOptions(object.template, old.template ?? {}),
    ),
  ],
  warningsOnUpdate: ({ template }, old) =>
    semanticEqual(template, old.template) ? [] : podTemplateWarnings(template ?? {}, path),
  changesGeneration: ({ template }, old) => !semanticEqual(template, old.template),

  table: {
    columns: [
      nameColumn,
      textColumn('Containers', 'The containers of the template.'),
      textColumn('Images', 'The images of the containers.'),
      textColumn('Pod Labels', 'The labels that pods get.'),
    ],
    row({ metadata, template }) {
      const containers = regularContainers(template?.spec ?? {});
      const labels = Object.entries(template?.metadata?.labels ?? {}).map(([key, value]) => `${key}=${value}`);
      return {
        cells: [
          metadata?.name ?? '',
          containers.map(({ name }) => name).join(','),
          containers.map(({ image = '' }) => image).join(','),
          labels.length === 0 ? '<none>' : labels.sort().join(','),
        ],
      };
    },
  },
};

const path = fieldPath('template');
