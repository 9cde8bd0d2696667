// Caches the results of token authentication for a short time: verification costs far more than a request. Keys are
// keyed hashes of token and audiences, never tokens. Concurrent requests with the same token share one authentication.
// As apiserver/pkg/authentication/token/cache/cached_token_authenticator.go.
import { hash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { firstValueFrom, from, map, race } from 'rxjs';
import type { Clock } from '../../core/index.js';
import { AuthenticationError } from '../authentication/authentication-error.js';
import type { Authenticated, TokenAuthenticator } from '../authenticator.js';

/** Options of the token cache. */
export interface CachedTokensOptions {
  readonly clock: Clock;
  /** How long users are cached. Default 10 s; 0 disables it. */
  readonly successTtlMs?: number;
  /** How long failures and unrecognised tokens are cached. Default 0: never. */
  readonly failureTtlMs?: number;
  /**
   * True if errors are cached among the failures. Default true; use false for an authenticator that may be unreachable.
   */
  readonly errors?: boolean;
  /** Maximum number of cached results. Default 32,768. */
  readonly entriesMax?: number;
}

/** Returns the authenticator with a cache. Warnings and audit annotations are cached with the user. */
export function cachedTokens(authenticator: TokenAuthenticator, options: CachedTokensOptions): TokenAuthenticator {
  const { clock, successTtlMs = 10_000, failureTtlMs = 0, errors = true, entriesMax = 32_768 } = options;
  const secret = randomBytes(32).toString('hex');
  const kept = new LRUCache<string, Kept>({ max: entriesMax });
  const asked = new Map<string, Promise<Outcome>>();
  const keep = (id: string, outcome: Outcome): Outcome => {
    const ttlMs =
      outcome.problem !== undefined && !errors ? 0 : outcome.found === undefined ? failureTtlMs : successTtlMs;
    if (ttlMs > 0) kept.set(id, { outcome, untilMs: clock.now() + ttlMs });
    return outcome;
  };
  const keepLater = async (id: string, answer: Promise<Outcome>): Promise<Outcome> => {
    const outcome = await answer;
    asked.delete(id);
    return keep(id, outcome);
  };
  return (token, audiences) => {
    const id = hashed(secret, token, audiences);
    const known = kept.get(id);
    if (known !== undefined && clock.now() < known.untilMs) return [userOf(known.outcome)];
    const pending = asked.get(id);
    if (pending !== undefined) return pending.then(userOf);
    const answer = ask(authenticator, { token, audiences }, clock);
    if (!(answer instanceof Promise)) return [userOf(keep(id, answer))];
    const shared = keepLater(id, answer);
    asked.set(id, shared);
    return shared.then(userOf);
  };
}

/** A result: a user, not authenticated, or an error. */
interface Outcome {
  readonly found?: Authenticated | undefined;
  readonly problem?: Error;
}

interface Kept {
  readonly outcome: Outcome;
  readonly untilMs: number;
}

function userOf({ found, problem }: Outcome): Authenticated | undefined {
  if (problem !== undefined) throw problem;
  return found;
}

/** Time limit of a shared authentication, since the request that started it may be gone. */
const deadlineMs = 30_000;

interface Question {
  readonly token: string;
  readonly audiences: readonly string[] | undefined;
}

/** Resolves to the result; never rejects. */
function ask(
  authenticator: TokenAuthenticator,
  { token, audiences }: Question,
  clock: Clock,
): Outcome | Promise<Outcome> {
  try {
    const answer = authenticator(token, audiences);
    if (Array.isArray(answer)) return { found: answer[0] as Authenticated | undefined };
    const tooLate$ = clock
      .timer(deadlineMs)
      .pipe(map(() => ({ problem: new AuthenticationError('context deadline exceeded') })));
    const found$ = from(answer).pipe(map((found) => ({ found })));
    return firstValueFrom<Outcome, Outcome>(race(found$, tooLate$), { defaultValue: {} }).catch(failed);
  } catch (error) {
    return failed(error);
  }
}

function failed(error: unknown): Outcome {
  return { problem: error instanceof Error ? error : new AuthenticationError(String(error)) };
}

/**
 * Returns an HMAC with a secret of this process. Lengths precede the texts, so that no two inputs have the same
 * encoding.
 */
function hashed(secret: string, token: string, audiences: readonly string[] = []): string {
  let question = `${secret}${token.length}:${token}${audiences.length}`;
  for (const audience of audiences) question += `:${audience.length}:${audience}`;
  return hash('sha256', question, 'base64');
}
