// Capacity and use of each scored resource on a node, without and with the pod: the input of scorers. The arrays are
// reused for every node, so nothing is allocated per node. As
// pkg/scheduler/framework/plugins/noderesources/resource_allocation.go.
import type { ObjectLister } from '../../cluster/object-lister.js';
import type { NodeView } from '../../cluster/node-view.js';
import type { NonZeroRequests } from '../../pod/requests.js';
import { isScalarResource } from '../../pod/resource-amounts.js';
import type { ResourceAmounts } from '../../pod/resource-amounts.js';
import type { DeviceShares } from './device-shares.js';

/** Counts cpu and memory as requested, or with the defaults of containers without requests. */
export type Counting = 'requested' | 'non-zero';

/** Amounts in the order of the resources. A resource that does not count has a capacity of 0. */
export interface ResourceShares {
  readonly capacity: Float64Array;
  readonly withoutPod: Float64Array;
  readonly withPod: Float64Array;
  /** Fills the arrays for a node and a pod with these requests. */
  fill(node: NodeView, requests: readonly number[], objects: ObjectLister): void;
}

/** Creates the arrays for some resources. A resource that a node does not have may be backed by devices. */
export function resourceShares(
  resources: readonly string[],
  counting: Counting,
  devices: DeviceShares,
): ResourceShares {
  const [capacity, withoutPod, withPod] = [
    new Float64Array(resources.length),
    new Float64Array(resources.length),
    new Float64Array(resources.length),
  ];
  const scalar = resources.map(isScalarResource);
  const fill = (node: NodeView, requests: readonly number[], objects: ObjectLister): void => {
    const nonZero = counting === 'non-zero' ? node.nonZeroRequested : node.requested;
    for (let index = 0; index < resources.length; index++) {
      const name = resources[index] ?? '';
      const request = requests[index] ?? 0;
      // Scalar resources that the pod does not request do not count.
      const isScalar = scalar[index] === true;
      const own = request === 0 && isScalar ? 0 : amountIn(node.allocatable, node.allocatable, name);
      const inDevices = own === 0 && isScalar && request > 0 ? devices(node, name, objects) : undefined;
      const total = inDevices?.capacity ?? own;
      const used = total === 0 ? 0 : (inDevices?.used ?? amountIn(node.requested, nonZero, name));
      capacity[index] = total;
      withoutPod[index] = used;
      withPod[index] = total === 0 ? 0 : used + request;
    }
  };
  return { capacity, withoutPod, withPod, fill };
}

/** Returns the amounts of some resources, with cpu and memory from `nonZero`. */
export function amountsOf(
  resources: readonly string[],
  amounts: ResourceAmounts,
  nonZero: NonZeroRequests = amounts,
): readonly number[] {
  return resources.map((name) => amountIn(amounts, nonZero, name));
}

function amountIn(amounts: ResourceAmounts, nonZero: NonZeroRequests, name: string): number {
  switch (name) {
    case 'cpu':
      return nonZero.milliCpu;
    case 'memory':
      return nonZero.memory;
    case 'ephemeral-storage':
      return amounts.ephemeralStorage;
    default:
      return amounts.scalars.get(name) ?? 0;
  }
}
