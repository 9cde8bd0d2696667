// Identity reviews: the authenticators decide as they would for a request with that token.
// As pkg/registry/authentication.
import { aggregateText, badRequest, errorText, firstOf, internalError, printTime } from '../../core/index.js';
import type {
  SelfSubjectReview,
  TokenReview,
  TokenReviewSpec,
  TokenReviewStatus,
  UserInfo,
} from '../../core/types/index.js';
import type { Authenticated, Authenticator, Credentials } from '../../auth/index.js';
import type { VirtualResource } from '../routing/route.js';
import type { ReviewParts } from './review.js';
import { reviewResource } from './review.js';

/** Dependencies of identity reviews. */
export interface IdentityParts extends ReviewParts {
  readonly authenticator: Authenticator;
  /** Audiences of a TokenReview that names none. */
  readonly audiences: readonly string[];
}

/** The reviews of identity, by `group/resource`. */
export function identityReviews(parts: IdentityParts): readonly (readonly [string, VirtualResource])[] {
  const { authenticator, audiences: apiAudiences, tools } = parts;
  const group = 'authentication.k8s.io';
  return [
    [
      `${group}/selfsubjectreviews`,
      reviewResource<SelfSubjectReview>(
        parts,
        { group, version: 'v1', kind: 'SelfSubjectReview' },
        (review, { user }) => ({
          ...review,
          metadata: { creationTimestamp: printTime(tools.clock.now()) },
          status: { userInfo: user as UserInfo },
        }),
      ),
    ],
    [
      `${group}/tokenreviews`,
      reviewResource<TokenReview>(parts, { group, version: 'v1', kind: 'TokenReview' }, async (review) => {
        // The type requires the field, but a client may omit it.
        const { token = '', audiences = [] } = review.spec as Partial<TokenReviewSpec>;
        if (token === '') throw badRequest('token is required for TokenReview in authentication');
        return {
          ...review,
          status: await tokenStatus(authenticator, token, audiences.length === 0 ? apiAudiences : audiences),
        };
      }),
    ],
  ];
}

async function tokenStatus(
  authenticator: Authenticator,
  token: string,
  audiencesRequested: readonly string[],
): Promise<TokenReviewStatus> {
  const header = (name: string): string | undefined =>
    name.toLowerCase() === 'authorization' ? `Bearer ${token}` : undefined;
  const found = await tryAuthenticate(authenticator, { header, audiences: audiencesRequested });
  if (found === undefined) return { user: {} };
  // A real server also tries the authenticator of its loopback client, whose error comes first.
  if (found instanceof Error) return { user: {}, error: aggregateText(['invalid bearer token', errorText(found)]) };
  const { user, audiences = [] } = found;
  // An authenticator that supports audiences must return one that was requested. One of the host that returns none is
  // accepted for any.
  if (
    audiencesRequested.length > 0 &&
    audiences.length > 0 &&
    !audiences.some((each) => audiencesRequested.includes(each))
  )
    throw internalError(new Error('error validating audiences'));
  return { authenticated: true, user: user as UserInfo, ...(audiences.length > 0 && { audiences: [...audiences] }) };
}

/** Returns the error where the credentials are invalid. */
async function tryAuthenticate(
  authenticator: Authenticator,
  credentials: Credentials,
): Promise<Authenticated | Error | undefined> {
  try {
    return await firstOf(authenticator(credentials), undefined);
  } catch (error) {
    return error instanceof Error ? error : new Error(errorText(error));
  }
}
