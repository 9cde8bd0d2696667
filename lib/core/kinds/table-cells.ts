// Columns and cells that many kinds share. As pkg/printers/internalversion/printers.go, whose words kubectl's users
// know.
import { humanDuration } from '../go/duration.js';
import type { ApiObject, Frozen } from '../objects/meta.js';
import { parseTime } from '../objects/time.js';
import type { KindTable, TableColumn } from './kind-table.js';

/** The column that identifies a row. */
export const nameColumn: TableColumn = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'The name of the object.',
};

/** How long ago the object was created. */
export const ageColumn: TableColumn = {
  name: 'Age',
  type: 'string',
  description: 'How long ago the object was created.',
};

/** A column of text. */
export function textColumn(name: string, description: string, priority = 0): TableColumn {
  return { name, type: 'string', description, priority };
}

/** A column of whole numbers. */
export function integerColumn(name: string, description: string, priority = 0): TableColumn {
  return { name, type: 'integer', description, priority };
}

/** The age of an object. */
export function age(object: Frozen<ApiObject>, now: number): string {
  return timeSince(object.metadata?.creationTimestamp, now);
}

/** How long ago a time was, as people say it. */
export function timeSince(time: string | undefined, now: number): string {
  return time === undefined ? '<unknown>' : humanDuration(now - parseTime(time));
}

/** The table of kinds that have none of their own. */
export const plainTable: KindTable = {
  columns: [nameColumn, { name: 'Created At', type: 'date', description: 'When the object was created.' }],
  row: ({ metadata }) => ({ cells: [metadata?.name ?? '', metadata?.creationTimestamp ?? '<unknown>'] }),
};
