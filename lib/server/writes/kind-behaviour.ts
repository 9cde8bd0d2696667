// What the server does for one kind besides storing it, beyond what the kind's own strategy says (core/kinds): the
// registration of a kind with the parts of the server that a strategy cannot reach, such as authorizers, allocators and
// the objects of other kinds. There is one per kind; `kind-behaviours.ts` lists them.
import type { ApiObject, FieldError, WriteContext } from '../../core/index.js';
import type { Transaction } from '../../storage/index.js';
import type { StoredObject } from '../registry/stored-kind.js';
import type { Exchange } from '../requests/exchange.js';
import type { SpecialResource, VirtualResource } from '../routing/route.js';

/** What is registered for a kind. */
export interface KindBehaviour extends Partial<Reserving>, WriteGuard {
  /** Subresources that are more than a part of the object, by name. */
  readonly subresources?: Readonly<Record<string, SpecialResource>>;
  /** Serves the resource itself, which then stores nothing. */
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
 * What a kind reserves outside of its object before it is written, such as addresses and ports of Services, and the
 * objects that are written in the same transaction. As BeginCreate, BeginUpdate and AfterDelete of
 * apiserver/pkg/registry/generic/registry/store.go.
 */
export interface Reserving {
  /** Reserves what the new object needs and writes it into the object. Rejects with ApiError. */
  reserve(object: ApiObject, old: StoredObject | undefined, context: WriteContext): Promise<Reservation>;
  /** Gives back what a deleted object had. */
  release(object: StoredObject): void;
  /** What to put and delete in the transaction that puts the object in the place of `old`, or removes `old`. */
  companions(object: ApiObject | undefined, old: StoredObject | undefined, write: CompanionContext): Companions;
}

/** Something reserved for a write: kept when the write is committed, given back when it is not. */
export interface Reservation {
  commit(): void;
  rollback(): void;
}

/** The write that companions go with. */
export interface CompanionContext extends WriteContext {
  /** The field manager of the request. */
  readonly manager: string;
}

/** Changes of other objects. Their keys are whole. */
export type Companions = Required<Pick<Transaction, 'put' | 'delete'>>;

/**
 * What a kind refuses beyond what authorization says of the request, because it depends on the object. As the storage
 * that pkg/registry/rbac wraps around that of its kinds, and the strategies elsewhere that ask authorizers.
 */
export interface WriteGuard {
  /**
   * Refuses, by rejecting with ApiError, an object that is created or takes the place of `old`; in the hub version.
   * Runs after mutating admission, before the object is prepared and validated.
   */
  check?(object: ApiObject, old: StoredObject | undefined, exchange: Exchange): Promise<void>;
  /** What is wrong with an object when this user writes it. Runs when it is prepared and nothing else is wrong. */
  errors?(object: ApiObject, old: StoredObject | undefined, exchange: Exchange): Promise<readonly FieldError[]>;
}
