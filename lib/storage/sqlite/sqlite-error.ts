// What SQLite's failures mean for a store. `node:sqlite` puts SQLite's result code on the error as `errcode`; its low
// byte is the primary code, see https://sqlite.org/rescode.html. `@photostructure/sqlite` does the same, except in
// `all` and `iterate` (1.2.1), where only SQLite's standard text is available.
import { isStoreError, StoreError, type StoreErrorCode } from '../store-error.js';
import type { WireError } from './protocol.js';

interface Meaning {
  readonly code: StoreErrorCode;
  readonly meaning: string;
  /** SQLite's standard text for the code. */
  readonly text: string;
}

const meanings: ReadonlyMap<number, Meaning> = new Map([
  [3, { code: 'unavailable', meaning: 'access to the file was denied', text: 'access permission denied' }],
  [5, { code: 'locked', meaning: 'the file is open elsewhere', text: 'database is locked' }],
  [8, { code: 'unavailable', meaning: 'the file cannot be written to', text: 'attempt to write a readonly database' }],
  [10, { code: 'unavailable', meaning: 'the disk failed', text: 'disk I/O error' }],
  [11, { code: 'corrupt', meaning: 'the file is damaged', text: 'database disk image is malformed' }],
  [13, { code: 'no-space', meaning: 'the disk or the limit of the file is full', text: 'database or disk is full' }],
  [14, { code: 'unavailable', meaning: 'the file cannot be opened', text: 'unable to open database file' }],
  [26, { code: 'corrupt', meaning: 'the file is not a SQLite database', text: 'file is not a database' }],
]);

/** The failure of a statement as an error of the store. What is none of SQLite's goes through as it is. */
export function fromSqlite(error: unknown, path: string): unknown {
  const result = resultOf(error);
  if (result === undefined || !(error instanceof Error)) return error;
  const { code, meaning } = meanings.get(result & 0xff) ?? { code: 'unavailable', meaning: 'the database failed' };
  return new StoreError(code, `${path}: ${meaning} (${error.message}, SQLite result ${result})`, { cause: error });
}

/** Returns whether a statement failed for lack of space, which leaves everything as it was. */
export function isFull(error: unknown): boolean {
  return ((resultOf(error) ?? 0) & 0xff) === 13;
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

/** SQLite's result code; undefined for an error that is not SQLite's. */
function resultOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'ERR_SQLITE_ERROR') return undefined;
  if ('errcode' in error && typeof error.errcode === 'number') return error.errcode;
  for (const [result, { text }] of meanings) if (error.message === text) return result;
  return 1; // an error without a name
}
