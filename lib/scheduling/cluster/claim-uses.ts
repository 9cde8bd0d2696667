// How many volumes of pods on nodes name a claim. Claims that are made for a single pod are left out.
import type { PodFacts } from '../pod/pod-facts.js';

/** Uses of claims, by `namespace/name`. */
export class ClaimUses {
  readonly #uses = new Map<string, number>();

  /** How many there are of a claim. */
  of(claim: string): number {
    return this.#uses.get(claim) ?? 0;
  }

  /** A pod came to a node, or left it. */
  count({ namespace, volumeClaims }: PodFacts, change: 1 | -1): void {
    for (const { claim, ephemeral } of volumeClaims) {
      if (ephemeral) continue;
      const key = `${namespace}/${claim}`;
      const uses = this.of(key) + change;
      if (uses === 0) this.#uses.delete(key);
      else this.#uses.set(key, uses);
    }
  }
}
