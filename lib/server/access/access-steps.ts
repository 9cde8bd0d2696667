// Authentication and authorization as steps of the pipeline. Authenticators and authorizers of the host may return
// values, promises or observables.
import { administrator } from '../../auth/index.js';
import type {
  AccessAttributes,
  Authenticated,
  Authenticator,
  Authorizer,
  ClientCertificate,
  Credentials,
  Decision,
} from '../../auth/index.js';
import type { ApiRequest, ApiResponse } from '../../core/index.js';
import { readSelectors, selectingVerbs } from './access-selectors.js';
import { accessDenied, firstOf, internalError, settle, unauthorized } from '../../core/index.js';
import { internalErrorText } from '../documents/text-response.js';
import type { Answer, Pipeline, Serve, Step, Exchange } from '../pipeline.js';

/**
 * Returns the step that authenticates a request. Without an authenticator every request runs as an administrator.
 * Credentials that name audiences must name one of `audiences`.
 */
export function authenticateStep(
  authenticator: Authenticator | undefined,
  audiences: readonly string[],
): Pipeline['authenticate'] {
  if (authenticator === undefined) return ({ user }) => (user === undefined ? asAdministrator : { user });
  return (request) =>
    request.user === undefined ? authenticated(authenticator, request, audiences) : { user: request.user };
}

const asAdministrator: Authenticated = Object.freeze({ user: administrator });

/**
 * Returns the step that authorizes a request; a request that no authorizer allows is refused. Without an authorizer
 * everything is allowed.
 */
export function authorizeStep(authorizer: Authorizer | undefined): Step | undefined {
  if (authorizer === undefined) return undefined;
  return (exchange, next) => {
    const attributes = attributesOf(exchange);
    const outcome = decide(authorizer, attributes);
    return outcome instanceof Promise
      ? outcome.then((decision) => passOn(decision, attributes, exchange, next))
      : passOn(outcome, attributes, exchange, next);
  };
}

function passOn(
  { decision, reason, error }: Decision,
  attributes: AccessAttributes,
  exchange: Exchange,
  next: Serve,
): Answer {
  if (decision !== 'allow' && error !== undefined) {
    exchange.annotate('authorization.k8s.io/reason', 'internal error');
    return authorizationFailure(exchange.request, error);
  }
  exchange.annotate('authorization.k8s.io/decision', decision === 'allow' ? 'allow' : 'forbid');
  exchange.annotate('authorization.k8s.io/reason', reason);
  if (decision !== 'allow') {
    forbidSniffing(exchange);
    throw refused(attributes, reason);
  }
  return next(exchange);
}

/**
 * Adds `nosniff`: the message of a refusal contains text of the request, which browsers must not interpret as HTML. As
 * responsewriters.Forbidden.
 */
export function forbidSniffing(exchange: Exchange): void {
  exchange.headers = [...(exchange.headers ?? []), 'X-Content-Type-Options', 'nosniff'];
}

/** The response when authorizers failed: plain text over the wire, as responsewriters.InternalError. */
function authorizationFailure({ uri }: ApiRequest, text: string): ApiResponse {
  if (uri === undefined) throw internalError(new Error(text));
  return internalErrorText(uri, text);
}

/** Rejects with ApiError 403 where no authorizer allows the request, with 500 where authorizers failed. */
export async function authorize(authorizer: Authorizer, attributes: AccessAttributes): Promise<void> {
  const { decision, reason, error } = await decide(authorizer, attributes);
  if (decision === 'allow') return;
  if (error !== undefined) throw internalError(new Error(error));
  throw refused(attributes, reason);
}

/** Returns the decision of an authorizer; `noOpinion` where it emits none. */
export function decide(authorizer: Authorizer, attributes: AccessAttributes): Decision | Promise<Decision> {
  return firstOf(authorizer(attributes), noOpinion);
}

const noOpinion: Decision = { decision: 'noOpinion', reason: '' };

/** Returns the attributes of a request that authorizers decide about. */
export function attributesOf({ request, user }: Exchange): AccessAttributes {
  const { info } = request;
  // Options from the wire may be invalid, which must not be reported to a user who is not allowed to make the request.
  // The wire passes the texts of selectors with the info instead.
  const texts = request.uri === undefined && selectingVerbs.has(info.verb) ? request.options() : info.selectorTexts;
  const selectors = texts === undefined ? undefined : readSelectors(texts);
  return selectors === undefined ? { user, ...info } : { user, ...info, selectors };
}

/** Authenticates a request. Throws or rejects with ApiError 401 for invalid credentials, without the reason. */
function authenticated(
  authenticator: Authenticator,
  request: ApiRequest,
  audiences: readonly string[],
): Authenticated | Promise<Authenticated> {
  const credentials = new RequestCredentials(request, audiences);
  const refuse = (): never => {
    if (credentials.warnings !== undefined) request.addNotes?.({ warnings: credentials.warnings });
    throw unauthorized();
  };
  const known = (found: Authenticated | undefined): Authenticated => {
    if (found === undefined) return refuse();
    return credentials.warnings === undefined
      ? found
      : { ...found, warnings: [...(found.warnings ?? []), ...credentials.warnings] };
  };
  return settle(() => identify(authenticator, credentials), known, refuse);
}

/** The credentials of a request, read from it when an authenticator requests them. */
class RequestCredentials implements Credentials {
  readonly audiences: readonly string[];
  /** Warnings of authenticators to the client; undefined without any. */
  warnings: readonly string[] | undefined;
  readonly #request: ApiRequest & Pick<Credentials, 'certificate'>;

  constructor(request: ApiRequest, audiences: readonly string[]) {
    this.#request = request;
    this.audiences = audiences;
  }

  get path(): string {
    return this.#request.info.path;
  }

  get certificate(): ClientCertificate | undefined {
    return this.#request.certificate;
  }

  header(name: string): string | undefined {
    return this.#request.header(name);
  }

  headersWith(prefix: string): readonly (readonly [name: string, value: string])[] {
    return this.#request.headersWith?.(prefix) ?? [];
  }

  warn(text: string): void {
    this.warnings = [...(this.warnings ?? []), text];
  }
}

/**
 * Returns the user that credentials name; undefined where they are for other audiences than those requested. Throws or
 * rejects where they are invalid.
 */
export function identify(
  authenticator: Authenticator,
  credentials: Credentials,
): Authenticated | undefined | Promise<Authenticated | undefined> {
  const forAudience = (found: Authenticated | undefined): Authenticated | undefined =>
    sharesAudience(found?.audiences, credentials.audiences) ? found : undefined;
  const found = firstOf(authenticator(credentials), undefined);
  return found instanceof Promise ? found.then(forAudience) : forAudience(found);
}

function sharesAudience(audiences: readonly string[] = [], accepted: readonly string[] = []): boolean {
  return accepted.length === 0 || audiences.length === 0 || audiences.some((each) => accepted.includes(each));
}

/** Returns ApiError 403 in Kubernetes' words. */
export function refused(
  { user, verb, isResource, path, group, resource, subresource, namespace, name }: AccessAttributes,
  reason: string,
): Error {
  const { username = '' } = user;
  const request = isResource
    ? { user: username, verb, group, resource, subresource, namespace, ...(name !== '' && { name }) }
    : { user: username, verb, path };
  return accessDenied(request, reason);
}
