// The one table of what the server does for its kinds beyond storing them: subresources with a behaviour of their own,
// reservations, guards, and resources that store nothing. One entry per kind; what a kind decides without the server
// is its strategy (core/kinds).
import type { Observable } from 'rxjs';
import { rbacGroup } from '../auth/index.js';
import type { Authenticator, Authorizer, RbacRules, TokenIssuer } from '../auth/index.js';
import type { StreamKind } from '../client/index.js';
import { unknownResource } from '../core/index.js';
import type { ApiObject, Kinds, ObjectReader } from '../core/index.js';
import type { HealthCheck } from './documents/health.js';
import { present } from './present.js';
import type { ResourceEndpoint } from './registry/endpoint.js';
import type { Registry } from './registry/registry.js';
import type { WithoutCredentials } from './requests/without-credentials.js';
import { accessReviews } from './reviews/access-reviews.js';
import { componentStatuses } from './reviews/component-statuses.js';
import { identityReviews } from './reviews/identity-reviews.js';
import type { SpecialResource, VirtualResource } from './routing/route.js';
import { bindingSubresource } from './subresources/binding.js';
import { evictionSubresource } from './subresources/eviction.js';
import type { ConnectorRegistry } from './subresources/node-connectors.js';
import { podLog } from './subresources/pod-log.js';
import { podStream } from './subresources/pod-streams.js';
import { proxy } from './subresources/proxy.js';
import { scaleSubresource } from './subresources/scale.js';
import type { ActionSubresource } from './subresources/subresource.js';
import { performAction, viewResource } from './subresources/subresource.js';
import { tokenSubresource } from './subresources/token.js';
import { claimStatusGuard } from './writes/claim-status-guard.js';
import { escalationGuard } from './writes/escalation-guard.js';
import type { KindBehaviour, KindBehaviours, Reserving } from './writes/kind-behaviour.js';
import { policyBindingGuard, policyGroup, policyGuard } from './writes/param-guard.js';
import type { WriteTools } from './writes/write.js';

/** The parts of the server that behaviours are made of. */
export interface BehaviourParts {
  readonly registry: Registry;
  readonly tools: WriteTools;
  readonly reader: ObjectReader;
  readonly kinds: Kinds;
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly rbac: RbacRules;
  /** Audiences of tokens that a review names none for. */
  readonly audiences: readonly string[];
  /** Undefined where the server issues no tokens. */
  readonly tokens: TokenIssuer | undefined;
  readonly connectors: ConnectorRegistry;
  /** Emits when the server is closed. */
  readonly closed$: Observable<void>;
  readonly withoutCredentials: WithoutCredentials;
  readonly healthChecks: readonly HealthCheck[];
  /** Addresses and ports of Services. */
  readonly services: Reserving;
}

/** The behaviours of the built-in kinds. */
export function kindBehaviours(parts: BehaviourParts): KindBehaviours {
  const { registry, tools, reader, kinds, authorizer, connectors, withoutCredentials, tokens, closed$ } = parts;
  const { admission } = tools;
  const coreEndpoint = (resource: string): ResourceEndpoint => required(registry, '', resource);
  const nodes = (): ResourceEndpoint => coreEndpoint('nodes');
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
      scale: viewResource(scaleSubresource, tools),
      proxy: {
        answer: (exchange, endpoint) => proxy(endpoint, exchange, { connectors, admission, withoutCredentials }),
      },
    },
    byResource: new Map<string, KindBehaviour>([
      [
        '/pods',
        {
          subresources: {
            binding: action(bindingSubresource),
            eviction: action(evictionSubresource(() => required(registry, 'policy', 'poddisruptionbudgets'))),
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
              tokens === undefined ? missing : action(tokenSubresource({ issuer: tokens, endpointOf: coreEndpoint })),
          },
        },
      ],
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
function required(registry: Registry, group: string, resource: string): ResourceEndpoint {
  const endpoint = registry.endpoint({ group, version: 'v1', resource });
  if (endpoint === undefined) throw unknownResource();
  return endpoint;
}

const missing: SpecialResource = {
  answer() {
    throw unknownResource();
  },
};

/** Bindings as a resource of their own, which write the pods that they name. */
function legacyBindings(registry: Registry, tools: WriteTools): VirtualResource {
  const gvr = { group: '', version: 'v1', resource: 'bindings' };
  return (exchange) => performAction(bindingSubresource, { ...required(registry, '', 'pods'), gvr }, exchange, tools);
}

/** Responds in the form that was requested, with the table of the kind. */
function componentStatusesOf({ registry, tools, healthChecks }: BehaviourParts): VirtualResource {
  const serve = componentStatuses(healthChecks);
  return async (exchange) =>
    present(await serve(exchange), {
      endpoint: required(registry, '', 'componentstatuses'),
      clock: tools.clock,
      options: () => exchange.request.options(),
    });
}
