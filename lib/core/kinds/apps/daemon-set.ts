// DaemonSets: one pod on every eligible node. As pkg/registry/apps/daemonset/strategy.go; validation is in
// daemon-set-validation.ts. The pod template has a generation of its own. It was a field in former versions and is now
// an annotation that every stored DaemonSet has and only the server sets. As pkg/apis/apps/v1/conversion.go.
import { fieldPath } from '../../errors/field-path.js';
import { deepEqual, setOwn } from '../../objects/json.js';
import { nameIsDnsSubdomain } from '../../objects/names.js';
import type { DaemonSet } from '../../types/apps-v1.generated.js';
import type { KindStrategy } from '../kind-strategy.js';
import { podSpecDefaults } from '../pods/pod-defaults.js';
import { podTemplateValidationOptions } from '../pods/pod-validation-options.js';
import { podTemplateWarnings } from '../pods/pod-warnings.js';
import { age, ageColumn, integerColumn, nameColumn, textColumn } from '../table-cells.js';
import { validateDaemonSetSpec, validateDaemonSetStatus, validateDaemonSetUpdate } from './daemon-set-validation.js';
import { containerCells, containerColumns, labelsCell, selectorCell, selectorColumn } from './template-cells.js';
import type { Frozen } from '../../objects/meta.js';
import { DecodeError } from '../../schema/decode-error.js';
import { int64Of, numError } from '../../go/strconv.js';

const templatePath = fieldPath('spec', 'template');

/** The strategy of DaemonSets. */
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

const annotation = 'deprecated.daemonset.template.generation';

/** Rewrites the annotation as its number is printed. Throws DecodeError if it is not a number. */
function canonicalTemplateGeneration(annotations: Record<string, string>): void {
  if (!Object.hasOwn(annotations, annotation)) return;
  const text = annotations[annotation] ?? '';
  const generation = int64Of(text);
  if (generation === undefined) throw new DecodeError(numError('ParseInt', text));
  setOwn(annotations, annotation, String(generation));
}

/** Returns the template's generation; 0 without the annotation. */
function templateGeneration({ metadata }: Frozen<DaemonSet>): bigint {
  const text = metadata?.annotations?.[annotation];
  return (text === undefined ? undefined : int64Of(text)) ?? 0n;
}

/** Writes the template's generation into the annotation. */
function setTemplateGeneration(object: DaemonSet, generation: bigint): void {
  const metadata = (object.metadata ??= {});
  metadata.annotations = { ...metadata.annotations };
  setOwn(metadata.annotations, annotation, String(generation));
}
