// token: credentials for a ServiceAccount. The request is checked here and the objects it names are found; making and
// signing the token is the issuer's, a port that authentication implements. Without one the subresource is not there.
// As pkg/registry/core/serviceaccount/storage/token.go and pkg/apis/authentication/validation.
import {
  conflict,
  deepFreeze,
  fieldInvalid,
  fieldPath,
  invalid,
  notFound,
  printTime,
  unknownResource,
} from '../../core/index.js';
import type { FieldError, Frozen } from '../../core/index.js';
import type { ServiceAccount, TokenRequest } from '../../core/types/index.js';
import type { TokenIssuer } from '../../auth/index.js';
import type { ApiResponse } from '../../client/index.js';
import { checkCreateOptions, fieldValidationOf } from '../requests/check-options.js';
import { decodeBody } from '../requests/decode-body.js';
import type { Exchange } from '../requests/exchange.js';
import { objectOffer } from '../requests/form.js';
import type { Endpoint } from '../registry/endpoint.js';
import { refOf } from '../registry/endpoint.js';
import { ensureNamespace } from '../writes/metadata.js';
import type { WriteTools } from '../writes/write.js';
import { Write } from '../writes/write.js';
import { boundObject } from './bound-object.js';

/** What tokens are issued with. */
export interface TokenParts {
  readonly issuer: TokenIssuer | undefined;
  readonly tools: WriteTools;
  /** Finds the kinds that a token can be bound to. */
  endpointOf(resource: string): Endpoint;
}

/** Issues a token for the ServiceAccount that the path names. */
export async function issueToken(accounts: Endpoint, exchange: Exchange, parts: TokenParts): Promise<ApiResponse> {
  const { issuer, tools } = parts;
  if (issuer === undefined) throw unknownResource();
  const { request } = exchange;
  const { name, namespace } = request.info;
  const form = request.negotiate(objectOffer);
  const body = await request.body();
  const options = request.options();
  checkCreateOptions(options);
  const { object, warnings } = await decodeBody(body, {
    scheme: accounts.scheme,
    gvk,
    validation: fieldValidationOf(options),
  });
  for (const warning of warnings) exchange.warn(warning);
  exchange.recorder?.object(object);
  ensureNamespace(object, namespace, accounts.stored);
  const write = new Write(accounts, exchange, options, tools, { gvk, fromHub: (same) => same });
  // The decoder made it what the scheme says it is.
  const asked = (await write.mutate('CREATE', object)) as TokenRequest;
  refuse(name, nameErrors(asked, name));
  const account = await accountOf(accounts, namespace, name);
  const whole = completed(asked, account, issuer, write.context.now);
  const { audiences = [], expirationSeconds = 0, boundObjectRef } = whole.spec;
  refuse('', expirationErrors(expirationSeconds));
  await write.admit('CREATE', whole);
  const boundTo =
    boundObjectRef &&
    (await boundObject(boundObjectRef, {
      account: name,
      namespace,
      endpointOf: (resource) => parts.endpointOf(resource),
    }));
  const issued = await issuer.issue({
    serviceAccount: account,
    audiences,
    expirationSeconds,
    ...(boundTo && { boundTo }),
  });
  for (const warning of issued.warnings ?? []) exchange.warn(warning);
  exchange.annotate('authentication.kubernetes.io/issued-credential-id', issued.credentialId);
  const answer = {
    kind: gvk.kind,
    apiVersion: 'authentication.k8s.io/v1',
    metadata: whole.metadata,
    spec: { audiences, expirationSeconds: issued.expirationSeconds, boundObjectRef: boundObjectRef ?? null },
    status: { token: issued.token, expirationTimestamp: issued.expirationTimestamp },
  };
  return { type: 'object', code: 201, object: deepFreeze(answer), form };
}

const gvk = { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' };
const expirationSecondsDefault = 3600;
const expirationSecondsMin = 600;
const expirationSecondsMax = 2 ** 32;

async function accountOf(accounts: Endpoint, namespace: string, name: string): Promise<Frozen<ServiceAccount>> {
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
 * The request with what it leaves out: for whom, how long, and whose identity it takes. Throws ApiError 409 where it
 * means an account that has gone.
 */
function completed(
  asked: TokenRequest,
  { metadata: { name = '', namespace = '', uid = '' } = {} }: Frozen<ServiceAccount>,
  issuer: TokenIssuer,
  now: number,
): TokenRequest & Required<Pick<TokenRequest, 'metadata' | 'spec'>> {
  const { uid: own = '' } = asked.metadata ?? {};
  if (own !== '' && own !== uid) {
    throw conflict(
      { group: gvk.group, resource: gvk.kind, name },
      `the UID in the token request (${own}) does not match the UID of the service account (${uid})`,
    );
  }
  const { audiences = [], expirationSeconds = expirationSecondsDefault } = asked.spec ?? {};
  const { status: _unasked, ...rest } = asked;
  // First for its place in the answer, then again for its values.
  const identity = { name, namespace, uid, creationTimestamp: printTime(now) };
  return {
    ...rest,
    metadata: { ...identity, ...asked.metadata, ...identity },
    spec: {
      ...asked.spec,
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
