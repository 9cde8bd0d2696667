// A node as plugins see it: the object, the pods on it, and sums over them that are kept rather than computed. Pods
// count from the moment they are assumed to be there, before the API says so.
import type { Frozen, Labels } from '../../core/index.js';
import type { Node, Taint } from '../../core/types/index.js';
import type { HostPort } from '../pod/host-ports.js';
import type { PodFacts } from '../pod/pod-facts.js';
import type { NonZeroRequests } from '../pod/requests.js';
import type { ResourceAmounts } from '../pod/resource-amounts.js';

/** What a node can give. */
export interface NodeCapacity extends ResourceAmounts {
  /** How many pods it takes. */
  readonly pods: number;
}

/** An image on nodes. What it says changes as nodes come and go. */
export interface ImageState {
  /** In bytes, as the first node that had it said. */
  readonly size: number;
  /** How many nodes have it. */
  readonly nodeCount: number;
}

/**
 * A node and who is on it. Lives as long as the node; what it says changes, and `generation` with it. Once the node is
 * gone it stays as it was at the end.
 */
export interface NodeView {
  readonly name: string;
  /** Its place in columns: a small number that no other known node has. */
  readonly slot: number;
  /** Grows with every change of the node or of its pods that scheduling looks at, across all nodes. */
  readonly generation: number;
  readonly object: Frozen<Node>;
  readonly labels: Labels;
  readonly taints: readonly Frozen<Taint>[];
  readonly unschedulable: boolean;
  /** From status.allocatable. */
  readonly allocatable: NodeCapacity;
  /** What its pods ask for together. */
  readonly requested: ResourceAmounts;
  /** The same for scoring. */
  readonly nonZeroRequested: NonZeroRequests;
  readonly podCount: number;
  /** In the order in which they came. Who is only assumed to be here has no `nodeName` yet. */
  readonly pods: readonly PodFacts[];
  /** Those with any term about other pods. */
  readonly podsWithAffinity: ReadonlySet<PodFacts>;
  /** Those that keep others away. */
  readonly podsWithRequiredAntiAffinity: ReadonlySet<PodFacts>;
  /** The host ports in use; one twice where two pods were put here in spite of each other. */
  readonly ports: readonly HostPort[];
  /** By complete image name. */
  readonly images: ReadonlyMap<string, ImageState>;
  /**
   * How many volumes of its pods name a claim, by `namespace/name`. Claims made for a single pod are not among them.
   */
  readonly claimUses: ReadonlyMap<string, number>;
  /**
   * How many volumes its pods have that drivers may have to attach: no fewer than they do, as several may be the same.
   */
  readonly attachable: number;
  /** A copy for what-if. */
  copy(): NodeDraft;
}

/** A node that may be changed without anybody noticing. */
export interface NodeDraft extends NodeView {
  /** Puts a pod here. */
  add(pod: PodFacts): void;
  /** By uid. Nothing happens where it is not. */
  remove(pod: PodFacts): void;
}
