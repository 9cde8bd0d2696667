// The table of a kind that is defined by data: the name, the columns its author chose, or the age. As
// apiextensions-apiserver/pkg/registry/customresource/tableconvertor.
import { sortedJson } from '../go/struct-form.js';
import { valueReader } from '../objects/field-text.js';
import type { JsonValue } from '../objects/json.js';
import { isParseError } from '../objects/parse-error.js';
import type { KindTable, TableColumn } from './kind-table.js';
import { age, ageColumn, nameColumn, timeSince } from './table-cells.js';

/** A column in the words of a CustomResourceDefinition. */
export interface PrinterColumn extends Pick<TableColumn, 'name' | 'type'> {
  /** Where the value is, such as `.spec.color`. Of several values the first is printed. */
  readonly jsonPath: string;
  /** How the value is written, such as `date-time`. For clients. */
  readonly format?: string;
  readonly description?: string;
  /** Columns above zero are shown by `kubectl get -o wide` only. Default 0. */
  readonly priority?: number;
}

/** The table. Without columns it has the age. Throws Error for a path that is not one. */
export function kindColumns(columns: readonly PrinterColumn[] = [createdColumn]): KindTable {
  const readers = columns.map(({ jsonPath }) => valueReader(jsonPath));
  return {
    columns: [
      nameColumn,
      ...columns.map(({ name, type, format = '', description = '', priority = 0, jsonPath }) => ({
        name,
        type,
        format,
        description:
          description === '' ? `Custom resource definition column (in JSONPath format): ${jsonPath}` : description,
        priority,
      })),
    ],
    row: (object, now) => ({
      cells: [
        object.metadata?.name ?? '',
        ...columns.map(({ type, jsonPath }, at): JsonValue => {
          if (jsonPath === createdColumn.jsonPath) return age(object, now);
          return cellOf(readers[at]?.(object), type, now);
        }),
      ],
    }),
  };
}

const createdColumn: PrinterColumn = {
  name: ageColumn.name,
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: ageColumn.description,
};

/** A value that is not of the column's type is not printed. */
function cellOf(value: JsonValue | undefined, type: TableColumn['type'], now: number): JsonValue {
  if (value === undefined || value === null) return null;
  switch (type) {
    case 'date':
      return typeof value === 'string' ? ageOf(value, now) : null;
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'string':
      return typeof value === 'object' ? JSON.stringify(sortedJson(value)) : String(value);
  }
}

function ageOf(text: string, now: number): string {
  try {
    return timeSince(text, now);
  } catch (error) {
    if (isParseError(error)) return '<invalid>';
    throw error;
  }
}
