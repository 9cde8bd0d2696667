// Decisions of authorizers for evaluation, which is synchronous while an authorizer may be not. An evaluation that asks
// for a decision that is not known yet is abandoned with `PendingDecision`, which no operator of an expression absorbs;
// `evaluateWithDecisions` awaits the decision and evaluates again. Decisions are kept for the request, so an evaluation
// is repeated at most once per distinct check.
import type { AccessCheck, AccessDecision, DecideAccess } from './authorizer.js';

/** The decisions that one request has asked for. */
export class AccessDecisions {
  readonly #authorize: (check: AccessCheck) => AccessDecision | Promise<AccessDecision>;
  readonly #known = new Map<string, AccessDecision>();

  /** `authorize` decides a check; where it rejects, the decision is errored. */
  constructor(authorize: (check: AccessCheck) => AccessDecision | Promise<AccessDecision>) {
    this.#authorize = authorize;
  }

  /** Returns a decision that is known. Throws `PendingDecision` for one that has to be awaited. */
  readonly decide: DecideAccess = (check) => {
    const key = JSON.stringify(check);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const decided = this.#authorize(check);
    if (decided instanceof Promise) throw new PendingDecision(this.#settle(key, decided));
    this.#known.set(key, decided);
    return decided;
  };

  async #settle(key: string, pending: Promise<AccessDecision>): Promise<void> {
    try {
      this.#known.set(key, await pending);
    } catch (error) {
      this.#known.set(key, {
        allowed: false,
        reason: '',
        error: error instanceof Error ? error.message : String(error),
      });
    }
  }
}

/** Abandons an evaluation until a decision is known. Not an `EvaluationError`: expressions cannot absorb it. */
export class PendingDecision extends Error {
  override readonly name = 'PendingDecision';
  /** Resolves when the decision is known. */
  readonly known: Promise<void>;

  constructor(known: Promise<void>) {
    super('a decision of the authorizer is pending');
    this.known = known;
  }
}

/** Evaluates, again after each decision that was not known. */
export async function evaluateWithDecisions<T>(evaluate: () => T): Promise<T> {
  for (;;) {
    try {
      return evaluate();
    } catch (error) {
      if (!(error instanceof PendingDecision)) throw error;
      await error.known;
    }
  }
}
