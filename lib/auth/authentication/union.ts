// Several authenticators as one, of requests or of tokens. The first user counts; who fails is remembered while the
// others are asked, and where nobody knows the user all failures are told as one. As
// apiserver/pkg/authentication/request/union/union.go and token/union/union.go.
import type { ObservableInput } from 'rxjs';
import { errorText, firstOf } from '../../core/index.js';
import type { Authenticated, Authenticator, TokenAuthenticator } from '../authenticator.js';
import { AuthenticationError } from './authentication-error.js';

/** Asks in order. */
export function unionAuthenticator(authenticators: readonly Authenticator[]): Authenticator {
  return union(authenticators);
}

/** Asks in order. */
export function unionTokenAuthenticator(authenticators: readonly TokenAuthenticator[]): TokenAuthenticator {
  return union(authenticators);
}

/** Something that answers who is asking, whatever it is asked with. */
type Asked<Question extends readonly unknown[]> = (...question: Question) => ObservableInput<Authenticated | undefined>;

function union<Question extends readonly unknown[]>(authenticators: readonly Asked<Question>[]): Asked<Question> {
  const [only] = authenticators;
  if (only !== undefined && authenticators.length === 1) return only;
  return (...question) => answerOf(authenticators, question);
}

/** Answers without a promise as long as everybody does. */
function answerOf<Question extends readonly unknown[]>(
  authenticators: readonly Asked<Question>[],
  question: Question,
): readonly (Authenticated | undefined)[] | Promise<Authenticated | undefined> {
  const problems: string[] = [];
  for (const [index, authenticator] of authenticators.entries()) {
    try {
      const found = firstOf(authenticator(...question), undefined);
      if (found instanceof Promise) return answerLater(found, authenticators.slice(index + 1), question, problems);
      if (found !== undefined) return [found];
    } catch (error) {
      problems.push(errorText(error));
    }
  }
  if (problems.length > 0) throw new AuthenticationError(problems);
  return none;
}

async function answerLater<Question extends readonly unknown[]>(
  first: Promise<Authenticated | undefined>,
  others: readonly Asked<Question>[],
  question: Question,
  problems: string[],
): Promise<Authenticated | undefined> {
  const asked = [
    (): Promise<Authenticated | undefined> => first,
    ...others.map((authenticator) => () => firstOf(authenticator(...question), undefined)),
  ];
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
