// The search of one pod for nodes that fit, over columns, and the reasons where there is none. A node is looked at in
// the order of cost: its verdict, the sums of its domains, then plugins that have to be asked. The reason is still that
// of the first plugin in the profile's order, so it is only looked for when no node fits.
import type { NodeView } from '../cluster/node-view.js';
import type { Cycle } from '../framework/cycle.js';
import { activeFilters, activeWithout } from '../framework/pre-filter.js';
import { profileFilters } from '../framework/profile-filters.js';
import type { ProfilePlugins } from '../framework/profile-plugins.js';
import type { Rejected } from '../framework/rejection.js';
import { firstRefusal } from './asked-plugins.js';
import type { AskedPlugins } from './asked-plugins.js';
import { ColumnDiagnosis } from './column-diagnosis.js';
import { intAt } from './column-element.js';
import type { ColumnProfile } from './column-profile.js';
import { crowdVerdict } from './crowd-column.js';
import { firstFailed, keepPassing, rejectionAt } from './domain-check.js';
import type { NodeColumns } from './node-columns.js';
import type { PodRules } from './pod-rules.js';
import { ReasonColumn } from './reason-column.js';

/** What a search works on. */
export interface FittingSearchOptions {
  readonly cycle: Cycle;
  readonly nodes: NodeColumns;
  readonly plugins: ProfilePlugins;
  readonly profile: ColumnProfile;
  readonly rules: PodRules;
  readonly asked: AskedPlugins;
}

/** Looks for nodes that fit. */
export class FittingSearch {
  readonly #options: FittingSearchOptions;
  /** Verdicts of nodes to which others are to come; empty where there is no such node. */
  readonly #crowds: Int32Array;
  /** Whether nobody looks beyond the node, so that what is found of it holds for all pods that are alike. */
  readonly #isLocal: boolean;
  /** The slot to which the pod is to come itself, where it is not in its own way. */
  readonly #ownSlot: number;
  readonly #asks: boolean;
  /**
   * Why nodes refuse, as pods that are alike found; undefined until somebody asks, and where each pod has to find out.
   */
  #kept: ReasonColumn | undefined;
  /** What was said of slots that had to be asked about. */
  readonly #refused = new Map<number, Rejected>();
  #prepared = false;

  constructor(options: FittingSearchOptions) {
    this.#options = options;
    const {
      cycle: { cluster, pod },
      asked,
      rules: { crowds, checks },
    } = options;
    this.#crowds = crowds?.verdicts ?? nobody;
    this.#isLocal = checks.length === 0 && asked.filters.length === 0;
    this.#ownSlot = crowds === undefined ? -1 : (cluster.node(cluster.nominationOf(pod.uid) ?? '')?.slot ?? -1);
    this.#asks = asked.refusing.length > 0 || crowds !== undefined;
  }

  /**
   * The slots that fit by themselves and in their domains, but are refused amidst those who are to come there.
   * Undefined where nodes have to be asked about one by one.
   */
  crowdedOut(): readonly number[] | undefined {
    const {
      nodes,
      rules: { nodeClass, crowds },
    } = this.#options;
    if (!this.#asks) return nowhere;
    if (!this.#isLocal || crowds === undefined || crowds.slots.size > crowdedMax) return undefined;
    const isRefused = (slot: number): boolean => {
      const node = nodes.at(slot);
      return node !== undefined && nodeClass.verdicts[slot] === 0 && this.#amidst(node) !== undefined;
    };
    return Array.from(crowds.slots).filter(isRefused);
  }

  /** Whether the node of a slot fits. */
  fits(slot: number): boolean {
    const { nodeClass, checks } = this.#options.rules;
    return (
      nodeClass.verdicts[slot] === 0 &&
      firstFailed(checks, slot) === undefined &&
      (!this.#asks || this.#askedAgree(slot))
    );
  }

  /** Finds so many slots, in the order of nodes from `start` on; answers how many were found and looked at. */
  find(found: Int32Array, start: number, wanted: number): { readonly count: number; readonly evaluated: number } {
    const {
      nodes: { order },
      rules: { nodeClass, checks },
    } = this.#options;
    // One question after the other goes to all nodes that are left: a tight loop each, and no more than a few.
    let count = gather(order, start, nodeClass.verdicts, found);
    for (const check of checks) count = keepPassing(found, count, check);
    count = this.#asks ? this.#keepAgreed(found, count, wanted) : Math.min(count, wanted);
    if (count < wanted) return { count, evaluated: order.length };
    const last = order.indexOf(found[count - 1] ?? 0) - start;
    return { count, evaluated: (last < 0 ? last + order.length : last) + 1 };
  }

  /** Whether no node fits, where pods that are alike know; false says nothing. */
  isHopeless(): boolean {
    const { rules } = this.#options;
    if (this.#isLocal && this.#crowdAt(this.#ownSlot) === crowdVerdict.nobody)
      this.#kept = rules.reasons().follow(rules, (slot) => this.#reason(slot));
    return this.#kept?.fitting === 0;
  }

  /** Why no node fits. Whoever asks plugins now that columns stood for finds them prepared. */
  diagnose(start: number): ColumnDiagnosis {
    const {
      nodes: { order },
      cycle,
    } = this.#options;
    const diagnosis = new ColumnDiagnosis(order, this.#kept ?? this.#reasonsFrom(start));
    if (!this.#prepared) cycle.memory.fillWhenMissed(() => this.#prepare());
    return diagnosis;
  }

  #reasonsFrom(start: number): ReasonColumn {
    const {
      nodes: { order, capacity },
    } = this.#options;
    const column = new ReasonColumn(capacity);
    for (const slot of [...order.subarray(start), ...order.subarray(0, start)]) column.set(slot, this.#reason(slot));
    return column;
  }

  #keepAgreed(slots: Int32Array, count: number, wanted: number): number {
    let kept = 0;
    for (let index = 0; index < count && kept < wanted; index++) {
      const slot = intAt(slots, index);
      const crowd = this.#isLocal && slot !== this.#ownSlot ? this.#crowdAt(slot) : crowdVerdict.unknown;
      if (crowd <= 0 && (crowd !== crowdVerdict.unknown || this.#askedAgree(slot))) slots[kept++] = slot;
    }
    return kept;
  }

  #askedAgree(slot: number): boolean {
    const { nodes, cycle, asked } = this.#options;
    const node = nodes.at(slot);
    if (node === undefined) return false;
    const rejected =
      this.#crowdAt(slot) === crowdVerdict.nobody ? firstRefusal(asked.refusing, cycle, node) : this.#amidst(node);
    if (rejected !== undefined && !this.#isLocal) this.#refused.set(slot, rejected);
    return rejected === undefined;
  }

  #reason(slot: number): Rejected | undefined {
    const known = this.#refused.get(slot);
    const node = this.#options.nodes.at(slot);
    if (known !== undefined || node === undefined) return known;
    if (this.#crowdAt(slot) !== crowdVerdict.nobody) return this.#amidst(node);
    const {
      cycle,
      asked,
      rules: { nodeClass, checks },
    } = this.#options;
    const local = nodeClass.refusal(nodeClass.verdicts[slot] ?? 0);
    const failed = firstFailed(checks, slot);
    const [position, rejected] =
      failed !== undefined && failed.position < (local?.position ?? Infinity)
        ? [failed.position, rejectionAt(failed, slot)]
        : [local?.position, local?.rejected];
    return firstRefusal(asked.refusing, cycle, node, position) ?? rejected;
  }

  /** What is known of a slot amidst those that are to come there. */
  #crowdAt(slot: number): number {
    return this.#crowds[slot] ?? crowdVerdict.nobody;
  }

  /** A node to which others are to come. What was found for such pods before holds, but for the pod's own node. */
  #amidst(node: NodeView): Rejected | undefined {
    const {
      rules: { crowds },
    } = this.#options;
    if (crowds === undefined || !this.#isLocal || node.slot === this.#ownSlot) return this.#plainly(node);
    const known = this.#crowdAt(node.slot);
    return crowds.refusal(known === crowdVerdict.unknown ? crowds.keep(node.slot, this.#plainly(node)) : known);
  }

  #plainly(node: NodeView): Rejected | undefined {
    if (!this.#prepared) this.#prepare();
    return profileFilters.filter(this.#options.cycle, node);
  }

  /** Runs what columns made unnecessary, as if it had been run at the beginning. */
  #prepare(): void {
    const { plugins, profile, asked } = this.#options;
    // Columns stand for them, and are counted in their place.
    const { timings: _, ...cycle } = this.#options.cycle;
    this.#prepared = true;
    const skipped = new Set([...asked.skipped, ...this.#idle()]);
    for (const plugin of profile.otherPreFilters)
      if (!skipped.has(plugin.name) && plugin.preFilter(cycle) === 'skip') skipped.add(plugin.name);
    cycle.memory.set(activeFilters, activeWithout(plugins, skipped));
  }

  /** Filters that look at other pods and have nothing to check: they would say so after counting all pods. */
  #idle(): readonly string[] {
    const {
      plugins,
      profile: { spreadPosition, affinityPosition },
      rules: { checks },
    } = this.#options;
    const isIdle = (at: number | undefined): at is number =>
      at !== undefined && checks.every(({ position }) => position !== at);
    return [spreadPosition, affinityPosition]
      .filter(isIdle)
      .flatMap((position) => plugins.filter[position]?.name ?? []);
  }
}

/** The slots of nodes that fit by themselves. */
function gather(order: Int32Array, start: number, verdicts: Int32Array, found: Int32Array): number {
  let count = 0;
  for (let index = start; index < order.length; index++) {
    const slot = intAt(order, index);
    if (verdicts[slot] === 0) found[count++] = slot;
  }
  for (let index = 0; index < start; index++) {
    const slot = intAt(order, index);
    if (verdicts[slot] === 0) found[count++] = slot;
  }
  return count;
}

const nobody = new Int32Array(0);
const nowhere: readonly number[] = [];

/** Where others are to come to more nodes than so many, all nodes are walked through. */
const crowdedMax = 256;
