// log, exec, attach and portforward: requests that go on to the node a pod runs on. Here they are checked, with the
// refusals of pkg/registry/core/pod/strategy.go; what happens on the node is the NodeConnector's.
import {
  badRequest,
  fieldForbidden,
  fieldInvalid,
  fieldPath,
  forbidden,
  invalid,
  notFound,
  unclassifiedError,
} from '../../core/index.js';
import type { Authorizer } from '../../auth/index.js';
import type { FieldError, Frozen } from '../../core/index.js';
import type { Node, Pod } from '../../core/types/index.js';
import type { ApiResponse, RequestOptions } from '../../client/index.js';
import type { Exchange } from '../requests/exchange.js';
import type { WithoutCredentials } from '../requests/without-credentials.js';
import type { Endpoint } from '../registry/endpoint.js';
import { refOf } from '../registry/endpoint.js';
import { attributesOf, decide } from '../steps.js';
import type { ContainerTarget, LogOptions, NodeConnector, StreamKind } from './node-connector.js';

/** What these subresources work with. */
export interface PodConnections {
  readonly nodes: () => Endpoint;
  readonly connector: NodeConnector | undefined;
  readonly withoutCredentials: WithoutCredentials;
  readonly authorizer: Authorizer;
}

/** The log of a container; nothing yet where the pod has no node. */
export async function podLog(
  pods: Endpoint,
  exchange: Exchange,
  { nodes, connector }: PodConnections,
): Promise<ApiResponse> {
  const { request } = exchange;
  const parameters = request.options().parameters ?? {};
  const options = logOptions(parameters);
  const errors = logErrors(options);
  if (errors.length > 0) throw invalid({ group: '', kind: 'PodLogOptions' }, request.info.name, errors);
  const pod = await podOf(pods, exchange);
  const container = containerOf(pod, first(parameters, 'container'));
  const nodeName = pod.spec?.nodeName ?? '';
  if (nodeName === '') return { type: 'raw', code: 204, contentType: 'text/plain', content: '' };
  const target = { node: await nodeOf(nodes(), nodeName), pod, container };
  if (connector === undefined) {
    const address = addressOf(target.node);
    throw unclassifiedError(
      `Get "https://${address}/containerLogs/${request.info.namespace}/${request.info.name}/${container}": dial tcp ${address}: connect: connection refused`,
    );
  }
  return { type: 'raw', code: 200, contentType: 'text/plain', content: connector.log(target, options) };
}

/** Hands the connection over to the node. */
export async function podStream(
  kind: StreamKind,
  pods: Endpoint,
  exchange: Exchange,
  { nodes, connector, withoutCredentials, authorizer }: PodConnections,
): Promise<ApiResponse> {
  const { request } = exchange;
  await authorizeStream(pods, exchange, authorizer);
  const parameters = request.options().parameters ?? {};
  const pod = await podOf(pods, exchange);
  const container = kind === 'portforward' ? '' : containerOf(pod, first(parameters, 'container'));
  const nodeName = pod.spec?.nodeName ?? '';
  if (nodeName === '') throw badRequest(`pod ${request.info.name} does not have a host assigned`);
  const target: ContainerTarget = { node: await nodeOf(nodes(), nodeName), pod, container };
  if ((request.header('Upgrade') ?? '') === '') throw badRequest('Upgrade request required');
  if (connector === undefined)
    throw unclassifiedError(`error dialing backend: dial tcp ${addressOf(target.node)}: connect: connection refused`);
  return connector.stream(kind, target, withoutCredentials(exchange));
}

/**
 * Whoever runs something in a pod changes it, also where the method only reads, as that of WebSockets does. Throws
 * ApiError 403. As pkg/registry/core/pod/rest/authorize.go.
 */
async function authorizeStream(pods: Endpoint, exchange: Exchange, authorizer: Authorizer): Promise<void> {
  const { verb, name } = exchange.request.info;
  if (verb === 'create') return;
  const { decision, reason, error } = await decide(authorizer, { ...attributesOf(exchange), verb: 'create' });
  if (decision === 'allow') return;
  throw error === undefined ? forbidden(refOf(pods, name), reason) : unclassifiedError(error);
}

/** Where a node's agent listens; Kubernetes prefers names to numbers. Throws ApiError where it has no address. */
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

async function podOf(pods: Endpoint, { request: { info } }: Exchange): Promise<Frozen<Pod>> {
  const { object } = await pods.stored.cacher.get(pods.stored.keyOf(info.namespace, info.name));
  if (object === undefined) throw notFound(refOf(pods, info.name));
  return object as Frozen<Pod>;
}

async function nodeOf(nodes: Endpoint, name: string): Promise<Frozen<Node>> {
  const { object } = await nodes.stored.cacher.get(name);
  // Kubernetes says pods here, too.
  if (object === undefined) throw notFound({ group: '', resource: 'pods', name });
  return object as Frozen<Node>;
}

function containerOf({ metadata, spec }: Frozen<Pod>, asked: string): string {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = spec ?? {};
  const name = metadata?.name ?? '';
  const all = [...initContainers, ...containers, ...ephemeralContainers].map((each) => each.name);
  if (asked !== '') {
    if (!all.includes(asked)) throw badRequest(`container ${asked} is not valid for pod ${name}`);
    return asked;
  }
  const [only] = containers;
  if (containers.length === 1 && only !== undefined) return only.name;
  throw badRequest(`a container name must be specified for pod ${name}, choose one of: [${all.join(' ')}]`);
}

type Parameters = NonNullable<RequestOptions['parameters']>;

function first(parameters: Parameters, name: string): string {
  return (Object.hasOwn(parameters, name) ? parameters[name]?.[0] : undefined) ?? '';
}

function logOptions(parameters: Parameters): LogOptions {
  const flag = (name: string): boolean => !['', '0', 'false'].includes(first(parameters, name).toLowerCase());
  const number = (name: 'tailLines' | 'limitBytes' | 'sinceSeconds'): Partial<LogOptions> => {
    const text = first(parameters, name);
    if (text === '') return {};
    if (!/^[-+]?[0-9]{1,18}$/.test(text))
      throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
    return { [name]: Number(text) };
  };
  const sinceTime = first(parameters, 'sinceTime');
  return {
    follow: flag('follow'),
    previous: flag('previous'),
    timestamps: flag('timestamps'),
    ...number('tailLines'),
    ...number('limitBytes'),
    ...number('sinceSeconds'),
    ...(sinceTime !== '' && { sinceTime }),
  };
}

function logErrors({ tailLines, limitBytes, sinceSeconds, sinceTime }: LogOptions): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (tailLines !== undefined && tailLines < 0)
    errors.push(fieldInvalid(fieldPath('tailLines'), tailLines, 'must be greater than or equal to 0'));
  if (limitBytes !== undefined && limitBytes < 1)
    errors.push(fieldInvalid(fieldPath('limitBytes'), limitBytes, 'must be greater than 0'));
  if (sinceSeconds !== undefined && sinceTime !== undefined) {
    errors.push(fieldForbidden(fieldPath(''), 'at most one of `sinceTime` or `sinceSeconds` may be specified'));
  } else if (sinceSeconds !== undefined && sinceSeconds < 1) {
    errors.push(fieldInvalid(fieldPath('sinceSeconds'), sinceSeconds, 'must be greater than 0'));
  }
  return errors;
}
