// Numbers by topology key and domain: how many pods a term means there, or how much they weigh. What comes to nothing
// is not kept, so that "nowhere" is easily asked.
import type { Labels } from '../../../core/index.js';
import { domainOf } from '../../cluster/topology-domain.js';

/** Sums by domain, under each topology key. */
export class TopologySums {
  readonly #byKey: Map<string, Map<string, number>>;

  constructor(byKey: Iterable<readonly [string, Map<string, number>]> = []) {
    this.#byKey = new Map(byKey);
  }

  /** Whether every sum is nothing. */
  get isEmpty(): boolean {
    return this.#byKey.size === 0;
  }

  /** Adds to the domain of a node with these labels. Nothing happens where it has none. */
  add(labels: Labels, topologyKey: string, amount: number): void {
    const domain = domainOf(labels, topologyKey);
    if (domain === undefined) return;
    const sums = this.#byKey.get(topologyKey) ?? new Map<string, number>();
    const sum = (sums.get(domain) ?? 0) + amount;
    if (sum === 0) sums.delete(domain);
    else sums.set(domain, sum);
    if (sums.size === 0) this.#byKey.delete(topologyKey);
    else this.#byKey.set(topologyKey, sums);
  }

  /** The sum of the domain of a node under one key; undefined where the node has no such domain. */
  at(labels: Labels, topologyKey: string): number | undefined {
    const domain = domainOf(labels, topologyKey);
    return domain === undefined ? undefined : (this.#byKey.get(topologyKey)?.get(domain) ?? 0);
  }

  /** Whether a node lies in any domain with more than nothing. */
  reaches(labels: Labels): boolean {
    for (const topologyKey of this.#byKey.keys()) if ((this.at(labels, topologyKey) ?? 0) > 0) return true;
    return false;
  }

  /** All sums of the domains in which a node lies, added up. */
  total(labels: Labels): number {
    let total = 0;
    for (const topologyKey of this.#byKey.keys()) total += this.at(labels, topologyKey) ?? 0;
    return total;
  }

  copy(): TopologySums {
    return new TopologySums(Array.from(this.#byKey, ([key, sums]) => [key, new Map(sums)] as const));
  }
}
