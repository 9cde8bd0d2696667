// What the attach/detach controller does next about one volume, as a pure function of the nodes that it concerns.
//
// A volume is wanted on the nodes that have pods which use it and have not ended. An attachment that is not wanted is
// deleted when the node has unmounted the volume; a node that does not answer is waited for, for six minutes, unless it
// has the taint out-of-service. A volume that only one node may use is attached when no other node has it. As
// pkg/controller/volume/attachdetach/reconciler.

/** What is known of a volume on a node. */
export interface VolumeOnNode {
  readonly node: string;
  /** Whether a pod of the node needs the volume. */
  readonly isWanted: boolean;
  /** The state of its VolumeAttachment. */
  readonly attachment: 'none' | 'attaching' | 'attached' | 'detaching';
  /** Whether the node reports the volume as in use. */
  readonly isMounted: boolean;
  /** Whether the node is ready. */
  readonly isHealthy: boolean;
  /** Whether the node has the taint node.kubernetes.io/out-of-service. */
  readonly isOutOfService: boolean;
  /** Since when the volume is not wanted any more; undefined while it is. */
  readonly unwantedSinceMs: number | undefined;
}

/** A step that is taken now. */
export type AttachmentStep =
  /** Create the VolumeAttachment. */
  | { readonly type: 'attach'; readonly node: string }
  /** Delete the VolumeAttachment. Unless it is forced, the node must confirm that the volume is not in use. */
  | { readonly type: 'detach'; readonly node: string; readonly isForced: boolean }
  /** Record that other nodes have the volume. */
  | { readonly type: 'conflict'; readonly node: string; readonly others: readonly string[] };

/** The steps, and when to decide again if nothing changes. */
export interface AttachmentDecision {
  readonly steps: readonly AttachmentStep[];
  readonly againAtMs?: number;
}

/** Settings of the decision. */
export interface AttachmentRules {
  /** Whether several nodes may have the volume at once. */
  readonly isShared: boolean;
  readonly nowMs: number;
  /** How long a node that is not ready may keep a volume in use. Infinity for ever. */
  readonly forcedAfterMs: number;
}

/** Decides what to do about a volume. At most one node gets a volume that is not shared. */
export function decideAttachments(nodes: readonly VolumeOnNode[], rules: AttachmentRules): AttachmentDecision {
  const { isShared, nowMs, forcedAfterMs } = rules;
  const steps: AttachmentStep[] = [];
  let againAtMs = Infinity;
  const releasing = new Set<string>();
  for (const each of nodes) {
    if (each.isWanted || each.attachment === 'none' || each.attachment === 'detaching') continue;
    const forcedAtMs = (each.unwantedSinceMs ?? nowMs) + forcedAfterMs;
    const isForced = each.isOutOfService || (!each.isHealthy && nowMs >= forcedAtMs);
    if (each.isMounted && !isForced) {
      if (nowMs < forcedAtMs) againAtMs = Math.min(againAtMs, forcedAtMs);
      continue;
    }
    releasing.add(each.node);
    steps.push({ type: 'detach', node: each.node, isForced });
  }
  let isTaken = !isShared && nodes.some(({ attachment }) => attachment === 'attaching' || attachment === 'detaching');
  for (const each of nodes) {
    if (!each.isWanted || each.attachment !== 'none') continue;
    const others = isShared ? [] : nodes.filter(({ attachment }) => attachment === 'attached').map(({ node }) => node);
    if (others.some((node) => releasing.has(node))) continue;
    if (others.length > 0) steps.push({ type: 'conflict', node: each.node, others });
    else if (!isTaken) {
      steps.push({ type: 'attach', node: each.node });
      isTaken = !isShared;
    }
  }
  return { steps, ...(againAtMs < Infinity && { againAtMs }) };
}
