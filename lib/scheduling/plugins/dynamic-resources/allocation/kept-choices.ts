// What was found on nodes for claims that demand the same. Pods that are alike have claims that are alike, and of
// thousands of nodes one has changed since the last of them: where a node offers what it did, and nobody took or gave
// back a device of its pools, the answer is still the same. Devices that are only decided on make a node be looked at
// again.
import { RecentlyUsed } from '../../../framework/recently-used.js';
import type { DeviceSearch } from './device-chooser.js';
import type { DeviceClaimDemands } from './device-demands.js';
import type { NodePool } from './device-pools.js';
import type { FrozenDeviceClass } from './devices.js';
import type { TakenDevices } from './taken-devices.js';

/** What was found, by the slot of the node. */
export type ChoicesOfKind<T> = KeptChoice<T>[];

interface KeptChoice<T> {
  readonly pools: readonly NodePool[];
  readonly base: TakenDevices;
  readonly revision: number;
  readonly found: T;
}

/** Keeps the answers for the most recently used kinds of claims. */
export class KeptChoices<T> {
  readonly #kinds = new RecentlyUsed<ChoicesOfKind<T>>(kindsMax);
  /** Identifies classes in keys. A class that changed is another object and has another number. */
  readonly #classNumbers = new WeakMap<FrozenDeviceClass, number>();
  #lastClassNumber = 0;

  /** Returns the answers for claims with the same demands as these. */
  of(claims: readonly DeviceClaimDemands[]): ChoicesOfKind<T> {
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

/** The answer for a node that offers these pools: as it is known, or as `find` has it. What it throws is not kept. */
export function keptChoice<T>(
  choices: ChoicesOfKind<T>,
  slot: number,
  { pools, taken }: Pick<DeviceSearch, 'pools' | 'taken'>,
  find: () => T,
): T {
  const revision = revisionOf(pools, taken);
  if (revision === undefined) return find();
  const { base } = taken;
  const known = choices[slot];
  if (known?.pools === pools && known.revision === revision && known.base === base) return known.found;
  const found = find();
  choices[slot] = { pools, base, revision, found };
  return found;
}

/** At 5,000 nodes one takes a few megabytes, with what its demands were held against. */
const kindsMax = 32;

/** Revisions only grow, so the newest of several pools tells whether any of them changed. */
function revisionOf(pools: readonly NodePool[], taken: TakenDevices): number | undefined {
  let newest = 0;
  for (const { pool } of pools) {
    const revision = taken.revisionOf(pool.id);
    if (revision === undefined) return undefined;
    if (revision > newest) newest = revision;
  }
  return newest;
}
