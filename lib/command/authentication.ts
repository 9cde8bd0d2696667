// From flags to those who say who is asking, in the order of kube-apiserver: front proxy, password, client certificate,
// then tokens (of the file, of ServiceAccounts, bootstrap tokens, OpenID Connect, webhook), and nobody at the end.
// As pkg/kubeapiserver/authenticator/config.go, New.
import { EMPTY, catchError, concatMap, defer, from, of } from 'rxjs';
import type { Observable } from 'rxjs';
import {
  anonymousOf,
  audienceAgnostic,
  audienceAgnosticTokens,
  basicAuth,
  bearerTokens,
  bootstrapTokens,
  configurationOfOidcFlags,
  oidcFlagAlgorithms,
  orAnonymous,
  parseAuthenticationConfiguration,
  tokenFile,
  unionAuthenticator,
  unionTokenAuthenticator,
  webhookTokens,
  withAuthenticatedGroup,
} from '../auth/index.js';
import type {
  AnonymousOptions,
  ServerTools,
  AuthenticationConfiguration,
  Authenticator,
  TokenAuthenticator,
  TokenIssuer,
} from '../auth/index.js';
import {
  authenticationFrom,
  cachedTokens,
  clientCertificates,
  httpsDocuments,
  requestHeader,
  serviceAccountKeys,
  serviceAccountTokens,
  signatureAlgorithms,
  tokenIssuer,
} from '../auth/node/index.js';
import type { ReloadedAuthentication, ServiceAccountKeys, SignatureAlgorithm } from '../auth/node/index.js';
import { errorText, namespacedName } from '../core/index.js';
import type { Clock, Part } from '../core/index.js';
import type { AuthenticationInfo } from '../server/index.js';
import { retryingCall } from '../webhook/index.js';
import type { AuthenticationFlags, OidcFlagValues } from './authentication-flags.js';
import { FlagError } from './flag-table.js';
import { followedAuthorities } from './followed-authorities.js';
import { followedFile } from './followed-file.js';
import type { CommandEnvironment } from './environment.js';
import { connectWebhook } from './webhook-connection.js';

/** What authentication is made with besides flags. */
export interface AuthenticationParts {
  readonly environment: CommandEnvironment;
  readonly clock: Clock;
  /** PEM of the server's own authority; absent without TLS. */
  readonly authority?: string | undefined;
  /** PEM of the private key that signs tokens of ServiceAccounts. */
  readonly accountKey: string;
  /** One more line of the token file: who the kubeconfig of the server is for, where there is no TLS. */
  readonly ownToken?: string | undefined;
  /** Whether requests without credentials may be anonymous where no flag says so. */
  readonly anonymous: boolean;
}

/** Authentication as the flags say. */
export interface Authentication {
  readonly authenticators: (tools: ServerTools) => readonly Authenticator[];
  readonly tokens: (tools: ServerTools) => TokenIssuer;
  readonly keys: ServiceAccountKeys;
  readonly apiAudiences: readonly string[];
  /** PEM of the authorities of clients and front proxies, besides the server's own. */
  readonly clientAuthorities: string;
  /** Whom extension servers may believe. */
  readonly info: AuthenticationInfo;
  /** What runs beside the server: discovers OpenID Connect issuers, and reloads the configuration when it changes. */
  readonly parts: readonly Part[];
  readonly close: () => void;
}

/** Reads the files that the flags name. Rejects where one cannot be read or makes no sense. */
export async function authenticationOf(
  flags: AuthenticationFlags,
  parts: AuthenticationParts,
): Promise<Authentication> {
  const { environment, clock, authority = '' } = parts;
  const read = (path: string | undefined): Promise<string> | undefined =>
    path === undefined ? undefined : environment.readFile(path);
  const [tokens = '', basic, clientCa, proxyCa, accountKeys] = await Promise.all([
    read(flags.tokenFile),
    read(flags.basicFile),
    read(flags.clientCaFile),
    read(flags.proxy.clientCaFile),
    Promise.all(flags.accounts.keyFiles.map((path) => environment.readFile(path))),
  ]);
  const { accounts } = flags;
  const [issuer = defaultIssuer, ...olderIssuers] = accounts.issuers;
  const issuers = [issuer, ...olderIssuers];
  const apiAudiences = flags.apiAudiences ?? issuers;
  const keys = serviceAccountKeys({ signing: parts.accountKey, verification: accountKeys });
  const webhook =
    flags.webhook.configFile === undefined
      ? undefined
      : await connectWebhook({ path: flags.webhook.configFile }, { clock });
  const oidc = await oidcOf(flags, parts, issuers);
  const knownTokens = tokenFile(parts.ownToken === undefined ? tokens : `${parts.ownToken}\n${tokens}`);
  const anonymous = anonymousOptions(flags, oidc?.first, parts.anonymous);

  const byAuthorities = (
    flag: string,
    path: string | undefined,
    text: string | undefined,
    make: (authorities: string) => Authenticator,
  ): readonly ((tools: ServerTools) => Authenticator)[] =>
    path === undefined || text === undefined
      ? []
      : [followedAuthorities({ flag, path, text, make }, environment, clock)];
  const byProxy = byAuthorities('requestheader-client-ca-file', flags.proxy.clientCaFile, proxyCa, (authorities) =>
    requestHeader({
      ...flags.proxy,
      authorities,
      clock,
      ...(clientCa !== undefined && { clientAuthorities: authority + clientCa }),
    }),
  );
  const ownClients =
    authority === '' || clientCa !== undefined ? [] : [clientCertificates({ authorities: authority, clock })];
  const byCertificate = byAuthorities('client-ca-file', flags.clientCaFile, clientCa, (authorities) =>
    clientCertificates({ authorities: authority + authorities, clock }),
  );
  const byToken = ({ reader, client, random }: ServerTools): readonly TokenAuthenticator[] => [
    audienceAgnosticTokens(knownTokens, apiAudiences),
    ...serviceAccountTokens({
      reader,
      clock,
      keys,
      issuers,
      apiAudiences,
      lookup: accounts.lookup,
      markUsed: (secret, day) =>
        client
          .kind('v1', 'Secret')
          .patch(namespacedName(secret), { merge: { metadata: { labels: { [lastUsedLabel]: day } } } }),
    }),
    ...(flags.bootstrapTokens ? [audienceAgnosticTokens(bootstrapTokens({ reader, clock }), apiAudiences)] : []),
    ...(oidc === undefined ? [] : [audienceAgnosticTokens(oidc.reloaded.authenticate, apiAudiences)]),
    ...(webhook === undefined
      ? []
      : [
          cachedTokens(
            webhookTokens(retryingCall(webhook.call, { clock, random }), {
              version: flags.webhook.version,
              audiences: apiAudiences,
            }),
            { clock, successTtlMs: flags.webhook.cacheMs, failureTtlMs: flags.webhook.cacheMs, errors: false },
          ),
        ]),
  ];
  return {
    authenticators: (tools) => {
      const asked = [
        ...byProxy.map((each) => audienceAgnostic(each(tools), apiAudiences)),
        ...(basic === undefined ? [] : [audienceAgnostic(basicAuth(basic), apiAudiences)]),
        ...ownClients,
        ...byCertificate.map((each) => each(tools)),
        bearerTokens([cachedTokens(unionTokenAuthenticator(byToken(tools)), { clock })]),
      ];
      const known = withAuthenticatedGroup(unionAuthenticator(asked));
      return [anonymous === undefined ? known : orAnonymous([known], anonymous)];
    },
    tokens: ({ random }) =>
      tokenIssuer({
        keys,
        issuer,
        apiAudiences,
        clock,
        random,
        extendExpiration: accounts.extends,
        ...(accounts.maxSeconds !== undefined && { maxExpirationSeconds: accounts.maxSeconds }),
        ...(accounts.jwksUri !== undefined && { jwksUri: accounts.jwksUri }),
      }),
    keys,
    apiAudiences,
    clientAuthorities: [clientCa ?? '', proxyCa ?? ''].join('\n'),
    info: {
      ...(authority + (clientCa ?? '') !== '' && { clientAuthorities: authority + (clientCa ?? '') }),
      ...(proxyCa !== undefined && { requestHeader: { ...flags.proxy, authorities: proxyCa } }),
    },
    parts: oidc === undefined ? [] : [oidc.reloaded],
    close: () => webhook?.close(),
  };
}

const lastUsedLabel = 'kubernetes.io/legacy-token-last-used';
const defaultIssuer = 'https://kubernetes.default.svc.cluster.local';

interface Oidc {
  readonly first: AuthenticationConfiguration;
  readonly reloaded: ReloadedAuthentication;
}

/** What a file of configuration says, or flags; they exclude each other. */
async function oidcOf(
  { configFile, oidc }: AuthenticationFlags,
  { environment, clock }: AuthenticationParts,
  disallowedIssuers: readonly string[],
): Promise<Oidc | undefined> {
  const hasFlags = oidc.issuerUrl !== undefined || oidc.clientId !== undefined;
  const options = { clock, disallowedIssuers, fetchDocument: httpsDocuments({ clock }) };
  if (configFile !== undefined) {
    if (hasFlags) throw new FlagError('--authentication-config and the flags --oidc-… exclude each other');
    const text = await environment.readFile(configFile);
    const first = await parseAuthenticationConfiguration(text);
    const configuration$ = followedFile(configFile, text, environment, clock).pipe(
      concatMap((each) => parsed(each, environment)),
    );
    return { first, reloaded: authenticationFrom(configuration$, options) };
  }
  if (!hasFlags) return undefined;
  const { caFile, signingAlgs = oidcFlagAlgorithms } = oidc;
  const authorities = caFile === undefined ? undefined : await environment.readFile(caFile);
  const first = configurationOfOidcFlags({
    ...given(oidc),
    ...(authorities !== undefined && { certificateAuthority: authorities }),
  });
  return { first, reloaded: authenticationFrom(of(first), { ...options, algorithms: signingAlgs.map(algorithm) }) };
}

function given({
  issuerUrl = '',
  clientId = '',
  usernameClaim,
  usernamePrefix,
  groupsClaim,
  groupsPrefix,
  requiredClaims,
}: OidcFlagValues): Parameters<typeof configurationOfOidcFlags>[0] {
  return {
    issuerUrl,
    clientId,
    requiredClaims,
    ...(usernameClaim !== undefined && { usernameClaim }),
    ...(usernamePrefix !== undefined && { usernamePrefix }),
    ...(groupsClaim !== undefined && { groupsClaim }),
    ...(groupsPrefix !== undefined && { groupsPrefix }),
  };
}

function algorithm(name: string): SignatureAlgorithm {
  const known = signatureAlgorithms.find((each) => each === name);
  if (known === undefined)
    throw new FlagError(`--oidc-signing-algs: ${JSON.stringify(name)} is none of ${signatureAlgorithms.join(', ')}`);
  return known;
}

function anonymousOptions(
  { anonymous }: AuthenticationFlags,
  configuration: AuthenticationConfiguration | undefined,
  otherwise: boolean,
): AnonymousOptions | undefined {
  if (configuration?.anonymous !== undefined && anonymous !== undefined)
    throw new FlagError('--anonymous-auth and the anonymous field of --authentication-config exclude each other');
  return anonymousOf(configuration ?? {}, anonymous ?? otherwise);
}

/** A later file that makes no sense is told of and passed over. */
function parsed(text: string, { print }: CommandEnvironment): Observable<AuthenticationConfiguration> {
  return defer(() => from(parseAuthenticationConfiguration(text))).pipe(
    catchError((error: unknown) => {
      print(`the authentication configuration was not taken over: ${errorText(error)}`);
      return EMPTY;
    }),
  );
}
