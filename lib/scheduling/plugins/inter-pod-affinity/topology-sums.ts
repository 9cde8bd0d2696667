// Sums by topology key and domain: pod counts or weights. Zero sums are removed, which makes the test for emptiness
// cheap.
import type { Labels } from '../../../core/index.js';
import { domainOf } from '../../cluster/topology-domain.js';

/** Sums by topology key and domain. */
export class TopologySums {
  readonly #byKey: Map<string, Map<string, number>>;

  constructor(byKey: Iterable<readonly [string, Map<string, number>]> = []) {
    this.#byKey = new Map(byKey);
  }

  /** Whether all sums are 0. */
  get isEmpty(): boolean {
    return this.#byKey.size === 0;
  }

  /** Adds to the domain of a node with these labels; no effect if the node has no such domain. */
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

  /** Returns the sum of a node's domain under one key; undefined if the node has no such domain. */
  at(labels: Labels, topologyKey: string): number | undefined {
    const domain = domainOf(labels, topologyKey);
    return domain === undefined ? undefined : (this.#byKey.get(topologyKey)?.get(domain) ?? 0);
  }

  /** Returns whether any domain of a node has a positive sum. */
  hasPositive(labels: Labels): boolean {
    for (const topologyKey of this.#byKey.keys()) if ((this.at(labels, topologyKey) ?? 0) > 0) return true;
    return false;
  }

  /** Returns the total of the sums of a node's domains. */
  total(labels: Labels): number {
    let total = 0;
    for (const topologyKey of this.#byKey.keys()) total += this.at(labels, topologyKey) ?? 0;
    return total;
  }

  copy(): TopologySums {
    return new TopologySums(Array.from(this.#byKey, ([key, sums]) => [key, new Map(sums)] as const));
  }
}
