// proxy: requests passed on to a pod, a service or a node by the NodeConnector of the node. Without one the answer is
// that of a server which cannot reach them. Addresses of the machine itself are never dialled.
// As ResourceLocation of pkg/registry/core/{pod,node,service}.
import type { AdmissionChain } from '../../admission/index.js';
import { badRequest, notFound, serviceUnavailable } from '../../core/index.js';
import type { ApiObject, Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import type { ApiResponse } from '../../client/index.js';
import type { Exchange } from '../requests/exchange.js';
import type { WithoutCredentials } from '../requests/without-credentials.js';
import type { ResourceEndpoint } from '../registry/endpoint.js';
import { refOf } from '../registry/endpoint.js';
import { admitConnect } from '../writes/review.js';
import type { ConnectorRegistry } from './node-connectors.js';

/** How requests are passed on. */
export interface ProxyPorts {
  readonly connectors: ConnectorRegistry;
  readonly admission: AdmissionChain | undefined;
  readonly withoutCredentials: WithoutCredentials;
}

/** Passes a request on. */
export async function proxy(
  endpoint: ResourceEndpoint,
  exchange: Exchange,
  { connectors, admission, withoutCredentials }: ProxyPorts,
): Promise<ApiResponse> {
  const { info } = exchange.request;
  const path = info.rest === undefined ? '' : `/${info.rest}`;
  const options = { kind: `${endpoint.gvk.kind}ProxyOptions`, apiVersion: 'v1', path };
  await admitConnect(admission, endpoint, exchange, options);
  const { name } = target(info.name, endpoint.gvk.kind);
  const { object } = await endpoint.stored.cacher.get(endpoint.stored.keyOf(info.namespace, name));
  if (object === undefined) throw notFound(refOf(endpoint, name));
  const answer = connectors.find(nodeNameOf(endpoint.gvk.kind, object))?.proxy?.(withoutCredentials(exchange));
  if (answer !== undefined) return answer;
  if (endpoint.gvk.kind === 'Service')
    throw serviceUnavailable(`no endpoints available for service ${JSON.stringify(info.name)}`);
  throw badRequest('address not allowed');
}

/** The node that a proxy leads to; undefined for a Service. */
function nodeNameOf(kind: string, object: Frozen<ApiObject>): string | undefined {
  if (kind === 'Node') return object.metadata?.name;
  return kind === 'Pod' ? (object as Frozen<Pod>).spec?.nodeName : undefined;
}

/** `name`, `name:port` or `scheme:name:port`. */
function target(id: string, kind: string): { readonly name: string } {
  const parts = id.split(':');
  const name = parts.length === 3 ? parts[1] : parts[0];
  const isKnownScheme = parts.length < 3 || ['http', 'https', ''].includes(parts[0] ?? '');
  if (parts.length > 3 || name === undefined || name === '' || !isKnownScheme)
    throw badRequest(`invalid ${kind.toLowerCase()} request ${JSON.stringify(id)}`);
  return { name };
}
