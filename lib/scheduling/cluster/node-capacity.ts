// What a node can give, read from its object once. Only status.allocatable counts: what the node has besides is not for
// pods. As pkg/scheduler/framework/types.go, NewResource.
import type { Frozen } from '../../core/index.js';
import type { Node } from '../../core/types/index.js';
import { amountOf, resourceAmounts } from '../pod/resource-amounts.js';
import type { Tally } from '../pod/resource-amounts.js';
import type { NodeCapacity } from './node-view.js';

/** What a node can give. Asked again with the same object, the same answer. */
export function nodeCapacity(node: Frozen<Node>): NodeCapacity {
  const known = capacities.get(node);
  if (known !== undefined) return known;
  const capacity = readCapacity(node);
  capacities.set(node, capacity);
  return capacity;
}

const capacities = new WeakMap<Frozen<Node>, NodeCapacity>();

function readCapacity({ status }: Frozen<Node>): NodeCapacity {
  const tally: Tally = new Map();
  for (const [name, text] of Object.entries(status?.allocatable ?? {})) tally.set(name, amountOf(name, text));
  return Object.freeze({ ...resourceAmounts(tally), pods: Math.ceil(tally.get('pods') ?? 0) });
}
