// Finds victims and caches them. For most pods the victims on a node depend only on the node, its pods and nominated
// pods, the budgets, and the preemptor's class and priority. So pods of one class share the results, and only nodes
// that changed, or whose nominated pods changed, are tried again. If a filter depends on anything else, nothing is
// cached.
import { ChangedNodes } from '../cluster/change-log.js';
import type { ClusterView } from '../cluster/cluster-view.js';
import type { NodeView } from '../cluster/node-view.js';
import { nodeSignature } from '../pod/pod-signature.js';
import { RecentlyUsed } from '../framework/recently-used.js';
import type { Cycle } from '../framework/cycle-state.js';
import type { PluginTools } from '../framework/plugin-tools.js';
import { activeFilters } from '../framework/pre-filter.js';
import type { Rejection } from '../framework/rejection.js';
import { candidateOf, isCandidate } from './candidates.js';
import type { Candidate, PreemptionCost, PossibleCandidates } from './candidates.js';
import { disruptionBudgets } from './disruption-budgets.js';
import type { DisruptionBudgets } from './disruption-budgets.js';
import { isVictims, selectVictims } from './victims.js';

/** Finds candidates for a preemptor. */
export interface VictimFinder {
  candidatesFor(cycle: Cycle): PossibleCandidates;
}

/** Creates a finder with an empty cache. */
export function victimFinder({
  filters,
  cluster,
  customPlugins,
}: Pick<PluginTools, 'filters' | 'cluster' | 'customPlugins'>): VictimFinder {
  let budgets: DisruptionBudgets | undefined;
  let budgetVersion = -1;
  let byClass = new RecentlyUsed<CachedCandidates>(podClassesMax);
  const nodeAt = nodesBySlot(cluster);

  const budgetsNow = (): DisruptionBudgets => {
    const version = cluster.objects.version('PodDisruptionBudget');
    if (budgets !== undefined && version === budgetVersion) return budgets;
    budgetVersion = version;
    budgets = disruptionBudgets(cluster.objects.list('PodDisruptionBudget'));
    byClass = new RecentlyUsed(podClassesMax);
    return budgets;
  };

  return {
    candidatesFor: (cycle) => {
      const allowed = budgetsNow();
      const find = (slot: number): Candidate | Rejection => {
        const node = nodeAt(slot);
        const victims = selectVictims(cycle, node, filters, allowed);
        return isVictims(victims) ? candidateOf(node, victims) : victims;
      };
      const createCache = (): CachedCandidates => new CachedCandidates(cluster);
      const candidates = hasNodeLocalFiltersOnly(cycle, customPlugins)
        ? byClass.get(`${cycle.pod.priority} ${nodeSignature(cycle.pod, cluster.objects)}`, createCache)
        : createCache();
      candidates.sync(cluster.node(cluster.nominationOf(cycle.pod.uid) ?? '')?.slot);
      return {
        ruledOut: candidates.ruledOut,
        at: (slot) => candidates.at(slot, find),
        costAt: (slot) => candidates.costAt(slot, find),
      };
    },
  };
}

/** Cached results by slot, valid for one class of preemptors. */
class CachedCandidates {
  readonly #changed: ChangedNodes;
  #bySlot: (Candidate | Rejection | undefined)[] = [];
  /** Cost of each candidate. Equal costs share one object, so that most comparisons are by identity. */
  #costs: (PreemptionCost | undefined)[] = [];
  readonly #sharedCosts = new Map<string, PreemptionCost>();
  #ruledOut: Uint8Array = new Uint8Array(0);
  #ownSlot: number | undefined;

  constructor(cluster: ClusterView) {
    this.#changed = new ChangedNodes(cluster);
  }

  /** 1 for each slot where preemption is known not to help. */
  get ruledOut(): Uint8Array {
    return this.#ruledOut;
  }

  /**
   * Applies the changes since the last call. The result for `ownSlot`, the slot that the pod itself is nominated to, is
   * not shared.
   */
  sync(ownSlot: number | undefined): void {
    const slots = this.#changed.read();
    if (slots === undefined) {
      this.#bySlot = [];
      this.#costs = [];
      this.#sharedCosts.clear();
      this.#ruledOut.fill(0);
    } else for (const slot of slots) this.#forget(slot);
    for (const slot of [this.#ownSlot, ownSlot]) if (slot !== undefined) this.#forget(slot);
    this.#ownSlot = ownSlot;
  }

  /** Returns the result for a slot, computed by `find` if it is not cached. */
  at(slot: number, find: (slot: number) => Candidate | Rejection): Candidate | Rejection {
    const cached = this.#bySlot[slot];
    if (cached !== undefined) return cached;
    const found = find(slot);
    this.#bySlot[slot] = found;
    if (isCandidate(found)) this.#costs[slot] = this.#shared(found.cost);
    else this.#ruleOut(slot);
    return found;
  }

  /** Returns the cost of a candidate; undefined if preemption does not help. */
  costAt(slot: number, find: (slot: number) => Candidate | Rejection): PreemptionCost | undefined {
    const cached = this.#costs[slot];
    if (cached !== undefined) return cached;
    this.at(slot, find);
    return this.#costs[slot];
  }

  #shared(cost: PreemptionCost): PreemptionCost {
    const text = Object.values(cost).join(' ');
    const cached = this.#sharedCosts.get(text) ?? cost;
    if (this.#sharedCosts.size < sharedCostsMax) this.#sharedCosts.set(text, cached);
    return cached;
  }

  #ruleOut(slot: number): void {
    if (slot >= this.#ruledOut.length) {
      const longer = new Uint8Array(Math.max(slot + 1, this.#ruledOut.length * 2));
      longer.set(this.#ruledOut);
      this.#ruledOut = longer;
    }
    this.#ruledOut[slot] = 1;
  }

  #forget(slot: number): void {
    this.#bySlot[slot] = undefined;
    this.#costs[slot] = undefined;
    this.#ruledOut[slot] = 0; // no-op beyond the end
  }
}

/** Returns a lookup of nodes by slot, rebuilt when nodes were added or removed. */
function nodesBySlot(cluster: ClusterView): (slot: number) => NodeView {
  let listed: readonly NodeView[] | undefined;
  let bySlot = new Map<number, NodeView>();
  return (slot) => {
    if (listed !== cluster.nodes) {
      listed = cluster.nodes;
      bySlot = new Map(listed.map((node) => [node.slot, node]));
    }
    const node = bySlot.get(slot);
    if (node === undefined) throw new Error(`no node has slot ${slot}`);
    return node;
  };
}

/** Bound of shared costs; costs beyond it are compared by value. */
const sharedCostsMax = 1024;

/** Bound of the cached classes of preemptors. */
const podClassesMax = 16;

/** Whether all active filters depend on the node alone. User plugins may depend on anything. */
function hasNodeLocalFiltersOnly({ state }: Cycle, foreign: PluginTools['customPlugins']): boolean {
  return state.read(activeFilters).filters.every(({ name }) => nodeFilters.has(name) && foreign?.has(name) !== true);
}

const nodeFilters: ReadonlySet<string> = new Set([
  'NodeUnschedulable',
  'NodeName',
  'TaintToleration',
  'NodeAffinity',
  'NodePorts',
  'NodeResourcesFit',
]);
