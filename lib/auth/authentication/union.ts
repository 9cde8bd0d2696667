// Several authenticators as one. The first user counts; who fails is remembered while the others are asked, and where
// nobody knows the user all failures are told as one. As apiserver/pkg/authentication/request/union/union.go.
import { errorText, firstOf } from '../../core/index.js';
import type { Authenticated, Authenticator, Credentials } from '../authenticator.js';
import { AuthenticationError } from './authentication-error.js';

/** Asks in order. */
export function unionAuthenticator(authenticators: readonly Authenticator[]): Authenticator {
  const [only] = authenticators;
  if (only !== undefined && authenticators.length === 1) return only;
  return (credentials) => answerOf(authenticators, credentials);
}

/** Answers without a promise as long as everybody does. */
function answerOf(authenticators: readonly Authenticator[], credentials: Credentials): readonly (Authenticated | undefined)[] | Promise<Authenticated | undefined> {
  const problems: string[] = [];
  for (const [index, authenticator] of authenticators.entries()) {
    try {
      const found = firstOf(authenticator(credentials), undefined);
      if (found instanceof Promise) return answerLater(found, authenticators.slice(index + 1), credentials, problems);
      if (found !== undefined) return [found];
    } catch (error) {
      problems.push(errorText(error));
    }
  }
  if (problems.length > 0) throw new AuthenticationError(problems);
  return none;
}

async function answerLater(
  first: Promise<Authenticated | undefined>,
  others: readonly Authenticator[],
  credentials: Credentials,
  problems: string[],
): Promise<Authenticated | undefined> {
  const asked = [(): Promise<Authenticated | undefined> => first, ...others.map((authenticator) => () => firstOf(authenticator(credentials), undefined))];
  for (const ask of asked) {
    try {
      const found = await ask();
      if (found !== undefined) return found;
    } catch (error) {
      problems.push(errorText(error));
    }
  }
  if (problems.length > 0) throw new AuthenticationError(problems);
  return undefined;
}

const none = [undefined] as const;
