// Namespaces. A new one is Active. A deleted one waits until the namespace controller has emptied it: spec.finalizers,
// which only the `finalize` subresource may change. Its name is also a label, so that selectors can name it. As
// pkg/registry/core/namespace/strategy.go and ValidateNamespace… in pkg/apis/core/validation.
import { collect } from '../../errors/collect.js';
import { fieldInvalid } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import type { FieldPath } from '../../errors/field-path.js';
import { isTerminating } from '../../objects/meta.js';
import type { Frozen } from '../../objects/meta.js';
import { isQualifiedName, nameIsDnsLabel } from '../../objects/names.js';
import type { Namespace, NamespaceStatus } from '../../types/core-v1.generated.js';
import { invalidEach } from '../invalid-each.js';
import type { KindStrategy, UpdateStrategy } from '../kind-strategy.js';
import { printedWord } from '../printed-values.js';
import { age, ageColumn, nameColumn, textColumn } from '../table-cells.js';

const finalizersPath = fieldPath('spec', 'finalizers');

/** Status may only say what the deletion timestamp says. */
const status: UpdateStrategy<Namespace> = {
  validateUpdate: (object) => {
    const path = fieldPath('status', 'Phase');
    const { phase } = object.status ?? {};
    if (!isTerminating(object)) {
      return phase === 'Active'
        ? []
        : [fieldInvalid(path, printedWord(phase ?? ''), "may only be 'Active' if `deletionTimestamp` is empty")];
    }
    return phase === 'Terminating'
      ? []
      : [fieldInvalid(path, printedWord(phase ?? ''), "may only be 'Terminating' if `deletionTimestamp` is not empty")];
  },
};

/** The one way to change spec.finalizers. */
const finalize: UpdateStrategy<Namespace> = {
  prepareForUpdate: keepStatus,
  validateUpdate: ({ spec }) =>
    collect(spec?.finalizers ?? [], (name, index) => validateFinalizer(name, finalizersPath.index(index))),
};

/** The strategy of Namespaces. */
export const namespace: KindStrategy<Namespace> = {
  nameRule: nameIsDnsLabel,
  prepareForCreate: (object) => {
    const { finalizers = [] } = object.spec ?? {};
    if (!finalizers.includes('kubernetes')) object.spec = { finalizers: [...finalizers, 'kubernetes'] };
    object.status = { phase: 'Active' };
    // A name that was only now generated has no label yet.
    namespaceDefaults(object);
  },
  validate: validateSpec,
  prepareForUpdate: (object, old) => {
    object.spec = old.spec?.finalizers === undefined ? {} : { finalizers: [...old.spec.finalizers] };
  },
  validateUpdate: validateSpec,
  subresources: { status, finalize },
  answersDeleted: true,
  holdsDeletion: ({ spec }) => (spec?.finalizers ?? []).length > 0,
  prepareForDelete: (object) => {
    object.status = { ...object.status, phase: 'Terminating' };
  },
  selectableFields: { 'status.phase': (object) => object.status?.phase ?? '' },
  table: {
    columns: [nameColumn, textColumn('Status', 'Whether the namespace is in use or on its way out.'), ageColumn],
    row: (object, now) => ({ cells: [object.metadata?.name ?? '', object.status?.phase ?? '', age(object, now)] }),
  },
};

/** The label that is the name. An update that changes it is reverted. */
export function namespaceDefaults(object: Namespace): void {
  const { name = '', labels } = object.metadata ?? {};
  if (name !== '') object.metadata = { ...object.metadata, labels: { ...labels, 'kubernetes.io/metadata.name': name } };
}

function keepStatus(object: Namespace, old: Frozen<Namespace>): void {
  if (old.status === undefined) delete object.status;
  else object.status = old.status as NamespaceStatus;
}

function validateSpec({ spec }: Frozen<Namespace>): readonly FieldError[] {
  return collect(spec?.finalizers ?? [], (name) => validateFinalizer(name, finalizersPath));
}

/** A qualified name; without a prefix only those that Kubernetes itself uses. */
function validateFinalizer(name: string, path: FieldPath): readonly FieldError[] {
  const errors = invalidEach(path, name, isQualifiedName(name));
  if (name.includes('/') || name === 'kubernetes' || name === 'orphan' || name === 'foregroundDeletion') return errors;
  return [...errors, fieldInvalid(path, name, 'name is neither a standard finalizer name nor is it fully qualified')];
}
