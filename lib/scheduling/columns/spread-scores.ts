// The scores of soft spread constraints, by groups of nodes. Nodes that lack a label which they need are left out, and
// get nothing. The sums and their order are those of the plugin PodTopologySpread.
import {
  domainWeight,
  normalizedSpreadScore,
  rawSpreadScore,
  spreadScore,
} from '../plugins/pod-topology-spread/spread-arithmetic.js';
import { hostnameKey } from '../plugins/pod-topology-spread/spread-score.js';
import { floatAt } from './column-element.js';
import { emptyDomain, noDomain } from './domain-column.js';
import { nodesIn, rangeOf } from './group-scores.js';
import type { ScoredGroups } from './group-scores.js';
import type { NodeGroups, Trait } from './node-groups.js';
import type { SoftColumn } from './spread-columns.js';

/** What tells apart nodes that score otherwise: hosts are counted one by one. */
export function softTrait({ constraint, counted }: SoftColumn): Trait {
  return constraint.topologyKey === hostnameKey ? counted.numbers : counted.trait;
}

/** Adds how evenly pods would lie. */
export function addSpread(
  scored: ScoredGroups,
  soft: readonly SoftColumn[],
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

/** The pods that count in the domain of each group, or on each of its nodes where nodes are domains. */
function countsOf(groups: NodeGroups, { constraint, counted }: SoftColumn): (group: number) => number {
  if (constraint.topologyKey !== hostnameKey) return counted.sumsOf(groups);
  const numbers = groups.valuesOf(counted.numbers);
  return (group) => floatAt(numbers, group);
}

/**
 * How many domains the nodes lie in. One without the label, where it needs none, lies in the domain of the empty value.
 */
function domainsAmong(
  { groups, sizes }: ScoredGroups,
  among: readonly number[],
  { constraint, counted }: SoftColumn,
): number {
  if (constraint.topologyKey === hostnameKey) return nodesIn({ among, sizes });
  const values = groups.valuesOf(counted.trait);
  if (counted.trait === counted.domains)
    return new Set(among.map((group) => (floatAt(values, group) === noDomain ? emptyDomain : floatAt(values, group))))
      .size;
  const single = among.filter((group) => floatAt(values, group) !== noDomain);
  return nodesIn({ among: single, sizes }) + (single.length < among.length ? 1 : 0);
}
