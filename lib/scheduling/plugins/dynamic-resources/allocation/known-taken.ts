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
  /** What was added. A claim that changed has an allocation of its own, even where it says the same. */
  readonly #added = new Set<Allocation>();
  #version: number | undefined;

  constructor(objects: KnownObjects) {
    this.#objects = objects;
  }

  follow(): TakenDevices {
    const version = this.#objects.version('ResourceClaim');
    if (version === this.#version) return this.#taken;
    this.#version = version;
    const allocations = this.#objects.list('ResourceClaim').flatMap(({ status }) => status?.allocation ?? []);
    for (const each of allocations) if (!this.#added.has(each)) this.#add(each);
    if (this.#added.size > allocations.length) this.#keepOnly(new Set(allocations));
    return this.#taken;
  }

  #add(allocation: Allocation): void {
    this.#added.add(allocation);
    this.#taken.add(allocation);
  }

  #keepOnly(allocations: ReadonlySet<Allocation>): void {
    for (const each of this.#added) {
      if (allocations.has(each)) continue;
      this.#added.delete(each);
      this.#taken.remove(each);
    }
  }
}
