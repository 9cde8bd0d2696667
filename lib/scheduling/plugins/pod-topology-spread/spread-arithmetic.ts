// The sums of spreading, on plain numbers: they say the same wherever the counts come from. The order of floating
// operations is part of the answer. As the plugin PodTopologySpread, filtering.go and scoring.go.
import type { SpreadConstraint } from '../../pod/topology-spread.js';

/** By how many pods a domain would be ahead of the emptiest one if the pod came there. */
export function skewOf(count: number, selfMatch: number, least: number): number {
  return count + selfMatch - least;
}

/** The count of the emptiest domain; with fewer domains than are wanted there is one more, without pods. */
export function leastCount(least: number, domains: number, { minDomains }: SpreadConstraint): number {
  return domains < minDomains ? 0 : least;
}

/**
 * How much a pod counts where there are so many domains: with few of them each has more pods, and differences matter
 * less.
 */
export function domainWeight(domains: number): number {
  return Math.log(domains + 2);
}

/** What one constraint adds to the raw score of a node. The larger maxSkew, the less small differences count. */
export function spreadScore(count: number, weight: number, { maxSkew }: SpreadConstraint): number {
  return count * weight + (maxSkew - 1);
}

/** The raw score of a node from the sum over its constraints. Never negative, so a half is rounded up. */
export function rawSpreadScore(sum: number): number {
  return Math.round(sum);
}

/** The score from 0 to 100, with the least and the most raw score of all nodes that are not left out. */
export function normalizedSpreadScore(raw: number, least: number, most: number): number {
  return most === 0 ? 100 : Math.trunc((100 * (most + least - raw)) / most);
}
