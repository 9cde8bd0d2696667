// Topology spread constraints on the fast path: the pods of each constraint are counted per domain as the cluster
// changes, and a search only compares counts. Results equal those of the plugin PodTopologySpread.
import { matchesLabels } from '../../core/index.js';
import type { CachedKind } from '../cluster/object-lister.js';
import { hasAllDomains } from '../cluster/topology-domain.js';
import { rejectedBy } from '../framework/profile-filters.js';
import { applicableConstraints, needsAllLabels } from '../plugins/pod-topology-spread/applicable-constraints.js';
import type { SpreadDefaults } from '../plugins/pod-topology-spread/applicable-constraints.js';
import {
  leastCount,
  domainWeight,
  normalizedSpreadScore,
  rawSpreadScore,
  spreadScore,
} from '../plugins/pod-topology-spread/spread-arithmetic.js';
import { isPodCounted, isNodeIncluded } from '../plugins/pod-topology-spread/spread-counting.js';
import { missingLabel, skewTooLarge } from '../plugins/pod-topology-spread/spread-filter.js';
import type { PodFacts } from '../pod/pod-facts.js';
import type { SpreadConstraint } from '../pod/topology-spread.js';
import { nodeConstraintsOf } from '../pod/pod-signature.js';
import { hostnameKey } from '../plugins/pod-topology-spread/spread-score.js';
import type { ClusterColumns } from './cluster-columns.js';
import { domainCheck } from './topology-pair-counts.js';
import type { DomainCheck, TopologyPairCounts } from './topology-pair-counts.js';
import type { PodCounter } from './pod-counter.js';
import { floatAt } from './column-arrays.js';
import { emptyDomain, noDomain } from './domain-column.js';
import { nodeCountOf, rangeOf } from './group-scores.js';
import type { ScoredGroups } from './group-scores.js';
import type { NodeGroups, Trait } from './node-groups.js';

const plugin = 'PodTopologySpread';
const missingLabelRejection = rejectedBy(plugin, missingLabel);
const rejection = rejectedBy(plugin, skewTooLarge);

/** A soft constraint and the counts of its pods. */
export interface SoftConstraintCounts {
  readonly constraint: SpreadConstraint;
  readonly counted: TopologyPairCounts;
}

/** The spread constraints of pods with one peer signature. */
export class SpreadColumns {
  readonly #columns: ClusterColumns;
  readonly #pod: PodFacts;
  readonly #defaults: SpreadDefaults;
  /** Whether only nodes with the labels of all soft constraints are scored. */
  readonly needsAllLabels: boolean;
  #hard: readonly CountedConstraint[] = [];
  #soft: readonly CountedConstraint[] = [];
  /** Versions of the kinds that default constraints were read from. */
  #versions = '';

  constructor(columns: ClusterColumns, pod: PodFacts, defaults: SpreadDefaults) {
    this.#columns = columns;
    this.#pod = pod;
    this.#defaults = defaults;
    this.needsAllLabels = needsAllLabels(pod, defaults);
    if (pod.spread !== undefined) this.#read();
  }

  /**
   * Returns the checks of hard constraints, with current counts. `position` is the plugin's index among the filters.
   */
  checks(position: number): readonly DomainCheck[] {
    this.#readDefaults();
    return this.#hard.map(({ constraint, selfMatch, counter }) => {
      const counted = counter.sync();
      const least = leastCount(counted.least, counted.populated, constraint);
      return domainCheck(counted, {
        position,
        missingLabel: missingLabelRejection,
        rejection,
        most: constraint.maxSkew - selfMatch + least,
      });
    });
  }

  /** Returns the soft constraints, with current counts. */
  softConstraints(): readonly SoftConstraintCounts[] {
    this.#readDefaults();
    return this.#soft.map(({ constraint, counter }) => ({ constraint, counted: counter.sync() }));
  }

  /** Default constraints of the profile depend on the Services and controllers that select the pod. */
  #readDefaults(): void {
    if (this.#pod.spread !== undefined || this.#defaults.hard.length + this.#defaults.soft.length === 0) return;
    const { objects } = this.#columns.nodes.cluster;
    const versions = selectingKinds.map((kind) => objects.version(kind)).join(' ');
    if (versions === this.#versions) return;
    this.#versions = versions;
    this.#read();
  }

  #read(): void {
    const { objects } = this.#columns.nodes.cluster;
    const hard = applicableConstraints('hard', this.#pod, objects, this.#defaults);
    const soft = applicableConstraints('soft', this.#pod, objects, this.#defaults);
    this.#hard = hard.map((constraint) => this.#counted(constraint, hard, true));
    this.#soft = soft.map((constraint) => this.#counted(constraint, soft, this.needsAllLabels));
  }

  #counted(
    constraint: SpreadConstraint,
    constraints: readonly SpreadConstraint[],
    needsAll: boolean,
  ): CountedConstraint {
    const pod = this.#pod;
    const { selector, topologyKey, honorsAffinity, honorsTaints } = constraint;
    const nodeRequirements = honorsAffinity || honorsTaints ? nodeConstraintsOf(pod.object) : 0;
    const keys = needsAll ? constraints.map((each) => each.topologyKey) : 0;
    const key = JSON.stringify([
      plugin,
      pod.namespace,
      selector.nothing,
      selector.requirements,
      topologyKey,
      keys,
      honorsAffinity,
      honorsTaints,
      nodeRequirements,
    ]);
    const counter = this.#columns.counter(key, () => ({
      topologyKey,
      weightOf: (other) => (isPodCounted(constraint, pod.namespace, other) ? 1 : 0),
      isEligible: (node) =>
        (!needsAll || hasAllDomains(node.labels, constraints)) && isNodeIncluded(constraint, pod, node),
      labelOptional: !needsAll,
    }));
    return { constraint, counter, selfMatch: matchesLabels(selector, pod.labels) ? 1 : 0 };
  }
}

interface CountedConstraint {
  readonly constraint: SpreadConstraint;
  readonly counter: PodCounter;
  readonly selfMatch: 0 | 1;
}

const selectingKinds: readonly CachedKind[] = ['Service', 'ReplicationController', 'ReplicaSet', 'StatefulSet'];

/** Returns the trait that determines the score: the count per node for the host name, else the domain. */
export function softTrait({ constraint, counted }: SoftConstraintCounts): Trait {
  return constraint.topologyKey === hostnameKey ? counted.numbers : counted.trait;
}

/**
 * Adds the scores of soft constraints. Nodes without a required label get no score. The order of the floating-point
 * operations is that of the plugin.
 */
export function addSpreadScores(
  scored: ScoredGroups,
  soft: readonly SoftConstraintCounts[],
  needsAllLabels: boolean,
  weight: number,
): void {
  if (soft.length === 0) return;
  const { groups, among, totals } = scored;
  const columns = soft.map((column) => ({ column, countOf: countsOf(groups, column) }));
  const labelled = needsAllLabels
    ? among.filter((group) => columns.every(({ countOf }) => countOf(group) !== noDomain))
    : among;
  const raw = labelled.map(() => 0);
  for (const { column, countOf } of columns) {
    const podWeight = domainWeight(domainsAmong(scored, labelled, column));
    for (const [index, group] of labelled.entries()) {
      const count = countOf(group);
      if (count !== noDomain) raw[index] = (raw[index] ?? 0) + spreadScore(count, podWeight, column.constraint);
    }
  }
  const rounded = raw.map(rawSpreadScore);
  const { least, most } = rangeOf(rounded);
  for (const [index, group] of labelled.entries())
    totals[group] = floatAt(totals, group) + weight * normalizedSpreadScore(rounded[index] ?? 0, least, most);
}

/** Returns a function from group to pod count: of the group's domain, or of each node if the key is the host name. */
function countsOf(groups: NodeGroups, { constraint, counted }: SoftConstraintCounts): (group: number) => number {
  if (constraint.topologyKey !== hostnameKey) return counted.sumsOf(groups);
  const numbers = groups.valuesOf(counted.numbers);
  return (group) => floatAt(numbers, group);
}

/**
 * Returns the number of domains among the groups. Where labels are optional, nodes without the label form the domain of
 * the empty value.
 */
function domainsAmong(
  { groups, sizes }: ScoredGroups,
  among: readonly number[],
  { constraint, counted }: SoftConstraintCounts,
): number {
  if (constraint.topologyKey === hostnameKey) return nodeCountOf({ among, sizes });
  const values = groups.valuesOf(counted.trait);
  if (counted.trait === counted.domains)
    return new Set(among.map((group) => (floatAt(values, group) === noDomain ? emptyDomain : floatAt(values, group))))
      .size;
  const single = among.filter((group) => floatAt(values, group) !== noDomain);
  return nodeCountOf({ among: single, sizes }) + (single.length < among.length ? 1 : 0);
}
