// Soft constraints: the fewer pods a node's domains have, the higher its score. Domains are counted over the whole
// cluster, but only those that contain a node to score; hostname domains are counted when their node is scored. As the
// plugin PodTopologySpread, scoring.go.
import type { NodeView } from '../../cluster/node-view.js';
import { domainOf, hasAllDomains } from '../../cluster/topology-domain.js';
import { stateKey } from '../../framework/cycle-state.js';
import type { Cycle, StateKey, StateData } from '../../framework/cycle-state.js';
import type { PodFacts } from '../../pod/pod-facts.js';
import type { SpreadConstraint } from '../../pod/topology-spread.js';
import { domainWeight, normalizedSpreadScore, rawSpreadScore, spreadScore } from './spread-arithmetic.js';
import { countPodsOn, isNodeIncluded } from './spread-counting.js';

/** The topology key under which every node is its own domain. */
export const hostnameKey = 'kubernetes.io/hostname';

/** Pod counts for the soft constraints of a pod. */
export interface SoftSpread extends StateData {
  readonly weighted: readonly WeightedConstraint[];
  /** Nodes without a required topology label. Their score is 0. */
  readonly unscored: ReadonlySet<NodeView>;
}

/** A constraint, its weight, and its pod counts by domain: undefined if each node is counted by itself. */
export interface WeightedConstraint {
  readonly constraint: SpreadConstraint;
  readonly weight: number;
  readonly counts: Map<string, number> | undefined;
}

/** The key of the counts in the cycle state. */
export const softSpreadKey: StateKey<SoftSpread> = stateKey<SoftSpread>('PodTopologySpread score');

/** Counts the pods of the cluster for soft constraints, before `nodes` are scored. */
export function countSoftSpread(
  { pod, cluster }: Cycle,
  constraints: readonly SpreadConstraint[],
  nodes: readonly NodeView[],
  needsAll: boolean,
): SoftSpread {
  const unscored = new Set(needsAll ? nodes.filter(({ labels }) => !hasAllDomains(labels, constraints)) : []);
  const scored = nodes.filter((node) => !unscored.has(node));
  const weighted = constraints.map((constraint) => weigh(constraint, scored));
  for (const node of cluster.nodes) {
    if (!needsAll || hasAllDomains(node.labels, constraints)) countNode(weighted, pod, node);
  }
  return { weighted, unscored };
}

/** Returns the raw score of a node: higher with more pods. */
export function rawScore({ weighted, unscored }: SoftSpread, { namespace }: PodFacts, node: NodeView): number {
  if (unscored.has(node)) return 0;
  let sum = 0;
  for (const { constraint, weight, counts } of weighted) {
    const domain = domainOf(node.labels, constraint.topologyKey);
    if (domain === undefined) continue;
    const count = counts === undefined ? countPodsOn(node, constraint, namespace) : (counts.get(domain) ?? 0);
    sum += spreadScore(count, weight, constraint);
  }
  return rawSpreadScore(sum);
}

/** Normalizes raw scores to 0 to 100, in place. */
export function normalizeSpread({ unscored }: SoftSpread, scores: number[], nodes: readonly NodeView[]): void {
  let least = Infinity;
  let most = 0;
  for (const [index, node] of nodes.entries()) {
    if (unscored.has(node)) continue;
    const raw = scores[index] ?? 0;
    least = Math.min(least, raw);
    most = Math.max(most, raw);
  }
  for (const [index, node] of nodes.entries())
    scores[index] = unscored.has(node) ? 0 : normalizedSpreadScore(scores[index] ?? 0, least, most);
}

/**
 * The domains are those of the nodes to score. A node without the label, where none is required, is in the domain with
 * the empty name.
 */
function weigh(constraint: SpreadConstraint, nodes: readonly NodeView[]): WeightedConstraint {
  const { topologyKey } = constraint;
  if (topologyKey === hostnameKey) return { constraint, weight: domainWeight(nodes.length), counts: undefined };
  const counts = new Map(nodes.map(({ labels }) => [domainOf(labels, topologyKey) ?? '', 0]));
  return { constraint, weight: domainWeight(counts.size), counts };
}

function countNode(weighed: readonly WeightedConstraint[], pod: PodFacts, node: NodeView): void {
  for (const { constraint, counts } of weighed) {
    const domain = domainOf(node.labels, constraint.topologyKey) ?? '';
    const known = counts?.get(domain);
    if (known === undefined || !isNodeIncluded(constraint, pod, node)) continue;
    counts?.set(domain, known + countPodsOn(node, constraint, pod.namespace));
  }
}
