// The quality of service a pod gets: Guaranteed if every container is limited to what it requests in cpu and memory,
// BestEffort if no container requests or limits either, Burstable in between. Resources of the pod as a whole decide
// alone. As pkg/apis/core/helper/qos/qos.go, ComputePodQOS.
import type { Frozen } from '../../objects/meta.js';
import { addQuantities, compareQuantities, quantitySign } from '../../objects/quantity-arithmetic.js';
import { parseQuantity } from '../../objects/quantity.js';
import type { PodQOSClass, PodSpec, ResourceRequirements } from '../../types/core-v1.generated.js';
import type { Amounts } from './container-resources.js';
import { regularContainers } from './pod-containers.js';

/** The class of a pod by its specification. */
export function podQosClass(spec: Frozen<PodSpec>): PodQOSClass {
  const requests: Amounts = new Map();
  const limits: Amounts = new Map();
  let guaranteed = true;
  if (spec.resources !== undefined) {
    addCompute(requests, spec.resources.requests);
    const found = addCompute(limits, spec.resources.limits);
    if (Object.keys(spec.resources.limits ?? {}).length > 0 && found < 2) guaranteed = false;
  } else {
    const all: readonly { readonly resources?: Frozen<ResourceRequirements> }[] = [
      ...regularContainers(spec),
      ...(spec.initContainers ?? []),
    ];
    for (const { resources } of all) {
      addCompute(requests, resources?.requests);
      if (addCompute(limits, resources?.limits) < 2) guaranteed = false;
    }
  }
  if (requests.size === 0 && limits.size === 0) return 'BestEffort';
  return guaranteed && sameAmounts(requests, limits) ? 'Guaranteed' : 'Burstable';
}

/** Adds what is above zero of cpu and memory; answers how many of the two that is. */
function addCompute(total: Amounts, list: Readonly<Record<string, string>> | undefined): number {
  let found = 0;
  for (const name of ['cpu', 'memory'] as const) {
    const text = list?.[name];
    const amount = text === undefined ? undefined : parseQuantity(text);
    if (amount === undefined || quantitySign(amount) <= 0) continue;
    found += 1;
    const known = total.get(name);
    total.set(name, known === undefined ? amount : addQuantities(known, amount));
  }
  return found;
}

function sameAmounts(requests: Amounts, limits: Amounts): boolean {
  if (requests.size !== limits.size) return false;
  for (const [name, request] of requests) {
    const limit = limits.get(name);
    if (limit === undefined || compareQuantities(limit, request) !== 0) return false;
  }
  return true;
}
