// The error of rejected credentials. For logs, audit and token reviews; clients only receive `Unauthorized`.
import { aggregateText } from '../../core/index.js';

/** Credentials that are rejected. */
export class AuthenticationError extends Error {
  override readonly name = 'AuthenticationError';

  /** Several problems are joined into one message. */
  constructor(problems: string | readonly string[]) {
    super(typeof problems === 'string' ? problems : aggregateText(problems));
  }
}
