// Authenticates bearer tokens with a TokenReview webhook. Results are not cached here; wrap it in `cachedTokens` of
// `vivarium/auth/node`, with two minutes as kube-apiserver does. As
// apiserver/plugin/pkg/authenticator/token/webhook/webhook.go.
import { deepFreeze } from '../../core/index.js';
import type { TokenReviewStatus, UserInfo } from '../../core/types/index.js';
import type { WebhookCall } from '../../webhook/index.js';
import type { Authenticated, TokenAuthenticator } from '../authenticator.js';
import { reviewToken } from '../review-call.js';
import type { ReviewVersion } from '../review-call.js';
import { AuthenticationError } from './authentication-error.js';

/** Options of webhook tokens. */
export interface WebhookTokensOptions {
  /** Version of the TokenReview. Default v1beta1, as `--authentication-token-webhook-version`. */
  readonly version?: ReviewVersion;
  /** Audiences of tokens for which the webhook returns none: the server's own (`--api-audiences`). */
  readonly audiences?: readonly string[];
}

/** Authenticates the users that the webhook returns. Time limit and retries are those of `call`. */
export function webhookTokens(
  call: WebhookCall,
  { version = 'v1beta1', audiences: implicit = [] }: WebhookTokensOptions = {},
): TokenAuthenticator {
  return async (token, wanted) => {
    const status = await reviewToken(call, version, {
      token,
      ...(wanted !== undefined && wanted.length > 0 && { audiences: wanted }),
    });
    return answerOf(status, wanted, implicit);
  };
}

/** Returns undefined for a token of other audiences, whatever else the status says. */
function answerOf(
  status: TokenReviewStatus,
  wanted: readonly string[] | undefined,
  implicit: readonly string[],
): Authenticated | undefined {
  const { authenticated = false, user = {}, audiences: given = [], error = '' } = status;
  const audiences = wanted?.filter((each) => (given.length > 0 ? given : implicit).includes(each));
  if (audiences?.length === 0) return undefined;
  if (!authenticated) {
    if (error === '') return undefined;
    throw new AuthenticationError(error.slice(0, errorMax));
  }
  return deepFreeze({ user: believed(user), ...(audiences && { audiences }) });
}

const errorMax = 2048;

/**
 * Checks the returned user. It is part of every later cache entry, audit event and webhook request, so its size is
 * limited; an empty name is rejected.
 */
function believed(user: UserInfo): UserInfo {
  if ((user.username ?? '') === '') throw new AuthenticationError('the webhook authenticated a user without a name');
  if (JSON.stringify(user).length > userLengthMax)
    throw new AuthenticationError(`the webhook said more than ${userLengthMax} characters about a user`);
  return user;
}

/** Enough for thousands of groups. */
const userLengthMax = 256 * 1024;
