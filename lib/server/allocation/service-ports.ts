// Node ports of a Service. Ports of the same number with several protocols share one. Requested ports are allocated or
// refused; ports of the old Service that the new one still names are kept.
// As initNodePorts and updateNodePorts in pkg/registry/core/service/storage/alloc.go.
import { fieldInvalid, fieldPath, internalError, unclassifiedError } from '../../core/index.js';
import type { FieldError, Frozen } from '../../core/index.js';
import type { ServiceSpec } from '../../core/types/index.js';
import type { PortOperation } from './node-ports.js';

/** The end of the messages of writes for which nothing is left to allocate. */
export const rangeFull = 'range is full';

/**
 * Allocates the ports of a new Service in place; returns errors of requested ports. Throws ApiError where none is left.
 */
export function allocatePorts(spec: ServiceSpec, operation: PortOperation): readonly FieldError[] {
  const ports = spec.ports ?? [];
  const shared = new Map<number, number>();
  for (const [index, port] of ports.entries()) {
    const { nodePort: asked = 0 } = port;
    if (asked === 0 && !isAutomatic(spec)) continue;
    const known = shared.get(port.port);
    if (known === undefined) {
      const wanted = ports.find((other) => other.port === port.port && (other.nodePort ?? 0) !== 0)?.nodePort;
      const problem = wanted === undefined ? undefined : operation.take(wanted);
      if (problem !== undefined) return [refusal(index, wanted, problem)];
      port.nodePort = wanted ?? next(operation);
      shared.set(port.port, port.nodePort);
    } else if (asked === 0) port.nodePort = known;
    else if (asked !== known) {
      const problem = operation.take(asked);
      if (problem !== undefined) return [refusal(index, asked, problem)];
    }
  }
  return [];
}

/** Allocates the ports of a changed Service likewise. Ports that it no longer names are released with the commit. */
export function reallocatePorts(
  spec: ServiceSpec,
  before: Frozen<ServiceSpec>,
  operation: PortOperation,
): readonly FieldError[] {
  const old = new Set((before.ports ?? []).flatMap(({ nodePort = 0 }) => (nodePort === 0 ? [] : [nodePort])));
  const taken = new Set<number>();
  const pairs = new Set<string>();
  for (const [index, port] of (spec.ports ?? []).entries()) {
    const { nodePort: asked = 0, protocol = '' } = port;
    if (asked === 0 && !isAutomatic(spec)) continue;
    if (asked === 0) port.nodePort = next(operation);
    else if (!old.has(asked) && !taken.has(asked)) {
      const problem = operation.take(asked);
      if (problem !== undefined) return [refusal(index, asked, problem)];
      taken.add(asked);
    }
    const pair = `{${protocol} ${port.nodePort}}`;
    if (pairs.has(pair)) throw unclassifiedError(`duplicate nodePort: ${pair}`);
    pairs.add(pair);
  }
  const kept = new Set(spec.ports?.map(({ nodePort = 0 }) => nodePort));
  for (const port of old) if (!kept.has(port)) operation.releaseLater(port);
  return [];
}

/** Whether ports are allocated automatically; load balancers may opt out. */
function isAutomatic({ type, allocateLoadBalancerNodePorts: allocate }: ServiceSpec): boolean {
  return type === 'NodePort' || (type === 'LoadBalancer' && allocate === true);
}

function next(operation: PortOperation): number {
  const port = operation.takeNext();
  if (port === undefined) throw internalError(`failed to allocate a nodePort: ${rangeFull}`);
  return port;
}

function refusal(index: number, value: number | undefined, problem: string): FieldError {
  return fieldInvalid(fieldPath('spec', 'ports').index(index).child('nodePort'), value, problem);
}
