// Pods of one node signature, and what each node by itself is to them: the first no of the filters that look at nothing
// else, and its scores. Filters and scores are the plugins' own, asked once; after that only nodes that changed are
// asked again, which for a pod that was just placed is one node of thousands.
import type { NodeView } from '../cluster/node-view.js';
import { CycleMemory } from '../framework/cycle.js';
import type { Cycle } from '../framework/cycle.js';
import { rejectedBy } from '../framework/profile-filters.js';
import type { Rejected, Rejection } from '../framework/rejection.js';
import type { PodFacts } from '../pod/pod-facts.js';
import { ChangeReader } from './change-reader.js';
import { isByState } from './column-profile.js';
import type { ColumnProfile, LocalScore, PlacedFilter } from './column-profile.js';
import { floatAt, intAt } from './column-element.js';
import { grown, grownFloats } from './grown.js';
import { ImageColumn } from './image-column.js';
import type { NodeColumns } from './node-columns.js';
import { NodeGroups } from './node-groups.js';
import type { Trait } from './node-groups.js';
import { StandIns } from './stand-ins.js';

/** A no, and the place of the plugin that said it. */
export interface PlacedRefusal {
  readonly rejected: Rejected;
  readonly position: number;
}

/** The counts of one plugin, that become scores by their share of the highest. */
export interface ShareColumn extends Required<LocalScore>, Trait {
  counts: Int32Array;
}

/** What nodes are to pods of one signature. */
export class NodeClass {
  readonly #columns: NodeColumns;
  readonly #reader: ChangeReader;
  readonly #cycle: Cycle;
  readonly #filters: readonly PlacedFilter[];
  readonly #scores: readonly LocalScore[];
  readonly #images: ImageColumn | undefined;
  /** Whether nodes in the same state are the same to the pods, but for images. */
  readonly #isByState: boolean;
  readonly #refusals: PlacedRefusal[] = [];
  /** Verdicts by what was answered, and by what it says where a plugin answers the same in other objects. */
  readonly #known = new WeakMap<Rejection, number>();
  readonly #verdictOf = new Map<string, number>();
  /** The generation of each node when it was asked. */
  #asked: Float64Array = new Float64Array(0);
  #verdicts: Int32Array = new Int32Array(0);
  #ranks: Float64Array = new Float64Array(0);
  /**
   * For each slot 0 if its node does not fit, else one more than the weighed sum of scores that depend on no other
   * node.
   */
  readonly #rank: Trait;
  readonly #groups: NodeGroups[] = [];
  readonly shares: readonly ShareColumn[];
  /** The plugins whose word this is. */
  readonly standIns: StandIns;

  constructor(columns: NodeColumns, profile: ColumnProfile, pod: PodFacts) {
    this.#columns = columns;
    this.#reader = new ChangeReader(columns.cluster.changes);
    this.#cycle = { pod, cluster: columns.cluster, memory: new CycleMemory() };
    this.#filters = profile.localFilters.filter(({ plugin }) => plugin.preFilter?.(this.#cycle) !== 'skip');
    const scores = profile.localScores.filter(
      ({ plugin }) => plugin.preScore?.(this.#cycle, columns.cluster.nodes) !== 'skip',
    );
    this.#scores = scores.filter(({ share }) => share === undefined);
    this.shares = scores.flatMap(({ plugin, weight, share }) =>
      share === undefined ? [] : [shareColumn({ plugin, weight, share })],
    );
    this.#isByState = [...this.#filters, ...scores].every((each) => isByState(each, pod));
    const allScores = profile.imageScore === undefined ? scores : [...scores, profile.imageScore];
    this.standIns = new StandIns(
      this.#filters.map(({ plugin }) => plugin),
      allScores.map(({ plugin }) => plugin),
    );
    this.#images = profile.imageScore && new ImageColumn(columns, this.#cycle, profile.imageScore);
    this.#rank = { at: (slot) => floatAt(this.#ranks, slot), version: () => this.#images?.version ?? 0 };
  }

  /** 0 for each slot whose node would do, else what `refusal` tells. */
  get verdicts(): Int32Array {
    return this.#verdicts;
  }

  /** The nodes in groups of those that are the same to such pods, and in what else they are told apart by. */
  groupsBy(traits: readonly Trait[]): NodeGroups {
    const all = [...this.shares, ...traits];
    const known = this.#groups.find((each) => each.isBy(all));
    const groups = known ?? new NodeGroups(this.#columns, this.#rank, all);
    if (known === undefined && this.#groups.unshift(groups) > groupsMax) this.#groups.pop();
    groups.follow();
    return groups;
  }

  /** What a verdict above 0 means. */
  refusal(verdict: number): PlacedRefusal | undefined {
    return this.#refusals[verdict - 1];
  }

  /** Catches up with the cluster. */
  follow(): void {
    const changes = this.#reader.read();
    if (changes?.length !== 0) this.#grow();
    if (changes === undefined) this.#askAll();
    else {
      for (const {
        node: { slot },
      } of changes) {
        const node = this.#columns.at(slot);
        if (node === undefined) this.#ranks[slot] = 0;
        else if (node.generation !== this.#asked[slot]) this.#ask(node);
      }
    }
    this.#images?.follow(this.#ranks);
  }

  #askAll(): void {
    this.#ranks.fill(0);
    this.#images?.forget();
    if (this.#isByState) this.#askOneOfEachState();
    else for (const node of this.#columns.cluster.nodes) this.#ask(node);
  }

  #askOneOfEachState(): void {
    const { bySlot, size } = this.#columns.states();
    const asked = new Int32Array(size).fill(-1);
    this.#asked.fill(-1);
    for (const slot of this.#columns.order) {
      const state = intAt(bySlot, slot);
      const alike = intAt(asked, state);
      if (alike >= 0) this.#copy(alike, slot);
      else {
        asked[state] = slot;
        const node = this.#columns.at(slot);
        if (node !== undefined) this.#ask(node);
      }
    }
  }

  #copy(from: number, to: number): void {
    this.#verdicts[to] = intAt(this.#verdicts, from);
    this.#ranks[to] = floatAt(this.#ranks, from);
    for (const { counts } of this.shares) counts[to] = intAt(counts, from);
  }

  #grow(): void {
    const { capacity } = this.#columns;
    this.#asked = grownFloats(this.#asked, capacity, -1);
    this.#verdicts = grown(this.#verdicts, capacity);
    this.#ranks = grownFloats(this.#ranks, capacity);
    for (const column of this.shares) column.counts = grown(column.counts, capacity);
  }

  #ask(node: NodeView): void {
    const { slot } = node;
    this.#asked[slot] = node.generation;
    const verdict = this.#verdict(node);
    this.#verdicts[slot] = verdict;
    this.#ranks[slot] = verdict === 0 ? this.#scoreOf(node) + 1 : 0;
    for (const column of this.shares) column.counts[slot] = column.plugin.score(this.#cycle, node);
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
    const known = this.#known.get(rejection);
    if (known !== undefined) return known;
    const text = `${position} ${rejection.code} ${rejection.reasons.join('\n')}`;
    const verdict =
      this.#verdictOf.get(text) ?? this.#refusals.push({ rejected: rejectedBy(plugin, rejection), position });
    this.#verdictOf.set(text, verdict);
    this.#known.set(rejection, verdict);
    return verdict;
  }
}

/** Pods of one class that look at other pods in more than so many ways have nodes grouped anew in between. */
const groupsMax = 4;

function shareColumn(score: Required<LocalScore>): ShareColumn {
  const column: ShareColumn = {
    ...score,
    counts: new Int32Array(0),
    at: (slot) => intAt(column.counts, slot),
    version: () => 0,
  };
  return column;
}
