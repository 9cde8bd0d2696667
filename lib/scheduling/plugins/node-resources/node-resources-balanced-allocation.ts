// NodeResourcesBalancedAllocation: rather a node whose resources the pod brings into balance, so that none runs out
// while others lie idle. Pods that request none of them are not scored: they would all go to one node.
// As the plugin of the same name.
import type { Frozen } from '../../../core/index.js';
import type { PluginArguments } from '../../configuration/plugin-arguments.js';
import type { SchedulingPlugin } from '../../framework/plugin.js';
import type { PluginTools } from '../../framework/plugin-tools.js';
import type { PodFacts } from '../../pod/pod-facts.js';
import { basicSelectors } from '../dynamic-resources/selectors/basic-selectors.js';
import type { SelectorCompiler } from '../dynamic-resources/selectors/device-selectors.js';
import { keepLast } from '../keep-last.js';
import { deviceShares } from './device-shares.js';
import { balanceScore } from './resource-balance.js';
import { amountsOf, resourceShares } from './resource-shares.js';

type BalanceArguments = Frozen<PluginArguments['NodeResourcesBalancedAllocation']>;

/** Makes the plugin. */
export function nodeResourcesBalancedAllocation(
  { cluster }: Pick<PluginTools, 'cluster'>,
  { resources }: BalanceArguments,
  selectors: SelectorCompiler = basicSelectors(),
): SchedulingPlugin {
  const names = resources.map(({ name }) => name);
  const shares = resourceShares(names, 'requested', deviceShares(cluster, selectors));
  const requestsOf = keepLast(({ requests }: PodFacts) => amountsOf(names, requests));
  return {
    name: 'NodeResourcesBalancedAllocation',
    preScore: ({ pod }) => (requestsOf(pod).every((amount) => amount === 0) ? 'skip' : undefined),
    score: ({ pod, cluster: { objects } }, node) => {
      shares.look(node, requestsOf(pod), objects);
      return balanceScore(shares.withPod, shares.withoutPod, shares.capacity);
    },
  };
}
