// Why credentials were refused. For logs, the audit and reviews of tokens: clients only ever hear `Unauthorized`.

/** Credentials that are wrong. */
export class AuthenticationError extends Error {
  override readonly name = 'AuthenticationError';

  /** Several problems print as Go's aggregates do: each once, in brackets. */
  constructor(problems: string | readonly string[]) {
    const all = typeof problems === 'string' ? [problems] : [...new Set(problems)];
    super(all.length === 1 ? all[0] : `[${all.join(', ')}]`);
  }
}
