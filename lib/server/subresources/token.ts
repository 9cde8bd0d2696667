// token: credentials for a ServiceAccount. The request is checked here; making and signing the token is the issuer's, a
// port that authentication implements. Without one the subresource is not there. As
// pkg/registry/core/serviceaccount/storage/token.go and pkg/apis/authentication/validation.
import { badRequest, conflict, deepFreeze, fieldInvalid, fieldPath, invalid, notFound, unknownResource } from '../../core/index.js';
import type { FieldError, Frozen } from '../../core/index.js';
import type { ServiceAccount, TokenRequest } from '../../core/types/index.js';
import type { ApiResponse } from '../../client/index.js';
import { checkCreateOptions, fieldValidationOf } from '../requests/check-options.js';
import { decodeBody } from '../requests/decode-body.js';
import type { Exchange } from '../requests/exchange.js';
import { objectOffer } from '../requests/form.js';
import type { Endpoint } from '../registry/endpoint.js';
import { refOf } from '../registry/endpoint.js';
import type { Stored } from '../registry/stored-kind.js';

/** What a token shall say. */
export interface TokenSubject {
  readonly serviceAccount: Frozen<ServiceAccount>;
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
  /** The object with which the token ends. */
  readonly boundObject?: Stored;
}

/** Makes tokens. */
export interface TokenIssuer {
  /** For whom tokens are that name nobody. */
  readonly defaultAudiences: readonly string[];
  issue(subject: TokenSubject): Promise<{ readonly token: string; readonly expirationTimestamp: string }>;
}

/** Issues a token for the ServiceAccount that the path names. `endpointOf` finds the kinds a token can be bound to. */
export async function issueToken(accounts: Endpoint, exchange: Exchange, issuer: TokenIssuer | undefined, endpointOf: (resource: string) => Endpoint): Promise<ApiResponse> {
  if (issuer === undefined) throw unknownResource();
  const { request } = exchange;
  const { name, namespace } = request.info;
  const form = request.negotiate(objectOffer);
  const body = await request.body();
  const options = request.options();
  checkCreateOptions(options);
  const { object } = await decodeBody(body, { scheme: accounts.scheme, gvk, validation: fieldValidationOf(options) });
  exchange.recorder?.object(object);
  const asked = object as TokenRequest;
  const spec = { audiences: asked.spec?.audiences ?? [], expirationSeconds: asked.spec?.expirationSeconds ?? 3600 };
  refuse('', expirationErrors(spec.expirationSeconds));
  const { object: account } = await accounts.stored.cacher.get(accounts.stored.keyOf(namespace, name));
  if (account === undefined) throw notFound(refOf(accounts, name));
  refuse(name, identityErrors(asked, name, namespace));
  const bound = await boundObject(asked, namespace, endpointOf);
  const audiences = spec.audiences.length === 0 ? issuer.defaultAudiences : spec.audiences;
  const issued = await issuer.issue({ serviceAccount: account as Frozen<ServiceAccount>, audiences, expirationSeconds: spec.expirationSeconds, ...(bound && { boundObject: bound }) });
  const { uid = '', creationTimestamp = '' } = account.metadata ?? {};
  const answer = {
    kind: gvk.kind,
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { name, namespace, uid, creationTimestamp },
    spec: { audiences: [...audiences], expirationSeconds: spec.expirationSeconds, boundObjectRef: asked.spec?.boundObjectRef ?? null },
    status: issued,
  };
  return { type: 'object', code: 201, object: deepFreeze(answer), form };
}

const gvk = { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' };
const expirationSecondsMin = 600;
const expirationSecondsMax = 2 ** 32;

function expirationErrors(seconds: number): readonly FieldError[] {
  const path = fieldPath('spec', 'expirationSeconds');
  if (seconds < expirationSecondsMin) return [fieldInvalid(path, seconds, 'may not specify a duration less than 10 minutes')];
  return seconds > expirationSecondsMax ? [fieldInvalid(path, seconds, 'may not specify a duration larger than 2^32 seconds')] : [];
}

function identityErrors({ metadata = {} }: TokenRequest, name: string, namespace: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (metadata.name !== undefined && metadata.name !== name) errors.push(fieldInvalid(fieldPath('metadata', 'name'), metadata.name, 'must match the service account name if specified'));
  if (metadata.namespace !== undefined && metadata.namespace !== namespace) errors.push(fieldInvalid(fieldPath('metadata', 'namespace'), metadata.namespace, 'must match the service account namespace if specified'));
  return errors;
}

async function boundObject({ spec }: TokenRequest, namespace: string, endpointOf: (resource: string) => Endpoint): Promise<Stored | undefined> {
  const ref = spec?.boundObjectRef;
  if (ref === undefined) return undefined;
  const { kind = '', apiVersion = '', name = '', uid = '' } = ref;
  const resource = apiVersion === 'v1' ? bindable[kind] : undefined;
  if (resource === undefined) throw badRequest(`cannot bind token to object of type ${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`);
  const endpoint = endpointOf(resource);
  const { object } = await endpoint.stored.cacher.get(endpoint.stored.keyOf(namespace, name));
  if (object === undefined) throw notFound(refOf(endpoint, name));
  if (uid !== '' && uid !== object.metadata?.uid) {
    throw conflict(refOf(endpoint, name), `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`);
  }
  return object;
}

const bindable: Readonly<Record<string, string>> = { Pod: 'pods', Secret: 'secrets', Node: 'nodes' };

function refuse(name: string, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid(gvk, name, errors);
}
