/**
 * A recorded history: the calls of concurrent clients on a store, with times and results. Written by
 * `recordHistory`, judged by the checkers of linearizability.ts; tests also write some by hand.
 */
import type { Batch, Listing, StoreListOptions, Outcome, Reading, Revision, Transaction } from '../../storage/index.js';

/** The calling client and when. Moments are positions in one count of all calls and returns, not times. */
export interface RecordedCall {
  readonly client: number;
  readonly called: number;
  readonly returned: number;
}

/** A get and its answer. */
export interface GetOperation extends RecordedCall {
  readonly type: 'get';
  readonly key: string;
  /** The revision requested; undefined for the newest. */
  readonly revision: Revision | undefined;
  readonly answer: Reading;
}

/** A list and its answer. */
export interface ListOperation extends RecordedCall {
  readonly type: 'list';
  readonly prefix: string;
  readonly options: StoreListOptions;
  readonly answer: Listing;
}

/** A commit and its answer. */
export interface CommitOperation extends RecordedCall {
  readonly type: 'commit';
  readonly transaction: Transaction;
  /** Undefined when the answer was lost: it happened, will happen, or never does. */
  readonly answer: Outcome | undefined;
}

/** One thing a client did. */
export type RecordedOperation = GetOperation | ListOperation | CommitOperation;

/** The batches that a watch received, over all its resumptions. */
export interface WatchRecord {
  readonly prefix: string;
  readonly after: Revision;
  /** Bookmarks included. */
  readonly batches: readonly Batch[];
  /** It had time to see everything up to here. */
  readonly until: Revision;
}

/** The record of a store's operations and watches, without other writers. */
export interface History {
  /** All keys concerned, before the first operation. */
  readonly initial: Listing;
  readonly operations: readonly RecordedOperation[];
  readonly watches: readonly WatchRecord[];
}

/** A contradiction in a history. */
export interface Violation {
  /** Says it in a sentence or two, operations included. */
  readonly sentence: string;
  /** The operations involved. */
  readonly operations: readonly RecordedOperation[];
}

/** An operation in words. */
export function describeOperation(operation: RecordedOperation): string {
  const { client, called, returned } = operation;
  return `client ${client} (${called}–${returned}): ${describeRequest(operation)} → ${describeAnswer(operation)}`;
}

function describeRequest(operation: RecordedOperation): string {
  switch (operation.type) {
    case 'get':
      return `get ${operation.key}${operation.revision === undefined ? '' : ` at ${operation.revision}`}`;
    case 'list':
      return `list ${operation.prefix} ${JSON.stringify(operation.options)}`;
    case 'commit': {
      const { compare = [], put = [], delete: deletes = [] } = operation.transaction;
      const conditions = compare.map(({ key, modRevision }) => `${key} is at ${modRevision}`).join(' and ');
      const puts = put.map(({ key, value }) => `put ${key} = ${JSON.stringify(value)}`);
      const changes = [...puts, ...deletes.map((key) => `delete ${key}`)].join(', ') || 'nothing';
      return conditions === '' ? changes : `if ${conditions}: ${changes}`;
    }
  }
}

function describeAnswer(operation: RecordedOperation): string {
  switch (operation.type) {
    case 'get': {
      const { entry, revision } = operation.answer;
      return `${entry === undefined ? 'absent' : JSON.stringify(entry)} at revision ${revision}`;
    }
    case 'list': {
      const { entries, revision, remaining } = operation.answer;
      return `${JSON.stringify(entries)} at revision ${revision}, ${remaining} remaining`;
    }
    case 'commit': {
      const { answer } = operation;
      if (answer === undefined) return 'answer lost';
      if (answer.committed) return `committed at revision ${answer.revision}`;
      return `refused at revision ${answer.revision}, found ${JSON.stringify(answer.found)}`;
    }
  }
}
