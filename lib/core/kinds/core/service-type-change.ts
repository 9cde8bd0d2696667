// What a Service loses when its type changes. Clients that change the type send back what the server once filled in;
// so a field that no longer applies is dropped, unless the client changed it too, which validation then refuses.
// As dropTypeDependentFields in pkg/registry/core/service/strategy.go.
import { deepEqual } from '../../objects/deep-equal.js';
import type { Frozen } from '../../objects/meta.js';
import type { Service, ServiceSpec } from '../../types/core-v1.generated.js';
import { isExternalName, isExternallyAccessible, needsHealthCheck, sameTexts, usesNodePorts } from './service-kind.js';

/** Drops from the new Service what only the old type needed. In place. */
export function dropFieldsOfOldType(service: Service, old: Frozen<Service>): void {
  const { spec } = service;
  if (spec === undefined) return;
  const before = old.spec ?? {};
  const same = (field: keyof ServiceSpec): boolean => deepEqual(spec[field] ?? null, before[field] ?? null);

  if (!isExternalName(old) && isExternalName(service)) {
    if (same('clusterIP') && sameTexts(spec.clusterIPs, before.clusterIPs)) {
      delete spec.clusterIP;
      delete spec.clusterIPs;
    }
    if (same('ipFamilies')) delete spec.ipFamilies;
    if (same('ipFamilyPolicy')) delete spec.ipFamilyPolicy;
  }
  if (usesNodePorts(old) && !usesNodePorts(service) && hasNoNewNodePort(spec, before)) {
    spec.ports = spec.ports?.map(({ nodePort: _dropped, ...port }) => port) ?? [];
    if (spec.ports.length === 0) delete spec.ports;
  }
  if (needsHealthCheck(old) && !needsHealthCheck(service) && same('healthCheckNodePort'))
    delete spec.healthCheckNodePort;
  if (before.type === 'LoadBalancer' && spec.type !== 'LoadBalancer') {
    if (same('allocateLoadBalancerNodePorts')) delete spec.allocateLoadBalancerNodePorts;
    if (same('loadBalancerClass')) delete spec.loadBalancerClass;
  }
  if (isExternallyAccessible(old) && !isExternallyAccessible(service) && same('externalTrafficPolicy'))
    delete spec.externalTrafficPolicy;
  // A load balancer goes later, but its address is no longer this Service's.
  if (spec.type !== 'LoadBalancer') service.status = { ...service.status, loadBalancer: {} };
}

/** Ports may come, go and change, as long as no node port is new. */
function hasNoNewNodePort(spec: ServiceSpec, before: Frozen<ServiceSpec>): boolean {
  const known = new Set(before.ports?.map(({ nodePort = 0 }) => nodePort));
  return (spec.ports ?? []).every(({ nodePort = 0 }) => nodePort === 0 || known.has(nodePort));
}
