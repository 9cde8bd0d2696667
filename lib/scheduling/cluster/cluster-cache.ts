// The cluster as the scheduler knows it: nodes, the pods on them, and those assumed to be on them before the API says
// so. It is ahead of the API by what is assumed and behind it by what the watches have not told yet.
//
//   assume ─► assumed ── setPod ────────────────────► known ── removePod ─► gone
//                │ forget, removePod                    ▲
//                └──────────────────────► gone          └─ setPod of a pod that nobody assumed
//
// Assumed pods do not expire. A pod on a node that is not known, or not any more, waits unseen until the node comes or
// it goes itself. All operations answer at once. As pkg/scheduler/backend/cache/cache.go.
import type { Observable } from 'rxjs';
import { Outlet } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Node, Pod } from '../../core/types/index.js';
import { BoundedLog } from '../bounded-log.js';
import type { Log } from '../bounded-log.js';
import { podFacts } from '../pod/pod-facts.js';
import type { PodFacts } from '../pod/pod-facts.js';
import type { ChangeLog, ClusterChange } from './change-log.js';
import { ClaimUses } from './claim-uses.js';
import { ClusterNodes } from './cluster-nodes.js';
import type { ClusterView } from './cluster-view.js';
import { KnownCollection } from './known-collection.js';
import { KnownStore } from './known-store.js';
import type { NodeState } from './node-state.js';
import type { ImageState, NodeView } from './node-view.js';
import { sameToOthers } from './same-pod.js';

/** How a cache is made. */
export interface ClusterCacheOptions {
  /** Pods nominated to a node, and the nodes that have such pods. Default: none. */
  readonly nominations?: Nominations;
  /** Objects that somebody else keeps. Default: none yet. */
  readonly objects?: KnownStore;
  /** Changes kept for those who keep results. Default 16 384. */
  readonly changesMax?: number;
}

/** Who is to come where: the scheduling queue. */
export interface Nominations {
  /** Who is to come to a node. */
  nominatedTo(nodeName: string): readonly Frozen<Pod>[];
  /** The nodes that somebody is to come to. */
  nominatedNodes(): Iterable<string>;
  /** The node that a pod, by its uid, is to come to. */
  nominationOf(uid: string): string | undefined;
  /** The names of nodes of which `nominatedTo` says something else than before. */
  readonly nominationChanges: Log<string>;
}

/** How much is known: cache_size. */
export interface CacheFigures {
  /** With those that only pods name. */
  readonly nodes: number;
  /** On nodes, assumed or not. */
  readonly pods: number;
  readonly assumedPods: number;
}

/** A cache that knows nothing yet. */
export function createClusterCache(options: ClusterCacheOptions = {}): ClusterCache {
  return new ClusterCache(options);
}

/** Knows nodes and the pods on them. Is itself the view that cycles look at. */
export class ClusterCache implements ClusterView {
  /** The objects beside nodes and pods on them. */
  readonly objects: KnownStore;
  /** The newest object of every pod that is not finished, with or without a node. */
  readonly pods: KnownCollection<Pod> = new KnownCollection<Pod>();
  /** The newest object of every node. */
  readonly nodeObjects: KnownCollection<Node> = new KnownCollection<Node>();
  readonly changes: ChangeLog;
  /** Emits when what waited for the cluster to stand still is over. */
  readonly released$: Observable<void>;
  readonly #changes: BoundedLog<ClusterChange>;
  readonly #released = new Outlet<void>();
  readonly #nominations: Nominations;
  /** Facts of nominated pods, for as long as they are shown in the same array. */
  readonly #nominated = new WeakMap<readonly Frozen<Pod>[], readonly PodFacts[]>();
  readonly #nodes = new ClusterNodes();
  /** Pods by uid. */
  readonly #placed = new Map<string, PlacedPod>();
  /** Pods on nodes that are not known, by node. */
  readonly #unseen = new Map<string, Set<PlacedPod>>();
  readonly #claimUses = new ClaimUses();
  readonly #nodesWithAffinity = new Set<NodeState>();
  #assumed = 0;
  #holds = 0;

  constructor({ nominations = noNominations, objects = new KnownStore(), changesMax }: ClusterCacheOptions) {
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
    if (pods.length === 0) return nobody;
    const known = this.#nominated.get(pods);
    if (known !== undefined) return known;
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

  /** How much is known. */
  figures(): CacheFigures {
    return { nodes: this.#nodes.size + this.#unseen.size, pods: this.#placed.size, assumedPods: this.#assumed };
  }

  /** A node that is new or changed. One that is new shows the pods that were waiting for it. */
  setNode(object: Frozen<Node>): NodeView {
    const { node, change } = this.#nodes.set(object);
    if (change === 'node-added') this.#reveal(node);
    if (change !== undefined) this.#changes.add({ type: change, node });
    return node;
  }

  /** A node that is gone. Its pods stay known, unseen, until they are gone too. */
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

  /** A pod that has a node, new or changed. It takes the place of what was assumed of it. */
  setPod(pod: Frozen<Pod>): void {
    const facts = podFacts(pod);
    const placed = this.#placed.get(facts.uid);
    if (placed === undefined) {
      this.#place({ facts, nodeName: facts.nodeName, assumed: false, node: undefined });
      return;
    }
    if (placed.assumed) this.#assumed -= 1;
    placed.assumed = false;
    if (placed.nodeName === facts.nodeName && sameToOthers(placed.facts, facts)) {
      placed.node?.replace(placed.facts, facts);
      placed.facts = facts;
      return;
    }
    this.#displace(placed);
    this.#place({ facts, nodeName: facts.nodeName, assumed: false, node: undefined });
  }

  /** A pod that is gone, or finished. Known by its uid. */
  removePod(pod: Frozen<Pod>): void {
    const placed = this.#placed.get(pod.metadata?.uid ?? '');
    if (placed !== undefined) this.#displace(placed);
  }

  /** Counts a pod on a node from now on. Throws if it is known to be on one. */
  assume(pod: PodFacts, nodeName: string): void {
    const { uid, namespace, name } = pod;
    if (this.#placed.has(uid)) throw new Error(`pod ${uid}(${namespace}/${name}) is in the cache, so can't be assumed`);
    this.#assumed += 1;
    this.#place({ facts: pod, nodeName, assumed: true, node: undefined });
  }

  /** Takes back what was assumed; false if it was not, or is by now known to be so. */
  forget(uid: string): boolean {
    const placed = this.#placed.get(uid);
    if (placed?.assumed !== true) return false;
    this.#displace(placed);
    return true;
  }

  /** Whether a pod is assumed to be on a node, and the API has not said so yet. */
  isAssumed(uid: string): boolean {
    return this.#placed.get(uid)?.assumed === true;
  }

  /** A pod on a node, known or assumed to be there, and also one whose node is not known. */
  placed(uid: string): { readonly facts: PodFacts; readonly nodeName: string; readonly assumed: boolean } | undefined {
    return this.#placed.get(uid);
  }

  /** Whether the cluster has to stand still, since somebody looks at it for longer than a moment. */
  get held(): boolean {
    return this.#holds > 0;
  }

  /** Has what the watches tell wait until the answer is called. What is assumed and forgotten does not wait. */
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
      const unseen = this.#unseen.get(nodeName);
      unseen?.delete(placed);
      if (unseen?.size === 0) this.#unseen.delete(nodeName);
      return;
    }
    node.remove(facts);
    if (node.podsWithAffinity.size === 0) this.#nodesWithAffinity.delete(node);
    this.#claimUses.count(facts, -1);
    this.#changes.add({ type: 'pod-removed', pod: facts, node });
  }

  #reveal(node: NodeState): void {
    for (const placed of this.#unseen.get(node.name) ?? []) this.#put(placed, node);
    this.#unseen.delete(node.name);
  }

  #hide(placed: PlacedPod): void {
    placed.node = undefined;
    const unseen = this.#unseen.get(placed.nodeName);
    if (unseen === undefined) this.#unseen.set(placed.nodeName, new Set([placed]));
    else unseen.add(placed);
  }
}

interface PlacedPod {
  facts: PodFacts;
  readonly nodeName: string;
  assumed: boolean;
  /** Undefined while the node is not known. */
  node: NodeState | undefined;
}

const noNominations: Nominations = {
  nominatedTo: () => [],
  nominatedNodes: () => [],
  nominationOf: () => undefined,
  nominationChanges: new BoundedLog<string>(),
};
const nobody: readonly PodFacts[] = [];
