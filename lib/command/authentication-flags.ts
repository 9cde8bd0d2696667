// The flags of authentication, with the names and meanings of kube-apiserver's. The files that they name are read in
// authentication.ts.
import type { FlagTable } from './flag-table.js';
import { FlagError, duration, fileName, commaSeparated, oneOf, yesOrNo } from './flag-table.js';

/** Values of the authentication flags. */
export interface AuthenticationFlags {
  readonly tokenFile?: string;
  readonly basicFile?: string;
  /** Authorities that are trusted besides the server's own. */
  readonly clientCaFile?: string;
  readonly anonymous?: boolean;
  readonly configFile?: string;
  readonly bootstrapTokens: boolean;
  readonly webhook: WebhookTokenFlags;
  readonly oidc: OidcFlagValues;
  readonly proxy: ProxyFlags;
  readonly accounts: ServiceAccountFlags;
  readonly apiAudiences?: readonly string[];
}

/** Flags of the token webhook. */
export interface WebhookTokenFlags {
  readonly configFile?: string;
  readonly version: 'v1' | 'v1beta1';
  readonly cacheMs: number;
}

/** Flags of OpenID Connect. */
export interface OidcFlagValues {
  readonly issuerUrl?: string;
  readonly clientId?: string;
  readonly caFile?: string;
  readonly usernameClaim?: string;
  readonly usernamePrefix?: string;
  readonly groupsClaim?: string;
  readonly groupsPrefix?: string;
  readonly requiredClaims: Readonly<Record<string, string>>;
  readonly signingAlgs?: readonly string[];
}

/** Flags of a front proxy. */
export interface ProxyFlags {
  readonly clientCaFile?: string;
  /** The certificate and the key with which this server is a front proxy of the servers behind APIServices. */
  readonly certFile?: string;
  readonly keyFile?: string;
  readonly allowedNames: readonly string[];
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraPrefixes: readonly string[];
}

/** Flags of service account tokens. */
export interface ServiceAccountFlags {
  readonly keyFiles: readonly string[];
  readonly signingKeyFile?: string;
  /** Issuers; the first issues tokens. */
  readonly issuers: readonly string[];
  readonly jwksUri?: string;
  readonly maxSeconds?: number;
  readonly lookup: boolean;
  readonly extends: boolean;
}

/** The defaults. */
export const authenticationDefaults: AuthenticationFlags = {
  bootstrapTokens: false,
  webhook: { version: 'v1beta1', cacheMs: 120_000 },
  oidc: { requiredClaims: {} },
  proxy: { allowedNames: [], usernameHeaders: [], uidHeaders: [], groupHeaders: [], extraPrefixes: [] },
  accounts: { keyFiles: [], issuers: [], lookup: true, extends: true },
};

/** Returns a flag that sets one string field of a group of flags. */
type TextField<Part> = { [Key in keyof Part]-?: string extends Part[Key] ? Key : never }[keyof Part];

const oidc = (
  field: TextField<OidcFlagValues>,
  help: string,
  value = 'TEXT',
): FlagTable<AuthenticationFlags>[string] => ({
  value,
  help,
  read: (text, said) => ({ ...said, oidc: { ...said.oidc, [field]: text } }),
});

const proxyList = (
  name: string,
  field: Exclude<keyof ProxyFlags, 'clientCaFile'>,
  help: string,
): FlagTable<AuthenticationFlags>[string] => ({
  value: 'NAMES',
  help,
  read: (text, said) => ({ ...said, proxy: { ...said.proxy, [field]: commaSeparated(name, text) } }),
});

/** The table of flags. */
export const authenticationFlags: FlagTable<AuthenticationFlags> = {
  'token-auth-file': {
    value: 'FILE',
    help: 'users by bearer token: lines of token,user,uid,"group1,group2"',
    read: (text, said) => ({ ...said, tokenFile: fileName('token-auth-file', text) }),
  },
  'basic-auth-file': {
    value: 'FILE',
    help: 'users by password: lines of password,user,uid,"group1,group2"',
    read: (text, said) => ({ ...said, basicFile: fileName('basic-auth-file', text) }),
  },
  'client-ca-file': {
    value: 'FILE',
    help: 'believe client certificates of these authorities too',
    read: (text, said) => ({ ...said, clientCaFile: fileName('client-ca-file', text) }),
  },
  'anonymous-auth': {
    help: 'whether requests without credentials are system:anonymous (default true)',
    read: (text, said) => ({ ...said, anonymous: yesOrNo('anonymous-auth', text) }),
  },
  'authentication-config': {
    value: 'FILE',
    help: 'an AuthenticationConfiguration, read again when it changes',
    read: (text, said) => ({ ...said, configFile: fileName('authentication-config', text) }),
  },
  'enable-bootstrap-token-auth': {
    help: 'believe bootstrap tokens kept in kube-system',
    read: (text, said) => ({ ...said, bootstrapTokens: yesOrNo('enable-bootstrap-token-auth', text) }),
  },
  'authentication-token-webhook-config-file': {
    value: 'FILE',
    help: 'a kubeconfig of a webhook that knows tokens',
    read: (text, said) => ({
      ...said,
      webhook: { ...said.webhook, configFile: fileName('authentication-token-webhook-config-file', text) },
    }),
  },
  'authentication-token-webhook-version': {
    value: 'VERSION',
    help: 'of the TokenReviews it is sent: v1 or v1beta1 (default)',
    read: (text, said) => ({
      ...said,
      webhook: { ...said.webhook, version: oneOf('authentication-token-webhook-version', text, ['v1', 'v1beta1']) },
    }),
  },
  'authentication-token-webhook-cache-ttl': {
    value: 'DURATION',
    help: 'how long its answers count (default 2m)',
    read: (text, said) => ({
      ...said,
      webhook: { ...said.webhook, cacheMs: duration('authentication-token-webhook-cache-ttl', text) },
    }),
  },
  'oidc-issuer-url': oidc('issuerUrl', 'believe tokens of this OpenID Connect issuer', 'URL'),
  'oidc-client-id': oidc('clientId', 'the audience of its tokens'),
  'oidc-ca-file': oidc('caFile', 'the authorities of its server', 'FILE'),
  'oidc-username-claim': oidc('usernameClaim', 'what names the user (default sub)'),
  'oidc-username-prefix': oidc('usernamePrefix', 'in front of names; - for none'),
  'oidc-groups-claim': oidc('groupsClaim', 'what names the groups'),
  'oidc-groups-prefix': oidc('groupsPrefix', 'in front of groups'),
  'oidc-required-claim': {
    value: 'KEY=VALUE',
    repeats: true,
    help: 'what every token has to say',
    read: (text, said) => ({
      ...said,
      oidc: { ...said.oidc, requiredClaims: { ...said.oidc.requiredClaims, ...pair(text) } },
    }),
  },
  'oidc-signing-algs': {
    value: 'NAMES',
    help: 'how tokens may be signed (default RS256)',
    read: (text, said) => ({ ...said, oidc: { ...said.oidc, signingAlgs: commaSeparated('oidc-signing-algs', text) } }),
  },
  'requestheader-client-ca-file': {
    value: 'FILE',
    help: 'believe headers of proxies with certificates of these authorities',
    read: (text, said) => ({
      ...said,
      proxy: { ...said.proxy, clientCaFile: fileName('requestheader-client-ca-file', text) },
    }),
  },
  'proxy-client-cert-file': {
    value: 'FILE',
    help: 'the certificate to present to the servers behind APIServices',
    read: (text, said) => ({
      ...said,
      proxy: { ...said.proxy, certFile: fileName('proxy-client-cert-file', text) },
    }),
  },
  'proxy-client-key-file': {
    value: 'FILE',
    help: 'the key of that certificate',
    read: (text, said) => ({ ...said, proxy: { ...said.proxy, keyFile: fileName('proxy-client-key-file', text) } }),
  },
  'requestheader-allowed-names': proxyList(
    'requestheader-allowed-names',
    'allowedNames',
    'only proxies of these common names',
  ),
  'requestheader-username-headers': proxyList(
    'requestheader-username-headers',
    'usernameHeaders',
    'the headers that name the user',
  ),
  'requestheader-uid-headers': proxyList('requestheader-uid-headers', 'uidHeaders', 'the headers with the uid'),
  'requestheader-group-headers': proxyList(
    'requestheader-group-headers',
    'groupHeaders',
    'the headers that name groups',
  ),
  'requestheader-extra-headers-prefix': proxyList(
    'requestheader-extra-headers-prefix',
    'extraPrefixes',
    'how headers with extra information begin',
  ),
  'service-account-key-file': {
    value: 'FILE',
    repeats: true,
    help: 'keys that verify tokens of ServiceAccounts',
    read: (text, said) => ({
      ...said,
      accounts: { ...said.accounts, keyFiles: [...said.accounts.keyFiles, fileName('service-account-key-file', text)] },
    }),
  },
  'service-account-signing-key-file': {
    value: 'FILE',
    help: 'the key that signs them (default: one made on the spot)',
    read: (text, said) => ({
      ...said,
      accounts: { ...said.accounts, signingKeyFile: fileName('service-account-signing-key-file', text) },
    }),
  },
  'service-account-issuer': {
    value: 'URL',
    repeats: true,
    help: 'who issues them; the first one signs',
    read: (text, said) => ({ ...said, accounts: { ...said.accounts, issuers: [...said.accounts.issuers, text] } }),
  },
  'service-account-jwks-uri': {
    value: 'URL',
    help: 'where the keys are published, if not here',
    read: (text, said) => ({ ...said, accounts: { ...said.accounts, jwksUri: text } }),
  },
  'service-account-max-token-expiration': {
    value: 'DURATION',
    help: 'the longest that a token lives',
    read: (text, said) => ({
      ...said,
      accounts: { ...said.accounts, maxSeconds: duration('service-account-max-token-expiration', text) / 1000 },
    }),
  },
  'service-account-lookup': {
    help: 'whether tokens die with their Secrets and accounts (default true)',
    read: (text, said) => ({
      ...said,
      accounts: { ...said.accounts, lookup: yesOrNo('service-account-lookup', text) },
    }),
  },
  'service-account-extend-token-expiration': {
    help: 'whether tokens of pods outlive their time for a year (default true)',
    read: (text, said) => ({
      ...said,
      accounts: { ...said.accounts, extends: yesOrNo('service-account-extend-token-expiration', text) },
    }),
  },
  'api-audiences': {
    value: 'NAMES',
    help: 'for whom tokens have to be (default: the issuers)',
    read: (text, said) => ({ ...said, apiAudiences: commaSeparated('api-audiences', text) }),
  },
};

function pair(text: string): Readonly<Record<string, string>> {
  const equals = text.indexOf('=');
  if (equals < 1) throw new FlagError(`--oidc-required-claim is KEY=VALUE, not ${JSON.stringify(text)}`);
  return { [text.slice(0, equals)]: text.slice(equals + 1) };
}
