// Where a node lies: nodes with the same value of a label, the topology key, form a domain. Nodes without the label lie
// in no domain; an empty value is a domain like any other.
import type { Labels } from '../../core/index.js';

/** The domain of a node by its labels; undefined where it has none. */
export function domainOf(labels: Labels | undefined, topologyKey: string): string | undefined {
  // A label may be called `constructor`.
  return labels !== undefined && Object.hasOwn(labels, topologyKey) ? labels[topologyKey] : undefined;
}

/** Whether a node lies in a domain of every key. */
export function hasAllDomains(labels: Labels | undefined, keys: Iterable<{ readonly topologyKey: string }>): boolean {
  for (const { topologyKey } of keys) if (domainOf(labels, topologyKey) === undefined) return false;
  return true;
}
