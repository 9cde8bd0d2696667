// How counts by slot keep up with the log. When a change is read its node shows all later changes too; so first the
// pods are counted that came and left, then the nodes that came or went are counted anew, whatever was counted there
// before.
import type { ClusterChange } from '../cluster/change-log.js';
import type { NodeView } from '../cluster/node-view.js';
import type { PodFacts } from '../pod/pod-facts.js';
import type { NodeColumns } from './node-columns.js';

/** Something that counts by slot. */
export interface CountsBySlot {
  /** A pod came to the slot (1), or left it (-1). */
  countPod(slot: number, pod: PodFacts, by: 1 | -1): void;
  /** The labels or taints of the slot's node may be others. */
  placeNode(slot: number, node: NodeView): void;
  /** The slot has another node, or none any more. */
  countNode(slot: number, node: NodeView | undefined): void;
}

/** Has changes counted. */
export function replay(changes: readonly ClusterChange[], columns: NodeColumns, counts: CountsBySlot): void {
  let nodesChanged = false;
  for (const change of changes) {
    if (change.type !== 'pod-added' && change.type !== 'pod-removed') nodesChanged = true;
    // A node that is gone still tells of pods that leave it; its slot may be another's.
    else if (columns.at(change.node.slot) === change.node)
      counts.countPod(change.node.slot, change.pod, change.type === 'pod-added' ? 1 : -1);
  }
  if (!nodesChanged) return;
  for (const {
    type,
    node: { slot },
  } of changes) {
    if (type === 'pod-added' || type === 'pod-removed') continue;
    const node = columns.at(slot);
    if (type === 'node-changed' && node !== undefined) counts.placeNode(slot, node);
    else counts.countNode(slot, node);
  }
}
