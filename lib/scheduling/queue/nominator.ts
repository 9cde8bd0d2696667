// Which pods are to run on which node once their victims are gone. The memory of it is ahead of the API: a nomination
// counts from the moment preemption decides it. One pod has one node; the pods of a node stand in order of nomination.

import { deepEqual, objectKey, type Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import { BoundedLog, type Log } from '../bounded-log.js';

/** A pod by name, as the nominator remembers it. */
export interface NominatedPod {
  readonly key: string;
  readonly uid: string;
  /** A pod with nothing but its name: no requests, no priority. What others see while the real one is in flight. */
  readonly bare: Frozen<Pod>;
}

/** Nominations, by node and by pod. */
export class Nominator {
  readonly #byNode = new Map<string, Map<string, NominatedPod>>();
  readonly #nodeOf = new Map<string, string>();
  /** What others see of the pods of a node. */
  readonly #shown = new Map<string, readonly Frozen<Pod>[]>();
  readonly #changes = new BoundedLog<string>();

  /** How many pods have a nomination. */
  get size(): number {
    return this.#nodeOf.size;
  }

  /** The node of a pod, by its uid. */
  nodeOf(uid: string): string | undefined {
    return this.#nodeOf.get(uid);
  }

  /** The nodes of which others may see something else than before. */
  get changes(): Log<string> {
    return this.#changes;
  }

  /** What others see of the pods of a node. The same array as long as nothing changes; who shows them has to tell. */
  shownOf(node: string, show: (pod: NominatedPod) => Frozen<Pod>): readonly Frozen<Pod>[] {
    const pods = this.#byNode.get(node);
    if (pods === undefined) return nobody;
    const known = this.#shown.get(node);
    if (known !== undefined) return known;
    const shown: Frozen<Pod>[] = [];
    for (const pod of pods.values()) shown.push(show(pod));
    this.#shown.set(node, shown);
    return shown;
  }

  /** Others may see something else of a pod from now on. */
  changed(pod: Frozen<Pod>): void {
    const node = this.#nodeOf.get(uidOf(pod));
    if (node !== undefined) this.#changed(node);
  }

  /** The nodes that have pods. */
  nodes(): Iterable<string> {
    return this.#byNode.keys();
  }

  /** Nominates a pod, in place of what it had; with an empty name it has none any more. */
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

  /** Follows an update. When neither object names a node the pod keeps what it has: its own write may be under way. */
  update(old: Frozen<Pod>, pod: Frozen<Pod>): void {
    const known = this.#nodeOf.get(uidOf(pod));
    const named = nominatedNode(pod);
    const isKept = known !== undefined && (named === known || (named === '' && nominatedNode(old) === ''));
    if (!isKept) this.set(pod, named);
    // What the API says of the nomination is no news: nobody has to judge the node anew.
    else if (isSameToOthers(old, pod)) this.#shown.delete(known);
    else this.#changed(known);
  }

  /** Forgets a pod. */
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

/** Whether a pod that waits wants the same and is the same to others, but for its status. */
function isSameToOthers(old: Frozen<Pod>, pod: Frozen<Pod>): boolean {
  return (
    old.spec === pod.spec &&
    old.metadata?.deletionTimestamp === pod.metadata?.deletionTimestamp &&
    deepEqual(old.metadata?.labels, pod.metadata?.labels)
  );
}

const nobody: readonly Frozen<Pod>[] = [];

/** The node that a pod's status nominates; empty when none. */
export function nominatedNode(pod: Frozen<Pod>): string {
  return pod.status?.nominatedNodeName ?? '';
}

/** The identity of a pod; empty when it has none. */
export function uidOf(pod: Frozen<Pod>): string {
  return pod.metadata?.uid ?? '';
}
