// Combines authenticators of requests or of tokens. The first user is returned. Errors are collected; if there is no
// user, they are thrown as one. As apiserver/pkg/authentication/request/union/union.go and token/union/union.go.
import type { ObservableInput } from 'rxjs';
import { errorText, firstOf } from '../../core/index.js';
import type { Authenticated, Authenticator, TokenAuthenticator } from '../authenticator.js';
import { AuthenticationError } from './authentication-error.js';

/** Tries the authenticators in order. */
export function unionAuthenticator(authenticators: readonly Authenticator[]): Authenticator {
  return union(authenticators);
}

/** Tries the token authenticators in order. */
export function unionTokenAuthenticator(authenticators: readonly TokenAuthenticator[]): TokenAuthenticator {
  return union(authenticators);
}

/** An authenticator of any input. */
type Authenticate<Input extends readonly unknown[]> = (...input: Input) => ObservableInput<Authenticated | undefined>;

function union<Input extends readonly unknown[]>(authenticators: readonly Authenticate<Input>[]): Authenticate<Input> {
  const [only] = authenticators;
  if (only !== undefined && authenticators.length === 1) return only;
  return (...input) => tryInOrder(authenticators, input);
}

/** Returns synchronously as long as every authenticator does. */
function tryInOrder<Input extends readonly unknown[]>(
  authenticators: readonly Authenticate<Input>[],
  input: Input,
): readonly (Authenticated | undefined)[] | Promise<Authenticated | undefined> {
  const problems: string[] = [];
  for (const [index, authenticator] of authenticators.entries()) {
    try {
      const found = firstOf(authenticator(...input), undefined);
      if (found instanceof Promise) return tryRest(found, authenticators.slice(index + 1), input, problems);
      if (found !== undefined) return [found];
    } catch (error) {
      problems.push(errorText(error));
    }
  }
  if (problems.length > 0) throw new AuthenticationError(problems);
  return none;
}

async function tryRest<Input extends readonly unknown[]>(
  first: Promise<Authenticated | undefined>,
  others: readonly Authenticate<Input>[],
  input: Input,
  problems: string[],
): Promise<Authenticated | undefined> {
  const attempts = [
    (): Promise<Authenticated | undefined> => first,
    ...others.map((authenticator) => () => firstOf(authenticator(...input), undefined)),
  ];
  for (const attempt of attempts) {
    try {
      const found = await attempt();
      if (found !== undefined) return found;
    } catch (error) {
      problems.push(errorText(error));
    }
  }
  if (problems.length > 0) throw new AuthenticationError(problems);
  return undefined;
}

const none = [undefined] as const;
