// StatefulSets: numbered pods with storage of their own. As pkg/registry/apps/statefulset/strategy.go; validation
// is in stateful-set-validation.ts, defaults in stateful-set-defaults.ts. How many pods may be down during an
// update is a feature that v1.36 leaves off: the field is dropped.
import { collect } from '../../errors/collect.js';
import { fieldPath } from '../../errors/field-path.js';
import type { FieldPath } from '../../errors/field-path.js';
import { deepEqual } from '../../objects/json.js';
import type { Frozen } from '../../objects/meta.js';
import { nameIsDnsLabel } from '../../objects/names.js';
import type { StatefulSet, StatefulSetSpec } from '../../types/apps-v1.generated.js';
import { claimSpecWarnings } from '../claim-spec-warnings.js';
import type { KindStrategy } from '../kind-strategy.js';
import { podTemplateValidationOptions } from '../pods/pod-validation-options.js';
import { podTemplateWarnings } from '../pods/pod-warnings.js';
import { age, ageColumn, nameColumn, textColumn } from '../table-cells.js';
import {
  validateStatefulSetSpec,
  validateStatefulSetStatus,
  validateStatefulSetUpdate,
} from './stateful-set-validation.js';
import { containerCells, containerColumns } from './template-cells.js';

const templatePath = fieldPath('spec', 'template');

/** The strategy of StatefulSets. */
export const statefulSet: KindStrategy<StatefulSet> = {
  nameRule: nameIsDnsLabel,
  prepareForCreate: dropUnused,
  validate: ({ spec }) =>
    spec === undefined
      ? []
      : validateStatefulSetSpec(spec, fieldPath('spec'), { pods: podTemplateValidationOptions(spec.template) }),
  warningsOnCreate({ spec }) {
    if (spec === undefined) return [];
    return [...podTemplateWarnings(spec.template, templatePath), ...specWarnings(spec, (path) => path)];
  },
  prepareForUpdate: dropUnused,
  validateUpdate: validateStatefulSetUpdate,
  warningsOnUpdate({ metadata, spec }, old) {
    if (spec === undefined) return [];
    const changed = metadata?.generation !== old.metadata?.generation;
    return [
      ...(changed ? podTemplateWarnings(spec.template, templatePath, old.spec?.template) : []),
      // The capital letter is Kubernetes' own.
      ...specWarnings(spec, (path) => path.child('Spec')),
    ];
  },
  changesGeneration: (object, old) => !deepEqual(object.spec, old.spec),
  subresources: {
    status: { validateUpdate: ({ status }, old) => validateStatefulSetStatus(status ?? {}, old.status ?? {}) },
  },
  table: {
    columns: [nameColumn, textColumn('Ready', 'Pods that are ready, of those wanted.'), ageColumn, ...containerColumns],
    row(object, now) {
      const { metadata, spec, status } = object;
      const ready = `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`;
      return { cells: [metadata?.name ?? '', ready, age(object, now), ...containerCells(spec?.template)] };
    },
  },
};

function dropUnused({ spec }: StatefulSet): void {
  delete spec?.updateStrategy?.rollingUpdate?.maxUnavailable;
}

function specWarnings(spec: Frozen<StatefulSetSpec>, at: (template: FieldPath) => FieldPath): readonly string[] {
  const { volumeClaimTemplates = [], revisionHistoryLimit = 0 } = spec;
  const path = fieldPath('spec', 'volumeClaimTemplates');
  const warnings = collect(volumeClaimTemplates, (template, index) =>
    claimSpecWarnings(template.spec ?? {}, at(path.index(index))),
  );
  if (revisionHistoryLimit < 0) {
    warnings.push(
      'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended',
    );
  }
  return warnings;
}
