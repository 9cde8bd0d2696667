// The nodes that are known, with all that goes with being known: a place in the order, a slot in columns, images
// counted. Who is on them is the cluster cache's matter.
import { deepEqual } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Node } from '../../core/types/index.js';
import { nodeEvents } from './cluster-events.js';
import { ImageStates } from './image-states.js';
import { NodeOrder } from './node-order.js';
import { NodeState } from './node-state.js';
import type { Generations } from './node-state.js';
import type { ImageState } from './node-view.js';

/** What became of a node that was told. */
export interface NodeOutcome {
  readonly node: NodeState;
  /** Undefined where nothing changed that scheduling looks at. */
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

  /** Zones in turn; another array whenever that changed. */
  get inOrder(): readonly NodeState[] {
    return this.#order.list;
  }

  get(name: string): NodeState | undefined {
    return this.#nodes.get(name);
  }

  image(name: string): ImageState | undefined {
    return this.#images.get(name);
  }

  /** A node that is new or changed. */
  set(object: Frozen<Node>): NodeOutcome {
    const name = object.metadata?.name ?? '';
    const node = this.#nodes.get(name);
    if (node === undefined) return { node: this.#add(name, object), change: 'node-added' };
    const keepsImages = sameImages(node.object, object);
    if (keepsImages && meansTheSame(node.object, object)) {
      node.object = object;
      return { node, change: undefined };
    }
    if (!keepsImages) this.#images.remove(node.images);
    node.setObject(object, keepsImages ? node.images : this.#images.add(object));
    this.#order.place(node);
    return { node, change: 'node-changed' };
  }

  /** A node that is gone. */
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

/** Small numbers, each given to one at a time. */
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

/** Whether nothing changed but what nobody looks at, such as the time of a heartbeat. */
function meansTheSame(old: Frozen<Node>, node: Frozen<Node>): boolean {
  return (
    (old.spec?.unschedulable ?? false) === (node.spec?.unschedulable ?? false) && nodeEvents(old, node).length === 0
  );
}

function sameImages({ status: old }: Frozen<Node>, { status }: Frozen<Node>): boolean {
  return deepEqual(old?.images ?? [], status?.images ?? []);
}
