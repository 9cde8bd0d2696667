// What SQLite's failures mean for a store. `node:sqlite` and `@photostructure/sqlite` both put SQLite's result code on
// the error as `errcode`; its low byte is the primary code, see https://sqlite.org/rescode.html.
import { isStoreError, StoreError, type StoreErrorCode } from '../store-error.js';
import type { WireError } from './protocol.js';

const codes: ReadonlyMap<number, readonly [StoreErrorCode, string]> = new Map([
  [3, ['unavailable', 'access to the file was denied']],
  [5, ['locked', 'the file is open elsewhere']],
  [6, ['locked', 'the file is open elsewhere']],
  [8, ['unavailable', 'the file cannot be written to']],
  [10, ['unavailable', 'the disk failed']],
  [11, ['corrupt', 'the file is damaged']],
  [13, ['no-space', 'the disk or the limit of the file is full']],
  [14, ['unavailable', 'the file cannot be opened']],
  [26, ['corrupt', 'the file is not a SQLite database']],
]);

/** The failure of a statement as an error of the store. What is none of SQLite's goes through as it is. */
export function fromSqlite(error: unknown, path: string): unknown {
  const errcode = errcodeOf(error);
  if (errcode === undefined || isStoreError(error)) return error;
  const [code, meaning] = codes.get(errcode & 0xff) ?? ['unavailable', 'the database failed'];
  const said = error instanceof Error ? error.message : 'no reason given';
  return new StoreError(code, `${path}: ${meaning} (${said}, SQLite result ${errcode})`, { cause: error });
}

/** Whether a statement failed for lack of space, which leaves everything as it was. */
export function isFull(error: unknown): boolean {
  return ((errcodeOf(error) ?? 0) & 0xff) === 13;
}

/** An error as it is sent. Undefined when it is none of a store, but a defect. */
export function toWire(error: unknown): WireError | undefined {
  if (!isStoreError(error)) return undefined;
  const { code, message, revision } = error;
  return { code, message, ...(revision !== undefined && { revision }) };
}

/** An error as it was sent. */
export function fromWire({ code, message, revision }: WireError): StoreError {
  return new StoreError(code, message, revision === undefined ? {} : { revision });
}

function errcodeOf(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : undefined;
}
