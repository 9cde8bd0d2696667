// The soft constraints: the fewer pods a node's domains have, the better the node. Domains are counted over the whole
// cluster, but only those in which a node came into question; hosts are counted one by one, when they are scored.
// As the plugin PodTopologySpread, scoring.go.
import type { NodeView } from '../../cluster/node-view.js';
import { domainOf, hasAllDomains } from '../../cluster/topology-domain.js';
import { memoryKey } from '../../framework/cycle.js';
import type { Cycle, MemoryKey, Remembered } from '../../framework/cycle.js';
import type { PodFacts } from '../../pod/pod-facts.js';
import type { SpreadConstraint } from '../../pod/topology-spread.js';
import { domainWeight, normalizedSpreadScore, rawSpreadScore, spreadScore } from './spread-arithmetic.js';
import { countOn, takesPart } from './spread-counting.js';

/** The label by which every node is a domain of its own. */
export const hostnameKey = 'kubernetes.io/hostname';

/** Counts for the soft constraints of a pod. */
export interface SoftSpread extends Remembered {
  readonly weighed: readonly WeighedConstraint[];
  /** Nodes that lack a label which they need. Their score is 0. */
  readonly leftOut: ReadonlySet<NodeView>;
}

/**
 * A constraint, what a pod counts for it, and how many there are by domain: undefined where each node is counted by
 * itself.
 */
export interface WeighedConstraint {
  readonly constraint: SpreadConstraint;
  readonly weight: number;
  readonly counts: Map<string, number> | undefined;
}

/** Where the counts of a cycle are. */
export const softSpreadKey: MemoryKey<SoftSpread> = memoryKey<SoftSpread>('PodTopologySpread score');

/** Counts the pods of the cluster for soft constraints, before these nodes are scored. */
export function countSoftSpread(
  { pod, cluster }: Cycle,
  constraints: readonly SpreadConstraint[],
  nodes: readonly NodeView[],
  needsAll: boolean,
): SoftSpread {
  const leftOut = new Set(needsAll ? nodes.filter(({ labels }) => !hasAllDomains(labels, constraints)) : []);
  const scored = nodes.filter((node) => !leftOut.has(node));
  const weighed = constraints.map((constraint) => weigh(constraint, scored));
  for (const node of cluster.nodes) {
    if (!needsAll || hasAllDomains(node.labels, constraints)) countNode(weighed, pod, node);
  }
  return { weighed, leftOut };
}

/** The raw score of a node: more where there are more pods. */
export function rawScore({ weighed, leftOut }: SoftSpread, { namespace }: PodFacts, node: NodeView): number {
  if (leftOut.has(node)) return 0;
  let sum = 0;
  for (const { constraint, weight, counts } of weighed) {
    const domain = domainOf(node.labels, constraint.topologyKey);
    if (domain === undefined) continue;
    const count = counts === undefined ? countOn(node, constraint, namespace) : (counts.get(domain) ?? 0);
    sum += spreadScore(count, weight, constraint);
  }
  return rawSpreadScore(sum);
}

/** Makes raw scores into scores from 0 to 100, in place. */
export function normalizeSpread({ leftOut }: SoftSpread, scores: number[], nodes: readonly NodeView[]): void {
  let least = Infinity;
  let most = 0;
  for (const [index, node] of nodes.entries()) {
    if (leftOut.has(node)) continue;
    const raw = scores[index] ?? 0;
    least = Math.min(least, raw);
    most = Math.max(most, raw);
  }
  for (const [index, node] of nodes.entries())
    scores[index] = leftOut.has(node) ? 0 : normalizedSpreadScore(scores[index] ?? 0, least, most);
}

/**
 * The domains are those of the nodes to score. A node without the label, where it needs none, is in the domain without
 * name.
 */
function weigh(constraint: SpreadConstraint, nodes: readonly NodeView[]): WeighedConstraint {
  const { topologyKey } = constraint;
  if (topologyKey === hostnameKey) return { constraint, weight: domainWeight(nodes.length), counts: undefined };
  const counts = new Map(nodes.map(({ labels }) => [domainOf(labels, topologyKey) ?? '', 0]));
  return { constraint, weight: domainWeight(counts.size), counts };
}

function countNode(weighed: readonly WeighedConstraint[], pod: PodFacts, node: NodeView): void {
  for (const { constraint, counts } of weighed) {
    const domain = domainOf(node.labels, constraint.topologyKey) ?? '';
    const known = counts?.get(domain);
    if (known === undefined || !takesPart(constraint, pod, node)) continue;
    counts?.set(domain, known + countOn(node, constraint, pod.namespace));
  }
}
