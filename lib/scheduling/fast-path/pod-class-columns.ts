// Cached filter verdicts and node-local scores of one pod class, by slot. The plugins themselves compute them, once per
// node; after that only changed nodes are evaluated again. Placing a pod changes one node.
import type { NodeView } from '../cluster/node-view.js';
import { CycleState } from '../framework/cycle-state.js';
import type { Cycle } from '../framework/cycle-state.js';
import { rejectedBy } from '../framework/profile-filters.js';
import type { Rejected, Rejection } from '../framework/rejection.js';
import type { PodFacts } from '../pod/pod-facts.js';
import { ChangeReader } from '../cluster/change-log.js';
import type { WeightedPlugin } from '../framework/profile-plugins.js';
import { dependsOnStateOnly } from './fast-path-profile.js';
import type { FastPathProfile, NodeLocalScore, PositionedFilter } from './fast-path-profile.js';
import { floatAt, intAt, ensureLength, ensureFloatLength } from './column-arrays.js';
import type { NodeColumns } from './cluster-columns.js';
import { NodeGroups } from './node-groups.js';
import type { Trait } from './node-groups.js';
import { CachedPluginCounters } from './plugin-counters.js';

/** A rejection and the index of its filter in the profile. */
export interface PositionedRejection {
  readonly rejected: Rejected;
  readonly position: number;
}

/** Raw scores of one plugin, which are scaled by the highest raw score among the feasible nodes. */
export interface RawScoreColumn extends Required<NodeLocalScore>, Trait {
  scores: Int32Array;
}

/** The columns of one pod class (pods with the same node signature). */
export class PodClassColumns {
  readonly #columns: NodeColumns;
  readonly #reader: ChangeReader;
  readonly #cycle: Cycle;
  readonly #filters: readonly PositionedFilter[];
  readonly #scores: readonly NodeLocalScore[];
  readonly #images: ImageScores | undefined;
  /** Whether nodes in the same state (`NodeStateNumbers`) have the same results, apart from image scores. */
  readonly #dependsOnStateOnly: boolean;
  readonly #rejections: PositionedRejection[] = [];
  /** Verdict of each rejection, by identity and by text: a plugin may return equal rejections as different objects. */
  readonly #verdictByRejection = new WeakMap<Rejection, number>();
  readonly #verdictByText = new Map<string, number>();
  /** The generation of each node at its evaluation. */
  #evaluatedGeneration: Float64Array = new Float64Array(0);
  #verdicts: Int32Array = new Int32Array(0);
  #ranks: Float64Array = new Float64Array(0);
  /** Per slot: 0 = infeasible, otherwise 1 + the weighted node-local score. */
  readonly #rank: Trait;
  readonly #groups: NodeGroups[] = [];
  readonly rawScores: readonly RawScoreColumn[];
  /** Counters of the plugins whose results are cached here. */
  readonly pluginCounters: CachedPluginCounters;

  constructor(columns: NodeColumns, profile: FastPathProfile, pod: PodFacts) {
    this.#columns = columns;
    this.#reader = new ChangeReader(columns.cluster.changes);
    this.#cycle = { pod, cluster: columns.cluster, state: new CycleState() };
    this.#filters = profile.localFilters.filter(({ plugin }) => plugin.preFilter?.(this.#cycle) !== 'skip');
    const scores = profile.localScores.filter(
      ({ plugin }) => plugin.preScore?.(this.#cycle, columns.cluster.nodes) !== 'skip',
    );
    this.#scores = scores.filter(({ normalize }) => normalize === undefined);
    this.rawScores = scores.flatMap(({ plugin, weight, normalize }) =>
      normalize === undefined ? [] : [rawScoreColumn({ plugin, weight, normalize })],
    );
    this.#dependsOnStateOnly = [...this.#filters, ...scores].every((each) => dependsOnStateOnly(each, pod));
    const allScores = profile.imageScore === undefined ? scores : [...scores, profile.imageScore];
    this.pluginCounters = new CachedPluginCounters(
      this.#filters.map(({ plugin }) => plugin),
      allScores.map(({ plugin }) => plugin),
    );
    this.#images = profile.imageScore && new ImageScores(columns, this.#cycle, profile.imageScore);
    this.#rank = { at: (slot) => floatAt(this.#ranks, slot), version: () => this.#images?.version ?? 0 };
  }

  /** Per slot: 0 = feasible, otherwise a verdict for `rejectionFor`. */
  get verdicts(): Int32Array {
    return this.#verdicts;
  }

  /** Groups nodes that are indistinguishable by the cached scores and by `traits`. */
  groupsBy(traits: readonly Trait[]): NodeGroups {
    const all = [...this.rawScores, ...traits];
    const cached = this.#groups.find((each) => each.isBy(all));
    const groups = cached ?? new NodeGroups(this.#columns, this.#rank, all);
    if (cached === undefined && this.#groups.unshift(groups) > groupsMax) this.#groups.pop();
    groups.sync();
    return groups;
  }

  /** The rejection of a verdict above 0. */
  rejectionFor(verdict: number): PositionedRejection | undefined {
    return this.#rejections[verdict - 1];
  }

  /** Applies the changes since the last call. */
  sync(): void {
    const changes = this.#reader.read();
    if (changes?.length !== 0) this.#grow();
    if (changes === undefined) this.#evaluateAll();
    else {
      for (const {
        node: { slot },
      } of changes) {
        const node = this.#columns.at(slot);
        if (node === undefined) this.#ranks[slot] = 0;
        else if (node.generation !== this.#evaluatedGeneration[slot]) this.#evaluate(node);
      }
    }
    this.#images?.sync(this.#ranks);
  }

  #evaluateAll(): void {
    this.#ranks.fill(0);
    this.#images?.clear();
    if (this.#dependsOnStateOnly) this.#evaluateEachState();
    else for (const node of this.#columns.cluster.nodes) this.#evaluate(node);
  }

  #evaluateEachState(): void {
    const { bySlot, size } = this.#columns.states();
    const slotOfState = new Int32Array(size).fill(-1);
    this.#evaluatedGeneration.fill(-1);
    for (const slot of this.#columns.order) {
      const state = intAt(bySlot, slot);
      const evaluatedSlot = intAt(slotOfState, state);
      if (evaluatedSlot >= 0) this.#copy(evaluatedSlot, slot);
      else {
        slotOfState[state] = slot;
        const node = this.#columns.at(slot);
        if (node !== undefined) this.#evaluate(node);
      }
    }
  }

  #copy(from: number, to: number): void {
    this.#verdicts[to] = intAt(this.#verdicts, from);
    this.#ranks[to] = floatAt(this.#ranks, from);
    for (const { scores } of this.rawScores) scores[to] = intAt(scores, from);
  }

  #grow(): void {
    const { capacity } = this.#columns;
    this.#evaluatedGeneration = ensureFloatLength(this.#evaluatedGeneration, capacity, -1);
    this.#verdicts = ensureLength(this.#verdicts, capacity);
    this.#ranks = ensureFloatLength(this.#ranks, capacity);
    for (const column of this.rawScores) column.scores = ensureLength(column.scores, capacity);
  }

  #evaluate(node: NodeView): void {
    const { slot } = node;
    this.#evaluatedGeneration[slot] = node.generation;
    const verdict = this.#verdict(node);
    this.#verdicts[slot] = verdict;
    this.#ranks[slot] = verdict === 0 ? this.#scoreOf(node) + 1 : 0;
    for (const column of this.rawScores) column.scores[slot] = column.plugin.score(this.#cycle, node);
  }

  #scoreOf(node: NodeView): number {
    let score = this.#images?.scoreOf(node) ?? 0;
    for (const { plugin, weight } of this.#scores) score += weight * plugin.score(this.#cycle, node);
    return score;
  }

  #verdict(node: NodeView): number {
    for (const { plugin, position } of this.#filters) {
      const rejection = plugin.filter(this.#cycle, node);
      if (rejection !== undefined) return this.#verdictFor(plugin.name, rejection, position);
    }
    return 0;
  }

  #verdictFor(plugin: string, rejection: Rejection, position: number): number {
    const cached = this.#verdictByRejection.get(rejection);
    if (cached !== undefined) return cached;
    const text = `${position} ${rejection.code} ${rejection.reasons.join('\n')}`;
    const verdict =
      this.#verdictByText.get(text) ?? this.#rejections.push({ rejected: rejectedBy(plugin, rejection), position });
    this.#verdictByText.set(text, verdict);
    this.#verdictByRejection.set(rejection, verdict);
    return verdict;
  }
}

/** Groupings kept per pod class. A class with more sets of traits regroups its nodes in between. */
const groupsMax = 4;

function rawScoreColumn(score: Required<NodeLocalScore>): RawScoreColumn {
  const column: RawScoreColumn = {
    ...score,
    scores: new Int32Array(0),
    at: (slot) => intAt(column.scores, slot),
    version: () => 0,
  };
  return column;
}

/**
 * Scores of ImageLocality. They depend on how many nodes have an image: when a node gains or loses an image, or the
 * number of nodes changes, all nodes are scored again. All scores are 0 if no node has any of the pod's images.
 */
export class ImageScores {
  readonly #columns: NodeColumns;
  readonly #cycle: Cycle;
  readonly #score: WeightedPlugin;
  #scores: Int32Array = new Int32Array(0);
  /** The image sizes and node counts that the scores were computed from. */
  #imageCounts = '';
  #version = 0;

  constructor(columns: NodeColumns, cycle: Cycle, score: WeightedPlugin) {
    this.#columns = columns;
    this.#cycle = cycle;
    this.#score = score;
  }

  /** Incremented whenever all nodes were scored again. */
  get version(): number {
    return this.#version;
  }

  /** Computes and caches the weighted score of a node. The caller adds it to the node's rank. */
  scoreOf(node: NodeView): number {
    this.#scores = ensureLength(this.#scores, this.#columns.capacity);
    const score =
      this.#imageCounts === '' || node.images.size === 0
        ? 0
        : this.#score.weight * this.#score.plugin.score(this.#cycle, node);
    this.#scores[node.slot] = score;
    return score;
  }

  /** Drops all scores. The caller has cleared all ranks. */
  clear(): void {
    this.#scores.fill(0);
    this.#imageCounts = '';
  }

  /** Updates the ranks of feasible nodes if the image counts changed. */
  sync(ranks: Float64Array): void {
    const weighed = this.#countImages();
    if (weighed === this.#imageCounts) return;
    this.#imageCounts = weighed;
    this.#version += 1;
    for (const node of this.#columns.cluster.nodes) {
      const rank = ranks[node.slot] ?? 0;
      const before = this.#scores[node.slot] ?? 0;
      if (rank > 0) ranks[node.slot] = rank - before + this.scoreOf(node);
    }
  }

  /** Returns all inputs of the score besides the node itself, as text. Empty if no node has any of the images. */
  #countImages(): string {
    const { cluster } = this.#columns;
    const states = this.#cycle.pod.images.map((name) => cluster.image(name));
    if (states.every((state) => state === undefined)) return '';
    return `${cluster.nodes.length} ${states.map((state) => `${state?.size ?? 0}/${state?.nodeCount ?? 0}`).join(' ')}`;
  }
}
