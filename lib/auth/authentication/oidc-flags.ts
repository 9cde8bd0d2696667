// The older way to say whom to believe: one issuer, by flags. They become the configuration that a file would hold.
// As pkg/kubeapiserver/options/authentication.go, ToAuthenticationConfig.
import type { AuthenticationConfiguration } from './authentication-configuration.js';

/** The flags `--oidc-…`. Files are read by whoever reads flags. */
export interface OidcFlags {
  readonly issuerUrl: string;
  readonly clientId: string;
  /** What `--oidc-ca-file` contains. */
  readonly certificateAuthority?: string;
  /** `sub` unless given. */
  readonly usernameClaim?: string;
  /** Without one, the issuer and `#`, except before an `email`; `-` for none. */
  readonly usernamePrefix?: string;
  readonly groupsClaim?: string;
  readonly groupsPrefix?: string;
  readonly requiredClaims?: Readonly<Record<string, string>>;
}

/** The algorithms that `--oidc-signing-algs` allows unless it is given. */
export const oidcFlagAlgorithms = ['RS256'] as const;

/** The configuration that flags stand for. Throws where one of the two that belong together is missing. */
export function configurationOfOidcFlags(flags: OidcFlags): AuthenticationConfiguration {
  const {
    issuerUrl,
    clientId,
    certificateAuthority = '',
    usernameClaim = 'sub',
    groupsClaim = '',
    groupsPrefix = '',
    requiredClaims = {},
  } = flags;
  if (issuerUrl === '' || clientId === '')
    throw new TypeError('oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set');
  const claimValidationRules = Object.entries(requiredClaims).map(([claim, requiredValue]) => ({
    claim,
    requiredValue,
  }));
  return {
    jwt: [
      {
        issuer: { url: issuerUrl, audiences: [clientId], ...(certificateAuthority !== '' && { certificateAuthority }) },
        claimMappings: {
          username: { claim: usernameClaim, prefix: usernamePrefixOf(flags, usernameClaim) },
          ...(groupsClaim !== '' && { groups: { claim: groupsClaim, prefix: groupsPrefix } }),
        },
        ...(claimValidationRules.length > 0 && { claimValidationRules }),
      },
    ],
  };
}

function usernamePrefixOf({ issuerUrl, usernamePrefix = '' }: OidcFlags, usernameClaim: string): string {
  if (usernamePrefix === '-') return '';
  return usernamePrefix === '' && usernameClaim !== 'email' ? `${issuerUrl}#` : usernamePrefix;
}
