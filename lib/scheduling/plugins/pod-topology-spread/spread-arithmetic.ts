// The formulas of topology spread on plain numbers, used by the plugin and the fast placer. The order of
// floating-point operations affects the result. As the plugin PodTopologySpread, filtering.go and scoring.go.
import type { SpreadConstraint } from '../../pod/topology-spread.js';

/** Returns the skew of a domain if the pod were placed in it. */
export function skewOf(count: number, selfMatch: number, least: number): number {
  return count + selfMatch - least;
}

/** Returns the minimum count over domains; 0 if there are fewer than minDomains. */
export function leastCount(least: number, domains: number, { minDomains }: SpreadConstraint): number {
  return domains < minDomains ? 0 : least;
}

/**
 * Returns the weight of a constraint by its number of domains: with few domains each has more pods, and differences
 * matter less.
 */
export function domainWeight(domains: number): number {
  return Math.log(domains + 2);
}

/** Returns the raw score of a node for one constraint. A larger maxSkew makes small differences matter less. */
export function spreadScore(count: number, weight: number, { maxSkew }: SpreadConstraint): number {
  return count * weight + (maxSkew - 1);
}

/** Rounds the sum over constraints to a raw score. It is never negative, so a half rounds up. */
export function rawSpreadScore(sum: number): number {
  return Math.round(sum);
}

/** Returns the score from 0 to 100, by the minimum and maximum raw scores of the nodes that are scored. */
export function normalizedSpreadScore(raw: number, least: number, most: number): number {
  return most === 0 ? 100 : Math.trunc((100 * (most + least - raw)) / most);
}
