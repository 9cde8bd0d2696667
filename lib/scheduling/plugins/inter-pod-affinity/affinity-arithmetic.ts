// The only sum of pod affinity that is more than adding weights. As the plugin InterPodAffinity, scoring.go.

/**
 * The score from 0 to 100, with the least and the most raw score of all nodes. In this order of floating operations.
 */
export function normalizedAffinityScore(raw: number, least: number, most: number): number {
  return most > least ? Math.trunc(100 * ((raw - least) / (most - least))) : 0;
}
