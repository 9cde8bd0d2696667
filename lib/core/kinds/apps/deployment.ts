// Deployments: pods of one template, replaced a few at a time when the template changes.
// As pkg/registry/apps/deployment/strategy.go; validation is in deployment-validation.ts, defaults in
// deployment-defaults.ts. A change of annotations is a new generation: they are copied to the replica sets.
import { fieldPath } from '../../errors/field-path.js';
import { deepEqual } from '../../objects/json.js';
import type { Frozen } from '../../objects/meta.js';
import { printLabelSelector } from '../../objects/label-selector.js';
import { nameIsDnsSubdomain } from '../../objects/names.js';
import type { Deployment } from '../../types/apps-v1.generated.js';
import type { KindStrategy } from '../kind-strategy.js';
import { podTemplateValidationOptions } from '../pods/pod-validation-options.js';
import { podTemplateWarnings } from '../pods/pod-warnings.js';
import { age, ageColumn, nameColumn, textColumn } from '../table-cells.js';
import { validateDeploymentSpec, validateDeploymentStatus, validateDeploymentUpdate } from './deployment-validation.js';
import { podNameWarnings } from './pod-name-warnings.js';
import { containerCells, containerColumns, selectorColumn } from './template-cells.js';
import { readSelector } from './template-validation.js';

const templatePath = fieldPath('spec', 'template');

/** The strategy of Deployments. */
export const deployment: KindStrategy<Deployment> = {
  nameRule: nameIsDnsSubdomain,
  validate: ({ metadata, spec }) =>
    spec === undefined ? [] : validateDeploymentSpec({ metadata, spec }, podTemplateValidationOptions(spec.template)),
  warningsOnCreate: ({ metadata, spec }) => [
    ...podNameWarnings(metadata?.name),
    ...(spec === undefined ? [] : podTemplateWarnings(spec.template, templatePath)),
  ],
  validateUpdate: validateDeploymentUpdate,
  warningsOnUpdate(object, old) {
    if (object.spec === undefined || object.metadata?.generation === old.metadata?.generation) return [];
    return podTemplateWarnings(object.spec.template, templatePath, old.spec?.template);
  },
  changesGeneration: (object, old) =>
    !deepEqual(object.spec, old.spec) ||
    !deepEqual(object.metadata?.annotations ?? {}, old.metadata?.annotations ?? {}),
  subresources: {
    status: {
      prepareForUpdate(object, old) {
        // An update of the status cannot change labels.
        const metadata = (object.metadata ??= {});
        const labels = old.metadata?.labels;
        if (labels === undefined) delete metadata.labels;
        else metadata.labels = { ...labels };
      },
      validateUpdate: ({ status = {} }, old) => validateDeploymentStatus(status, old.status ?? {}),
    },
  },
  table: {
    columns: [
      nameColumn,
      textColumn('Ready', 'Pods that are ready, of those wanted.'),
      textColumn('Up-to-date', 'Pods of the current template.'),
      textColumn('Available', 'Pods that have been ready long enough.'),
      ageColumn,
      ...containerColumns,
      selectorColumn,
    ],
    row(object, now) {
      const { metadata, spec, status = {} } = object;
      const ready = `${status.readyReplicas ?? 0}/${spec?.replicas ?? 0}`;
      return {
        cells: [
          metadata?.name ?? '',
          ready,
          status.updatedReplicas ?? 0,
          status.availableReplicas ?? 0,
          age(object, now),
          ...containerCells(spec?.template),
          selectorText(spec),
        ],
      };
    },
  },
};

/** Unlike in other tables, no selector and one that takes all are empty text. */
function selectorText(spec: Frozen<Deployment>['spec']): string {
  const selector = readSelector(spec?.selector);
  return selector === undefined ? '<invalid>' : printLabelSelector(selector);
}
