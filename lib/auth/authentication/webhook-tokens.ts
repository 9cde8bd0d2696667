// Bearer tokens that somebody else knows: a webhook is asked for a TokenReview. Nothing is kept here; a host puts
// `cachedTokens` of `vivarium/auth/node` around it, for two minutes as a kube-apiserver does.
// As apiserver/plugin/pkg/authenticator/token/webhook/webhook.go.
import { deepFreeze } from '../../core/index.js';
import type { TokenReviewStatus, UserInfo } from '../../core/types/index.js';
import type { WebhookCall } from '../../webhook/index.js';
import type { Authenticated, TokenAuthenticator } from '../authenticator.js';
import { reviewToken } from '../review-call.js';
import type { ReviewVersion } from '../review-call.js';
import { AuthenticationError } from './authentication-error.js';

/** How to ask. */
export interface WebhookTokensOptions {
  /** Default v1beta1, as `--authentication-token-webhook-version`. */
  readonly version?: ReviewVersion;
  /** For whom tokens are that the webhook names no audiences for: the server's own (`--api-audiences`). */
  readonly audiences?: readonly string[];
}

/** Knows the users that the webhook knows. The call brings its own deadline and retries. */
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

/** A token for others is nobody's here, whatever else the webhook says of it. */
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
 * Who the user is goes along with everything that the user does, into caches, audit events and further webhooks: there
 * is a limit to it. Nobody is without a name.
 */
function believed(user: UserInfo): UserInfo {
  if ((user.username ?? '') === '') throw new AuthenticationError('the webhook authenticated a user without a name');
  if (JSON.stringify(user).length > userLengthMax)
    throw new AuthenticationError(`the webhook said more than ${userLengthMax} characters about a user`);
  return user;
}

/** Thousands of groups. */
const userLengthMax = 256 * 1024;
