// Normalizes counts to scores from 0 to 100 in proportion to the highest. The functions work on plain numbers, because
// the fast placer uses them too. As pkg/scheduler/framework/plugins/helper/normalize_score.go.
import { maxScore } from '../framework/scores.js';

/** Scales a score to 0 to 100 in proportion to the highest one. */
export function scaleToHighest(score: number, highest: number): number {
  return highest === 0 ? 0 : Math.trunc((maxScore * score) / highest);
}

/** Scales a score where less is better: the highest becomes 0, and all become 100 if the highest is 0. */
export function scaleToHighestReversed(score: number, highest: number): number {
  return maxScore - scaleToHighest(score, highest);
}

/** Normalizes scores in place. `share` is `scaleToHighest` or `scaleToHighestReversed`. */
export function normalizeScores(scores: number[], share: (score: number, highest: number) => number): void {
  let highest = 0;
  for (const score of scores) if (score > highest) highest = score;
  for (let index = 0; index < scores.length; index++) scores[index] = share(scores[index] ?? 0, highest);
}
