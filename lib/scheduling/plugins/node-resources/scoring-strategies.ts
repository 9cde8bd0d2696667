// The three ways to score a node by what of its resources would be in use with the pod. Plain numbers in and out, so
// that every way of placing pods does the same sums. A resource that the node does not have, a capacity of 0, does not
// count. As pkg/scheduler/framework/plugins/noderesources: least_allocated.go, most_allocated.go,
// requested_to_capacity_ratio.go.
import type { Frozen } from '../../../core/index.js';
import type { ScoringStrategy, ShapePoint } from '../../configuration/plugin-arguments.js';
import { maxScore } from '../../framework/scores.js';

/**
 * Scores by how much of each resource would be requested and how much there is, in the order of the strategy's
 * resources.
 */
export type ResourceScorer = (requested: ArrayLike<number>, capacity: ArrayLike<number>) => number;

/** The scorer of a strategy, which the configuration has checked. */
export function resourceScorer({ type, resources, requestedToCapacityRatio }: Frozen<ScoringStrategy>): ResourceScorer {
  const weights = resources.map(({ weight }) => weight);
  switch (type) {
    case 'LeastAllocated':
      return weighedMean(weights, leastAllocated);
    case 'MostAllocated':
      return weighedMean(weights, mostAllocated);
    case 'RequestedToCapacityRatio':
      return ratioScorer(weights, requestedToCapacityRatio?.shape ?? []);
    default:
      throw new Error(`scoring strategy ${type} is not supported`);
  }
}

/** The emptier the better. */
function leastAllocated(requested: number, capacity: number): number {
  return requested > capacity ? 0 : percentOf(capacity - requested, capacity);
}

/** The fuller the better. */
function mostAllocated(requested: number, capacity: number): number {
  return percentOf(Math.min(requested, capacity), capacity);
}

/**
 * As a line through the points says, from percent in use to a score from 0 to 10; flat before the first and after the
 * last.
 */
export function scoreAlong(shape: readonly ShapePoint[], utilization: number): number {
  const next = shape.findIndex((point) => utilization <= point.utilization);
  const [before, after] = next === -1 ? [shape.at(-1), undefined] : [shape[next - 1], shape[next]];
  if (before === undefined || after === undefined) return scaled(after ?? before);
  const rise = (scaled(after) - scaled(before)) * (utilization - before.utilization);
  return scaled(before) + Math.trunc(rise / (after.utilization - before.utilization));
}

/** Whole percent, exactly: numbers whose hundredfold is not safe are divided as large ones. */
export function percentOf(part: number, whole: number): number {
  if (whole <= exactMax) return Math.trunc((part * maxScore) / whole);
  return Number((BigInt(part) * BigInt(maxScore)) / BigInt(whole));
}

const exactMax = Math.floor(Number.MAX_SAFE_INTEGER / maxScore);

function weighedMean(
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

/** Here resources that score nothing do not count, and the mean is rounded. */
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

/** Scores in shapes go to 10. */
function scaled(point: ShapePoint | undefined): number {
  return (point?.score ?? 0) * (maxScore / 10);
}
