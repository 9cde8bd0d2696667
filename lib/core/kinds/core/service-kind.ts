// What follows from the type of a Service: whether it has addresses, ports on nodes, a health check, a way in from
// outside. For its strategy, its validation and the allocation of its addresses and ports.
// As pkg/api/service/util.go and pkg/registry/core/service/strategy.go.
import type { Frozen } from '../../objects/meta.js';
import type { Service } from '../../types/core-v1.generated.js';

/** An alias of a DNS name: no addresses, no ports on nodes. */
export function isExternalName({ spec }: Frozen<Service>): boolean {
  return spec?.type === 'ExternalName';
}

/** Asks for no address on purpose. */
export function isHeadless({ spec }: Frozen<Service>): boolean {
  return spec?.clusterIPs?.length === 1 && spec.clusterIPs[0] === 'None';
}

/** Has a port on every node. */
export function usesNodePorts({ spec }: Frozen<Service>): boolean {
  return spec?.type === 'NodePort' || spec?.type === 'LoadBalancer';
}

/** Clients outside the cluster can reach it. */
export function isExternallyAccessible(service: Frozen<Service>): boolean {
  return usesNodePorts(service) || (service.spec?.type === 'ClusterIP' && (service.spec.externalIPs ?? []).length > 0);
}

/** The load balancer must find out which nodes have endpoints. */
export function needsHealthCheck({ spec }: Frozen<Service>): boolean {
  return spec?.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';
}

/** Returns whether two lists of texts are the same; absent is empty. */
export function sameTexts(a: readonly string[] | undefined, b: readonly string[] | undefined): boolean {
  const [left, right] = [a ?? [], b ?? []];
  return left.length === right.length && left.every((text, index) => text === right[index]);
}
