// The search of one pod for nodes that fit, over columns, and the reasons where there is none. A node is looked at in the
// order of cost: its verdict, the sums of its domains, then plugins that have to be asked. The reason is still that of the
// first plugin in the profile's order, so it is only looked for when no node fits.
import type { NodeView } from '../cluster/node-view.js';
import type { Cycle } from '../framework/cycle.js';
import { activeFilters, activeWithout } from '../framework/pre-filter.js';
import { profileFilters } from '../framework/profile-filters.js';
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
  /** Slots of nodes where other pods are nominated that must not be pushed aside: they are looked at plainly. */
  readonly #crowded: ReadonlySet<number>;
  readonly #asks: boolean;
  /** What was said of slots that had to be asked about. */
  readonly #refused = new Map<number, Rejected>();
  #prepared = false;

  constructor(options: FittingSearchOptions) {
    this.#options = options;
    this.#crowded = crowdedSlots(options.cycle);
    this.#asks = options.asked.filters.length > 0 || this.#crowded.size > 0;
  }

  /** Whether the verdicts of nodes by themselves say it all. */
  get isSettled(): boolean {
    return !this.#asks && this.#options.rules.checks.length === 0;
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
    const rejected = this.#crowded.has(slot) ? this.#plainly(node) : firstRefusal(asked.filters, cycle, node);
    if (rejected !== undefined) this.#refused.set(slot, rejected);
    return rejected === undefined;
  }

  #reason(slot: number): Rejected | undefined {
    const known = this.#refused.get(slot);
    const node = this.#options.nodes.at(slot);
    if (known !== undefined || node === undefined) return known;
    const { cycle, asked, rules: { nodeClass, checks } } = this.#options;
    if (this.#crowded.has(slot)) return this.#plainly(node);
    const local = nodeClass.refusal(nodeClass.verdicts[slot] ?? 0);
    const failed = firstFailed(checks, slot);
    const [position, rejected] = failed !== undefined && failed.position < (local?.position ?? Infinity) ? [failed.position, refusalOf(failed, slot)] : [local?.position, local?.rejected];
    return firstRefusal(asked.filters, cycle, node, position) ?? rejected;
  }

  #plainly(node: NodeView): Rejected | undefined {
    if (!this.#prepared) this.#prepare();
    return profileFilters.filter(this.#options.cycle, node);
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

function crowdedSlots({ cluster, pod }: Cycle): ReadonlySet<number> {
  let slots: Set<number> | undefined;
  for (const name of cluster.nominatedNodes()) {
    const node = cluster.node(name);
    if (node !== undefined && cluster.nominatedTo(name).some((nominated) => staysBefore(nominated, pod))) (slots ??= new Set()).add(node.slot);
  }
  return slots ?? none;
}

function staysBefore(nominated: PodFacts, pod: PodFacts): boolean {
  return nominated.priority >= pod.priority && nominated.uid !== pod.uid;
}

const none: ReadonlySet<number> = new Set();
