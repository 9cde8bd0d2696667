// The three strategies that score a node by its allocation with the pod. The formulas work on plain numbers, because
// the fast placer uses them too. A resource with a capacity of 0 does not count. As
// pkg/scheduler/framework/plugins/noderesources: least_allocated.go, most_allocated.go, requested_to_capacity_ratio.go.
import type { Frozen } from '../../../core/index.js';
import type { ScoringStrategy, ShapePoint } from '../../configuration/plugin-arguments.js';
import { maxScore } from '../../framework/scores.js';

/**
 * Returns a score from the requested amount and the capacity of each resource, in the order of the strategy's
 * resources.
 */
export type ResourceScorer = (requested: ArrayLike<number>, capacity: ArrayLike<number>) => number;

/** Returns the scorer of a validated strategy. */
export function resourceScorer({ type, resources, requestedToCapacityRatio }: Frozen<ScoringStrategy>): ResourceScorer {
  const weights = resources.map(({ weight }) => weight);
  switch (type) {
    case 'LeastAllocated':
      return weightedMean(weights, leastAllocated);
    case 'MostAllocated':
      return weightedMean(weights, mostAllocated);
    case 'RequestedToCapacityRatio':
      return ratioScorer(weights, requestedToCapacityRatio?.shape ?? []);
    default:
      throw new Error(`scoring strategy ${type} is not supported`);
  }
}

/** Scores an empty node highest. */
function leastAllocated(requested: number, capacity: number): number {
  return requested > capacity ? 0 : percentOf(capacity - requested, capacity);
}

/** Scores a full node highest. */
function mostAllocated(requested: number, capacity: number): number {
  return percentOf(Math.min(requested, capacity), capacity);
}

/** Interpolates a score from 0 to 100 along the shape; constant before the first and after the last point. */
export function scoreAlong(shape: readonly ShapePoint[], utilization: number): number {
  const next = shape.findIndex((point) => utilization <= point.utilization);
  const [before, after] = next === -1 ? [shape.at(-1), undefined] : [shape[next - 1], shape[next]];
  if (before === undefined || after === undefined) return scaled(after ?? before);
  const rise = (scaled(after) - scaled(before)) * (utilization - before.utilization);
  return scaled(before) + Math.trunc(rise / (after.utilization - before.utilization));
}

/** Returns a whole percentage, exactly: products beyond 2^53 are computed as BigInt. */
export function percentOf(part: number, whole: number): number {
  if (whole <= exactMax) return Math.trunc((part * maxScore) / whole);
  return Number((BigInt(part) * BigInt(maxScore)) / BigInt(whole));
}

const exactMax = Math.floor(Number.MAX_SAFE_INTEGER / maxScore);

function weightedMean(
  weights: readonly number[],
  scoreOf: (requested: number, capacity: number) => number,
): ResourceScorer {
  return (requested, capacity) => {
    let sum = 0;
    let weightSum = 0;
    for (let index = 0; index < weights.length; index++) {
      const total = capacity[index] ?? 0;
      if (total === 0) continue;
      const weight = weights[index] ?? 0;
      sum += weight * scoreOf(requested[index] ?? 0, total);
      weightSum += weight;
    }
    return weightSum === 0 ? 0 : Math.trunc(sum / weightSum);
  };
}

/** Resources that score 0 do not count, and the mean is rounded. */
function ratioScorer(weights: readonly number[], shape: readonly ShapePoint[]): ResourceScorer {
  return (requested, capacity) => {
    let sum = 0;
    let weightSum = 0;
    for (let index = 0; index < weights.length; index++) {
      const total = capacity[index] ?? 0;
      if (total === 0) continue;
      const score = scoreAlong(shape, mostAllocated(requested[index] ?? 0, total));
      if (score <= 0) continue;
      const weight = weights[index] ?? 0;
      sum += weight * score;
      weightSum += weight;
    }
    return weightSum === 0 ? 0 : Math.round(sum / weightSum);
  };
}

/** Scales the score of a shape point, at most 10, to 100. */
function scaled(point: ShapePoint | undefined): number {
  return (point?.score ?? 0) * (maxScore / 10);
}
