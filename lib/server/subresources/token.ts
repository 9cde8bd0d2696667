// token: issues a token for a ServiceAccount. The request is checked and its objects are found here; a TokenIssuer
// (lib/auth) creates and signs the token. Without an issuer the subresource does not exist. As
// pkg/registry/core/serviceaccount/storage/token.go and pkg/apis/authentication/validation.
import { conflict, deepFreeze, fieldInvalid, fieldPath, invalid, notFound, printTime } from '../../core/index.js';
import type { FieldError, Frozen } from '../../core/index.js';
import type { ServiceAccount, TokenRequest } from '../../core/types/index.js';
import type { TokenIssuer } from '../../auth/index.js';
import type { ResourceEndpoint } from '../registry/endpoint.js';
import { refOf } from '../registry/endpoint.js';
import { boundObject } from './bound-object.js';
import type { ActionSubresource } from './action.js';

/** Dependencies of the subresource. */
export interface TokenParts {
  readonly issuer: TokenIssuer;
  /** Returns the endpoint of a kind that a token can be bound to. */
  endpointOf(resource: string): ResourceEndpoint;
}

/** Issues a token for the ServiceAccount that the path names. */
export function tokenSubresource(parts: TokenParts): ActionSubresource<TokenRequest> {
  const { issuer } = parts;
  return {
    kind: gvk,
    async complete(request, { exchange, endpoint, context }) {
      const { name, namespace } = exchange.request.info;
      refuse(name, nameErrors(request, name));
      const whole = completed(request, await accountOf(endpoint, namespace, name), issuer, context.now);
      refuse('', expirationErrors(whole.spec.expirationSeconds ?? 0));
      return whole;
    },
    async perform({ metadata = {}, spec }, { exchange, endpoint }) {
      const { name, namespace } = exchange.request.info;
      const { audiences = [], expirationSeconds = 0, boundObjectRef } = spec ?? {};
      const boundTo =
        boundObjectRef &&
        (await boundObject(boundObjectRef, {
          account: name,
          namespace,
          endpointOf: (resource) => parts.endpointOf(resource),
        }));
      const issued = await issuer.issue({
        serviceAccount: await accountOf(endpoint, namespace, name),
        audiences,
        expirationSeconds,
        ...(boundTo && { boundTo }),
      });
      for (const warning of issued.warnings ?? []) exchange.warn(warning);
      exchange.annotate('authentication.kubernetes.io/issued-credential-id', issued.credentialId);
      return deepFreeze<object>({
        kind: gvk.kind,
        apiVersion: 'authentication.k8s.io/v1',
        metadata,
        spec: { audiences, expirationSeconds: issued.expirationSeconds, boundObjectRef: boundObjectRef ?? null },
        status: { token: issued.token, expirationTimestamp: issued.expirationTimestamp },
      });
    },
  };
}

const gvk = { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' };
const expirationSecondsDefault = 3600;
const expirationSecondsMin = 600;
const expirationSecondsMax = 2 ** 32;

async function accountOf(accounts: ResourceEndpoint, namespace: string, name: string): Promise<Frozen<ServiceAccount>> {
  const { object } = await accounts.stored.cacher.get(accounts.stored.keyOf(namespace, name));
  if (object === undefined) throw notFound(refOf(accounts, name));
  return object as Frozen<ServiceAccount>;
}

function nameErrors({ metadata: { name: own = '' } = {} }: TokenRequest, name: string): readonly FieldError[] {
  return own === '' || own === name
    ? []
    : [fieldInvalid(fieldPath('metadata', 'name'), own, 'must match the service account name if specified')];
}

/**
 * Completes the request with audiences, expiration and the identity of the account. Throws ApiError 409 where it names
 * another uid.
 */
function completed(
  request: TokenRequest,
  { metadata: { name = '', namespace = '', uid = '' } = {} }: Frozen<ServiceAccount>,
  issuer: TokenIssuer,
  now: number,
): TokenRequest & Required<Pick<TokenRequest, 'metadata' | 'spec'>> {
  const { uid: own = '' } = request.metadata ?? {};
  if (own !== '' && own !== uid) {
    throw conflict(
      { group: gvk.group, resource: gvk.kind, name },
      `the UID in the token request (${own}) does not match the UID of the service account (${uid})`,
    );
  }
  const { audiences = [], expirationSeconds = expirationSecondsDefault } = request.spec ?? {};
  const { status: _ignored, ...rest } = request;
  // Spread twice: first for the order of members, then for the values.
  const identity = { name, namespace, uid, creationTimestamp: printTime(now) };
  return {
    ...rest,
    metadata: { ...identity, ...request.metadata, ...identity },
    spec: {
      ...request.spec,
      audiences: audiences.length === 0 ? [...issuer.defaultAudiences] : audiences,
      expirationSeconds,
    },
  };
}

function expirationErrors(seconds: number): readonly FieldError[] {
  const path = fieldPath('spec', 'expirationSeconds');
  if (seconds < expirationSecondsMin)
    return [fieldInvalid(path, seconds, 'may not specify a duration less than 10 minutes')];
  return seconds > expirationSecondsMax
    ? [fieldInvalid(path, seconds, 'may not specify a duration larger than 2^32 seconds')]
    : [];
}

function refuse(name: string, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid(gvk, name, errors);
}
