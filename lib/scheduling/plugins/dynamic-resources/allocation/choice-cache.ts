// Caches search results per node for claims with equal requests. Pods of one template have equal claims, and between
// two of them few nodes change: a result stays valid while the node's pools are the same and no device of them was
// allocated or released. Pools with pending allocations are searched again.
import { RecentlyUsed } from '../../../framework/recently-used.js';
import type { DeviceSearch } from './device-chooser.js';
import type { DeviceClaimDemands } from './device-demands.js';
import type { NodePool } from './device-pools.js';
import type { FrozenDeviceClass } from './devices.js';
import type { AllocatedDevices } from './allocated-devices.js';

/** Results by node slot. */
export type CachedChoices<T> = CachedChoice<T>[];

interface CachedChoice<T> {
  readonly pools: readonly NodePool[];
  readonly base: AllocatedDevices;
  readonly revision: number;
  readonly found: T;
}

/** Keeps the answers for the most recently used kinds of claims. */
export class ChoiceCache<T> {
  readonly #kinds = new RecentlyUsed<CachedChoices<T>>(kindsMax);
  /** Identifies classes in keys. A class that changed is another object and has another number. */
  readonly #classNumbers = new WeakMap<FrozenDeviceClass, number>();
  #lastClassNumber = 0;

  /** Returns the answers for claims with the same demands as these. */
  of(claims: readonly DeviceClaimDemands[]): CachedChoices<T> {
    return this.#kinds.get(this.#kindOf(claims), () => []);
  }

  /** Returns a key of everything that decides about devices: the claims' specs and the classes that they name. */
  #kindOf(claims: readonly DeviceClaimDemands[]): string {
    return JSON.stringify(
      claims.map(({ claim, requests }) => [
        claim.spec.devices,
        requests.map((alternatives) => alternatives.map((demand) => this.#numberOf(demand.class))),
      ]),
    );
  }

  #numberOf(deviceClass: FrozenDeviceClass): number {
    const known = this.#classNumbers.get(deviceClass);
    if (known !== undefined) return known;
    this.#classNumbers.set(deviceClass, (this.#lastClassNumber += 1));
    return this.#lastClassNumber;
  }
}

/** Returns the cached result for a node with these pools, or computes it with `find`. Exceptions are not cached. */
export function cachedChoice<T>(
  choices: CachedChoices<T>,
  slot: number,
  { pools, allocated }: Pick<DeviceSearch, 'pools' | 'allocated'>,
  find: () => T,
): T {
  const revision = revisionOf(pools, allocated);
  if (revision === undefined) return find();
  const { base } = allocated;
  const known = choices[slot];
  if (known?.pools === pools && known.revision === revision && known.base === base) return known.found;
  const found = find();
  choices[slot] = { pools, base, revision, found };
  return found;
}

/** At 5,000 nodes one entry takes a few megabytes, including the evaluated selectors. */
const kindsMax = 32;

/** Revisions only grow, so the newest of several pools shows whether any changed. */
function revisionOf(pools: readonly NodePool[], taken: AllocatedDevices): number | undefined {
  let newest = 0;
  for (const { pool } of pools) {
    const revision = taken.revisionOf(pool.id);
    if (revision === undefined) return undefined;
    if (revision > newest) newest = revision;
  }
  return newest;
}
