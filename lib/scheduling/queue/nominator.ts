// The nominated pods of nodes: pods that preemption made room for. A nomination counts from the preemption decision,
// before the API shows it. A pod has at most one nominated node; the pods of a node are in order of nomination.

import { deepEqual, objectKey, type Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import { BoundedLog, type Log } from '../bounded-log.js';

/** A nominated pod by name. */
export interface NominatedPod {
  readonly key: string;
  readonly uid: string;
  /** A pod with only a name: no requests, no priority. Returned while the real pod is in flight. */
  readonly bare: Frozen<Pod>;
}

/** Nominations by node and by pod. */
export class Nominator {
  readonly #byNode = new Map<string, Map<string, NominatedPod>>();
  readonly #nodeOf = new Map<string, string>();
  /** Results of `podsOf`, by node. */
  readonly #shown = new Map<string, readonly Frozen<Pod>[]>();
  readonly #changes = new BoundedLog<string>();

  /** Number of nominated pods. */
  get size(): number {
    return this.#nodeOf.size;
  }

  /** The node of a pod, by its uid. */
  nodeOf(uid: string): string | undefined {
    return this.#nodeOf.get(uid);
  }

  /** Log of nodes whose nominated pods changed. */
  get changes(): Log<string> {
    return this.#changes;
  }

  /**
   * Returns the nominated pods of a node; `show` returns the object of each. The same array until `changed` is called.
   */
  podsOf(node: string, show: (pod: NominatedPod) => Frozen<Pod>): readonly Frozen<Pod>[] {
    const pods = this.#byNode.get(node);
    if (pods === undefined) return noPods;
    const cached = this.#shown.get(node);
    if (cached !== undefined) return cached;
    const shown: Frozen<Pod>[] = [];
    for (const pod of pods.values()) shown.push(show(pod));
    this.#shown.set(node, shown);
    return shown;
  }

  /** Records that the object of a pod changed. */
  changed(pod: Frozen<Pod>): void {
    const node = this.#nodeOf.get(uidOf(pod));
    if (node !== undefined) this.#changed(node);
  }

  /** The nodes with nominated pods. */
  nodes(): Iterable<string> {
    return this.#byNode.keys();
  }

  /** Nominates a pod and replaces its previous nomination. An empty node name removes it. */
  set(pod: Frozen<Pod>, node: string): void {
    const uid = uidOf(pod);
    if (this.#nodeOf.get(uid) === node) {
      this.#changed(node);
      return;
    }
    this.delete(pod);
    if (node === '') return;
    const { name = '', namespace = '' } = pod.metadata ?? {};
    const pods = this.#byNode.get(node) ?? new Map<string, NominatedPod>();
    this.#byNode.set(node, pods);
    this.#changed(node);
    pods.set(uid, { key: objectKey(pod), uid, bare: { metadata: { name, namespace, uid } } });
    this.#nodeOf.set(uid, node);
  }

  /** Applies an update. If neither object has a nomination, the pod keeps its own: its status write may be pending. */
  update(old: Frozen<Pod>, pod: Frozen<Pod>): void {
    const cached = this.#nodeOf.get(uidOf(pod));
    const named = nominatedNode(pod);
    const isKept = cached !== undefined && (named === cached || (named === '' && nominatedNode(old) === ''));
    if (!isKept) this.set(pod, named);
    // The API confirmed the nomination: the node need not be evaluated again.
    else if (isEquivalentPod(old, pod)) this.#shown.delete(cached);
    else this.#changed(cached);
  }

  /** Removes the nomination of a pod. */
  delete(pod: Frozen<Pod>): void {
    const uid = uidOf(pod);
    const node = this.#nodeOf.get(uid);
    if (node === undefined) return;
    this.#nodeOf.delete(uid);
    this.#changed(node);
    const pods = this.#byNode.get(node);
    pods?.delete(uid);
    if (pods?.size === 0) this.#byNode.delete(node);
  }

  #changed(node: string): void {
    this.#shown.delete(node);
    this.#changes.add(node);
  }
}

/** Whether two versions of a waiting pod are equal apart from status. */
function isEquivalentPod(old: Frozen<Pod>, pod: Frozen<Pod>): boolean {
  return (
    old.spec === pod.spec &&
    old.metadata?.deletionTimestamp === pod.metadata?.deletionTimestamp &&
    deepEqual(old.metadata?.labels, pod.metadata?.labels)
  );
}

const noPods: readonly Frozen<Pod>[] = [];

/** Returns the nominated node of a pod's status; empty if none. */
export function nominatedNode(pod: Frozen<Pod>): string {
  return pod.status?.nominatedNodeName ?? '';
}

/** Returns the uid of a pod; empty if none. */
export function uidOf(pod: Frozen<Pod>): string {
  return pod.metadata?.uid ?? '';
}
