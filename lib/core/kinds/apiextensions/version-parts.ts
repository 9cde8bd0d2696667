// Parts of a version beside its schema: subresources, printer columns, selectable fields.
// As apiextensions-apiserver/pkg/apis/apiextensions/validation.
import { collect } from '../../errors/collect.js';
import { fieldDuplicate, fieldInvalid, fieldRequired, fieldTooMany } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import type { Frozen } from '../../objects/meta.js';
import type {
  CustomResourceColumnDefinition,
  CustomResourceSubresources,
  SelectableField,
} from '../../types/apiextensions-v1.generated.js';
import { findField } from './field-path-rules.js';
import type { Schema } from './schema-value.js';
import { structuralProblem } from './structural.js';

type FieldErrors = readonly FieldError[];

/** Where replicas are counted. */
export function validateSubresources(
  subresources: Frozen<CustomResourceSubresources> | undefined,
  path: FieldPath,
): FieldErrors {
  const { scale } = subresources ?? {};
  if (scale === undefined) return [];
  const { specReplicasPath, statusReplicasPath, labelSelectorPath = '' } = scale;
  const selectorPath = path.child('scale.labelSelectorPath');
  return [
    ...validatePathUnder(specReplicasPath, '.spec.', path.child('scale.specReplicasPath')),
    ...validatePathUnder(statusReplicasPath, '.status.', path.child('scale.statusReplicasPath')),
    ...(labelSelectorPath === ''
      ? []
      : !labelSelectorPath.startsWith('.')
        ? validateJsonPath(labelSelectorPath, selectorPath)
        : /^\.(?:spec|status)\./.test(labelSelectorPath)
          ? []
          : [fieldInvalid(selectorPath, labelSelectorPath, 'should be a json path under either .spec or .status')]),
  ];
}

/** A column of printed lists. */
export function validateColumn(
  { name, type, format = '', jsonPath }: Frozen<CustomResourceColumnDefinition>,
  path: FieldPath,
): FieldErrors {
  const errors: FieldError[] = [];
  if (name === '') errors.push(fieldRequired(path.child('name')));
  const oneOf = `must be one of ${columnTypes.join(',')}`;
  if (type === '') errors.push(fieldRequired(path.child('type'), oneOf));
  else if (!columnTypes.includes(type)) errors.push(fieldInvalid(path.child('type'), type, oneOf));
  if (format !== '' && !columnFormats.includes(format))
    errors.push(fieldInvalid(path.child('format'), format, `must be one of ${columnFormats.join(',')}`));
  return [
    ...errors,
    ...(jsonPath === '' ? [fieldRequired(path.child('JSONPath'))] : validateJsonPath(jsonPath, path.child('JSONPath'))),
  ];
}

/** What depends on the definition. */
export interface SelectableOptions {
  readonly schemaPath: FieldPath;
  /** The old definition had the same fields, however many. */
  readonly keepsMany: boolean;
}

/** Fields that field selectors may name. */
export function validateSelectableFields(
  fields: readonly Frozen<SelectableField>[],
  schema: Schema,
  path: FieldPath,
  options: SelectableOptions,
): FieldErrors {
  const problem = structuralProblem(schema);
  if (problem !== undefined) return [fieldInvalid(options.schemaPath, '', problem)];
  const seen = new Set<string>();
  const errors = collect(fields, ({ jsonPath }, index) => {
    const at = path.index(index).child('jsonPath');
    if (jsonPath === '') return [fieldRequired(at)];
    const found = findField(jsonPath, schema, { allowBrackets: false });
    if ('error' in found) return [fieldInvalid(at, jsonPath, `is an invalid path: ${found.error}`)];
    const wrong: FieldError[] = [];
    if (found.root === 'metadata') wrong.push(fieldInvalid(at, jsonPath, 'must not point to fields in metadata'));
    if (!['string', 'boolean', 'integer'].includes(found.schema.type ?? '')) {
      const rule =
        'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
      wrong.push(fieldInvalid(at, jsonPath, rule));
    }
    if (seen.has(found.path)) wrong.push(fieldDuplicate(at, jsonPath));
    seen.add(found.path);
    return wrong;
  });
  return seen.size > selectableMax && !options.keepsMany
    ? [...errors, fieldTooMany(path, seen.size, selectableMax)]
    : errors;
}

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];
const selectableMax = 8;

function validatePathUnder(jsonPath: string, root: '.spec.' | '.status.', path: FieldPath): FieldErrors {
  if (jsonPath === '') return [fieldRequired(path)];
  const wrong = validateJsonPath(jsonPath, path);
  if (wrong.length > 0 || jsonPath.startsWith(root)) return wrong;
  return [fieldInvalid(path, jsonPath, `should be a json path under ${root.slice(0, -1)}`)];
}

function validateJsonPath(jsonPath: string, path: FieldPath): FieldErrors {
  return jsonPath.startsWith('.') ? [] : [fieldInvalid(path, jsonPath, 'must be a simple json path starting with .')];
}
