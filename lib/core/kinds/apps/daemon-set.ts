// DaemonSets: one pod on every node that is meant. As pkg/registry/apps/daemonset/strategy.go; validation stands in
// daemon-set-validation.ts. The template has a generation of its own, which only versions of the past had as a field:
// it stands in an annotation that nobody else may change (template-generation.ts).
import { fieldPath } from '../../errors/field-path.js';
import { deepEqual } from '../../objects/deep-equal.js';
import { nameIsDnsSubdomain } from '../../objects/names.js';
import type { DaemonSet } from '../../types/apps-v1.generated.js';
import type { KindStrategy } from '../kind-strategy.js';
import { podSpecDefaults } from '../pods/pod-defaults.js';
import { podTemplateValidationOptions } from '../pods/pod-validation-options.js';
import { podTemplateWarnings } from '../pods/pod-warnings.js';
import { age, ageColumn, integerColumn, nameColumn, textColumn } from '../table-cells.js';
import { validateDaemonSetSpec, validateDaemonSetStatus, validateDaemonSetUpdate } from './daemon-set-validation.js';
import { containerCells, containerColumns, labelsCell, selectorCell, selectorColumn } from './template-cells.js';
import { canonicalTemplateGeneration, setTemplateGeneration, templateGeneration } from './template-generation.js';

const templatePath = fieldPath('spec', 'template');

/** What is particular to DaemonSets. */
export const daemonSet: KindStrategy<DaemonSet> = {
  nameRule: nameIsDnsSubdomain,
  prepareForCreate(object) {
    const given = templateGeneration(object);
    setTemplateGeneration(object, given < 1n ? 1n : given);
  },
  validate: ({ spec }) =>
    spec === undefined ? [] : validateDaemonSetSpec(spec, podTemplateValidationOptions(spec.template)),
  warningsOnCreate: ({ spec }) => (spec === undefined ? [] : podTemplateWarnings(spec.template, templatePath)),
  prepareForUpdate(object, old) {
    const changed = !deepEqual(object.spec?.template, old.spec?.template);
    setTemplateGeneration(object, templateGeneration(old) + (changed ? 1n : 0n));
  },
  validateUpdate: validateDaemonSetUpdate,
  warningsOnUpdate(object, old) {
    if (object.spec === undefined || templateGeneration(object) === templateGeneration(old)) return [];
    return podTemplateWarnings(object.spec.template, templatePath, old.spec?.template);
  },
  changesGeneration: (object, old) => !deepEqual(object.spec, old.spec),
  subresources: {
    status: {
      prepareForUpdate: (object, old) => setTemplateGeneration(object, templateGeneration(old)),
      validateUpdate: ({ status }, old) => validateDaemonSetStatus(status ?? {}, old.status ?? {}),
    },
  },
  table: {
    columns: [
      nameColumn,
      integerColumn('Desired', 'Nodes that are meant.'),
      integerColumn('Current', 'Nodes that are meant and have a pod.'),
      integerColumn('Ready', 'Nodes whose pod is ready.'),
      integerColumn('Up-to-date', 'Nodes whose pod is of the current template.'),
      integerColumn('Available', 'Nodes whose pod has been ready long enough.'),
      textColumn('Node Selector', 'The nodes that are meant.'),
      ageColumn,
      ...containerColumns,
      selectorColumn,
    ],
    row(object, now) {
      const { metadata, spec, status } = object;
      return {
        cells: [
          metadata?.name ?? '',
          status?.desiredNumberScheduled ?? 0,
          status?.currentNumberScheduled ?? 0,
          status?.numberReady ?? 0,
          status?.updatedNumberScheduled ?? 0,
          status?.numberAvailable ?? 0,
          labelsCell(spec?.template.spec?.nodeSelector),
          age(object, now),
          ...containerCells(spec?.template),
          selectorCell(spec?.selector),
        ],
      };
    },
  },
};

/** Defaults that depend on other fields. As pkg/apis/apps/v1/defaults.go, SetDefaults_DaemonSet. */
export function daemonSetDefaults({ metadata, spec }: DaemonSet): void {
  if (metadata?.annotations !== undefined) canonicalTemplateGeneration(metadata.annotations);
  if (spec === undefined) return;
  const strategy = (spec.updateStrategy ??= {});
  strategy.type ??= 'RollingUpdate';
  if (strategy.type === 'RollingUpdate') {
    const rollingUpdate = (strategy.rollingUpdate ??= {});
    rollingUpdate.maxUnavailable ??= 1;
  }
  // Inside Kubernetes neither can be absent.
  if (strategy.rollingUpdate !== undefined) {
    strategy.rollingUpdate.maxUnavailable ??= 0;
    strategy.rollingUpdate.maxSurge ??= 0;
  }
  if (spec.template.spec !== undefined) podSpecDefaults(spec.template.spec);
}
