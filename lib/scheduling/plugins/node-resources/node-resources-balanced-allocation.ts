// NodeResourcesBalancedAllocation: rather a node whose resources the pod brings into balance, so that none runs out while
// others lie idle. Pods that request none of them are not scored: they would all go to one node.
// As the plugin of the same name.
import type { Frozen } from '../../../core/index.js';
import type { PluginArguments } from '../../configuration/plugin-arguments.js';
import type { SchedulingPlugin } from '../../framework/plugin.js';
import type { PodFacts } from '../../pod/pod-facts.js';
import { keepLast } from '../keep-last.js';
import { balanceScore } from './resource-balance.js';
import { amountsOf, resourceShares } from './resource-shares.js';

/** Makes the plugin. */
export function nodeResourcesBalancedAllocation({ resources }: Frozen<PluginArguments['NodeResourcesBalancedAllocation']>): SchedulingPlugin {
  const names = resources.map(({ name }) => name);
  const shares = resourceShares(names, 'requested');
  const requestsOf = keepLast(({ requests }: PodFacts) => amountsOf(names, requests));
  return {
    name: 'NodeResourcesBalancedAllocation',
    preScore: ({ pod }) => (requestsOf(pod).every((amount) => amount === 0) ? 'skip' : undefined),
    score: ({ pod }, node) => {
      shares.look(node, requestsOf(pod));
      return balanceScore(shares.withPod, shares.withoutPod, shares.capacity);
    },
  };
}
