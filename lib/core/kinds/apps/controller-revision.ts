// ControllerRevisions: what a StatefulSet's or a DaemonSet's template once was. The data never changes; only the number
// moves when an old state is taken up again. As pkg/registry/apps/controllerrevision/strategy.go and
// pkg/apis/apps/validation/validation.go, ValidateControllerRevisionCreate.
import { fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import { groupVersionKindOf, printGroupKind } from '../../objects/gvk.js';
import { isJsonObject } from '../../objects/json.js';
import { validateImmutable, validateNonNegative, validateObjectMeta } from '../../objects/meta-validation.js';
import type { Frozen } from '../../objects/meta.js';
import { nameIsDnsSubdomain } from '../../objects/names.js';
import { controllerOf } from '../../objects/owner-references.js';
import type { ControllerRevision } from '../../types/apps-v1.generated.js';
import type { KindStrategy } from '../kind-strategy.js';
import { age, ageColumn, nameColumn, textColumn } from '../table-cells.js';

const dataPath = fieldPath('data');
const revisionPath = fieldPath('revision');

/** The strategy of ControllerRevisions. */
export const controllerRevision: KindStrategy<ControllerRevision> = {
  nameRule: nameIsDnsSubdomain,
  validate: ({ data, revision }) => [...validateNonNegative(revision, revisionPath), ...validateData(data)],
  validateUpdate: ({ metadata = {}, data, revision }, old) => [
    // Metadata is checked as if new, besides being checked as an update.
    ...validateObjectMeta(metadata, { namespaced: true, nameRule: nameIsDnsSubdomain }),
    ...validateNonNegative(revision, revisionPath),
    ...validateImmutable(data, old.data, dataPath),
  ],
  table: {
    columns: [
      nameColumn,
      textColumn('Controller', 'What the revision belongs to.'),
      textColumn('Revision', 'The number of the revision.'),
      ageColumn,
    ],
    row: (object, now) => ({
      cells: [object.metadata?.name ?? '', controllerCell(object), object.revision, age(object, now)],
    }),
  },
};

function validateData(data: ControllerRevision['data'] | null): readonly FieldError[] {
  if (data === undefined || data === null) return [fieldRequired(dataPath, 'data is mandatory')];
  return isJsonObject(data) ? [] : [fieldRequired(dataPath, 'data must be a valid JSON object')];
}

function controllerCell(object: Frozen<ControllerRevision>): string {
  const controller = controllerOf(object);
  if (controller === undefined) return '<none>';
  return `${printGroupKind(groupVersionKindOf(controller)).toLowerCase()}/${controller.name}`;
}
