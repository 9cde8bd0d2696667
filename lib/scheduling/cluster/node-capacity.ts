// The allocatable resources of a node, parsed once per object. Only status.allocatable counts: the rest of the capacity
// is reserved for the system. As pkg/scheduler/framework/types.go, NewResource.
import type { Frozen } from '../../core/index.js';
import type { Node } from '../../core/types/index.js';
import { amountOf, resourceAmounts } from '../pod/resource-amounts.js';
import type { Tally } from '../pod/resource-amounts.js';
import type { NodeCapacity } from './node-view.js';

/** Returns the allocatable resources of a node. Cached by identity of the object. */
export function nodeCapacity(node: Frozen<Node>): NodeCapacity {
  const cached = capacities.get(node);
  if (cached !== undefined) return cached;
  const capacity = readCapacity(node);
  capacities.set(node, capacity);
  return capacity;
}

const capacities = new WeakMap<Frozen<Node>, NodeCapacity>();

function readCapacity({ status }: Frozen<Node>): NodeCapacity {
  const tally: Tally = new Map();
  for (const [name, text] of Object.entries(status?.allocatable ?? {})) tally.set(name, amountOf(name, text));
  return Object.freeze({ pods: Math.ceil(tally.get('pods') ?? 0), ...resourceAmounts(tally) });
}
