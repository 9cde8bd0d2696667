// Converts `--oidc-…` flags, which configure one issuer, to the equivalent AuthenticationConfiguration. As
// pkg/kubeapiserver/options/authentication.go, ToAuthenticationConfig.
import type { AuthenticationConfiguration } from './authentication-configuration.js';

/** Values of the `--oidc-…` flags. Files are already read. */
export interface OidcFlags {
  readonly issuerUrl: string;
  readonly clientId: string;
  /** Content of `--oidc-ca-file`, in PEM. */
  readonly certificateAuthority?: string;
  /** Claim of the user name. Default `sub`. */
  readonly usernameClaim?: string;
  /** Prefix of user names; `-` means none. Default: the issuer and `#`, except for the claim `email`. */
  readonly usernamePrefix?: string;
  readonly groupsClaim?: string;
  readonly groupsPrefix?: string;
  readonly requiredClaims?: Readonly<Record<string, string>>;
}

/** Default of `--oidc-signing-algs`. */
export const oidcFlagAlgorithms = ['RS256'] as const;

/** Returns the configuration that the flags stand for. Throws if only one of issuer URL and client id is given. */
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
