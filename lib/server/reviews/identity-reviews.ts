// Who is it? The authenticators are asked as they would be for a request with that token.
// As pkg/registry/authentication.
import { badRequest, errorText, printTime } from '../../core/index.js';
import type { Clock, Scheme } from '../../core/index.js';
import type { SelfSubjectReview, TokenReview, TokenReviewStatus, UserInfo } from '../../core/types/index.js';
import type { Authenticator } from '../../auth/index.js';
import type { VirtualResource } from '../serve.js';
import { identify } from '../steps.js';
import { review } from './review.js';

/** What identities are reviewed with. */
export interface IdentityParts {
  readonly authenticator: Authenticator;
  /** For whom tokens are unless a review asks for others. */
  readonly audiences: readonly string[];
  readonly clock: Clock;
}

/** The reviews of identity, by `group/resource`. */
export function identityReviews(scheme: Scheme, { authenticator, audiences: apiAudiences, clock }: IdentityParts): readonly (readonly [string, VirtualResource])[] {
  const group = 'authentication.k8s.io';
  return [
    [
      `${group}/selfsubjectreviews`,
      review<SelfSubjectReview>(scheme, { group, version: 'v1', kind: 'SelfSubjectReview' }, (question, { user }) => ({
        ...question,
        metadata: { creationTimestamp: printTime(clock.now()) },
        status: { userInfo: user as UserInfo },
      })),
    ],
    [
      `${group}/tokenreviews`,
      review<TokenReview>(scheme, { group, version: 'v1', kind: 'TokenReview' }, async (question) => {
        const { token, audiences = apiAudiences } = question.spec;
        if (token === '') throw badRequest('token is required for TokenReview in authentication');
        return { ...question, status: await tokenStatus(authenticator, token, audiences) };
      }),
    ],
  ];
}

async function tokenStatus(authenticator: Authenticator, token: string, audiences: readonly string[]): Promise<TokenReviewStatus> {
  const header = (name: string): string | undefined => (name.toLowerCase() === 'authorization' ? `Bearer ${token}` : undefined);
  try {
    const found = await identify(authenticator, { header, audiences });
    if (found === undefined) return { user: {} };
    return { authenticated: true, user: found.user as UserInfo, ...(found.audiences !== undefined && { audiences: [...found.audiences] }) };
  } catch (error) {
    return { user: {}, error: errorText(error) };
  }
}
