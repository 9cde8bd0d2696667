// The allocated devices of all known claims, updated incrementally: of thousands of claims few change between two pods,
// and only their pools get a new revision.
import { objectKey } from '../../../../core/index.js';
import type { ObjectLister } from '../../../cluster/object-lister.js';
import type { Allocation, FrozenResourceClaim } from './devices.js';
import { AllocatedDevices } from './allocated-devices.js';

/** Returns the allocated devices of all claims: always the same object, brought up to date. */
export function indexAllocatedDevices(objects: ObjectLister): AllocatedDevices {
  const known = byObjects.get(objects) ?? new AllocatedDeviceIndex(objects);
  byObjects.set(objects, known);
  return known.update();
}

const byObjects = new WeakMap<ObjectLister, AllocatedDeviceIndex>();

class AllocatedDeviceIndex {
  readonly #objects: ObjectLister;
  readonly #devices = new AllocatedDevices();
  /** Indexed allocations by claim uid. */
  readonly #allocations = new Map<string, Allocation>();
  #version: number | undefined;

  constructor(objects: ObjectLister) {
    this.#objects = objects;
  }

  update(): AllocatedDevices {
    const version = this.#objects.version('ResourceClaim');
    if (version === this.#version) return this.#devices;
    this.#version = version;
    const claims = this.#objects.list('ResourceClaim');
    let count = 0;
    for (const claim of claims) {
      const { allocation } = claim.status ?? {};
      if (allocation === undefined) continue;
      count += 1;
      this.#set(uidOf(claim), allocation);
    }
    if (this.#allocations.size > count)
      this.#keepOnly(
        new Set(claims.flatMap((claim) => (claim.status?.allocation === undefined ? [] : [uidOf(claim)]))),
      );
    return this.#devices;
  }

  #set(uid: string, allocation: Allocation): void {
    const before = this.#allocations.get(uid);
    if (before === allocation) return;
    if (before !== undefined) this.#devices.remove(before);
    this.#allocations.set(uid, allocation);
    this.#devices.add(allocation);
  }

  #keepOnly(uids: ReadonlySet<string>): void {
    for (const [uid, gone] of this.#allocations) {
      if (uids.has(uid)) continue;
      this.#allocations.delete(uid);
      this.#devices.remove(gone);
    }
  }
}

/** Claims that were not created by an API server may have no uid. */
function uidOf(claim: FrozenResourceClaim): string {
  return claim.metadata?.uid ?? objectKey(claim);
}
