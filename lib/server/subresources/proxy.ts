// proxy: requests that are passed on to a pod, a Service or a node, through the NodeConnector of the node. A connector
// may serve the request itself; otherwise requests for pods and Services go over a forwarded connection. Addresses of
// the machine itself are never dialled. As ResourceLocation of pkg/registry/core/{pod,node,service} and
// apimachinery/pkg/util/proxy/upgradeaware.go.
import type { AdmissionChain } from '../../admission/index.js';
import { badRequest, notFound, serviceUnavailable } from '../../core/index.js';
import type { ApiObject, ApiRequest, ApiResponse, Frozen, PodTarget } from '../../core/index.js';
import type { EndpointSlice, Node, Pod, Service } from '../../core/types/index.js';
import type { Exchange } from '../pipeline.js';
import type { WithoutCredentials } from '../access/without-credentials.js';
import type { ResourceEndpoint } from '../registry/endpoint.js';
import { refOf } from '../registry/endpoint.js';
import { admitConnect } from '../writes/review.js';
import type { ConnectorRegistry } from './node-connectors.js';
import { proxiedHttp } from './proxied-http.js';

/** Dependencies of proxies. */
export interface ProxyPorts {
  readonly connectors: ConnectorRegistry;
  readonly admission: AdmissionChain | undefined;
  readonly withoutCredentials: WithoutCredentials;
  /** Finds a resource of the core group. */
  readonly endpointOf: (resource: string) => ResourceEndpoint;
  readonly slices: () => ResourceEndpoint;
}

/** Passes a request on. Rejects with ApiError. */
export async function proxy(endpoint: ResourceEndpoint, exchange: Exchange, ports: ProxyPorts): Promise<ApiResponse> {
  const { info } = exchange.request;
  const { kind } = endpoint.gvk;
  const path = info.rest === undefined ? '' : `/${info.rest}`;
  const options = { kind: `${kind}ProxyOptions`, apiVersion: 'v1', path };
  await admitConnect(ports.admission, endpoint, exchange, options);
  const target = parseTarget(info.name, kind);
  const { object } = await endpoint.stored.cacher.get(endpoint.stored.keyOf(info.namespace, target.name));
  if (object === undefined) throw notFound(refOf(endpoint, target.name));
  const request = ports.withoutCredentials(exchange);
  const nodeName = nodeNameOf(kind, object);
  const answer = ports.connectors.find(nodeName)?.proxy?.(request);
  if (answer !== undefined) return answer;
  const redirect = redirectToFolder(exchange.request);
  if (kind === 'Pod') {
    const pod = object as Frozen<Pod>;
    const reached = nodeName === undefined ? undefined : await targetOf(pod, nodeName, ports);
    if (reached === undefined || (pod.status?.podIP ?? '') === '') throw badRequest('address not allowed');
    return redirect ?? send(reached, podPort(pod, target), request, ports);
  }
  if (kind === 'Service') {
    const { pod, port } = await serviceEndpoint(object as Frozen<Service>, target, info.name, ports);
    return redirect ?? send(pod, port, request, ports);
  }
  throw badRequest('address not allowed');
}

/** The node that a proxy leads to; undefined for a Service. */
function nodeNameOf(kind: string, object: Frozen<ApiObject>): string | undefined {
  if (kind === 'Node') return object.metadata?.name;
  return kind === 'Pod' ? (object as Frozen<Pod>).spec?.nodeName : undefined;
}

/** The parts of `name`, `name:port` or `scheme:name:port`. */
interface ProxyTarget {
  readonly scheme: string;
  readonly name: string;
  /** A number or a name; empty without one. */
  readonly port: string;
}

function parseTarget(id: string, kind: string): ProxyTarget {
  const parts = id.split(':');
  const [scheme = '', name = '', port = ''] = parts.length === 3 ? parts : ['', ...parts];
  const isKnownScheme = ['http', 'https', ''].includes(scheme);
  if (parts.length > 3 || name === '' || !isKnownScheme)
    throw badRequest(`invalid ${kind.toLowerCase()} request ${JSON.stringify(id)}`);
  return { scheme, name, port };
}

/** The port of a pod: that of the request, otherwise the first that a container names. */
function podPort({ spec }: Frozen<Pod>, { port, scheme }: ProxyTarget): number {
  if (port !== '') return Number(port);
  const named = spec?.containers.flatMap(({ ports = [] }) => ports.map(({ containerPort }) => containerPort))[0];
  return named ?? (scheme === 'https' ? 443 : 80);
}

/** Finds the node of a pod, where it is reachable. */
async function targetOf(
  pod: Frozen<Pod>,
  nodeName: string,
  { connectors, endpointOf }: ProxyPorts,
): Promise<PodTarget | undefined> {
  if (connectors.find(nodeName)?.portForward === undefined) return undefined;
  const { object } = await endpointOf('nodes').stored.cacher.get(nodeName);
  return object === undefined ? undefined : { pod, node: object as Frozen<Node> };
}

/** Finds a ready endpoint of a Service. Rejects with ApiError 503 where there is none. */
async function serviceEndpoint(
  { metadata, spec }: Frozen<Service>,
  { port: wanted }: ProxyTarget,
  id: string,
  ports: ProxyPorts,
): Promise<{ readonly pod: PodTarget; readonly port: number }> {
  const { name = '', namespace = '' } = metadata ?? {};
  const served = spec?.ports ?? [];
  const port =
    wanted === '' && served.length === 1
      ? served[0]
      : served.find((each) => each.name === wanted || `${each.port}` === wanted);
  if (port === undefined && wanted !== '')
    throw serviceUnavailable(`no service port ${JSON.stringify(wanted)} found for service ${JSON.stringify(name)}`);
  const matches = (object: Frozen<ApiObject>): boolean =>
    object.metadata?.labels?.['kubernetes.io/service-name'] === name;
  const { items } = await ports.slices().stored.cacher.list({ namespace, matches });
  for (const slice of items as readonly Frozen<EndpointSlice>[]) {
    const number = slice.ports?.find((each) => (each.name ?? '') === (port?.name ?? ''))?.port;
    for (const { conditions, targetRef, nodeName = '' } of slice.endpoints ?? []) {
      if (conditions?.ready === false || targetRef?.kind !== 'Pod' || number === undefined) continue;
      const { stored } = ports.endpointOf('pods');
      const { object } = await stored.cacher.get(stored.keyOf(namespace, targetRef.name ?? ''));
      const pod = object && (await targetOf(object as Frozen<Pod>, nodeName, ports));
      if (pod !== undefined) return { pod, port: number };
    }
  }
  throw serviceUnavailable(`no endpoints available for service ${JSON.stringify(id)}`);
}

function send(pod: PodTarget, port: number, request: ApiRequest, { connectors }: ProxyPorts): Promise<ApiResponse> {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw badRequest('address not allowed');
  const connector = connectors.find(pod.node.metadata?.name ?? '');
  const [, query = ''] = (request.uri ?? '').split('?', 2);
  return proxiedHttp({
    connect: (channels) => connector?.portForward?.(pod, port, channels),
    target: `/${request.info.rest ?? ''}${query === '' ? '' : `?${query}`}`,
    host: `${pod.pod.status?.podIP ?? 'localhost'}:${port}`,
    request,
  });
}

/** A GET without a path is redirected to the path that ends with a slash, so that relative links work. */
function redirectToFolder({ uri, info }: ApiRequest): ApiResponse | undefined {
  const [path = '', query = ''] = (uri ?? '').split('?', 2);
  if (!path.endsWith('/proxy') || info.verb !== 'get') return undefined;
  const headers = { Location: `${path}/${query === '' ? '' : `?${query}`}` };
  return { type: 'raw', code: 301, contentType: '', content: '', headers };
}
