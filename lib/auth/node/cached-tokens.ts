// Remembers for a moment whose a token is: verifying one costs far more than a request. Tokens themselves are not kept,
// only hashes of them and their audiences under a secret of this process. Requests that bring the same token at
// the same time share one question. As apiserver/pkg/authentication/token/cache/cached_token_authenticator.go.
import { hash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { firstValueFrom, from, map, race } from 'rxjs';
import type { Clock } from '../../core/index.js';
import { AuthenticationError } from '../authentication/authentication-error.js';
import type { Authenticated, TokenAuthenticator } from '../authenticator.js';

/** How long answers are remembered. */
export interface CachedTokensOptions {
  readonly clock: Clock;
  /** Users. Default 10 s; 0 for never. */
  readonly successTtlMs?: number;
  /** Tokens that nobody knows or that are wrong. Default 0: never. */
  readonly failureTtlMs?: number;
  /**
   * Whether what is wrong counts among the failures. Default true; false for an authenticator that may just be out of
   * reach.
   */
  readonly errors?: boolean;
  /** How many answers at most. Default 32,768. */
  readonly entriesMax?: number;
}

/** Asks the authenticator only for what is not remembered. Warnings and notes for the audit are part of what is. */
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

/** A user, nobody, or what is wrong. */
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

/** Nobody waits forever for an answer that all share: who asked first may be gone. */
const deadlineMs = 30_000;

interface Question {
  readonly token: string;
  readonly audiences: readonly string[] | undefined;
}

/** Never rejects. */
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

/** Behind a secret that never leaves the process. Lengths go before texts, so that no two questions read alike. */
function hashed(secret: string, token: string, audiences: readonly string[] = []): string {
  let question = `${secret}${token.length}:${token}${audiences.length}`;
  for (const audience of audiences) question += `:${audience.length}:${audience}`;
  return hash('sha256', question, 'base64');
}
