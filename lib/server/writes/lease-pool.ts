// Leases of objects that expire, such as Events. Objects that are written close together share one, as in
// apiserver/pkg/storage/etcd3/lease_manager.go: a lease is reused for a minute at most, and lives that much longer.
import type { Clock } from '../../core/index.js';
import type { LeaseId, Store } from '../../storage/index.js';

/** Leases of a store, shared by objects. */
export interface LeasePool {
  /** Returns a lease of at least this duration; synchronously where one is shared. */
  leaseFor(timeToLiveMs: number): LeaseId | Promise<LeaseId>;
}

/** Creates a pool of leases of a store. */
export function leasePool(store: Store, clock: Clock): LeasePool {
  const current = new Map<number, { lease: LeaseId | Promise<LeaseId>; readonly until: number; objects: number }>();
  return {
    leaseFor(timeToLiveMs) {
      const now = clock.now();
      const known = current.get(timeToLiveMs);
      if (known !== undefined && now < known.until && known.objects < objectsMax) {
        known.objects++;
        return known.lease;
      }
      const reuseMs = Math.min(reuseMsMax, timeToLiveMs * reuseShare);
      const lease = store.grantLease(timeToLiveMs + reuseMs);
      const fresh: { lease: LeaseId | Promise<LeaseId>; readonly until: number; objects: number } = {
        lease,
        until: now + reuseMs,
        objects: 1,
      };
      current.set(timeToLiveMs, fresh);
      lease.then(
        (granted) => (fresh.lease = granted),
        () => current.delete(timeToLiveMs),
      );
      return lease;
    },
  };
}

const reuseMsMax = 60_000;
const reuseShare = 0.05;
const objectsMax = 1000;
