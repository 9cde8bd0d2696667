// The nodes of the cluster cache: their order, their slots (array indices of the fast path), and their images. The pods
// on them are managed by the cluster cache.
import { deepEqual } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Node } from '../../core/types/index.js';
import { nodeEvents } from './cluster-events.js';
import { NodeOrder } from './node-order.js';
import { NodeState } from './node-state.js';
import type { Generations } from './node-state.js';
import type { ImageState } from './node-view.js';

/** The result of `ClusterNodes.set`. */
export interface NodeUpdate {
  readonly node: NodeState;
  /** Undefined if nothing changed that affects scheduling. */
  readonly change: 'node-added' | 'node-changed' | undefined;
}

/** Nodes by name. */
export class ClusterNodes {
  readonly #nodes = new Map<string, NodeState>();
  readonly #order = new NodeOrder<NodeState>();
  readonly #images = new ImageStates();
  readonly #slots = new Slots();
  readonly #generations: Generations = counter();

  get size(): number {
    return this.#nodes.size;
  }

  /** Nodes in scheduling order, alternating between zones. The array is replaced when the order changes. */
  get inOrder(): readonly NodeState[] {
    return this.#order.list;
  }

  get(name: string): NodeState | undefined {
    return this.#nodes.get(name);
  }

  image(name: string): ImageState | undefined {
    return this.#images.get(name);
  }

  /** Adds or updates a node. */
  set(object: Frozen<Node>): NodeUpdate {
    const name = object.metadata?.name ?? '';
    const node = this.#nodes.get(name);
    if (node === undefined) return { node: this.#add(name, object), change: 'node-added' };
    const keepsImages = sameImages(node.object, object);
    if (keepsImages && isEquivalentNode(node.object, object)) {
      node.object = object;
      return { node, change: undefined };
    }
    if (!keepsImages) this.#images.remove(node.images);
    node.setObject(object, keepsImages ? node.images : this.#images.add(object));
    this.#order.place(node);
    return { node, change: 'node-changed' };
  }

  /** Removes a node and returns it. */
  remove(name: string): NodeState | undefined {
    const node = this.#nodes.get(name);
    if (node === undefined) return undefined;
    this.#nodes.delete(name);
    this.#order.remove(node);
    this.#images.remove(node.images);
    this.#slots.free(node.slot);
    return node;
  }

  #add(name: string, object: Frozen<Node>): NodeState {
    const node = new NodeState({
      name,
      slot: this.#slots.take(),
      object,
      images: this.#images.add(object),
      generations: this.#generations,
    });
    this.#nodes.set(name, node);
    this.#order.place(node);
    return node;
  }
}

/** Allocates small integers. */
class Slots {
  readonly #free: number[] = [];
  #end = 0;

  take(): number {
    return this.#free.pop() ?? this.#end++;
  }

  free(slot: number): void {
    this.#free.push(slot);
  }
}

function counter(): Generations {
  let last = 0;
  return { next: () => (last += 1) };
}

/** Whether no field changed that affects scheduling. Heartbeats, for example, do not. */
function isEquivalentNode(old: Frozen<Node>, node: Frozen<Node>): boolean {
  return (
    (old.spec?.unschedulable ?? false) === (node.spec?.unschedulable ?? false) && nodeEvents(old, node).length === 0
  );
}

function sameImages({ status: old }: Frozen<Node>, { status }: Frozen<Node>): boolean {
  return deepEqual(old?.images ?? [], status?.images ?? []);
}

/**
 * The images of all nodes: the size that the first node reported, and the number of nodes that have it. All nodes share
 * one record per image, so counts are always current; kube-scheduler updates the counts of a node only when the node
 * changes otherwise. As pkg/scheduler/backend/cache/cache.go, addNodeImageStates.
 */
export class ImageStates {
  readonly #states = new Map<string, { readonly size: number; nodeCount: number }>();

  /** Returns an image that at least one node has. */
  get(name: string): ImageState | undefined {
    return this.#states.get(name);
  }

  /** Counts the images of a node and returns their records. */
  add({ status }: Frozen<Node>): ReadonlyMap<string, ImageState> {
    const images = status?.images ?? [];
    if (images.length === 0) return none;
    const found = new Map<string, ImageState>();
    for (const { names = [], sizeBytes = 0 } of images) {
      for (const name of names) {
        if (found.has(name)) continue;
        const state = this.#states.get(name) ?? { size: sizeBytes, nodeCount: 0 };
        state.nodeCount += 1;
        this.#states.set(name, state);
        found.set(name, state);
      }
    }
    return found;
  }

  /** Uncounts the images of a node. The record of an image without nodes is dropped, and its size with it. */
  remove(images: ReadonlyMap<string, ImageState>): void {
    for (const name of images.keys()) {
      const state = this.#states.get(name);
      if (state === undefined) continue;
      state.nodeCount -= 1;
      if (state.nodeCount === 0) this.#states.delete(name);
    }
  }
}

const none: ReadonlyMap<string, ImageState> = new Map();
