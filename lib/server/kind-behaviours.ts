// The table of what the server does for kinds besides storing them: subresources with their own behaviour,
// reservations, guards, and resources without storage. One entry per kind. What a kind decides without the server is
// its strategy (core/kinds).
import type { Observable } from 'rxjs';
import { rbacGroup } from '../auth/index.js';
import type { Authenticator, Authorizer, RbacRules, TokenIssuer } from '../auth/index.js';
import { unknownResource } from '../core/index.js';
import type { ApiObject, Kinds, ObjectReader, StreamKind } from '../core/index.js';
import type { HealthCheck } from './documents/health.js';
import { transformResponse } from './routing/transform-response.js';
import type { ResourceEndpoint } from './registry/endpoint.js';
import type { Registry } from './registry/registry.js';
import type { WithoutCredentials } from './access/without-credentials.js';
import { accessReviews } from './reviews/access-reviews.js';
import { componentStatuses } from './documents/health.js';
import { identityReviews } from './reviews/identity-reviews.js';
import type { SpecialResource, VirtualResource } from './routing/route.js';
import { bindingSubresource } from './subresources/binding.js';
import { evictionSubresource } from './subresources/eviction.js';
import type { ConnectorRegistry } from './subresources/node-connectors.js';
import { podLog } from './subresources/pod-log.js';
import { podStream } from './subresources/pod-streams.js';
import { proxy } from './subresources/proxy.js';
import { scaleResource } from './custom-resources/custom-scale.js';
import { nodeMetrics, podMetrics, resourceMetricsGroup } from './subresources/resource-metrics.js';
import type { ActionSubresource } from './subresources/action.js';
import { performAction } from './subresources/action.js';
import { tokenSubresource } from './subresources/token.js';
import { claimStatusGuard } from './access/claim-status-guard.js';
import { escalationGuard } from './access/escalation-guard.js';
import type { KindBehaviour, KindBehaviours, Reserving } from './writes/kind-behaviour.js';
import { policyBindingGuard, policyGroup, policyGuard } from './access/param-guard.js';
import type { WriteTools } from './writes/write.js';

/** Parts of the server that behaviours are created with. */
export interface BehaviourParts {
  readonly registry: Registry;
  readonly tools: WriteTools;
  readonly reader: ObjectReader;
  readonly kinds: Kinds;
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly rbac: RbacRules;
  /** Audiences of a TokenReview that names none. */
  readonly audiences: readonly string[];
  /** Undefined where the server issues no tokens. */
  readonly tokens: TokenIssuer | undefined;
  readonly connectors: ConnectorRegistry;
  /** Emits when the server is closed. */
  readonly closed$: Observable<void>;
  readonly withoutCredentials: WithoutCredentials;
  readonly healthChecks: readonly HealthCheck[];
  /** Components that run beside the server. */
  readonly components: readonly string[];
  /** Addresses and ports of Services. */
  readonly services: Reserving;
}

/** Returns the behaviours of the built-in kinds. */
export function kindBehaviours(parts: BehaviourParts): KindBehaviours {
  const { registry, tools, reader, kinds, authorizer, connectors, withoutCredentials, tokens, closed$ } = parts;
  const { admission } = tools;
  const coreEndpoint = (resource: string): ResourceEndpoint => requireEndpoint(registry, '', resource);
  const nodes = (): ResourceEndpoint => coreEndpoint('nodes');
  const slices = (): ResourceEndpoint => requireEndpoint(registry, 'discovery.k8s.io', 'endpointslices');
  const metrics = { nodes, pods: () => coreEndpoint('pods'), connectors };
  const streams = { nodes, connectors, admission, authorizer, closed$ };
  const stream = (kind: StreamKind): SpecialResource => ({
    answer: (exchange, pods) => podStream(kind, pods, exchange, streams),
  });
  const action = <Body extends ApiObject>(subresource: ActionSubresource<Body>): SpecialResource => ({
    answer: (exchange, endpoint) => performAction(subresource, endpoint, exchange, tools),
  });

  const escalation = escalationGuard(parts.rbac, authorizer);
  const policies = policyGuard(kinds, authorizer);
  const bindingsOf = (resource: string): KindBehaviour => policyBindingGuard(resource, reader, kinds, authorizer);
  const reviews = [...identityReviews(parts), ...accessReviews(parts)];

  return {
    shared: {
      scale: scaleResource(tools),
      proxy: {
        answer: (exchange, endpoint) =>
          proxy(endpoint, exchange, { connectors, admission, withoutCredentials, endpointOf: coreEndpoint, slices }),
      },
    },
    byResource: new Map<string, KindBehaviour>([
      [
        '/pods',
        {
          subresources: {
            binding: action(bindingSubresource),
            eviction: action(evictionSubresource(() => requireEndpoint(registry, 'policy', 'poddisruptionbudgets'))),
            log: { answer: (exchange, pods) => podLog(pods, exchange, { nodes, connectors }) },
            exec: stream('exec'),
            attach: stream('attach'),
            portforward: stream('portforward'),
          },
        },
      ],
      ['/bindings', { serve: legacyBindings(registry, tools) }],
      ['/services', parts.services],
      [
        '/serviceaccounts',
        {
          subresources: {
            token:
              tokens === undefined
                ? unknownSubresource
                : action(tokenSubresource({ issuer: tokens, endpointOf: coreEndpoint })),
          },
        },
      ],
      [`${resourceMetricsGroup}/nodes`, { serve: nodeMetrics(metrics) }],
      [`${resourceMetricsGroup}/pods`, { serve: podMetrics(metrics) }],
      ['/componentstatuses', { serve: componentStatusesOf(parts) }],
      ...['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'].map(
        (resource) => [`${rbacGroup}/${resource}`, escalation] as const,
      ),
      [`${policyGroup}/validatingadmissionpolicies`, policies],
      [`${policyGroup}/mutatingadmissionpolicies`, policies],
      [`${policyGroup}/validatingadmissionpolicybindings`, bindingsOf('validatingadmissionpolicies')],
      [`${policyGroup}/mutatingadmissionpolicybindings`, bindingsOf('mutatingadmissionpolicies')],
      ['resource.k8s.io/resourceclaims', claimStatusGuard(authorizer)],
      ...reviews.map(([resource, serve]) => [resource, { serve }] as const),
    ]),
  };
}

/** Finds the endpoint of a resource in version v1. Throws ApiError 404 where the scheme has none. */
function requireEndpoint(registry: Registry, group: string, resource: string): ResourceEndpoint {
  const endpoint = registry.endpoint({ group, version: 'v1', resource });
  if (endpoint === undefined) throw unknownResource();
  return endpoint;
}

const unknownSubresource: SpecialResource = {
  answer() {
    throw unknownResource();
  },
};

/** Serves `bindings` as a resource of its own, which binds the pod that the body names. */
function legacyBindings(registry: Registry, tools: WriteTools): VirtualResource {
  const gvr = { group: '', version: 'v1', resource: 'bindings' };
  return (exchange) =>
    performAction(bindingSubresource, { ...requireEndpoint(registry, '', 'pods'), gvr }, exchange, tools);
}

/** Serves `componentstatuses` in the requested form. */
function componentStatusesOf({ registry, tools, healthChecks, components }: BehaviourParts): VirtualResource {
  const serve = componentStatuses(healthChecks, components);
  return async (exchange) =>
    transformResponse(await serve(exchange), {
      endpoint: requireEndpoint(registry, '', 'componentstatuses'),
      clock: tools.clock,
      options: () => exchange.request.options(),
    });
}
