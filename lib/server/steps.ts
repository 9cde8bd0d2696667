// Authentication and authorization as steps of the pipeline: the host's authenticators and authorizers are asked,
// whatever form their answers have.
import { administrator } from '../auth/index.js';
import type {
  AccessAttributes,
  Authenticated,
  Authenticator,
  Authorizer,
  ClientCertificate,
  Credentials,
  Decision,
} from '../auth/index.js';
import type { ApiRequest, ApiResponse } from '../client/index.js';
import { readSelectors, selectingVerbs } from './access-selectors.js';
import { accessDenied, firstOf, internalError, settle, unauthorized } from '../core/index.js';
import { internalErrorText } from './documents/text-response.js';
import type { Answer, Pipeline, Serve, Step } from './pipeline.js';
import type { Exchange } from './requests/exchange.js';

/**
 * Asks who it is. Without an authenticator everybody is an administrator. Credentials have to be for one of
 * `audiences`, if they say for whom they are.
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

/** Asks whether it is allowed; what nobody allows is refused. Without an authorizer everything is allowed. */
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
    return undecided(exchange.request, error);
  }
  exchange.annotate('authorization.k8s.io/decision', decision === 'allow' ? 'allow' : 'forbid');
  exchange.annotate('authorization.k8s.io/reason', reason);
  if (decision !== 'allow') {
    forbidSniffing(exchange);
    throw refused(attributes, reason);
  }
  return next(exchange);
}

/** The answer names what was asked for, which nobody shall take for a page. As responsewriters.Forbidden. */
export function forbidSniffing(exchange: Exchange): void {
  exchange.headers = [...(exchange.headers ?? []), 'X-Content-Type-Options', 'nosniff'];
}

/** The answer when nobody could say: bare text over the wire, as responsewriters.InternalError. */
function undecided({ uri }: ApiRequest, text: string): ApiResponse {
  if (uri === undefined) throw internalError(new Error(text));
  return internalErrorText(uri, text);
}

/** Rejects with ApiError 403 where nobody allows it. */
export async function authorize(authorizer: Authorizer, attributes: AccessAttributes): Promise<void> {
  const { decision, reason, error } = await decide(authorizer, attributes);
  if (decision === 'allow') return;
  if (error !== undefined) throw internalError(new Error(error));
  throw refused(attributes, reason);
}

/** What an authorizer answers; one that answers nothing has no opinion. */
export function decide(authorizer: Authorizer, attributes: AccessAttributes): Decision | Promise<Decision> {
  return firstOf(authorizer(attributes), noOpinion);
}

const noOpinion: Decision = { decision: 'noOpinion', reason: '' };

/** What a request asks for. */
export function attributesOf({ request, user }: Exchange): AccessAttributes {
  const { info } = request;
  // Options from the wire may make no sense, of which nobody is told who may not ask: there the texts come with the
  // info.
  const texts = request.uri === undefined && selectingVerbs.has(info.verb) ? request.options() : info.selectorTexts;
  const selectors = texts === undefined ? undefined : readSelectors(texts);
  return selectors === undefined ? { user, ...info } : { user, ...info, selectors };
}

/** Wrong credentials are no user, and nobody is told why. */
function authenticated(
  authenticator: Authenticator,
  request: ApiRequest,
  audiences: readonly string[],
): Authenticated | Promise<Authenticated> {
  const credentials = new RequestCredentials(request, audiences);
  const refuse = (): never => {
    if (credentials.warnings !== undefined) request.tell?.({ warnings: credentials.warnings });
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

/** What a request proves itself with; nothing is looked at before somebody asks. */
class RequestCredentials implements Credentials {
  readonly audiences: readonly string[];
  /** What authenticators told the client; undefined where that is nothing. */
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

/** Who the credentials name, if they are for one of the audiences asked for. Throws or rejects where they are wrong. */
export function identify(
  authenticator: Authenticator,
  credentials: Credentials,
): Authenticated | undefined | Promise<Authenticated | undefined> {
  const meant = (found: Authenticated | undefined): Authenticated | undefined =>
    isMeant(found?.audiences, credentials.audiences) ? found : undefined;
  const found = firstOf(authenticator(credentials), undefined);
  return found instanceof Promise ? found.then(meant) : meant(found);
}

function isMeant(audiences: readonly string[] = [], wanted: readonly string[] = []): boolean {
  return wanted.length === 0 || audiences.length === 0 || audiences.some((each) => wanted.includes(each));
}

/** ApiError 403, as it is told to who asked. */
export function refused(
  { user, verb, isResource, path, group, resource, subresource, namespace, name }: AccessAttributes,
  reason: string,
): Error {
  const { username: by = '' } = user;
  const request = isResource
    ? { user: by, verb, group, resource, subresource, namespace, ...(name !== '' && { name }) }
    : { user: by, verb, path };
  return accessDenied(request, reason);
}
