// What the containers of a pod need together: the sum of those that run side by side, sidecars included, or the most
// that is needed while an init container runs, whichever is more, for each resource.
// As component-helpers/resource/helpers.go, AggregateContainerRequests and AggregateContainerLimits.
import type { Frozen } from '../../objects/meta.js';
import { addQuantities, compareQuantities } from '../../objects/quantity-arithmetic.js';
import type { Quantity } from '../../objects/quantity-arithmetic.js';
import { parseQuantity } from '../../objects/quantity.js';
import type { Container, PodSpec } from '../../types/core-v1.generated.js';

/** Amounts by resource name. */
export type Amounts = Map<string, Quantity>;

/** The requests, or the limits, of all containers together. */
export function aggregateContainers(spec: Partial<Frozen<PodSpec>>, part: 'requests' | 'limits'): Amounts {
  const total: Amounts = new Map();
  for (const container of spec.containers ?? []) add(total, amountsOf(container, part));

  const sidecars: Amounts = new Map();
  const starting: Amounts = new Map();
  for (const container of spec.initContainers ?? []) {
    const own = amountsOf(container, part);
    if (container.restartPolicy === 'Always') {
      add(total, own);
      add(sidecars, own);
      raise(starting, sidecars);
    } else {
      add(own, sidecars);
      raise(starting, own);
    }
  }
  raise(total, starting);
  return total;
}

function amountsOf(container: Frozen<Container>, part: 'requests' | 'limits'): Amounts {
  return new Map(Object.entries(container.resources?.[part] ?? {}).map(([name, text]) => [name, parseQuantity(text)]));
}

function add(total: Amounts, more: ReadonlyMap<string, Quantity>): void {
  for (const [name, amount] of more) {
    const known = total.get(name);
    total.set(name, known === undefined ? amount : addQuantities(known, amount));
  }
}

function raise(most: Amounts, other: ReadonlyMap<string, Quantity>): void {
  for (const [name, amount] of other) {
    const known = most.get(name);
    if (known === undefined || compareQuantities(amount, known) > 0) most.set(name, amount);
  }
}
