// The pod, container and node of a log or stream request, with the refusals of pkg/registry/core/pod/strategy.go.
import { badRequest, notFound, unclassifiedError } from '../../core/index.js';
import type { Frozen, RequestOptions } from '../../core/index.js';
import type { Node, Pod } from '../../core/types/index.js';
import type { Exchange } from '../pipeline.js';
import type { ResourceEndpoint } from '../registry/endpoint.js';
import { refOf } from '../registry/endpoint.js';

/** Parameters of a request by name. */
export type Parameters = NonNullable<RequestOptions['parameters']>;

/** All values of a parameter. */
export function parameterValues(parameters: Parameters, name: string): readonly string[] {
  return (Object.hasOwn(parameters, name) ? parameters[name] : undefined) ?? [];
}

/** The first value of a parameter; empty without one. */
export function firstParameter(parameters: Parameters, name: string): string {
  return parameterValues(parameters, name)[0] ?? '';
}

/** Reads the pod of a request. Rejects with ApiError 404. */
export async function findPod(pods: ResourceEndpoint, { request: { info } }: Exchange): Promise<Frozen<Pod>> {
  const { object } = await pods.stored.cacher.get(pods.stored.keyOf(info.namespace, info.name));
  if (object === undefined) throw notFound(refOf(pods, info.name));
  return object as Frozen<Pod>;
}

/** Reads a node by name. Rejects with ApiError 404, which names the resource `pods` as Kubernetes does. */
export async function findNode(nodes: ResourceEndpoint, name: string): Promise<Frozen<Node>> {
  const { object } = await nodes.stored.cacher.get(name);
  if (object === undefined) throw notFound({ group: '', resource: 'pods', name });
  return object as Frozen<Node>;
}

/** The container that a request names, or the only one of the pod. Throws ApiError 400. */
export function containerOf({ metadata, spec }: Frozen<Pod>, requested: string): string {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = spec ?? {};
  const name = metadata?.name ?? '';
  const all = [...initContainers, ...containers, ...ephemeralContainers].map((each) => each.name);
  if (requested !== '') {
    if (!all.includes(requested)) throw badRequest(`container ${requested} is not valid for pod ${name}`);
    return requested;
  }
  const [only] = containers;
  if (containers.length === 1 && only !== undefined) return only.name;
  throw badRequest(`a container name must be specified for pod ${name}, choose one of: [${all.join(' ')}]`);
}

/** The address of a node's agent; host names are preferred to IP addresses. Throws ApiError where it has none. */
export function addressOf({ status }: Frozen<Node>): string {
  const addresses = status?.addresses ?? [];
  const preferred = preferredTypes.flatMap((type) => addresses.filter((each) => each.type === type))[0];
  if (preferred === undefined)
    throw unclassifiedError(
      `no preferred addresses found; known addresses: [${addresses.map(({ type, address }) => `{${type} ${address}}`).join(' ')}]`,
    );
  return `${preferred.address.includes(':') ? `[${preferred.address}]` : preferred.address}:${status?.daemonEndpoints?.kubeletEndpoint?.Port ?? 10_250}`;
}

const preferredTypes: readonly string[] = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'];
