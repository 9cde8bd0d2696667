// What is served besides stored objects: subresources that do something, and resources that only answer.
import type { Observable } from 'rxjs';
import type { Authenticator, Authorizer, TokenIssuer } from '../../auth/index.js';
import type { StreamKind } from '../../client/index.js';
import { unknownResource } from '../../core/index.js';
import type { Clock } from '../../core/index.js';
import type { HealthCheck } from '../documents/health.js';
import type { WithoutCredentials } from '../requests/without-credentials.js';
import { present } from '../present.js';
import type { Endpoint } from '../registry/endpoint.js';
import type { Registry } from '../registry/registry.js';
import { accessReviews } from '../reviews/access-reviews.js';
import { componentStatuses } from '../reviews/component-statuses.js';
import { identityReviews } from '../reviews/identity-reviews.js';
import type { SpecialResource, VirtualResource } from '../routing/route.js';
import type { WriteTools } from '../writes/write.js';
import { bind } from './binding.js';
import { evict } from './eviction.js';
import type { ConnectorRegistry } from './node-connectors.js';
import { podLog } from './pod-log.js';
import { podStream } from './pod-streams.js';
import { proxy } from './proxy.js';
import { scaleSubresource } from './scale.js';
import { issueToken } from './token.js';

/** What subresources need that others implement. */
export interface SpecialPorts {
  readonly connectors: ConnectorRegistry;
  readonly tokens: TokenIssuer | undefined;
  readonly withoutCredentials: WithoutCredentials;
  readonly authorizer: Authorizer;
  /** Emits when the server is closed. */
  readonly closed$: Observable<void>;
}

/** Subresources that are more than a part of their object. */
export function specialResources(
  registry: Registry,
  tools: WriteTools,
  { connectors, tokens, withoutCredentials, authorizer, closed$ }: SpecialPorts,
): ReadonlyMap<string, SpecialResource> {
  const { admission } = tools;
  const nodes = (): Endpoint => required(registry, '', 'nodes');
  const streams = { nodes, connectors, admission, authorizer, closed$ };
  const stream = (kind: StreamKind): SpecialResource => ({
    answer: (exchange, pods) => podStream(kind, pods, exchange, streams),
  });
  const budgets = (): Endpoint => required(registry, 'policy', 'poddisruptionbudgets');
  return new Map<string, SpecialResource>([
    ['any/scale', scaleSubresource(tools)],
    ['/pods/binding', { answer: (exchange, pods) => bind(pods, exchange, tools) }],
    ['/pods/log', { answer: (exchange, pods) => podLog(pods, exchange, { nodes, connectors }) }],
    ['/pods/exec', stream('exec')],
    ['/pods/attach', stream('attach')],
    ['/pods/portforward', stream('portforward')],
    [
      'any/proxy',
      {
        answer: (exchange, endpoint) => proxy(endpoint, exchange, { connectors, admission, withoutCredentials }),
      },
    ],
    [
      '/serviceaccounts/token',
      {
        answer: (exchange, accounts) =>
          issueToken(accounts, exchange, {
            issuer: tokens,
            tools,
            endpointOf: (resource) => required(registry, '', resource),
          }),
      },
    ],
    ['/pods/eviction', { answer: (exchange, pods) => evict(pods, budgets(), exchange, tools) }],
  ]);
}

/** Answers in the form that was asked for, with the table of the kind. */
function presented(registry: Registry, clock: Clock, resource: string, answer: VirtualResource): VirtualResource {
  return async (exchange) =>
    present(await answer(exchange), {
      endpoint: required(registry, '', resource),
      clock,
      options: () => exchange.request.options(),
    });
}

/** What resources without storage answer from. */
export interface VirtualParts {
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  /** For whom tokens are unless a review asks for others. */
  readonly audiences: readonly string[];
  readonly healthChecks: readonly HealthCheck[];
}

/** Resources without storage. */
export function virtualResources(
  registry: Registry,
  tools: WriteTools,
  { authenticator, authorizer, audiences, healthChecks }: VirtualParts,
): ReadonlyMap<string, VirtualResource> {
  const { kinds } = registry;
  return new Map<string, VirtualResource>([
    ['/bindings', (exchange) => bind(required(registry, '', 'pods'), exchange, tools)],
    ['/componentstatuses', presented(registry, tools.clock, 'componentstatuses', componentStatuses(healthChecks))],
    ...identityReviews(kinds, { authenticator, audiences, clock: tools.clock }),
    ...accessReviews(kinds, authorizer),
  ]);
}

function required(registry: Registry, group: string, resource: string): Endpoint {
  const endpoint = registry.endpoint({ group, version: 'v1', resource });
  if (endpoint === undefined) throw unknownResource();
  return endpoint;
}
