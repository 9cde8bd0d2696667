// Allocated values of a Service that a client may omit: an update without addresses or node ports keeps those of the
// old Service. And clusterIP, which old clients write, is aligned with clusterIPs.
// As patchAllocatedValues and normalizeClusterIPs in pkg/registry/core/service/storage/storage.go. In place.
import { isExternalName, needsHealthCheck, sameTexts } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Service, ServiceSpec } from '../../core/types/index.js';

/** Copies allocated values of the old Service that the new one omits. */
export function keepAllocatedValues(service: Service, old: Frozen<Service>): void {
  const spec = specOf(service);
  const { spec: before = {} } = old;
  if (!isExternalName(old) && !isExternalName(service)) {
    if (before.clusterIP !== undefined) spec.clusterIP ??= before.clusterIP;
    if (before.clusterIPs !== undefined) spec.clusterIPs ??= [...before.clusterIPs];
  }
  if (needsNodePorts(old) && needsNodePorts(service)) keepNodePorts(spec, before);
  if (needsHealthCheck(old) && needsHealthCheck(service) && before.healthCheckNodePort !== undefined) {
    spec.healthCheckNodePort ??= before.healthCheckNodePort;
  }
}

/** Aligns clusterIPs with clusterIP, inferring which of them the client changed. */
export function alignClusterIps(service: Service, old: Frozen<Service> | undefined): void {
  const spec = specOf(service);
  const { clusterIP = '', clusterIPs = [] } = spec;
  if (old === undefined) {
    if (clusterIP !== '' && clusterIPs.length === 0) spec.clusterIPs = [clusterIP];
    return;
  }
  const { clusterIP: before = '', clusterIPs: beforeAll = [] } = old.spec ?? {};
  if (clusterIP === before) {
    if (clusterIPs.length === 0 && beforeAll.length > 0) spec.clusterIPs = [...beforeAll];
  } else if (sameTexts(clusterIPs, beforeAll)) {
    if (clusterIP === '') delete spec.clusterIPs;
    else spec.clusterIPs = [clusterIP];
  }
}

/** The specification, which every decoded Service has. */
export function specOf(service: Service): ServiceSpec {
  return (service.spec ??= {});
}

/** Whether the Service needs node ports; load balancers may opt out. */
function needsNodePorts({ spec = {} }: Frozen<Service>): boolean {
  return spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false);
}

/** Copies node ports by port name, except those that another port of the new Service requests. */
function keepNodePorts(spec: ServiceSpec, before: Frozen<ServiceSpec>): void {
  const claimed = new Set(spec.ports?.map(({ nodePort = 0 }) => nodePort));
  const known = new Map((before.ports ?? []).map(({ name = '', nodePort = 0 }) => [name, nodePort]));
  for (const port of spec.ports ?? []) {
    const nodePort = known.get(port.name ?? '') ?? 0;
    if ((port.nodePort ?? 0) === 0 && nodePort !== 0 && !claimed.has(nodePort)) port.nodePort = nodePort;
  }
}
