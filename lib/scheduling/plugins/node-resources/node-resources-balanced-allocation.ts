// NodeResourcesBalancedAllocation: prefers nodes whose resources the pod brings into balance. Pods that request none of
// the resources are not scored: they would all be placed on one node. A resource with a capacity of 0 does not count.
// The formulas work on plain numbers, because the fast placer uses them too. As the plugin of the same name,
// balanced_allocation.go; v1.36 was the first to score the change.
import type { Frozen } from '../../../core/index.js';
import type { PluginArguments } from '../../configuration/plugin-arguments.js';
import type { SchedulingPlugin } from '../../framework/plugin.js';
import type { PluginTools } from '../../framework/plugin-tools.js';
import type { PodFacts } from '../../pod/pod-facts.js';
import { celSelectors } from '../dynamic-resources/selectors/cel-selectors.js';
import type { SelectorCompiler } from '../dynamic-resources/selectors/device-selectors.js';
import { memoizeLast } from '../memoize.js';
import { deviceShares } from './device-shares.js';
import { amountsOf, resourceShares } from './resource-shares.js';
import { maxScore } from '../../framework/scores.js';

type BalanceArguments = Frozen<PluginArguments['NodeResourcesBalancedAllocation']>;

/** Creates the plugin. */
export function nodeResourcesBalancedAllocation(
  { cluster }: Pick<PluginTools, 'cluster'>,
  { resources }: BalanceArguments,
  selectors: SelectorCompiler = celSelectors(),
): SchedulingPlugin {
  const names = resources.map(({ name }) => name);
  const shares = resourceShares(names, 'requested', deviceShares(cluster, selectors));
  const requestsOf = memoizeLast(({ requests }: PodFacts) => amountsOf(names, requests));
  return {
    name: 'NodeResourcesBalancedAllocation',
    preScore: ({ pod }) => (requestsOf(pod).every((amount) => amount === 0) ? 'skip' : undefined),
    score: ({ pod, cluster: { objects } }, node) => {
      shares.fill(node, requestsOf(pod), objects);
      return balanceScore(shares.withPod, shares.withoutPod, shares.capacity);
    },
  };
}

/**
 * Returns the score of the change in balance: 100 if the pod balances the node, 50 if it unbalances it, 75 without
 * change.
 */
export function balanceScore(
  withPod: ArrayLike<number>,
  withoutPod: ArrayLike<number>,
  capacity: ArrayLike<number>,
): number {
  return scoreOfChange(balance(withPod, capacity) - balance(withoutPod, capacity));
}

/** Maps a change of balance to a score. */
function scoreOfChange(change: number): number {
  return maxScore / 2 + Math.trunc((maxScore / 2 + change) / 2);
}

/** Returns the balance: 100 minus the standard deviation of the allocated fractions. */
export function balance(requested: ArrayLike<number>, capacity: ArrayLike<number>): number {
  let count = 0;
  let sum = 0;
  let first = 0;
  let last = 0;
  for (let index = 0; index < capacity.length; index++) {
    const total = capacity[index] ?? 0;
    if (total === 0) continue;
    last = share(requested[index] ?? 0, total);
    if (count === 0) first = last;
    sum += last;
    count += 1;
  }
  if (count < 2) return maxScore;
  const deviation = count === 2 ? Math.abs((first - last) / 2) : deviationFrom(sum / count, count, requested, capacity);
  return Math.trunc((1 - deviation) * maxScore);
}

function deviationFrom(mean: number, count: number, requested: ArrayLike<number>, capacity: ArrayLike<number>): number {
  let squares = 0;
  for (let index = 0; index < capacity.length; index++) {
    const total = capacity[index] ?? 0;
    if (total !== 0) squares += (share(requested[index] ?? 0, total) - mean) ** 2;
  }
  return Math.sqrt(squares / count);
}

function share(requested: number, total: number): number {
  return Math.min(requested / total, 1);
}
