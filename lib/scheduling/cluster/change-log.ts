// What changed in the cluster, in order, for whoever keeps results that depend on it: it remembers a position, asks later
// what came since, and does its sums again only for that. The log is bounded; who comes too late begins anew.
import type { PodFacts } from '../pod/pod-facts.js';
import type { NodeView } from './node-view.js';

/**
 * One change. When it is read the node shows all later changes too. Pods are told apart by uid: facts are read anew
 * without a word here when an object changes in ways that scheduling does not look at.
 */
export type ClusterChange =
  /** A pod came to a node or left it. A pod that changed left and came. */
  | { readonly type: 'pod-added' | 'pod-removed'; readonly pod: PodFacts; readonly node: NodeView }
  /** The object of a node changed: labels, taints, what it can give, its images. It may be elsewhere in the order. */
  | { readonly type: 'node-changed'; readonly node: NodeView }
  /** A node came, or went, with the pods on it; then its slot may soon be another's. The order of nodes changed. */
  | { readonly type: 'node-added' | 'node-removed'; readonly node: NodeView };

/** The reading end. */
export interface ChangeLog {
  /** The position after the last change. */
  readonly position: number;
  /** The changes since a position; undefined if they are not all kept any more. */
  since(position: number): readonly ClusterChange[] | undefined;
}

/** A log of at most so many changes. */
export class BoundedChangeLog implements ChangeLog {
  readonly #kept: ClusterChange[] = [];
  readonly #max: number;
  #first = 0;

  constructor(max = 16_384) {
    this.#max = max;
  }

  get position(): number {
    return this.#first + this.#kept.length;
  }

  /** Writes. */
  add(change: ClusterChange): void {
    // Half is dropped at once, so that dropping costs nothing on the whole.
    if (this.#kept.length >= this.#max) this.#first += this.#kept.splice(0, Math.ceil(this.#max / 2)).length;
    this.#kept.push(change);
  }

  since(position: number): readonly ClusterChange[] | undefined {
    if (position < this.#first || position > this.position) return undefined;
    return position === this.position ? nothing : this.#kept.slice(position - this.#first);
  }
}

const nothing: readonly ClusterChange[] = [];
