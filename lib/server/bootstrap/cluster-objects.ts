// System namespaces, system priority classes and the default ServiceCIDR.
// As pkg/controlplane/controller/{systemnamespaces,defaultservicecidr} and pkg/registry/scheduling/rest.
import { parseCidr, printNetwork, printTime, systemPriorityClasses } from '../../core/index.js';
import type { Namespace, PriorityClass, ServiceCIDR } from '../../core/types/index.js';

/** The system namespaces, then `default`. */
export function namespaces(): readonly Namespace[] {
  return ['kube-system', 'kube-public', 'kube-node-lease', 'default'].map((name) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels: { 'kubernetes.io/metadata.name': name } },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  }));
}

/** The priority classes of critical pods. */
export function priorityClasses(): readonly PriorityClass[] {
  return [...systemPriorityClasses].map(([name, { value, description }]) => ({
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name, generation: 1 },
    value,
    description,
    preemptionPolicy: 'PreemptLowerPriority',
  }));
}

/** The ServiceCIDR of the ranges that the server was started with. */
export function defaultServiceCidr(cidrs: readonly string[], now: number): ServiceCIDR {
  const message = 'Kubernetes default Service CIDR is ready';
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'ServiceCIDR',
    metadata: { name: 'kubernetes' },
    spec: { cidrs: cidrs.map(canonical) },
    status: {
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: printTime(now), reason: '', message }],
    },
  };
}

function canonical(text: string): string {
  const cidr = parseCidr(text);
  if (cidr === undefined) throw new RangeError(`not a range of addresses: ${text}`);
  return printNetwork(cidr);
}
