/**
 * Histories of registers: each key a cell of its own that is read, written and swapped. Any history of a store can be
 * seen that way, which loses what ties keys together but needs no belief in revisions.
 */
import type { Entry, Revision } from '../../storage/index.js';
import type { RecordedCall, CommitOperation, History, RecordedOperation } from '../store-history/history.js';

/** One operation on one register. Values are texts; undefined is absent. */
export interface RegisterOperation extends RecordedCall {
  readonly key: string;
  readonly action:
    | { readonly type: 'read'; readonly saw: string | undefined }
    | { readonly type: 'write'; readonly value: string | undefined }
    | {
        readonly type: 'swap';
        readonly expected: string | undefined;
        readonly value: string | undefined;
        readonly swapped: boolean;
      };
  /** Whether the answer was lost: it happened, will happen, or never does. */
  readonly lost?: boolean;
}

/** A history of registers. */
export interface RegisterHistory {
  /** What the registers held before; those not named were absent. */
  readonly initial: ReadonlyMap<string, string>;
  readonly operations: readonly RegisterOperation[];
}

/** An operation in words. */
export function describeRegister({ client, called, returned, action, lost = false }: RegisterOperation): string {
  const when = `client ${client} (${called}–${lost ? '?' : returned})`;
  switch (action.type) {
    case 'read':
      return `${when} read ${action.saw ?? 'nothing'}`;
    case 'write':
      return `${when} wrote ${action.value ?? 'nothing'}`;
    case 'swap':
      return `${when} ${action.swapped || lost ? 'swapped' : 'failed to swap'} ${action.expected ?? 'nothing'} for ${action.value ?? 'nothing'}`;
  }
}

/** A store's history key by key. Reads of past revisions say nothing about now and are left out. */
export function registersOf({ initial, operations }: History): RegisterHistory {
  const values = new WrittenValues();
  for (const entry of initial.entries) values.saw(entry);
  for (const operation of operations) values.learn(operation);
  return {
    initial: new Map(initial.entries.map((entry) => [entry.key, textOf(entry)])),
    operations: operations.flatMap((operation) =>
      actionsOf(operation, values).map(([key, action]) => registerOperation(operation, key, action)),
    ),
  };
}

type Action = RegisterOperation['action'];

function registerOperation(operation: RecordedOperation, key: string, action: Action): RegisterOperation {
  const { client, called, returned, answer } = operation;
  return { client, called, returned, key, action, ...(answer === undefined && { lost: true }) };
}

function actionsOf(operation: RecordedOperation, values: WrittenValues): readonly (readonly [string, Action])[] {
  switch (operation.type) {
    case 'get':
      return operation.revision === undefined ? [[operation.key, read(operation.answer.entry)]] : [];
    case 'list': {
      const { prefix, options, answer } = operation;
      if (options.revision !== undefined) return [];
      const found = new Map(answer.entries.map((entry) => [entry.key, entry]));
      // A whole list also says which keys are absent; a page only what it shows.
      const keys = options.limit === undefined && options.after === undefined ? values.keys(prefix) : [...found.keys()];
      return keys.map((key) => [key, read(found.get(key))]);
    }
    case 'commit':
      return commitActions(operation, values);
  }
}

function commitActions(
  { transaction, answer }: CommitOperation,
  values: WrittenValues,
): readonly (readonly [string, Action])[] {
  const { compare = [], put = [], delete: deletes = [] } = transaction;
  if (answer?.committed === false) return compare.map(({ key }, index) => [key, read(answer.found[index])]);
  const expected = new Map(compare.map(({ key, modRevision }) => [key, values.at(key, modRevision)]));
  const written = new Map<string, string | undefined>(put.map(({ key, value }) => [key, JSON.stringify(value)]));
  for (const key of deletes) written.set(key, undefined);
  const actions: (readonly [string, Action])[] = [];
  for (const [key, value] of written) {
    const known = expected.get(key);
    // A revision that no operation observed has no known value: all that is known is that it was written.
    actions.push([
      key,
      known === undefined ? { type: 'write', value } : { type: 'swap', expected: known.value, value, swapped: true },
    ]);
  }
  for (const [key, known] of expected) {
    if (known !== undefined && !written.has(key) && answer !== undefined)
      actions.push([key, { type: 'read', saw: known.value }]);
  }
  return actions;
}

/** Which value a key had at which mod revision, as far as anyone saw. */
class WrittenValues {
  readonly #values = new Map<string, Map<Revision, string>>();

  saw(entry: Entry): void {
    this.#remember(entry.key, entry.modRevision, textOf(entry));
  }

  learn(operation: RecordedOperation): void {
    switch (operation.type) {
      case 'get':
        if (operation.answer.entry !== undefined) this.saw(operation.answer.entry);
        return;
      case 'list':
        for (const entry of operation.answer.entries) this.saw(entry);
        return;
      case 'commit': {
        const { answer, transaction } = operation;
        if (answer?.committed === false) {
          for (const entry of answer.found) if (entry !== undefined) this.saw(entry);
        } else {
          for (const { key, value } of transaction.put ?? [])
            this.#remember(key, answer?.revision, JSON.stringify(value));
        }
      }
    }
  }

  at(key: string, modRevision: Revision): { readonly value: string | undefined } | undefined {
    if (modRevision === 0) return { value: undefined };
    const value = this.#values.get(key)?.get(modRevision);
    return value === undefined ? undefined : { value };
  }

  keys(prefix: string): readonly string[] {
    return [...this.#values.keys()].filter((key) => key.startsWith(prefix));
  }

  #remember(key: string, modRevision: Revision | undefined, value: string): void {
    const values = this.#values.get(key) ?? new Map<Revision, string>();
    this.#values.set(key, values);
    if (modRevision !== undefined) values.set(modRevision, value);
  }
}

function read(entry: Entry | undefined): Action {
  return { type: 'read', saw: entry === undefined ? undefined : textOf(entry) };
}

function textOf({ value }: Entry): string {
  return JSON.stringify(value);
}
