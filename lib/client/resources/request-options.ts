// Options of calls. Names as in the API (apimachinery/pkg/apis/meta/v1), except that `dryRun` is a boolean.
// `writeQuery` and `deleteBody` translate them to what a server reads.
import type { ListOptions, Selection, RequestBody, RequestCause, RequestOptions } from '../../core/index.js';

/** Options of every call that resolves once. */
export interface CallOptions {
  /** Aborts the call, which rejects with the signal's reason. The server may still carry it out. */
  readonly signal?: AbortSignal;
}

/** Options of get. */
export interface GetOptions extends CallOptions {
  /** The minimum resourceVersion; `0` accepts any cached state. Default: the newest. */
  readonly resourceVersion?: string;
  /** Further query parameters, such as the selectors of custom metrics. */
  readonly parameters?: Readonly<Record<string, readonly string[]>>;
}

/** Options of writes. */
export interface WriteOptions extends CallOptions {
  /** Validates and responds as usual, but stores nothing. Default false. */
  readonly dryRun?: boolean;
  /** The owner of the written fields. Default: from the User-Agent. */
  readonly fieldManager?: string;
  /** What the server does about unknown and duplicate fields. Default `Warn`. */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
  /** The cause; recorded with the commit in process. HTTP does not carry it. */
  readonly cause?: RequestCause | undefined;
}

/** Options of modify. */
export interface ModifyOptions extends WriteOptions {
  /** The number of attempts before a Conflict is final. Default 5. */
  readonly triesMax?: number;
}

/** Options of apply. */
export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Takes over fields that other managers own. Default false. */
  readonly force?: boolean;
}

/** Options of delete. */
export interface DeleteOptions extends CallOptions {
  readonly dryRun?: boolean;
  /** The time that the object has to terminate; 0 deletes it at once. Default: decided by the kind. */
  readonly gracePeriodSeconds?: number;
  /** What happens to the objects that this one owns. */
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  /** Rejects with Conflict unless the object has this uid and resourceVersion. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  /** The cause, as in WriteOptions. */
  readonly cause?: RequestCause | undefined;
}

/** Options of deleteCollection. */
export interface DeleteCollectionOptions
  extends
    DeleteOptions,
    Selection,
    Pick<ListOptions, 'limit' | 'continue' | 'resourceVersion' | 'resourceVersionMatch'> {}

/** Returns the options of a write as a server reads them; undefined if there are none. */
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

/** Returns the options of a deletion as a DeleteOptions body; undefined if there are none. */
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
