// Topology spread over columns: the pods that count for each constraint are counted as the cluster changes, so a search
// only compares numbers. What the plugin PodTopologySpread says node by node, this says of all nodes; the sums are its
// own.
import { matchesLabels } from '../../core/index.js';
import type { KnownKind } from '../cluster/known-objects.js';
import { hasAllDomains } from '../cluster/topology-domain.js';
import { rejectedBy } from '../framework/profile-filters.js';
import { applicableConstraints, needsAllLabels } from '../plugins/pod-topology-spread/applicable-constraints.js';
import type { SpreadDefaults } from '../plugins/pod-topology-spread/applicable-constraints.js';
import { leastCount } from '../plugins/pod-topology-spread/spread-arithmetic.js';
import { countsFor, takesPart } from '../plugins/pod-topology-spread/spread-counting.js';
import { missingLabel, tooUneven } from '../plugins/pod-topology-spread/spread-filter.js';
import type { PodFacts } from '../pod/pod-facts.js';
import type { SpreadConstraint } from '../pod/topology-spread.js';
import type { ClusterColumns } from './cluster-columns.js';
import { domainCheck } from './domain-check.js';
import type { DomainCheck } from './domain-check.js';
import type { DomainSums } from './domain-sums.js';
import type { PodCounter } from './pod-counter.js';
import { wishesForNodes } from '../pod/pod-signature.js';

const plugin = 'PodTopologySpread';
const missing = rejectedBy(plugin, missingLabel);
const refusal = rejectedBy(plugin, tooUneven);

/** A soft constraint and what was counted for it. */
export interface SoftColumn {
  readonly constraint: SpreadConstraint;
  readonly counted: DomainSums;
}

/** The spread constraints of pods with one peer signature. */
export class SpreadColumns {
  readonly #columns: ClusterColumns;
  readonly #pod: PodFacts;
  readonly #defaults: SpreadDefaults;
  /** Whether nodes need the labels of all soft constraints to be scored. */
  readonly needsAllLabels: boolean;
  #hard: readonly CountedConstraint[] = [];
  #soft: readonly CountedConstraint[] = [];
  /** What the constraints were read from. */
  #versions = '';

  constructor(columns: ClusterColumns, pod: PodFacts, defaults: SpreadDefaults) {
    this.#columns = columns;
    this.#pod = pod;
    this.#defaults = defaults;
    this.needsAllLabels = needsAllLabels(pod, defaults);
    if (pod.spread !== undefined) this.#read();
  }

  /** What nodes must pass, as the cluster is now; `position` is the plugin's among the filters. */
  checks(position: number): readonly DomainCheck[] {
    this.#readDefaults();
    return this.#hard.map(({ constraint, selfMatch, counter }) => {
      const counted = counter.follow();
      const least = leastCount(counted.least, counted.populated, constraint);
      return domainCheck(counted, { position, missing, refusal, most: constraint.maxSkew - selfMatch + least });
    });
  }

  /** What nodes are scored by. */
  soft(): readonly SoftColumn[] {
    this.#readDefaults();
    return this.#soft.map(({ constraint, counter }) => ({ constraint, counted: counter.follow() }));
  }

  /** Pods without constraints have those of the profile, over what Services and controllers select now. */
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
    const wishes = honorsAffinity || honorsTaints ? wishesForNodes(pod.object) : 0;
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
      wishes,
    ]);
    const counter = this.#columns.counter(key, () => ({
      topologyKey,
      weigh: (other) => (countsFor(constraint, pod.namespace, other) ? 1 : 0),
      takesPart: (node) => (!needsAll || hasAllDomains(node.labels, constraints)) && takesPart(constraint, pod, node),
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

const selectingKinds: readonly KnownKind[] = ['Service', 'ReplicationController', 'ReplicaSet', 'StatefulSet'];
