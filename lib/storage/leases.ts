/**
 * Which leases there are, when they end and which keys they hold: bookkeeping for stores that keep leases themselves.
 * The store calls `attach` and `detach` as it writes; when a lease expires it calls `onEnd`, once, with the keys
 * to delete. One timer at most, for the lease that ends first, and none while there is no lease.
 *
 * A lease ends at the instant `endsAtMs`: from then on it is unknown, even to a caller that comes before the timer.
 * Names count up from 1 and are written as etcdctl prints them, 16 hex digits: the same calls give the same names.
 */
import type { Subscription } from 'rxjs';
import type { Clock } from '../core/index.js';
import { KeyIndex } from './key-index.js';
import type { LeaseId } from './store.js';
import { StoreError } from './store-error.js';

/** A lease under way. */
export interface GrantedLease {
  readonly id: LeaseId;
  readonly ttlMs: number;
  /** On the clock of the store. */
  readonly endsAtMs: number;
}

/** What the bookkeeping needs. */
export interface LeasesOptions {
  readonly clock: Clock;
  /** Called when a lease ran out, never from within a call of `Leases`. Must not throw. */
  readonly onEnd: (lease: LeaseId, keys: readonly string[]) => void;
}

/** The leases of one store. */
export class Leases {
  readonly #clock: Clock;
  readonly #onEnd: LeasesOptions['onEnd'];
  // All three are trees, so that a fork of a store with many leases is no slower than of one with few.
  #byId = new KeyIndex<GrantedLease>();
  #byEnd = new KeyIndex<GrantedLease>();
  /** Keys by lease and key. */
  #held = new KeyIndex<string>();
  #lastNumber = 0;
  #closed = false;
  #alarm: { readonly atMs: number; readonly subscription: Subscription } | undefined;

  constructor({ clock, onEnd }: LeasesOptions) {
    this.#clock = clock;
    this.#onEnd = onEnd;
  }

  /** Begins a lease. */
  grant(ttlMs: number): GrantedLease {
    this.#lastNumber += 1;
    const id = this.#lastNumber.toString(16).padStart(16, '0');
    return this.#begin({ id, ttlMs, endsAtMs: this.#clock.now() + ttlMs });
  }

  /** Takes up a lease that was granted before, by a store that outlived its process. One that is over ends at once. */
  restore(lease: GrantedLease): void {
    this.#lastNumber = Math.max(this.#lastNumber, Number.parseInt(lease.id, 16));
    this.#begin(lease);
  }

  /** Begins a lease anew, at its full length. Throws `lease-not-found`. */
  renew(id: LeaseId): GrantedLease {
    const lease = this.find(id);
    this.#byEnd.delete(endKey(lease));
    return this.#begin({ ...lease, endsAtMs: this.#clock.now() + lease.ttlMs });
  }

  /** A lease that has not ended. Throws `lease-not-found`. */
  find(id: LeaseId): GrantedLease {
    const lease = this.#byId.get(id);
    if (lease === undefined || lease.endsAtMs <= this.#clock.now()) {
      throw new StoreError('lease-not-found', `lease ${id.slice(0, 16)} has ended or never was`);
    }
    return lease;
  }

  /** Ends a lease before its time. Returns the keys to delete, in order. Throws `lease-not-found`. */
  revoke(id: LeaseId): readonly string[] {
    const keys = this.#end(this.find(id));
    this.#setAlarm();
    return keys;
  }

  /** Puts a key under a lease. */
  attach(id: LeaseId, key: string): void {
    this.#held.set(heldKey(id, key), () => key);
  }

  /** Takes it away from that lease. */
  detach(id: LeaseId, key: string): void {
    this.#held.delete(heldKey(id, key));
  }

  /** The same leases with the same ends for another store. O(1). Its timer starts at once. */
  fork(options: LeasesOptions): Leases {
    const fork = new Leases(options);
    fork.#byId = this.#byId.clone();
    fork.#byEnd = this.#byEnd.clone();
    fork.#held = this.#held.clone();
    fork.#lastNumber = this.#lastNumber;
    fork.#setAlarm();
    return fork;
  }

  /** Stops the timer. Nothing ends any more. */
  close(): void {
    this.#closed = true;
    this.#stopAlarm();
  }

  #begin(lease: GrantedLease): GrantedLease {
    this.#byId.set(lease.id, () => lease);
    this.#byEnd.set(endKey(lease), () => lease);
    this.#setAlarm();
    return lease;
  }

  #end(lease: GrantedLease): readonly string[] {
    this.#byId.delete(lease.id);
    this.#byEnd.delete(endKey(lease));
    const keys = this.#held.list({ prefix: heldKey(lease.id, '') });
    for (const key of keys) this.detach(lease.id, key);
    return keys;
  }

  /** Has the timer wait for the lease that ends first. */
  #setAlarm(): void {
    const atMs = this.#first()?.endsAtMs;
    if (this.#alarm?.atMs === atMs) return;
    this.#stopAlarm();
    if (atMs === undefined || this.#closed) return;
    const subscription = this.#clock.timer(atMs - this.#clock.now()).subscribe({
      next: () => this.#ring(),
      error: (cause: unknown) => {
        throw new Error('leases: the clock failed', { cause }); // RxJS reports it as uncaught
      },
    });
    this.#alarm = { atMs, subscription };
  }

  #stopAlarm(): void {
    this.#alarm?.subscription.unsubscribe();
    this.#alarm = undefined;
  }

  #ring(): void {
    this.#stopAlarm();
    const now = this.#clock.now();
    for (
      let lease = this.#first();
      lease !== undefined && lease.endsAtMs <= now && !this.#closed;
      lease = this.#first()
    ) {
      this.#onEnd(lease.id, this.#end(lease));
    }
    this.#setAlarm();
  }

  #first(): GrantedLease | undefined {
    return this.#byEnd.list({ prefix: '' }, 1)[0];
  }
}

/** Orders leases by their end, those of one instant by their name. */
function endKey({ endsAtMs, id }: GrantedLease): string {
  return `${String(endsAtMs).padStart(16, '0')}/${id}`;
}

function heldKey(id: LeaseId, key: string): string {
  return `${id}/${key}`;
}
