// Scores as shares of the highest: what plugins that merely count do to bring their counts into the range from 0 to
// 100. Plain numbers in and out, so that every way of placing pods does the same sums.
// As pkg/scheduler/framework/plugins/helper/normalize_score.go.
import { maxScore } from '../framework/scores.js';

/** The share that a score has of the highest one, in whole percent. */
export function shareOfHighest(score: number, highest: number): number {
  return highest === 0 ? 0 : Math.trunc((maxScore * score) / highest);
}

/** The same for scores of which less is better: nobody is bad where nothing was counted. */
export function reverseShareOfHighest(score: number, highest: number): number {
  return maxScore - shareOfHighest(score, highest);
}

/** Makes shares of scores, in place. */
export function normalizeShares(scores: number[], share: (score: number, highest: number) => number): void {
  let highest = 0;
  for (const score of scores) if (score > highest) highest = score;
  for (let index = 0; index < scores.length; index++) scores[index] = share(scores[index] ?? 0, highest);
}
