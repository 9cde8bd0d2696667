// The contract of kind behaviours: what the server does for a kind besides storing it, where the kind's strategy
// (core/kinds) cannot reach: authorizers, allocators and objects of other kinds. `kind-behaviours.ts` lists one per
// kind.
import type { ApiObject, FieldError, WriteContext } from '../../core/index.js';
import type { Entry, Outcome, Transaction } from '../../storage/index.js';
import type { StoredObject } from '../registry/stored-kind.js';
import type { Exchange } from '../pipeline.js';
import type { SpecialResource, VirtualResource } from '../routing/route.js';

/** What is registered for a kind. */
export interface KindBehaviour extends Partial<Reserving>, WriteGuard {
  /** Subresources with their own behaviour, by name. */
  readonly subresources?: Readonly<Record<string, SpecialResource>>;
  /** Serves the resource, which then has no storage. */
  readonly serve?: VirtualResource;
}

/** The behaviours of a server's kinds. */
export interface KindBehaviours {
  /** By `group/resource`. */
  readonly byResource: ReadonlyMap<string, KindBehaviour>;
  /** Subresources of any kind that has one of that name, such as `scale`. */
  readonly shared: Readonly<Record<string, SpecialResource>>;
}

/**
 * Reservations that a write makes outside of its object, such as addresses and ports of Services, and objects that are
 * written in the same transaction. As BeginCreate, BeginUpdate and AfterDelete of
 * apiserver/pkg/registry/generic/registry/store.go.
 */
export interface Reserving {
  /** Reserves what the new object needs and writes it into the object. Rejects with ApiError. */
  reserve(object: ApiObject, old: StoredObject | undefined, context: WriteContext): Promise<Reservation>;
  /** Releases the reservations of a deleted object. */
  release(object: StoredObject): void;
  /**
   * Returns the companions of the transaction that replaces or removes `old`; `lost` where another write has allocated
   * what this one reserved, which then reserves again.
   */
  companions(
    object: ApiObject | undefined,
    old: StoredObject | undefined,
    write: CompanionContext,
  ): Companions | 'lost' | Promise<Companions | 'lost'>;
}

/** A reservation of a write. One of the functions is called when the write has ended; later calls have no effect. */
export interface Reservation {
  /** The write is stored. */
  commit(): void;
  /** The write is not stored. */
  rollback(): void;
  /** Whether the write is stored is not known: what it reserved stays reserved until the store has been read. */
  keep(): void;
}

/** The context of a write, for companions. */
export interface CompanionContext extends WriteContext {
  /** The field manager of the request. */
  readonly manager: string;
}

/** Changes of other objects, by full key, and conditions of them. */
export interface Companions extends Required<Transaction> {
  /**
   * Called once when the transaction has ended, with its outcome and the entries that were found for `compare`;
   * without arguments where it failed. Returns what to do after a refusal that is due to the companions: try again, or
   * reserve again.
   */
  settled(outcome?: Outcome, found?: readonly (Entry | undefined)[]): 'again' | 'lost';
}

/**
 * Checks of a kind that depend on the object, in addition to the authorization of the request. As the storage that
 * pkg/registry/rbac wraps around that of its kinds, and the strategies elsewhere that call authorizers.
 */
export interface WriteGuard {
  /**
   * Refuses, by rejecting with ApiError, an object that is created or takes the place of `old`; in the hub version.
   * Runs after mutating admission, before the object is prepared and validated.
   */
  check?(object: ApiObject, old: StoredObject | undefined, exchange: Exchange): Promise<void>;
  /** Returns errors of an object that depend on the user. Runs after preparation and validation. */
  errors?(object: ApiObject, old: StoredObject | undefined, exchange: Exchange): Promise<readonly FieldError[]>;
}
