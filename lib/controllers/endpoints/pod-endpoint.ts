// What a pod contributes to the endpoints of a Service: whether it belongs to them, its addresses, conditions, ports
// and host name. As endpointslice/utils.go and endpointslice/util/controller_utils.go.
import { isPodReady, isPodTerminal, parseIp, printIp } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Endpoint, Node, Pod, Service, ServicePort } from '../../core/types/index.js';
import type { SlicePort } from './go-hash-order.js';

/** The families that pods have addresses of. */
export type AddressFamily = 'IPv4' | 'IPv6';

/** The label of nodes that names their zone. */
export const nodeZoneLabel = 'topology.kubernetes.io/zone';

/** Returns whether endpoints list the pod: it runs and has an address. */
export function belongsToEndpoints(pod: Frozen<Pod>, includeTerminating: boolean): boolean {
  if (isPodTerminal(pod)) return false;
  if ((pod.status?.podIP ?? '') === '' && (pod.status?.podIPs ?? []).length === 0) return false;
  return includeTerminating || pod.metadata?.deletionTimestamp === undefined;
}

/** Returns whether DNS has a name for the pod below that of the Service. */
export function publishesHostname({ metadata, spec }: Frozen<Pod>, service: Frozen<Service>): boolean {
  return (
    (spec?.hostname ?? '') !== '' &&
    spec?.subdomain === service.metadata?.name &&
    metadata?.namespace === service.metadata?.namespace
  );
}

/** Returns the addresses of a pod in one family, in canonical form. */
export function podAddresses({ status }: Frozen<Pod>, family: AddressFamily): readonly string[] {
  return (status?.podIPs ?? []).flatMap(({ ip }) => {
    const address = parseIp(ip);
    return address !== undefined && (address.family === 6) === (family === 'IPv6') ? [printIp(address)] : [];
  });
}

/**
 * Returns the port of the pod that a port of a Service leads to: a number, or the port of that name of a container or
 * sidecar. Undefined if the pod has none of that name.
 */
export function targetPortOf({ spec }: Frozen<Pod>, servicePort: Frozen<ServicePort>): number | undefined {
  const { targetPort = servicePort.port, protocol } = servicePort;
  if (typeof targetPort === 'number') return targetPort;
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  for (const { ports = [] } of [...(spec?.containers ?? []), ...sidecars]) {
    const found = ports.find((port) => port.name === targetPort && port.protocol === protocol);
    if (found !== undefined) return found.containerPort;
  }
  return undefined;
}

/** Returns the ports that a slice lists for the pod, in the order of the Service. Those that it lacks are left out. */
export function slicePortsOf(pod: Frozen<Pod>, { spec }: Frozen<Service>): readonly SlicePort[] {
  return (spec?.ports ?? []).flatMap((servicePort): readonly SlicePort[] => {
    const port = targetPortOf(pod, servicePort);
    if (port === undefined) return [];
    const { name = '', protocol, appProtocol } = servicePort;
    return [
      { name, port, ...(protocol !== undefined && { protocol }), ...(appProtocol !== undefined && { appProtocol }) },
    ];
  });
}

/** Returns the endpoint of a pod in a slice of that family; undefined if the pod has no address of it. */
export function endpointOfPod(
  pod: Frozen<Pod>,
  { service, node, family }: { service: Frozen<Service>; node: Frozen<Node> | undefined; family: AddressFamily },
): Endpoint | undefined {
  const addresses = podAddresses(pod, family).toSorted();
  if (addresses.length === 0) return undefined;
  const { namespace = '', name = '', uid = '', deletionTimestamp } = pod.metadata ?? {};
  const serving = isPodReady(pod);
  const terminating = deletionTimestamp !== undefined;
  const nodeName = pod.spec?.nodeName ?? '';
  const zone = node?.metadata?.labels?.[nodeZoneLabel] ?? '';
  const hostname = pod.spec?.hostname ?? '';
  return {
    addresses,
    // A terminating pod is never ready, unless the Service publishes addresses that are not.
    conditions: {
      ready: service.spec?.publishNotReadyAddresses === true || (serving && !terminating),
      serving,
      terminating,
    },
    targetRef: { kind: 'Pod', namespace, name, uid },
    ...(nodeName !== '' && { nodeName }),
    ...(zone !== '' && { zone }),
    ...(publishesHostname(pod, service) && { hostname }),
  };
}
