// A node as plugins read it: the object, the pods on it, and precomputed sums over them. Assumed pods count before the
// API confirms them.
import type { Frozen, Labels } from '../../core/index.js';
import type { Node, Taint } from '../../core/types/index.js';
import type { HostPort } from '../pod/host-ports.js';
import type { PodFacts } from '../pod/pod-facts.js';
import type { NonZeroRequests } from '../pod/requests.js';
import type { ResourceAmounts } from '../pod/resource-amounts.js';

/** The allocatable resources of a node. */
export interface NodeCapacity extends ResourceAmounts {
  /** The maximum number of pods. */
  readonly pods: number;
}

/** An image on nodes. The values change as nodes come and go. */
export interface ImageState {
  /** In bytes, as reported by the first node that had the image. */
  readonly size: number;
  /** The number of nodes that have the image. */
  readonly nodeCount: number;
}

/**
 * A node and the pods on it. The object lives as long as the node; its values change, and `generation` with them. After
 * the removal of the node it keeps its last values.
 */
export interface NodeView {
  readonly name: string;
  /** Array index of the node on the fast path: a small integer, unique among the current nodes. */
  readonly slot: number;
  /** Increases with every change to the node or its pods that affects scheduling. Unique across nodes. */
  readonly generation: number;
  readonly object: Frozen<Node>;
  readonly labels: Labels;
  readonly taints: readonly Frozen<Taint>[];
  readonly unschedulable: boolean;
  /** From status.allocatable. */
  readonly allocatable: NodeCapacity;
  /** The sum of the pods' requests. */
  readonly requested: ResourceAmounts;
  /** The same with the default requests that scoring assumes. */
  readonly nonZeroRequested: NonZeroRequests;
  readonly podCount: number;
  /** In order of addition. Assumed pods have no `nodeName` yet. */
  readonly pods: readonly PodFacts[];
  /** Pods with any affinity or anti-affinity term. */
  readonly podsWithAffinity: ReadonlySet<PodFacts>;
  /** Pods with required anti-affinity terms. */
  readonly podsWithRequiredAntiAffinity: ReadonlySet<PodFacts>;
  /** The host ports in use. A port occurs twice if two pods with it were forced onto the node. */
  readonly ports: readonly HostPort[];
  /** By full image name. */
  readonly images: ReadonlyMap<string, ImageState>;
  /** Number of volumes of its pods that use a claim, by `namespace/name`. Without claims of ephemeral volumes. */
  readonly claimUses: ReadonlyMap<string, number>;
  /**
   * Upper bound of the volumes of its pods that a driver has to attach; volumes that pods share count more than once.
   */
  readonly attachable: number;
  /** Returns a copy for simulations. */
  copy(): NodeDraft;
}

/** A copy of a node that its owner may change. */
export interface NodeDraft extends NodeView {
  /** Adds a pod. */
  add(pod: PodFacts): void;
  /** Removes a pod, by uid. No-op if it is not on the node. */
  remove(pod: PodFacts): void;
}
