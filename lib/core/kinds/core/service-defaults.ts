// Defaults of Services that depend on other fields. In place, on a freshly decoded object.
// As SetDefaults_Service in pkg/apis/core/v1/defaults.go; addresses and node ports are no defaults but allocated.
import type { Service } from '../../types/core-v1.generated.js';
import { isExternallyAccessible } from './service-kind.js';

/** Defaults of a Service. */
export function serviceDefaults(service: Service): void {
  const { spec, status } = service;
  if (spec === undefined) return;
  const { sessionAffinity, sessionAffinityConfig, type } = spec;
  if (sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  else if (sessionAffinity === 'ClientIP' && sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined) {
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: 10_800 } };
  }
  for (const port of spec.ports ?? []) {
    if (port.targetPort === undefined || port.targetPort === 0 || port.targetPort === '') port.targetPort = port.port;
  }
  if (isExternallyAccessible(service)) spec.externalTrafficPolicy ??= 'Cluster';
  if (type === 'ClusterIP' || type === 'NodePort' || type === 'LoadBalancer') spec.internalTrafficPolicy ??= 'Cluster';
  if (type !== 'LoadBalancer') return;
  spec.allocateLoadBalancerNodePorts ??= true;
  for (const ingress of status?.loadBalancer?.ingress ?? []) {
    if (ingress.ip !== undefined) ingress.ipMode ??= 'VIP';
  }
}
