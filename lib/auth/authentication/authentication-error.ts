// Why credentials were refused. For logs, the audit and reviews of tokens: clients only ever hear `Unauthorized`.
import { aggregateText } from '../../core/index.js';

/** Credentials that are wrong. */
export class AuthenticationError extends Error {
  override readonly name = 'AuthenticationError';

  /** Several problems print as one text. */
  constructor(problems: string | readonly string[]) {
    super(typeof problems === 'string' ? problems : aggregateText(problems));
  }
}
