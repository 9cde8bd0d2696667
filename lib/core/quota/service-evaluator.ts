// What Services use of quotas: their number, load balancers and node ports. Ports count when the type says that they
// are allocated, also before they are. As pkg/quota/v1/evaluator/core/services.go.
import type { Frozen } from '../objects/meta.js';
import { quantityFromInteger } from '../objects/quantity-arithmetic.js';
import type { Service } from '../types/core-v1.generated.js';
import type { QuotaEvaluator } from './quota-evaluator.js';
import { oneObject, zero } from './quota-amounts.js';
import type { QuotaAmounts } from './quota-amounts.js';

/** Measures Services. */
export const serviceEvaluator: QuotaEvaluator = {
  resource: { group: '', resource: 'services' },
  measures: (name) => names.has(name),
  usageOf: (object) => usageOf(object as Frozen<Service>),
  handles: ({ subresource }) => subresource === '',
  releases: (old, object) => limitedType(old as Frozen<Service>) !== limitedType(object as Frozen<Service>),
};

const names: ReadonlySet<string> = new Set([
  'count/services',
  'services',
  'services.nodeports',
  'services.loadbalancers',
]);

function usageOf(service: Frozen<Service>): QuotaAmounts {
  const type = limitedType(service);
  const { ports = [], allocateLoadBalancerNodePorts } = service.spec ?? {};
  const isAllocated = type === 'NodePort' || (type === 'LoadBalancer' && allocateLoadBalancerNodePorts !== false);
  const chosen = type === 'LoadBalancer' ? ports.filter(({ nodePort = 0 }) => nodePort !== 0) : [];
  return new Map([
    ['count/services', oneObject],
    ['services', oneObject],
    ['services.nodeports', quantityFromInteger(isAllocated ? ports.length : chosen.length)],
    ['services.loadbalancers', type === 'LoadBalancer' ? oneObject : zero],
  ]);
}

/** The type, if quotas limit it. */
function limitedType({ spec }: Frozen<Service>): 'NodePort' | 'LoadBalancer' | undefined {
  return spec?.type === 'NodePort' || spec?.type === 'LoadBalancer' ? spec.type : undefined;
}
