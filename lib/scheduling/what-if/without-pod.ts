// A cluster in which one pod has not been placed yet, and that pod as it was then. Who asks where a pod on a node would
// go means without itself: it must not take up the room, the ports or the domain that it would come to. Nothing that is
// shown to others changes: the one node it is on is copied, the others are the same.
import type { Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import type { ClusterCache } from '../cluster/cluster-cache.js';
import type { ClusterView } from '../cluster/cluster-view.js';
import type { NodeView } from '../cluster/node-view.js';
import { podFacts } from '../pod/pod-facts.js';
import type { PodFacts } from '../pod/pod-facts.js';
import { withoutNodeName } from './pod-edits.js';

/** What to look at to place a pod, wherever it is. */
export interface Unplaced {
  readonly pod: PodFacts;
  readonly cluster: ClusterView;
}

/** The pod and the cluster without each other. One that is on no node may name one, and is left as it is. */
export function unplaced(pod: Frozen<Pod>, cache: ClusterCache): Unplaced {
  const placed = cache.placed(pod.metadata?.uid ?? '');
  if (placed === undefined) return { pod: podFacts(pod), cluster: cache };
  return { pod: podFacts(withoutItsNode(pod)), cluster: clusterWithout(placed.facts, placed.nodeName, cache) };
}

/** The pod as it was before it had a node. */
export function withoutItsNode(pod: Frozen<Pod>): Frozen<Pod> {
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
