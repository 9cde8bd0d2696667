// Who is it? The authenticators are asked as they would be for a request with that token.
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
import { review } from './review.js';

/** What identities are reviewed with. */
export interface IdentityParts extends ReviewParts {
  readonly authenticator: Authenticator;
  /** For whom tokens are unless a review asks for others. */
  readonly audiences: readonly string[];
}

/** The reviews of identity, by `group/resource`. */
export function identityReviews(parts: IdentityParts): readonly (readonly [string, VirtualResource])[] {
  const { authenticator, audiences: apiAudiences, tools } = parts;
  const group = 'authentication.k8s.io';
  return [
    [
      `${group}/selfsubjectreviews`,
      review<SelfSubjectReview>(parts, { group, version: 'v1', kind: 'SelfSubjectReview' }, (question, { user }) => ({
        ...question,
        metadata: { creationTimestamp: printTime(tools.clock.now()) },
        status: { userInfo: user as UserInfo },
      })),
    ],
    [
      `${group}/tokenreviews`,
      review<TokenReview>(parts, { group, version: 'v1', kind: 'TokenReview' }, async (question) => {
        // A field that the type demands is still absent where a client leaves it out.
        const { token = '', audiences = [] } = question.spec as Partial<TokenReviewSpec>;
        if (token === '') throw badRequest('token is required for TokenReview in authentication');
        return {
          ...question,
          status: await tokenStatus(authenticator, token, audiences.length === 0 ? apiAudiences : audiences),
        };
      }),
    ],
  ];
}

async function tokenStatus(
  authenticator: Authenticator,
  token: string,
  asked: readonly string[],
): Promise<TokenReviewStatus> {
  const header = (name: string): string | undefined =>
    name.toLowerCase() === 'authorization' ? `Bearer ${token}` : undefined;
  const found = await answerOf(authenticator, { header, audiences: asked });
  if (found === undefined) return { user: {} };
  // A real server asks for the token of its own loopback client first, and tells of that too.
  if (found instanceof Error) return { user: {}, error: aggregateText(['invalid bearer token', errorText(found)]) };
  const { user, audiences = [] } = found;
  // An authenticator that knows of audiences has to mind them. One that does not, a host's own, is for whoever asks.
  if (asked.length > 0 && audiences.length > 0 && !audiences.some((each) => asked.includes(each)))
    throw internalError(new Error('error validating audiences'));
  return { authenticated: true, user: user as UserInfo, ...(audiences.length > 0 && { audiences: [...audiences] }) };
}

/** The error, where the credentials are wrong. */
async function answerOf(
  authenticator: Authenticator,
  credentials: Credentials,
): Promise<Authenticated | Error | undefined> {
  try {
    return await firstOf(authenticator(credentials), undefined);
  } catch (error) {
    return error instanceof Error ? error : new Error(errorText(error));
  }
}
