// proxy: requests passed on to a pod, a service or a node. Without a NodeConnector nobody is there to take them, and
// the answer is that of a server which cannot reach them. Addresses of the machine itself are never dialled.
// As ResourceLocation of pkg/registry/core/{pod,node,service}.
import { badRequest, notFound, serviceUnavailable } from '../../core/index.js';
import type { ApiResponse } from '../../client/index.js';
import type { Exchange } from '../requests/exchange.js';
import type { WithoutCredentials } from '../requests/without-credentials.js';
import type { Endpoint } from '../registry/endpoint.js';
import { refOf } from '../registry/endpoint.js';
import type { NodeConnector } from './node-connector.js';

/** How requests are passed on. */
export interface ProxyPorts {
  readonly connector: NodeConnector | undefined;
  readonly withoutCredentials: WithoutCredentials;
}

/** Passes a request on. */
export async function proxy(
  endpoint: Endpoint,
  exchange: Exchange,
  { connector, withoutCredentials }: ProxyPorts,
): Promise<ApiResponse> {
  const { info } = exchange.request;
  const { name } = target(info.name, endpoint.gvk.kind);
  const { object } = await endpoint.stored.cacher.get(endpoint.stored.keyOf(info.namespace, name));
  if (object === undefined) throw notFound(refOf(endpoint, name));
  if (connector !== undefined) return connector.proxy(withoutCredentials(exchange));
  if (endpoint.gvk.kind === 'Service')
    throw serviceUnavailable(`no endpoints available for service ${JSON.stringify(info.name)}`);
  throw badRequest('address not allowed');
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
