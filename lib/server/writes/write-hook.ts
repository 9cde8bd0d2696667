// What a kind has to reserve outside its own object before it is written: addresses and ports of Services. Reserved
// before preparation and validation, kept when the write is committed, given back when it is not. And what other
// objects come and go with it, in the same transaction.
// As BeginCreate, BeginUpdate and AfterDelete of apiserver/pkg/registry/generic/registry/store.go.
import type { ApiObject, WriteContext } from '../../core/index.js';
import type { Transaction } from '../../storage/index.js';
import type { Stored } from '../registry/stored-kind.js';

/** Something reserved for a write. */
export interface Reservation {
  /** The write happened. */
  commit(): void;
  /** It did not. */
  rollback(): void;
}

/** The reservations of a kind. */
export interface WriteHook {
  /** Reserves what the new object needs and writes it into the object. Throws ApiError. */
  reserve(object: ApiObject, old: Stored | undefined, context: WriteContext): Promise<Reservation>;
  /** Gives back what a deleted object had. */
  release(object: Stored): void;
  /** What to put and delete in the transaction that puts the object in the place of `old`, or removes `old`. */
  companions?(object: ApiObject | undefined, old: Stored | undefined, context: WriteContext): Companions;
}

/** Changes of other objects. Their keys are whole. */
export type Companions = Required<Pick<Transaction, 'put' | 'delete'>>;
