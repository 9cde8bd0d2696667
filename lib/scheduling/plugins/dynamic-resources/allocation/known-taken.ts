// The devices of all claims that are known, followed from change to change: of thousands of claims one has changed, and only
// its pools look different afterwards.
import type { KnownObjects } from '../../../cluster/known-objects.js';
import type { Allocation } from './devices.js';
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
  readonly #allocations = new Map<string, Allocation>();
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
    for (const { metadata, status } of claims) {
      if (status?.allocation === undefined) continue;
      count += 1;
      this.#set(metadata?.uid ?? '', status.allocation);
    }
    if (this.#allocations.size === count) return this.#taken;
    const left = new Set(claims.flatMap(({ metadata, status }) => (status?.allocation === undefined ? [] : [metadata?.uid ?? ''])));
    for (const [uid, gone] of this.#allocations) {
      if (left.has(uid)) continue;
      this.#allocations.delete(uid);
      this.#taken.remove(gone);
    }
    return this.#taken;
  }

  #set(uid: string, allocation: Allocation): void {
    const before = this.#allocations.get(uid);
    if (before === allocation) return;
    if (before !== undefined) this.#taken.remove(before);
    this.#allocations.set(uid, allocation);
    this.#taken.add(allocation);
  }
}
