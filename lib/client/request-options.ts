// What callers may say about a request besides its subject. Words as in the API (apimachinery/pkg/apis/meta/v1), except
// that a dry run is a yes or no here. The translation to what a server reads stands in `writeQuery` and `deleteBody`.
import type { ListOptions, Selection } from '../core/index.js';
import type { RequestBody, RequestCause, RequestOptions } from './api-request.js';

/** What every request that is answered once takes. */
export interface CallOptions {
  /** Ends the call; it then rejects with the signal's reason. What it asked for may still happen. */
  readonly signal?: AbortSignal;
}

/** How to read one object. */
export interface GetOptions extends CallOptions {
  /** At least as new as this; `0` takes whatever is at hand. Without it the newest. */
  readonly resourceVersion?: string;
}

/** How to write. */
export interface WriteOptions extends CallOptions {
  /** Checks everything and answers as if, but stores nothing. */
  readonly dryRun?: boolean;
  /** In whose name fields are owned. */
  readonly fieldManager?: string;
  /** What happens to unknown and repeated fields: `Warn` unless said otherwise. */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
  /** Why the write is made; in process it is recorded with the commit. HTTP does not carry it. */
  readonly cause?: RequestCause | undefined;
}

/** How to modify. */
export interface ModifyOptions extends WriteOptions {
  /** How often the object is read and written before a Conflict is final. Default 5. */
  readonly triesMax?: number;
}

/** How to apply. */
export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Takes fields over that others own. */
  readonly force?: boolean;
}

/** How to delete. */
export interface DeleteOptions extends CallOptions {
  readonly dryRun?: boolean;
  /** How long the object may take to end; 0 for at once. The kind decides where it is not said. */
  readonly gracePeriodSeconds?: number;
  /** What becomes of the objects that this one owns. */
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  /** Deletes only this very object, in this very state. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  /** Why it is deleted, as in WriteOptions. */
  readonly cause?: RequestCause | undefined;
}

/** Which objects to delete, and how. */
export interface DeleteCollectionOptions
  extends
    DeleteOptions,
    Selection,
    Pick<ListOptions, 'limit' | 'continue' | 'resourceVersion' | 'resourceVersionMatch'> {}

/** The options of a write as a server reads them; undefined where nothing was said. */
export function writeQuery(options: (WriteOptions & Partial<ApplyOptions>) | undefined): RequestOptions | undefined {
  if (options === undefined) return undefined;
  const { dryRun = false, fieldManager, fieldValidation, force } = options;
  return {
    ...(dryRun && { dryRun: ['All'] }),
    ...(fieldManager !== undefined && { fieldManager }),
    ...(fieldValidation !== undefined && { fieldValidation }),
    ...(force !== undefined && { force }),
  };
}

/** The options of a deletion as a body, where all of them have a place; undefined where nothing was said. */
export function deleteBody({
  dryRun = false,
  gracePeriodSeconds,
  propagationPolicy,
  preconditions,
}: DeleteOptions): RequestBody | undefined {
  if (!dryRun && gracePeriodSeconds === undefined && propagationPolicy === undefined && preconditions === undefined)
    return undefined;
  return {
    object: {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
      ...(preconditions !== undefined && { preconditions }),
      ...(propagationPolicy !== undefined && { propagationPolicy }),
      ...(dryRun && { dryRun: ['All'] }),
    },
  };
}
