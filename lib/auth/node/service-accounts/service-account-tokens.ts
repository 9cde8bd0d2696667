// Both kinds of tokens of ServiceAccounts, in the order in which Kubernetes asks about them.
import type { TokenAuthenticator } from '../../authenticator.js';
import { boundTokens } from './bound-tokens.js';
import { legacyTokens } from './legacy-tokens.js';
import type { LegacyTokenOptions } from './legacy-tokens.js';
import type { ServiceAccountTokenOptions } from './signed-tokens.js';

/**
 * Tokens of Secrets first, then those of the TokenRequest API. `reader` and `clock` are among the tools that the server
 * lends.
 */
export function serviceAccountTokens(
  options: ServiceAccountTokenOptions & Pick<LegacyTokenOptions, 'lookup' | 'markUsed'>,
): readonly TokenAuthenticator[] {
  const { issuers, apiAudiences = issuers } = options;
  return [legacyTokens({ ...options, apiAudiences }), boundTokens(options)];
}
