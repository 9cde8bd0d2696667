// What a client may leave out of a Service because the server once filled it in: an update without addresses or node
// ports keeps those of the old Service. And clusterIP, which old clients write, is brought in line with clusterIPs.
// As patchAllocatedValues and normalizeClusterIPs in pkg/registry/core/service/storage/storage.go. In place.
import { isExternalName, needsHealthCheck, sameTexts } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Service, ServiceSpec } from '../../core/types/index.js';

/** Fills in what the old Service was given and the new one does not mention. */
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

/** Brings the plural field in line with the singular one, guessing which of them the client meant to change. */
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

/** Load balancers may do without. */
function needsNodePorts({ spec = {} }: Frozen<Service>): boolean {
  return spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false);
}

/** Ports are known by their names; a node port that another port of the new Service claims is not kept. */
function keepNodePorts(spec: ServiceSpec, before: Frozen<ServiceSpec>): void {
  const claimed = new Set(spec.ports?.map(({ nodePort = 0 }) => nodePort));
  const known = new Map((before.ports ?? []).map(({ name = '', nodePort = 0 }) => [name, nodePort]));
  for (const port of spec.ports ?? []) {
    const nodePort = known.get(port.name ?? '') ?? 0;
    if ((port.nodePort ?? 0) === 0 && nodePort !== 0 && !claimed.has(nodePort)) port.nodePort = nodePort;
  }
}
