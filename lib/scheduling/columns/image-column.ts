// The scores of ImageLocality. How much an image counts changes when any node gets or loses it, or a node comes or
// goes; then all nodes are scored anew, and not before. Where no node has any of the images all score 0.
import type { NodeView } from '../cluster/node-view.js';
import type { Cycle } from '../framework/cycle.js';
import type { WeightedPlugin } from '../framework/profile-plugins.js';
import { grown } from './grown.js';
import type { NodeColumns } from './node-columns.js';

/** Scores by slot, as the images were when they were weighed. */
export class ImageColumn {
  readonly #columns: NodeColumns;
  readonly #cycle: Cycle;
  readonly #score: WeightedPlugin;
  #scores: Int32Array = new Int32Array(0);
  /** How many nodes have each image, and how many nodes there are. */
  #weighed = '';
  #version = 0;

  constructor(columns: NodeColumns, cycle: Cycle, score: WeightedPlugin) {
    this.#columns = columns;
    this.#cycle = cycle;
    this.#score = score;
  }

  /** How often all nodes were scored anew. */
  get version(): number {
    return this.#version;
  }

  /** The weighed score of a node, which is to be part of its rank. */
  scoreOf(node: NodeView): number {
    this.#scores = grown(this.#scores, this.#columns.capacity);
    const score =
      this.#weighed === '' || node.images.size === 0
        ? 0
        : this.#score.weight * this.#score.plugin.score(this.#cycle, node);
    this.#scores[node.slot] = score;
    return score;
  }

  /** No rank has a score in it any more. */
  forget(): void {
    this.#scores.fill(0);
    this.#weighed = '';
  }

  /** Brings the ranks of nodes that fit up to date where the images count otherwise than before. */
  follow(ranks: Float64Array): void {
    const weighed = this.#weigh();
    if (weighed === this.#weighed) return;
    this.#weighed = weighed;
    this.#version += 1;
    for (const node of this.#columns.cluster.nodes) {
      const rank = ranks[node.slot] ?? 0;
      const before = this.#scores[node.slot] ?? 0;
      if (rank > 0) ranks[node.slot] = rank - before + this.scoreOf(node);
    }
  }

  /** Whatever the score depends on besides the node itself. Empty where no node has any of the images. */
  #weigh(): string {
    const { cluster } = this.#columns;
    const states = this.#cycle.pod.images.map((name) => cluster.image(name));
    if (states.every((state) => state === undefined)) return '';
    return `${cluster.nodes.length} ${states.map((state) => `${state?.size ?? 0}/${state?.nodeCount ?? 0}`).join(' ')}`;
  }
}
