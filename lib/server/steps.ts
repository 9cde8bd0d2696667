// Authentication and authorization as steps of the pipeline: the host's authenticators and authorizers are asked in
// order, whatever form their answers have.
import { firstValueFrom, from } from 'rxjs';
import { administrator } from '../auth/index.js';
import type { AccessAttributes, Authenticated, Authenticator, Authorizer, Decision } from '../auth/index.js';
import type { ApiRequest, ApiResponse } from '../client/index.js';
import { accessDenied, errorText, internalError, unauthorized } from '../core/index.js';
import type { Frozen } from '../core/index.js';
import type { UserInfo } from '../core/types/index.js';
import { internalErrorText } from './documents/text-response.js';
import type { Pipeline, Step } from './pipeline.js';
import type { Exchange } from './requests/exchange.js';

/** Asks the authenticators in order. Without any, everybody is an administrator. */
export function authenticateStep(authenticators: readonly Authenticator[]): Pipeline['authenticate'] {
  if (authenticators.length === 0) return ({ user }) => user ?? administrator;
  return (request) => request.user ?? authenticated(authenticators, request);
}

/** Asks the authorizers in order; what nobody allows is refused. Without any, everything is allowed. */
export function authorizeStep(authorizers: readonly Authorizer[]): Step | undefined {
  if (authorizers.length === 0) return undefined;
  return async (exchange, next) => {
    const attributes = attributesOf(exchange);
    const outcome = await decide(authorizers, attributes).catch((error: unknown) => errorText(error));
    if (typeof outcome === 'string') {
      exchange.annotate('authorization.k8s.io/reason', 'internal error');
      return undecided(exchange.request, outcome);
    }
    const { decision, reason } = outcome;
    exchange.annotate('authorization.k8s.io/decision', decision === 'allow' ? 'allow' : 'forbid');
    exchange.annotate('authorization.k8s.io/reason', reason);
    if (decision !== 'allow') throw refused(attributes, reason);
    return next(exchange);
  };
}

/** The answer when nobody could say: bare text over the wire, as responsewriters.InternalError. */
function undecided({ uri }: ApiRequest, text: string): ApiResponse {
  if (uri === undefined) throw internalError(new Error(text));
  return internalErrorText(uri, text);
}

/** Rejects with ApiError 403 where nobody allows it. */
export async function authorize(authorizers: readonly Authorizer[], attributes: AccessAttributes): Promise<void> {
  const { decision, reason } = await decide(authorizers, attributes);
  if (decision !== 'allow') throw refused(attributes, reason);
}

/**
 * The first opinion of the authorizers; without one, the reasons of all. One that fails has no opinion; if nobody else
 * has one either, neither has this. As apiserver/pkg/authorization/union/union.go.
 */
export async function decide(authorizers: readonly Authorizer[], attributes: AccessAttributes): Promise<Decision> {
  const reasons: string[] = [];
  const failures: string[] = [];
  for (const authorizer of authorizers) {
    try {
      const opinion = await firstValueFrom(from(authorizer(attributes)), { defaultValue: noOpinion });
      if (opinion.decision !== 'noOpinion') return opinion;
      if (opinion.reason !== '') reasons.push(opinion.reason);
    } catch (error) {
      failures.push(errorText(error));
    }
  }
  if (failures.length > 0) throw new Error(failures.length === 1 ? failures[0] : `[${failures.join(', ')}]`);
  return { decision: 'noOpinion', reason: reasons.join('\n') };
}

const noOpinion: Decision = { decision: 'noOpinion', reason: '' };

/** What a request asks for. */
export function attributesOf({ request, user }: Exchange): AccessAttributes {
  return { user, ...request.info };
}

async function authenticated(authenticators: readonly Authenticator[], request: ApiRequest): Promise<Frozen<UserInfo>> {
  for (const authenticator of authenticators) {
    const found = await answerOf(authenticator, request);
    if (found !== undefined) return found.user;
  }
  throw unauthorized();
}

/** Wrong credentials are no credentials: the next authenticator may know better, and nobody is told why. */
async function answerOf(authenticator: Authenticator, request: ApiRequest): Promise<Authenticated | undefined> {
  try {
    return await firstValueFrom(from(authenticator(request)), { defaultValue: undefined });
  } catch {
    return undefined;
  }
}

/** ApiError 403, as it is told to who asked. */
export function refused({ user, verb, isResource, path, group, resource, subresource, namespace, name }: AccessAttributes, reason: string): Error {
  const { username: by = '' } = user;
  const request = isResource
    ? { user: by, verb, group, resource, subresource, namespace, ...(name !== '' && { name }) }
    : { user: by, verb, path };
  return accessDenied(request, reason);
}
