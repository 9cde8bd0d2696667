// How objects of a kind are printed as rows of a table, which is what `kubectl get` shows. Rows always have all
// columns; clients hide those of priority above zero. Cells are computed on the server, ages included.
// As pkg/printers/internalversion/printers.go; descriptions of columns are our own.
import type { JsonValue } from '../objects/json.js';
import type { ApiObject, Frozen } from '../objects/meta.js';

/** A column. */
export interface TableColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  /** How values are written; `name` marks the column that identifies the row. */
  readonly format?: string;
  readonly description: string;
  /** Columns above zero are shown on request only. */
  readonly priority?: number;
}

/** Something a client may colour or hide a row by. */
export interface TableRowCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
}

/** What a row says of its object. */
export interface TableCells {
  readonly cells: readonly JsonValue[];
  readonly conditions?: readonly TableRowCondition[];
}

/** The table of a kind. F is derived, so that the compiler sees that a table of Pods is a table of objects. */
export interface KindTable<T extends ApiObject = ApiObject, F = Frozen<T>> {
  readonly columns: readonly TableColumn[];
  /** One row. `now` is for ages, in milliseconds since 1970. */
  row(object: F, now: number): TableCells;
  /** The order of a list's rows, where it is not that of the list. */
  order?(a: F, b: F): number;
}
