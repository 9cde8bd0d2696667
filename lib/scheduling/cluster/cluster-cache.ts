// The scheduler's cache of nodes and the pods on them, including assumed pods that the API has not confirmed. It is
// ahead of the API by the assumed pods, and behind it by the watch events that have not arrived.
//
//   assume ─► assumed ── setPod ────────────────────► confirmed ── removePod ─► removed
//                │ forget, removePod                    ▲
//                └──────────────────────► removed       └─ setPod of a pod that was not assumed
//
// Assumed pods do not expire. A pod whose node is not in the cache is cached but invisible until the node is added or
// the pod is removed. All operations are synchronous. As pkg/scheduler/backend/cache/cache.go.
import type { Observable } from 'rxjs';
import { Outlet } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Node, Pod } from '../../core/types/index.js';
import { BoundedLog } from '../bounded-log.js';
import type { Log } from '../bounded-log.js';
import { podFacts } from '../pod/pod-facts.js';
import type { PodFacts } from '../pod/pod-facts.js';
import type { ChangeLog, ClusterChange } from './change-log.js';
import { ClaimUses, hasSameSchedulingFacts } from './placed-pod.js';
import { ClusterNodes } from './cluster-nodes.js';
import type { ClusterView } from './cluster-view.js';
import { KindCache, ObjectCache } from './object-cache.js';
import type { NodeState } from './node-state.js';
import type { ImageState, NodeView } from './node-view.js';

/** Options of a cluster cache. */
export interface ClusterCacheOptions {
  /** The nominated pods of nodes. Default: none. */
  readonly nominations?: Nominations;
  /** The cache of other objects. Default: an empty one. */
  readonly objects?: ObjectCache;
  /** Bound of the change log, in entries. Default 16,384. */
  readonly changesMax?: number;
}

/** Nominated pods by node; implemented by the scheduling queue. */
export interface Nominations {
  /** Returns the pods that are nominated to a node. */
  nominatedTo(nodeName: string): readonly Frozen<Pod>[];
  /** The names of nodes with nominated pods. */
  nominatedNodes(): Iterable<string>;
  /** The node that the pod with this uid is nominated to. */
  nominationOf(uid: string): string | undefined;
  /** Log of the names of nodes whose nominated pods changed. */
  readonly nominationChanges: Log<string>;
}

/** Sizes of the cache, for the metric cache_size. */
export interface CacheFigures {
  /** Includes nodes that exist only as the node name of a pod. */
  readonly nodes: number;
  /** Pods on nodes, assumed ones included. */
  readonly pods: number;
  readonly assumedPods: number;
}

/** Creates an empty cache. */
export function createClusterCache(options: ClusterCacheOptions = {}): ClusterCache {
  return new ClusterCache(options);
}

/** Caches nodes and the pods on them. It is the `ClusterView` of scheduling cycles. */
export class ClusterCache implements ClusterView {
  /** The cached objects other than nodes and pods. */
  readonly objects: ObjectCache;
  /** The latest object of every unfinished pod, with or without a node. */
  readonly pods: KindCache<Pod> = new KindCache<Pod>();
  /** The latest object of every node. */
  readonly nodeObjects: KindCache<Node> = new KindCache<Node>();
  readonly changes: ChangeLog;
  /** Emits when the last hold is released. */
  readonly released$: Observable<void>;
  readonly #changes: BoundedLog<ClusterChange>;
  readonly #released = new Outlet<void>();
  readonly #nominations: Nominations;
  /** Facts of nominated pods, by the identity of the array of pods. */
  readonly #nominated = new WeakMap<readonly Frozen<Pod>[], readonly PodFacts[]>();
  readonly #nodes = new ClusterNodes();
  /** Pods with a node, by uid. */
  readonly #placed = new Map<string, PlacedPod>();
  /** Pods whose node is not in the cache, by node name. */
  readonly #unseenByNode = new Map<string, Set<PlacedPod>>();
  readonly #claimUses = new ClaimUses();
  readonly #nodesWithAffinity = new Set<NodeState>();
  #assumed = 0;
  #holds = 0;

  constructor({ nominations = noNominations, objects = new ObjectCache(), changesMax }: ClusterCacheOptions) {
    this.objects = objects;
    this.#nominations = nominations;
    this.#changes = new BoundedLog(changesMax);
    this.changes = this.#changes;
    this.released$ = this.#released.values$;
  }

  get nodes(): readonly NodeView[] {
    return this.#nodes.inOrder;
  }

  node(name: string): NodeView | undefined {
    return this.#nodes.get(name);
  }

  get nodesWithAffinity(): ReadonlySet<NodeView> {
    return this.#nodesWithAffinity;
  }

  image(name: string): ImageState | undefined {
    return this.#nodes.image(name);
  }

  claimUses(claim: string): number {
    return this.#claimUses.of(claim);
  }

  nominatedTo(nodeName: string): readonly PodFacts[] {
    const pods = this.#nominations.nominatedTo(nodeName);
    if (pods.length === 0) return noPods;
    const cached = this.#nominated.get(pods);
    if (cached !== undefined) return cached;
    const facts = pods.map((pod) => podFacts(pod));
    this.#nominated.set(pods, facts);
    return facts;
  }

  nominatedNodes(): Iterable<string> {
    return this.#nominations.nominatedNodes();
  }

  nominationOf(uid: string): string | undefined {
    return this.#nominations.nominationOf(uid);
  }

  get nominationChanges(): Log<string> {
    return this.#nominations.nominationChanges;
  }

  /** Returns the current sizes. */
  figures(): CacheFigures {
    return { nodes: this.#nodes.size + this.#unseenByNode.size, pods: this.#placed.size, assumedPods: this.#assumed };
  }

  /** Adds or updates a node. Pods that were cached before their node become visible. */
  setNode(object: Frozen<Node>): NodeView {
    const { node, change } = this.#nodes.set(object);
    if (change === 'node-added') this.#reveal(node);
    if (change !== undefined) this.#changes.add({ type: change, node });
    return node;
  }

  /** Removes a node. Its pods stay cached, but invisible, until they are removed too. */
  removeNode(name: string): void {
    const node = this.#nodes.remove(name);
    if (node === undefined) return;
    for (const { uid } of node.pods) {
      const placed = this.#placed.get(uid);
      if (placed === undefined) continue;
      this.#claimUses.count(placed.facts, -1);
      this.#hide(placed);
    }
    this.#nodesWithAffinity.delete(node);
    this.#changes.add({ type: 'node-removed', node });
  }

  /** Adds or updates a pod that has a node. Confirms an assumed pod. */
  setPod(pod: Frozen<Pod>): void {
    const facts = podFacts(pod);
    const placed = this.#placed.get(facts.uid);
    if (placed === undefined) {
      this.#place({ facts, nodeName: facts.nodeName, assumed: false, node: undefined });
      return;
    }
    if (placed.assumed) this.#assumed -= 1;
    placed.assumed = false;
    if (placed.nodeName === facts.nodeName && hasSameSchedulingFacts(placed.facts, facts)) {
      placed.node?.replace(placed.facts, facts);
      placed.facts = facts;
      return;
    }
    this.#displace(placed);
    this.#place({ facts, nodeName: facts.nodeName, assumed: false, node: undefined });
  }

  /** Removes a pod that was deleted or finished, by uid. */
  removePod(pod: Frozen<Pod>): void {
    const placed = this.#placed.get(pod.metadata?.uid ?? '');
    if (placed !== undefined) this.#displace(placed);
  }

  /** Counts a pod on a node before the API confirms it. Throws if the pod is already on a node. */
  assume(pod: PodFacts, nodeName: string): void {
    const { uid, namespace, name } = pod;
    if (this.#placed.has(uid)) throw new Error(`pod ${uid}(${namespace}/${name}) is in the cache, so can't be assumed`);
    this.#assumed += 1;
    this.#place({ facts: pod, nodeName, assumed: true, node: undefined });
  }

  /** Removes an assumed pod. Returns false if the pod is not assumed, or was confirmed. */
  forget(uid: string): boolean {
    const placed = this.#placed.get(uid);
    if (placed?.assumed !== true) return false;
    this.#displace(placed);
    return true;
  }

  /** Whether a pod is assumed to be on a node and not yet confirmed by the API. */
  isAssumed(uid: string): boolean {
    return this.#placed.get(uid)?.assumed === true;
  }

  /** Returns a pod with a node, assumed or confirmed, even if the node is not in the cache. */
  placed(uid: string): { readonly facts: PodFacts; readonly nodeName: string; readonly assumed: boolean } | undefined {
    return this.#placed.get(uid);
  }

  /** Whether watch events are buffered, because a cycle reads the cluster asynchronously. */
  get held(): boolean {
    return this.#holds > 0;
  }

  /** Buffers watch events until the returned function is called. Assuming and forgetting pods is not delayed. */
  hold(): () => void {
    let holds = 1;
    this.#holds += 1;
    return () => {
      this.#holds -= holds;
      if (holds === 1 && this.#holds === 0) this.#released.emit();
      holds = 0;
    };
  }

  #place(placed: PlacedPod): void {
    const { facts, nodeName } = placed;
    this.#placed.set(facts.uid, placed);
    const node = this.#nodes.get(nodeName);
    if (node === undefined) {
      this.#hide(placed);
      return;
    }
    this.#put(placed, node);
    this.#changes.add({ type: 'pod-added', pod: facts, node });
  }

  #put(placed: PlacedPod, node: NodeState): void {
    placed.node = node;
    node.add(placed.facts);
    if (node.podsWithAffinity.size > 0) this.#nodesWithAffinity.add(node);
    this.#claimUses.count(placed.facts, 1);
  }

  #displace(placed: PlacedPod): void {
    const { facts, nodeName, node } = placed;
    this.#placed.delete(facts.uid);
    if (placed.assumed) this.#assumed -= 1;
    if (node === undefined) {
      const unseen = this.#unseenByNode.get(nodeName);
      unseen?.delete(placed);
      if (unseen?.size === 0) this.#unseenByNode.delete(nodeName);
      return;
    }
    node.remove(facts);
    if (node.podsWithAffinity.size === 0) this.#nodesWithAffinity.delete(node);
    this.#claimUses.count(facts, -1);
    this.#changes.add({ type: 'pod-removed', pod: facts, node });
  }

  #reveal(node: NodeState): void {
    for (const placed of this.#unseenByNode.get(node.name) ?? []) this.#put(placed, node);
    this.#unseenByNode.delete(node.name);
  }

  #hide(placed: PlacedPod): void {
    placed.node = undefined;
    const unseen = this.#unseenByNode.get(placed.nodeName);
    if (unseen === undefined) this.#unseenByNode.set(placed.nodeName, new Set([placed]));
    else unseen.add(placed);
  }
}

interface PlacedPod {
  facts: PodFacts;
  readonly nodeName: string;
  assumed: boolean;
  /** Undefined while the node is not in the cache. */
  node: NodeState | undefined;
}

const noNominations: Nominations = {
  nominatedTo: () => [],
  nominatedNodes: () => [],
  nominationOf: () => undefined,
  nominationChanges: new BoundedLog<string>(),
};
const noPods: readonly PodFacts[] = [];
