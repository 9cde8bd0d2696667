// Conflicts of an apply: fields that other managers own and that the configuration would change. As
// apimachinery/pkg/util/managedfields/internal/conflict.go.
import type { ApiError } from '../errors/api-error.js';
import { applyConflict } from '../errors/object-errors.js';
import { quote } from '../go/format.js';
import type { FieldOwner } from './field-owners.js';
import { ownerKey } from './field-owners.js';
import type { FieldSet } from './field-set.js';
import { pathsOf } from './field-set.js';
import { compareText } from './path-element.js';

/** The fields of another manager that an apply would change. */
export interface FieldConflict {
  readonly owner: FieldOwner;
  readonly fields: FieldSet;
}

/** Returns ApiError 409 with a cause for every field. */
export function conflictError(conflicts: readonly FieldConflict[]): ApiError {
  const sorted = [...conflicts].sort((a, b) => compareText(ownerKey(a.owner), ownerKey(b.owner)));
  const groups = sorted.map(({ owner, fields }) => ({ owner: printOwner(owner), paths: pathsOf(fields) }));
  const causes = groups.flatMap(({ owner, paths }) =>
    paths.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${owner}`, field })),
  );
  const [first] = causes;
  const message =
    causes.length === 1 && first !== undefined
      ? `Apply failed with 1 conflict: ${first.message}: ${first.field}`
      : `Apply failed with ${causes.length} conflicts: ${groups
          .map(({ owner, paths }) => [`conflicts with ${owner}:`, ...paths.map((path) => `- ${path}`)].join('\n'))
          .join('\n')}`;
  return applyConflict(message, causes);
}

function printOwner({ manager, operation, apiVersion, subresource }: FieldOwner): string {
  const name = subresource === '' ? quote(manager) : `${quote(manager)} with subresource ${quote(subresource)}`;
  return operation === 'Update' ? `${name} using ${apiVersion}` : name;
}
