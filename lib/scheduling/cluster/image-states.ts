// The images of all nodes: how large each is, as the node that had it first said, and how many nodes have it. One
// record per image is shared by all nodes that have it, so a count is right everywhere at once. (Kubernetes brings the
// counts that a node shows up to date only when something else of that node changes.)
// As pkg/scheduler/backend/cache/cache.go, addNodeImageStates.
import type { Frozen } from '../../core/index.js';
import type { Node } from '../../core/types/index.js';
import type { ImageState } from './node-view.js';

/** Images by name, counted over nodes. */
export class ImageStates {
  readonly #states = new Map<string, { readonly size: number; nodeCount: number }>();

  /** An image that some node has. */
  get(name: string): ImageState | undefined {
    return this.#states.get(name);
  }

  /** Counts the images of a node, and answers them for it to keep. */
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

  /** Counts images that a node has no longer. One that no node has is forgotten, and its size with it. */
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
