// The subsets of Endpoints: which addresses offer which ports, in the one form that Kubernetes gives to the same
// addresses and ports. Pure. As pkg/api/v1/endpoints/util.go, RepackSubsets, and
// pkg/controller/endpoint/endpoints_controller.go.
import { isPodReady, parseIp } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { EndpointAddress, EndpointPort, EndpointSubset, Pod, Service } from '../../core/types/index.js';
import { sortSubsetPorts, sortSubsets } from './go-hash-order.js';
import { podAddresses, belongsToEndpoints, publishesHostname, targetPortOf } from './pod-endpoint.js';
import type { AddressFamily } from './pod-endpoint.js';

/** The most addresses of an Endpoints object. */
export const addressesMax = 1000;

/** Returns the subsets of the pods that a Service selects, without the limit of addresses. */
export function subsetsOfPods(service: Frozen<Service>, pods: Iterable<Frozen<Pod>>): readonly EndpointSubset[] {
  const subsets: EndpointSubset[] = [];
  const { ports: servicePorts = [], clusterIP = '', publishNotReadyAddresses = false } = service.spec ?? {};
  for (const pod of pods) {
    const address = belongsToEndpoints(pod, publishNotReadyAddresses) ? addressOfPod(pod, service) : undefined;
    if (address === undefined) continue;
    const field = publishNotReadyAddresses || isPodReady(pod) ? 'addresses' : 'notReadyAddresses';
    // Only a headless Service may have no ports.
    if (servicePorts.length === 0 && clusterIP === 'None') subsets.push({ [field]: [address] });
    for (const servicePort of servicePorts) {
      const port = targetPortOf(pod, servicePort);
      if (port !== undefined) subsets.push({ [field]: [address], ports: [subsetPort(servicePort, port)] });
    }
  }
  return repackSubsets(subsets);
}

/**
 * Returns subsets in canonical form: each port once for each set of addresses that offers it. An address that is
 * listed both as ready and as not ready is not ready.
 */
export function repackSubsets(subsets: readonly Frozen<EndpointSubset>[]): readonly EndpointSubset[] {
  const known = new Map<string, Frozen<EndpointAddress>>();
  const byPort = new Map<string, PortAddresses>();
  const add = (port: Frozen<EndpointPort> | undefined, address: Frozen<EndpointAddress>, isReady: boolean): void => {
    const portKey =
      port === undefined
        ? ''
        : JSON.stringify([port.name ?? '', port.port, port.protocol ?? '', port.appProtocol ?? null]);
    const key = `${address.ip} ${address.targetRef?.uid ?? ''}`;
    if (!known.has(key)) known.set(key, address);
    let found = byPort.get(portKey);
    if (found === undefined) byPort.set(portKey, (found = { port, isReady: new Map() }));
    found.isReady.set(key, isReady && (found.isReady.get(key) ?? true));
  };
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of subsets) {
    for (const port of ports.length === 0 ? [undefined] : ports) {
      for (const address of addresses) add(port, address, true);
      for (const address of notReadyAddresses) add(port, address, false);
    }
  }
  const order = [...known].toSorted(([, one], [, other]) => compareAddresses(one, other));
  const bySet = new Map<
    string,
    { readonly isReady: ReadonlyMap<string, boolean>; readonly ports: Frozen<EndpointPort>[] }
  >();
  for (const { port, isReady } of byPort.values()) {
    const set = byPort.size === 1 ? '' : order.map(([key]) => readinessMark(isReady.get(key))).join('');
    const found = bySet.get(set) ?? { isReady, ports: [] };
    if (port !== undefined) found.ports.push(port);
    bySet.set(set, found);
  }
  return sortSubsets([...bySet.values()].map(({ isReady, ports }) => subsetOf(order, isReady, ports)));
}

/**
 * Returns at most a thousand addresses, of each subset in proportion: ready ones first, and those that are not ready in
 * what is left. Undefined if there are no more.
 */
export function truncateSubsets(subsets: readonly EndpointSubset[]): readonly EndpointSubset[] | undefined {
  const count = (field: 'addresses' | 'notReadyAddresses'): number =>
    subsets.reduce((sum, subset) => sum + (subset[field]?.length ?? 0), 0);
  const [ready, notReady] = [count('addresses'), count('notReadyAddresses')];
  if (ready + notReady <= addressesMax) return undefined;
  const isReadyCut = ready > addressesMax;
  const [room, total] = isReadyCut ? [addressesMax, ready] : [addressesMax - ready, notReady];
  let left = room;
  return subsets.map(({ addresses = [], notReadyAddresses = [], ...subset }): EndpointSubset => {
    const cut = isReadyCut ? addresses : notReadyAddresses;
    const kept = cut.slice(0, Math.min(left, Math.ceil((cut.length / total) * room)));
    left -= kept.length;
    const [shownReady, shownNotReady] = isReadyCut ? [kept, []] : [addresses, kept];
    return {
      ...(shownReady.length > 0 && { addresses: shownReady }),
      ...(shownNotReady.length > 0 && { notReadyAddresses: shownNotReady }),
      ...subset,
    };
  });
}

interface PortAddresses {
  readonly port: Frozen<EndpointPort> | undefined;
  readonly isReady: Map<string, boolean>;
}

function readinessMark(isReady: boolean | undefined): string {
  if (isReady === undefined) return '-';
  return isReady ? 'r' : 'n';
}

function subsetOf(
  order: readonly (readonly [string, Frozen<EndpointAddress>])[],
  isReady: ReadonlyMap<string, boolean>,
  ports: readonly Frozen<EndpointPort>[],
): EndpointSubset {
  const listed = (wanted: boolean): EndpointAddress[] =>
    order.flatMap(([key, address]) => (isReady.get(key) === wanted ? [address as EndpointAddress] : []));
  const [addresses, notReadyAddresses] = [listed(true), listed(false)];
  return {
    ...(addresses.length > 0 && { addresses }),
    ...(notReadyAddresses.length > 0 && { notReadyAddresses }),
    ...(ports.length > 0 && { ports: sortSubsetPorts(ports) as EndpointPort[] }),
  };
}

/** By the text of the address, then by the uid of the target. */
function compareAddresses(one: Frozen<EndpointAddress>, other: Frozen<EndpointAddress>): number {
  if (one.ip !== other.ip) return one.ip < other.ip ? -1 : 1;
  const [uid, otherUid] = [one.targetRef?.uid ?? '', other.targetRef?.uid ?? ''];
  return uid < otherUid ? -1 : Number(uid > otherUid);
}

function subsetPort({ name = '', protocol, appProtocol }: Frozen<EndpointPort>, port: number): EndpointPort {
  return {
    ...(name !== '' && { name }),
    port,
    ...(protocol !== undefined && { protocol }),
    ...(appProtocol !== undefined && { appProtocol }),
  };
}

/** The first address of a pod in the first family of the Service; undefined if the pod has none. */
function addressOfPod(pod: Frozen<Pod>, service: Frozen<Service>): EndpointAddress | undefined {
  const [ip] = podAddresses(pod, primaryFamily(service, pod));
  if (ip === undefined) return undefined;
  const { namespace = '', name = '', uid = '' } = pod.metadata ?? {};
  return {
    ip,
    ...(publishesHostname(pod, service) && { hostname: pod.spec?.hostname ?? '' }),
    nodeName: pod.spec?.nodeName ?? '',
    targetRef: { kind: 'Pod', namespace, name, uid },
  };
}

function primaryFamily({ spec }: Frozen<Service>, pod: Frozen<Pod>): AddressFamily {
  const [first] = spec?.ipFamilies ?? [];
  if (first !== undefined) return first === 'IPv6' ? 'IPv6' : 'IPv4';
  const { clusterIP = '' } = spec ?? {};
  const hint = clusterIP === '' || clusterIP === 'None' ? (pod.status?.podIP ?? '') : clusterIP;
  return parseIp(hint)?.family === 6 ? 'IPv6' : 'IPv4';
}
