// A view of the cluster without one pod, and the pod without its node. To find where a pod on a node would be placed,
// it must not occupy resources, ports or a topology domain itself. Only its node is copied; the cache does not change.
import type { Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import type { ClusterCache } from '../cluster/cluster-cache.js';
import type { ClusterView } from '../cluster/cluster-view.js';
import type { NodeView } from '../cluster/node-view.js';
import { podFacts } from '../pod/pod-facts.js';
import type { PodFacts } from '../pod/pod-facts.js';
import { withoutNodeName } from './pod-edits.js';

/** A pod, and the cluster without it. */
export interface UnplacedPod {
  readonly pod: PodFacts;
  readonly cluster: ClusterView;
}

/** Returns the pod and the cluster without each other. A pod on no node keeps its `nodeName`. */
export function unplaced(pod: Frozen<Pod>, cache: ClusterCache): UnplacedPod {
  const placed = cache.placed(pod.metadata?.uid ?? '');
  if (placed === undefined) return { pod: podFacts(pod), cluster: cache };
  return { pod: podFacts(withoutNode(pod)), cluster: clusterWithout(placed.facts, placed.nodeName, cache) };
}

/** Returns the pod without its node. */
export function withoutNode(pod: Frozen<Pod>): Frozen<Pod> {
  return pod.spec?.nodeName === undefined ? pod : { ...pod, spec: withoutNodeName(pod.spec) };
}

function clusterWithout(pod: PodFacts, nodeName: string, cache: ClusterCache): ClusterView {
  const node = cache.node(nodeName);
  if (node === undefined) return cache;
  const draft = node.copy();
  draft.remove(pod);
  const shown = (each: NodeView): NodeView => (each === node ? draft : each);
  const { objects, changes, nominationChanges } = cache;
  const usesOf = ({ claimUses }: NodeView, claim: string): number => claimUses.get(claim) ?? 0;
  return {
    nodes: cache.nodes.map(shown),
    nodesWithAffinity: new Set(Array.from(cache.nodesWithAffinity, shown)),
    node: (name) => (name === nodeName ? draft : cache.node(name)),
    image: (name) => cache.image(name),
    claimUses: (claim) => cache.claimUses(claim) - usesOf(node, claim) + usesOf(draft, claim),
    nominatedTo: (name) => cache.nominatedTo(name),
    nominatedNodes: () => cache.nominatedNodes(),
    nominationOf: (uid) => cache.nominationOf(uid),
    objects,
    changes,
    nominationChanges,
  };
}
