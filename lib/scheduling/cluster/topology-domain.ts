// Topology domains: nodes with the same value of a label, the topology key, form a domain. Nodes without the label have
// no domain; the empty value is a domain like any other.
import type { Labels } from '../../core/index.js';

/** Returns the domain of a node by its labels; undefined if it has none. */
export function domainOf(labels: Labels | undefined, topologyKey: string): string | undefined {
  // own property only: a label may be named `constructor`
  return labels !== undefined && Object.hasOwn(labels, topologyKey) ? labels[topologyKey] : undefined;
}

/** Whether a node has a domain for every key. */
export function hasAllDomains(labels: Labels | undefined, keys: Iterable<{ readonly topologyKey: string }>): boolean {
  for (const { topologyKey } of keys) if (domainOf(labels, topologyKey) === undefined) return false;
  return true;
}
