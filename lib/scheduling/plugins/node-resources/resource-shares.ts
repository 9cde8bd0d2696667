// How much of each scored resource a node has, and how much of it is in use without the pod and with it: what scorers
// look at. The arrays are filled anew for each node; nothing is made for it.
// As pkg/scheduler/framework/plugins/noderesources/resource_allocation.go.
import type { KnownObjects } from '../../cluster/known-objects.js';
import type { NodeView } from '../../cluster/node-view.js';
import type { NonZeroRequests } from '../../pod/requests.js';
import { isScalarResource } from '../../pod/resource-amounts.js';
import type { ResourceAmounts } from '../../pod/resource-amounts.js';
import type { DeviceShares } from './device-shares.js';

/** Cpu and memory are counted as they are requested, or with what is assumed of those that request none. */
export type Counting = 'requested' | 'non-zero';

/** Amounts in the order of the resources. A resource that does not count has a capacity of 0. */
export interface ResourceShares {
  readonly capacity: Float64Array;
  readonly withoutPod: Float64Array;
  readonly withPod: Float64Array;
  /** Looks at a node, for a pod that asks for these amounts. */
  look(node: NodeView, requests: readonly number[], objects: KnownObjects): void;
}

/** Arrays for some resources. What a node does not have itself it may have in devices. */
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
  const look = (node: NodeView, requests: readonly number[], objects: KnownObjects): void => {
    const nonZero = counting === 'non-zero' ? node.nonZeroRequested : node.requested;
    for (let index = 0; index < resources.length; index++) {
      const name = resources[index] ?? '';
      const request = requests[index] ?? 0;
      // Scalar resources that the pod does not want say nothing about it.
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
  return { capacity, withoutPod, withPod, look };
}

/** The amounts of some resources, cpu and memory from where scores take them. */
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
