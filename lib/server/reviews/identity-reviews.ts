// Who is it? The authenticators are asked as they would be for a request with that token.
// As pkg/registry/authentication.
import { firstValueFrom, from } from 'rxjs';
import { badRequest, errorText, printTime } from '../../core/index.js';
import type { Clock, Scheme } from '../../core/index.js';
import type { SelfSubjectReview, TokenReview, TokenReviewStatus, UserInfo } from '../../core/types/index.js';
import type { Authenticator } from '../../auth/index.js';
import type { VirtualResource } from '../serve.js';
import { review } from './review.js';

/** The reviews of identity, by `group/resource`. */
export function identityReviews(scheme: Scheme, authenticators: readonly Authenticator[], clock: Clock): readonly (readonly [string, VirtualResource])[] {
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
        const { token, audiences = [] } = question.spec;
        if (token === '') throw badRequest('token is required for TokenReview in authentication');
        return { ...question, status: await tokenStatus(authenticators, token, audiences) };
      }),
    ],
  ];
}

async function tokenStatus(authenticators: readonly Authenticator[], token: string, audiences: readonly string[]): Promise<TokenReviewStatus> {
  const credentials = { header: (name: string): string | undefined => (name.toLowerCase() === 'authorization' ? `Bearer ${token}` : undefined) };
  const problems: string[] = [];
  for (const authenticator of authenticators) {
    try {
      const found = await firstValueFrom(from(authenticator(credentials)), { defaultValue: undefined });
      if (found === undefined) continue;
      const known = found.audiences ?? audiences;
      const shared = audiences.length === 0 ? known : audiences.filter((each) => known.includes(each));
      if (audiences.length > 0 && shared.length === 0) return nobody('token audiences do not match');
      return { authenticated: true, user: found.user as UserInfo, ...(shared.length > 0 && { audiences: [...shared] }) };
    } catch (error) {
      problems.push(errorText(error));
    }
  }
  return nobody(problems[0] ?? 'invalid bearer token');
}

function nobody(error: string): TokenReviewStatus {
  return { user: {}, error };
}
