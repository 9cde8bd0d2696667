/**
 * What a client of a recorded history does next. Reads and writes of all shapes, mostly conditional on what the client
 * last saw, which others may have overwritten since: so some conditions hold and some do not.
 */
import type { Random } from '../../core/index.js';
import type { Comparison, Entry, Put, Revision, Transaction } from '../../storage/index.js';
import type { CommitOperation, GetOperation, ListOperation, RecordedOperation } from './history.js';

/** The keys of every workload begin with this. */
export const historyPrefix = '/registry/history/';

/** The keys of a workload, in three groups. */
export function historyKeys(count: number): readonly string[] {
  return Array.from({ length: count }, (_, n) => `${historyPrefix}${'abc'.charAt(n % 3)}/${n}`);
}

/** A request, as a client words it. */
export type WorkloadRequest =
  | Pick<GetOperation, 'type' | 'key' | 'revision'>
  | Pick<ListOperation, 'type' | 'prefix' | 'options'>
  | Pick<CommitOperation, 'type' | 'transaction'>;

/** A client and what it last saw. */
export class HistoryClient {
  readonly #name: number;
  readonly #chance: Random;
  readonly #keys: readonly string[];
  readonly #start: Revision;
  readonly #modRevisions = new Map<string, Revision>();
  #newest: Revision;
  #writes = 0;

  constructor(
    name: number,
    chance: Random,
    { keys, start }: { readonly keys: readonly string[]; readonly start: Revision },
  ) {
    this.#name = name;
    this.#chance = chance;
    this.#keys = keys;
    this.#start = start;
    this.#newest = start;
  }

  /** Decides what to do next. */
  draw(): WorkloadRequest {
    const chance = this.#chance;
    const what = chance.integer(100);
    if (what < 18) return { type: 'get', key: chance.pick(this.#keys), revision: undefined };
    if (what < 22) return { type: 'get', key: chance.pick(this.#keys), revision: this.#earlier() };
    if (what < 32) return { type: 'list', prefix: this.#prefix(), options: {} };
    if (what < 36)
      return {
        type: 'list',
        prefix: this.#prefix(),
        options: { limit: 1 + chance.integer(4), after: chance.pick(this.#keys) },
      };
    if (what < 40)
      return {
        type: 'list',
        prefix: this.#prefix(),
        options: { revision: this.#earlier(), limit: 1 + chance.integer(4) },
      };
    return { type: 'commit', transaction: this.#transaction(what) };
  }

  /** Records an answer. */
  learn(operation: RecordedOperation): void {
    const { answer } = operation;
    if (answer === undefined) return;
    this.#newest = Math.max(this.#newest, answer.revision);
    switch (operation.type) {
      case 'get':
        if (operation.revision === undefined) this.#saw(operation.key, operation.answer.entry);
        return;
      case 'list':
        if (operation.options.revision === undefined)
          for (const entry of operation.answer.entries) this.#saw(entry.key, entry);
        return;
      case 'commit': {
        const { compare = [], put = [], delete: deletes = [] } = operation.transaction;
        if (operation.answer?.committed === false) {
          operation.answer.found.forEach((entry, index) => this.#saw(compare[index]?.key ?? '', entry));
        } else {
          for (const { key } of put) this.#modRevisions.set(key, answer.revision);
          for (const key of deletes) this.#modRevisions.set(key, 0);
        }
      }
    }
  }

  #saw(key: string, entry: Entry | undefined): void {
    this.#modRevisions.set(key, entry?.modRevision ?? 0);
  }

  #earlier(): Revision {
    return this.#newest - this.#chance.integer(Math.min(50, this.#newest - this.#start + 1));
  }

  #prefix(): string {
    return historyPrefix + this.#chance.pick(['', '', 'a/', 'b/', 'c']);
  }

  #transaction(what: number): Transaction {
    const chance = this.#chance;
    if (what < 60) {
      const [key] = this.#pick(1);
      return what < 54
        ? { compare: this.#compare([key]), put: [this.#put(key)] }
        : { compare: this.#compare([key]), delete: [key] };
    }
    if (what < 72) return { put: [this.#put(chance.pick(this.#keys))] };
    if (what < 77) return { delete: [chance.pick(this.#keys)] };
    if (what < 80) return { compare: this.#compare(this.#pick(2)) };
    const keys = this.#pick(2 + chance.integer(3));
    const compare = what < 92 ? this.#compare(keys) : what < 96 ? this.#compare(keys.slice(0, 1)) : [];
    const deletes = keys.slice(1).filter(() => chance.next() < 0.25);
    return { compare, put: keys.filter((key) => !deletes.includes(key)).map((key) => this.#put(key)), delete: deletes };
  }

  #pick(count: number): [string, ...string[]] {
    const [first = '', ...rest] = this.#chance.shuffle(this.#keys).slice(0, count);
    return [first, ...rest];
  }

  #compare(keys: readonly string[]): readonly Comparison[] {
    return keys.map((key) => ({ key, modRevision: this.#modRevisions.get(key) ?? 0 }));
  }

  /** Every value is unique, so that a read identifies the write it saw. */
  #put(key: string): Put {
    this.#writes += 1;
    return { key, value: { written: `${this.#name}-${this.#writes}` } };
  }
}
