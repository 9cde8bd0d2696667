// The search of one pod for nodes that fit, over columns, and the reasons where there is none. A node is looked at in the
// order of cost: its verdict, the sums of its domains, then plugins that have to be asked. The reason is still that of the
// first plugin in the profile's order, so it is only looked for when no node fits.
import type { NodeView } from '../cluster/node-view.js';
import type { Cycle } from '../framework/cycle.js';
import { activeFilters, activeWithout } from '../framework/pre-filter.js';
import { crowdOf, profileFilters } from '../framework/profile-filters.js';
import type { ProfilePlugins } from '../framework/profile-plugins.js';
import type { Rejected } from '../framework/rejection.js';
import type { PodFacts } from '../pod/pod-facts.js';
import { firstRefusal } from './asked-plugins.js';
import type { AskedPlugins } from './asked-plugins.js';
import { ColumnDiagnosis } from './column-diagnosis.js';
import { intAt } from './column-element.js';
import type { ColumnProfile } from './column-profile.js';
import { firstFailed, keepPassing, refusalOf } from './domain-check.js';
import type { NodeColumns } from './node-columns.js';
import type { PodRules } from './pod-rules.js';

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
  /** Pods that are nominated to nodes and must not be pushed aside, by slot: such nodes are looked at plainly. */
  readonly #crowded: ReadonlyMap<number, readonly PodFacts[]>;
  readonly #asks: boolean;
  /** What was said of slots that had to be asked about. */
  readonly #refused = new Map<number, Rejected>();
  #prepared = false;

  constructor(options: FittingSearchOptions) {
    this.#options = options;
    this.#crowded = crowdsOf(options.cycle);
    this.#asks = options.asked.filters.length > 0 || this.#crowded.size > 0;
  }

  /** Whether columns say it all: nobody has to be asked about nodes. */
  get isSettled(): boolean {
    return !this.#asks;
  }

  /** Whether the node of a slot fits. */
  fits(slot: number): boolean {
    const { nodeClass, checks } = this.#options.rules;
    return nodeClass.verdicts[slot] === 0 && firstFailed(checks, slot) === undefined && (!this.#asks || this.#askedAgree(slot));
  }

  /** Finds so many slots, in the order of nodes from `start` on; answers how many were found and looked at. */
  find(found: Int32Array, start: number, wanted: number): { readonly count: number; readonly evaluated: number } {
    const { nodes: { order }, rules: { nodeClass, checks } } = this.#options;
    // One question after the other goes to all nodes that are left: a tight loop each, and no more than a few.
    let count = gather(order, start, nodeClass.verdicts, found);
    for (const check of checks) count = keepPassing(found, count, check);
    count = this.#asks ? this.#keepAgreed(found, count, wanted) : Math.min(count, wanted);
    if (count < wanted) return { count, evaluated: order.length };
    const last = order.indexOf(found[count - 1] ?? 0) - start;
    return { count, evaluated: (last < 0 ? last + order.length : last) + 1 };
  }

  /** Why no node fits. Whoever asks plugins now that columns stood for finds them prepared. */
  diagnose(start: number): ColumnDiagnosis {
    const { nodes: { order, capacity }, cycle } = this.#options;
    const diagnosis = new ColumnDiagnosis(order.length, capacity);
    for (let step = 0; step < order.length; step++) {
      const slot = intAt(order, (start + step) % order.length);
      const rejected = this.#reason(slot);
      if (rejected !== undefined) diagnosis.refuse(slot, rejected);
    }
    if (!this.#prepared) cycle.memory.fillWhenMissed(() => this.#prepare());
    return diagnosis;
  }

  #keepAgreed(slots: Int32Array, count: number, wanted: number): number {
    let kept = 0;
    for (let index = 0; index < count && kept < wanted; index++) {
      const slot = intAt(slots, index);
      if (this.#askedAgree(slot)) slots[kept++] = slot;
    }
    return kept;
  }

  #askedAgree(slot: number): boolean {
    const { nodes, cycle, asked } = this.#options;
    const node = nodes.at(slot);
    if (node === undefined) return false;
    const crowd = this.#crowded.get(slot);
    const rejected = crowd === undefined ? firstRefusal(asked.filters, cycle, node) : this.#amidst(crowd, node);
    if (rejected !== undefined) this.#refused.set(slot, rejected);
    return rejected === undefined;
  }

  #reason(slot: number): Rejected | undefined {
    const known = this.#refused.get(slot);
    const node = this.#options.nodes.at(slot);
    if (known !== undefined || node === undefined) return known;
    const { cycle, asked, rules: { nodeClass, checks } } = this.#options;
    const crowd = this.#crowded.get(slot);
    if (crowd !== undefined) return this.#amidst(crowd, node);
    const local = nodeClass.refusal(nodeClass.verdicts[slot] ?? 0);
    const failed = firstFailed(checks, slot);
    const [position, rejected] = failed !== undefined && failed.position < (local?.position ?? Infinity) ? [failed.position, refusalOf(failed, slot)] : [local?.position, local?.rejected];
    return firstRefusal(asked.filters, cycle, node, position) ?? rejected;
  }

  /** A node to which others are to come. Where nobody looks beyond the node, what was found for such pods before holds. */
  #amidst(crowd: readonly PodFacts[], node: NodeView): Rejected | undefined {
    const { rules: { nodeClass, checks }, asked, cycle } = this.#options;
    const plainly = (): Rejected | undefined => {
      if (!this.#prepared) this.#prepare();
      return profileFilters.filter(cycle, node);
    };
    return checks.length > 0 || asked.filters.length > 0 ? plainly() : nodeClass.amidst(crowd, node, plainly);
  }

  /** Runs what columns made unnecessary, as if it had been run at the beginning. */
  #prepare(): void {
    const { cycle, plugins, profile, asked } = this.#options;
    this.#prepared = true;
    const skipped = new Set(asked.skipped);
    for (const plugin of profile.otherPreFilters) if (plugin.preFilter(cycle) === 'skip') skipped.add(plugin.name);
    cycle.memory.set(activeFilters, activeWithout(plugins, skipped));
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

function crowdsOf(cycle: Cycle): ReadonlyMap<number, readonly PodFacts[]> {
  let crowds: Map<number, readonly PodFacts[]> | undefined;
  for (const name of cycle.cluster.nominatedNodes()) {
    const node = cycle.cluster.node(name);
    if (node === undefined) continue;
    const crowd = crowdOf(cycle, name);
    if (crowd.length > 0) (crowds ??= new Map()).set(node.slot, crowd);
  }
  return crowds ?? nobody;
}

const nobody: ReadonlyMap<number, readonly PodFacts[]> = new Map();
