// The devices of all claims that are known, followed from change to change: of thousands of claims one has changed, and
// only its pools look different afterwards.
import { objectKey } from '../../../../core/index.js';
import type { KnownObjects } from '../../../cluster/known-objects.js';
import type { Allocation, FrozenResourceClaim } from './devices.js';
import { TakenDevices } from './taken-devices.js';

/** The devices of all claims. The same answer every time, brought up to date. */
export function knownTaken(objects: KnownObjects): TakenDevices {
  const known = byObjects.get(objects) ?? new KnownTaken(objects);
  byObjects.set(objects, known);
  return known.follow();
}

const byObjects = new WeakMap<KnownObjects, KnownTaken>();

class KnownTaken {
  readonly #objects: KnownObjects;
  readonly #taken = new TakenDevices();
  /** What was added, by the uid of the claim. */
  readonly #added = new Map<string, Allocation>();
  #version: number | undefined;

  constructor(objects: KnownObjects) {
    this.#objects = objects;
  }

  follow(): TakenDevices {
    const version = this.#objects.version('ResourceClaim');
    if (version === this.#version) return this.#taken;
    this.#version = version;
    const claims = this.#objects.list('ResourceClaim');
    let count = 0;
    for (const claim of claims) {
      const { allocation } = claim.status ?? {};
      if (allocation === undefined) continue;
      count += 1;
      this.#set(uidOf(claim), allocation);
    }
    if (this.#added.size > count)
      this.#keepOnly(
        new Set(claims.flatMap((claim) => (claim.status?.allocation === undefined ? [] : [uidOf(claim)]))),
      );
    return this.#taken;
  }

  #set(uid: string, allocation: Allocation): void {
    const before = this.#added.get(uid);
    if (before === allocation) return;
    if (before !== undefined) this.#taken.remove(before);
    this.#added.set(uid, allocation);
    this.#taken.add(allocation);
  }

  #keepOnly(uids: ReadonlySet<string>): void {
    for (const [uid, gone] of this.#added) {
      if (uids.has(uid)) continue;
      this.#added.delete(uid);
      this.#taken.remove(gone);
    }
  }
}

/** Claims that the API did not make may have none. */
function uidOf(claim: FrozenResourceClaim): string {
  return claim.metadata?.uid ?? objectKey(claim);
}
