// Finds the feasible nodes of one pod, and the reasons if there are none. A node is checked in order of cost: its
// cached verdict, the counts of its topology domains, then uncached plugins. The reported rejection is still that of
// the first plugin in the profile's order; it is computed only when no node is feasible.
import type { NodeView } from '../cluster/node-view.js';
import type { Cycle } from '../framework/cycle-state.js';
import { activeFilters, activeWithout } from '../framework/pre-filter.js';
import { profileFilters } from '../framework/profile-filters.js';
import type { ProfilePlugins } from '../framework/profile-plugins.js';
import type { Rejected } from '../framework/rejection.js';
import { firstUncachedRejection } from './uncached-plugins.js';
import type { UncachedPlugins } from './uncached-plugins.js';
import { CachedDiagnosis, RejectionColumn } from './rejection-column.js';
import { intAt } from './column-arrays.js';
import type { FastPathProfile } from './fast-path-profile.js';
import { nominatedVerdict } from './nominated-verdicts.js';
import { firstFailed, keepPassing, rejectionAt } from './topology-pair-counts.js';
import type { NodeColumns } from './cluster-columns.js';
import type { PodEvaluation } from './pod-evaluation.js';

/** Inputs of a search. */
export interface FeasibleNodeSearchOptions {
  readonly cycle: Cycle;
  readonly nodes: NodeColumns;
  readonly plugins: ProfilePlugins;
  readonly profile: FastPathProfile;
  readonly evaluation: PodEvaluation;
  readonly uncached: UncachedPlugins;
}

/** Finds feasible nodes. Valid for one cycle. */
export class FeasibleNodeSearch {
  readonly #options: FeasibleNodeSearchOptions;
  /** Verdicts that count nominated pods as present; empty if no node has such pods. */
  readonly #nominatedVerdicts: Int32Array;
  /** Whether all filters depend on the node alone, so that results hold for all pods of the class. */
  readonly #isLocal: boolean;
  /** The slot of the node that the pod itself is nominated to, or -1. The pod does not compete with itself there. */
  readonly #ownSlot: number;
  readonly #hasUncached: boolean;
  /**
   * Rejections cached for the pod's class; undefined before `isKnownInfeasible` and if results do not hold for the
   * class.
   */
  #cachedRejections: RejectionColumn | undefined;
  /** Rejections by uncached plugins or with nominated pods, by slot. */
  readonly #rejected = new Map<number, Rejected>();
  #preFiltered = false;

  constructor(options: FeasibleNodeSearchOptions) {
    this.#options = options;
    const {
      cycle: { cluster, pod },
      uncached,
      evaluation: { nominated, checks },
    } = options;
    this.#nominatedVerdicts = nominated?.verdicts ?? noVerdicts;
    this.#isLocal = checks.length === 0 && uncached.filters.length === 0;
    this.#ownSlot = nominated === undefined ? -1 : (cluster.node(cluster.nominationOf(pod.uid) ?? '')?.slot ?? -1);
    this.#hasUncached = uncached.rejectingFilters.length > 0 || nominated !== undefined;
  }

  /**
   * Returns the slots that pass cached filters and domain checks, but are rejected once nominated pods count as
   * present. Undefined if nodes must be evaluated one by one.
   */
  rejectedByNominated(): readonly number[] | undefined {
    const {
      nodes,
      evaluation: { podClass, nominated },
    } = this.#options;
    if (!this.#hasUncached) return noSlots;
    if (!this.#isLocal || nominated === undefined || nominated.slots.size > nominatedNodesMax) return undefined;
    const isRefused = (slot: number): boolean => {
      const node = nodes.at(slot);
      return node !== undefined && podClass.verdicts[slot] === 0 && this.#rejectionWithNominated(node) !== undefined;
    };
    return Array.from(nominated.slots).filter(isRefused);
  }

  /** Returns whether the node of a slot is feasible. */
  isFeasible(slot: number): boolean {
    const { podClass, checks } = this.#options.evaluation;
    return (
      podClass.verdicts[slot] === 0 &&
      firstFailed(checks, slot) === undefined &&
      (!this.#hasUncached || this.#passesUncached(slot))
    );
  }

  /**
   * Writes up to `limit` feasible slots to `found`, in node order from index `start`. Returns how many were found and
   * how many nodes were evaluated.
   */
  find(found: Int32Array, start: number, limit: number): { readonly count: number; readonly evaluated: number } {
    const {
      nodes: { order },
      evaluation: { podClass, checks },
    } = this.#options;
    // Each check runs over all remaining nodes in its own tight loop. There are only a few checks.
    let count = collectPassing(order, start, podClass.verdicts, found);
    for (const check of checks) count = keepPassing(found, count, check);
    count = this.#hasUncached ? this.#keepPassingUncached(found, count, limit) : Math.min(count, limit);
    if (count < limit) return { count, evaluated: order.length };
    const last = order.indexOf(found[count - 1] ?? 0) - start;
    return { count, evaluated: (last < 0 ? last + order.length : last) + 1 };
  }

  /** Returns true if the class is known to have no feasible node. False means unknown. */
  isKnownInfeasible(): boolean {
    const { evaluation } = this.#options;
    if (this.#isLocal && this.#nominatedVerdictAt(this.#ownSlot) === nominatedVerdict.none)
      this.#cachedRejections = evaluation.rejections().sync(evaluation, (slot) => this.#rejectionOf(slot));
    return this.#cachedRejections?.feasible === 0;
  }

  /**
   * Returns why no node is feasible. PreFilters of cached plugins run when a PostFilter plugin first reads their state.
   */
  diagnose(start: number): CachedDiagnosis {
    const {
      nodes: { order },
      cycle,
    } = this.#options;
    const diagnosis = new CachedDiagnosis(order, this.#cachedRejections ?? this.#collectRejections(start));
    if (!this.#preFiltered) cycle.state.fillLazily(() => this.#runCachedPreFilters());
    return diagnosis;
  }

  #collectRejections(start: number): RejectionColumn {
    const {
      nodes: { order, capacity },
    } = this.#options;
    const column = new RejectionColumn(capacity);
    for (const slot of [...order.subarray(start), ...order.subarray(0, start)])
      column.set(slot, this.#rejectionOf(slot));
    return column;
  }

  #keepPassingUncached(slots: Int32Array, count: number, limit: number): number {
    let kept = 0;
    for (let index = 0; index < count && kept < limit; index++) {
      const slot = intAt(slots, index);
      const verdict =
        this.#isLocal && slot !== this.#ownSlot ? this.#nominatedVerdictAt(slot) : nominatedVerdict.unknown;
      if (verdict <= 0 && (verdict !== nominatedVerdict.unknown || this.#passesUncached(slot))) slots[kept++] = slot;
    }
    return kept;
  }

  #passesUncached(slot: number): boolean {
    const { nodes, cycle, uncached } = this.#options;
    const node = nodes.at(slot);
    if (node === undefined) return false;
    const rejected =
      this.#nominatedVerdictAt(slot) === nominatedVerdict.none
        ? firstUncachedRejection(uncached.rejectingFilters, cycle, node)
        : this.#rejectionWithNominated(node);
    if (rejected !== undefined && !this.#isLocal) this.#rejected.set(slot, rejected);
    return rejected === undefined;
  }

  #rejectionOf(slot: number): Rejected | undefined {
    const cached = this.#rejected.get(slot);
    const node = this.#options.nodes.at(slot);
    if (cached !== undefined || node === undefined) return cached;
    if (this.#nominatedVerdictAt(slot) !== nominatedVerdict.none) return this.#rejectionWithNominated(node);
    const {
      cycle,
      uncached,
      evaluation: { podClass, checks },
    } = this.#options;
    const local = podClass.rejectionFor(podClass.verdicts[slot] ?? 0);
    const failed = firstFailed(checks, slot);
    const [position, rejected] =
      failed !== undefined && failed.position < (local?.position ?? Infinity)
        ? [failed.position, rejectionAt(failed, slot)]
        : [local?.position, local?.rejected];
    return firstUncachedRejection(uncached.rejectingFilters, cycle, node, position) ?? rejected;
  }

  /** The cached verdict of a slot, counting its nominated pods. */
  #nominatedVerdictAt(slot: number): number {
    return this.#nominatedVerdicts[slot] ?? nominatedVerdict.none;
  }

  /**
   * Returns the rejection of a node with its nominated pods. Cached per class, except for the pod's own nominated node.
   */
  #rejectionWithNominated(node: NodeView): Rejected | undefined {
    const {
      evaluation: { nominated },
    } = this.#options;
    if (nominated === undefined || !this.#isLocal || node.slot === this.#ownSlot) return this.#runFilters(node);
    const cached = this.#nominatedVerdictAt(node.slot);
    return nominated.rejectionFor(
      cached === nominatedVerdict.unknown ? nominated.record(node.slot, this.#runFilters(node)) : cached,
    );
  }

  #runFilters(node: NodeView): Rejected | undefined {
    if (!this.#preFiltered) this.#runCachedPreFilters();
    return profileFilters.filter(this.#options.cycle, node);
  }

  /** Runs the PreFilters of cached plugins, as if they had run at the start of the cycle. */
  #runCachedPreFilters(): void {
    const { plugins, profile, uncached } = this.#options;
    // Without timings: the fast path counts these plugins itself.
    const { timings: _, ...cycle } = this.#options.cycle;
    this.#preFiltered = true;
    const skipped = new Set([...uncached.skipped, ...this.#idleFilters()]);
    for (const plugin of profile.cachedPreFilters)
      if (!skipped.has(plugin.name) && plugin.preFilter(cycle) === 'skip') skipped.add(plugin.name);
    cycle.state.set(activeFilters, activeWithout(plugins, skipped));
  }

  /** Filters on other pods that have nothing to check. Skipping their PreFilter avoids counting all pods. */
  #idleFilters(): readonly string[] {
    const {
      plugins,
      profile: { spreadPosition, affinityPosition },
      evaluation: { checks },
    } = this.#options;
    const isIdle = (at: number | undefined): at is number =>
      at !== undefined && checks.every(({ position }) => position !== at);
    return [spreadPosition, affinityPosition]
      .filter(isIdle)
      .flatMap((position) => plugins.filter[position]?.name ?? []);
  }
}

/** Writes the slots of nodes that pass the cached filters to `found` and returns their number. */
function collectPassing(order: Int32Array, start: number, verdicts: Int32Array, found: Int32Array): number {
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

const noVerdicts = new Int32Array(0);
const noSlots: readonly number[] = [];

/** With more nominated nodes than this, nodes are evaluated one by one. */
const nominatedNodesMax = 256;
