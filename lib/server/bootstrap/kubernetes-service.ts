// The Service `kubernetes`, through which pods reach the API server, and its endpoints.
// As pkg/controlplane/controller/kubernetesservice/controller.go and pkg/controlplane/reconcilers.
import { addToIp, parseCidr, parseIp, printIp } from '../../core/index.js';
import type { Cidr } from '../../core/index.js';
import type { EndpointSlice, Endpoints, IPAddress, Service } from '../../core/types/index.js';
import { ipAddressOf } from '../allocation/service-companions.js';

/** The Service `kubernetes` in `default`, at the first address of the range, and its IPAddress. */
export function kubernetesService(serviceCidr: string, port: number): readonly [Service, IPAddress] {
  const cidr = readCidr(serviceCidr);
  const clusterIP = printIp(addToIp(cidr.network, 1));
  const service: Service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace, labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: {
      ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: port }],
      clusterIP,
      clusterIPs: [clusterIP],
      type: 'ClusterIP',
      sessionAffinity: 'None',
      ipFamilies: [cidr.network.family === 4 ? 'IPv4' : 'IPv6'],
      ipFamilyPolicy: 'SingleStack',
      internalTrafficPolicy: 'Cluster',
    },
    status: { loadBalancer: {} },
  };
  return [service, ipAddressOf(clusterIP, { namespace, name })];
}

/** The server's address as Endpoints and EndpointSlice. */
export function kubernetesServiceEndpoints(address: string, port: number): readonly [Endpoints, EndpointSlice] {
  const ip = parseIp(address);
  if (ip === undefined) throw new RangeError(`not an address: ${address}`);
  const ports = [{ name: 'https', port, protocol: 'TCP' as const }];
  return [
    {
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: { name, namespace, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
      subsets: [{ addresses: [{ ip: printIp(ip) }], ports }],
    },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name, namespace, generation: 1, labels: { 'kubernetes.io/service-name': name } },
      addressType: ip.family === 4 ? 'IPv4' : 'IPv6',
      endpoints: [{ addresses: [printIp(ip)], conditions: { ready: true } }],
      ports,
    },
  ];
}

const name = 'kubernetes';
const namespace = 'default';

function readCidr(text: string): Cidr {
  const cidr = parseCidr(text);
  if (cidr === undefined) throw new RangeError(`not a range of addresses: ${text}`);
  return cidr;
}
