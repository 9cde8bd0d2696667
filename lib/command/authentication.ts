// Creates the authenticators that the flags configure, in the order of kube-apiserver: front proxy, password, client
// certificate, bearer tokens (token file, service accounts, bootstrap tokens, OpenID Connect, webhook), anonymous.
// As pkg/kubeapiserver/authenticator/config.go, New.
import { EMPTY, catchError, concatMap, defer, from, of, skip } from 'rxjs';
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
  reloadingAuthenticator,
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
import { reloadBundle } from '../pki/index.js';
import type { AuthenticationInfo } from '../server/index.js';
import { retryingCall } from '../webhook/index.js';
import type { AuthenticationFlags, OidcFlagValues } from './authentication-flags.js';
import { FlagError } from './flag-table.js';
import type { CommandEnvironment } from './environment.js';
import { watchFile } from './watch-file.js';
import { connectWebhook } from './webhook-connection.js';

/** What authentication needs besides the flags. */
export interface AuthenticationSetup {
  readonly environment: CommandEnvironment;
  readonly clock: Clock;
  /** Certificate of the server's own authority, in PEM; absent without TLS. */
  readonly authority?: string | undefined;
  /** Private key that signs service account tokens, in PEM. */
  readonly serviceAccountKey: string;
  /** Additional line of the token file: the administrator of the written kubeconfig, without TLS. */
  readonly adminTokenLine?: string | undefined;
  /** Additional line of the password file: the administrator for kubectl, without TLS. */
  readonly adminPasswordLine?: string | undefined;
  /** Default of `--anonymous-auth`. */
  readonly allowsAnonymous: boolean;
}

/** The authentication that the flags configure. */
export interface Authentication {
  readonly authenticators: (tools: ServerTools) => readonly Authenticator[];
  readonly tokens: (tools: ServerTools) => TokenIssuer;
  readonly keys: ServiceAccountKeys;
  readonly apiAudiences: readonly string[];
  /** Authorities of clients and front proxies, besides the server's own, in PEM. */
  readonly clientAuthorities: string;
  /** Published in the ConfigMap `extension-apiserver-authentication`. */
  readonly info: AuthenticationInfo;
  /** Run beside the server: the discovery of OpenID Connect issuers, and the reload of a changed configuration. */
  readonly parts: readonly Part[];
  readonly close: () => void;
}

/** Reads the files that the flags name. Rejects if one cannot be read or is invalid. */
export async function createAuthentication(
  flags: AuthenticationFlags,
  setup: AuthenticationSetup,
): Promise<Authentication> {
  const { environment, clock, authority = '' } = setup;
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
  const keys = serviceAccountKeys({ signing: setup.serviceAccountKey, verification: accountKeys });
  const webhook =
    flags.webhook.configFile === undefined
      ? undefined
      : await connectWebhook({ path: flags.webhook.configFile }, { clock });
  const oidc = await createOidc(flags, setup, issuers);
  const fileTokens = tokenFile(setup.adminTokenLine === undefined ? tokens : `${setup.adminTokenLine}\n${tokens}`);
  const passwords = setup.adminPasswordLine === undefined ? basic : `${setup.adminPasswordLine}\n${basic ?? ''}`;
  const anonymous = anonymousOptions(flags, oidc?.first, setup.allowsAnonymous);

  const reloadingBy = (file: AuthoritiesFile): ((tools: ServerTools) => Authenticator) =>
    reloadingFromAuthorities(file, environment, clock);
  const proxyAuthenticators =
    flags.proxy.clientCaFile === undefined || proxyCa === undefined
      ? []
      : [
          reloadingBy({
            flag: 'requestheader-client-ca-file',
            path: flags.proxy.clientCaFile,
            text: proxyCa,
            create: (authorities) =>
              requestHeader({
                ...flags.proxy,
                authorities,
                clock,
                ...(clientCa !== undefined && { clientAuthorities: authority + clientCa }),
              }),
          }),
        ];
  const ownCertificates =
    authority === '' || clientCa !== undefined ? [] : [clientCertificates({ authorities: authority, clock })];
  const certificateAuthenticators =
    flags.clientCaFile === undefined || clientCa === undefined
      ? []
      : [
          reloadingBy({
            flag: 'client-ca-file',
            path: flags.clientCaFile,
            text: clientCa,
            create: (authorities) => clientCertificates({ authorities: authority + authorities, clock }),
          }),
        ];
  const tokenAuthenticators = ({ reader, client, random }: ServerTools): readonly TokenAuthenticator[] => [
    audienceAgnosticTokens(fileTokens, apiAudiences),
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
      const inOrder = [
        ...proxyAuthenticators.map((each) => audienceAgnostic(each(tools), apiAudiences)),
        ...(passwords === undefined ? [] : [audienceAgnostic(basicAuth(passwords), apiAudiences)]),
        ...ownCertificates,
        ...certificateAuthenticators.map((each) => each(tools)),
        bearerTokens([cachedTokens(unionTokenAuthenticator(tokenAuthenticators(tools)), { clock })]),
      ];
      const authenticator = withAuthenticatedGroup(unionAuthenticator(inOrder));
      return [anonymous === undefined ? authenticator : orAnonymous([authenticator], anonymous)];
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

/** A file of authorities, and the authenticator that trusts them. */
interface AuthoritiesFile {
  /** The flag that names the file. */
  readonly flag: string;
  readonly path: string;
  /** The text of the file at start, in PEM. */
  readonly text: string;
  /** Creates an authenticator that trusts these authorities. May throw. */
  readonly create: (authorities: string) => Authenticator;
}

/** Returns an authenticator that trusts the current authorities of the file. Throws Error if the first are unusable. */
function reloadingFromAuthorities(
  { flag, path, text, create }: AuthoritiesFile,
  environment: CommandEnvironment,
  clock: Clock,
): (tools: ServerTools) => Authenticator {
  try {
    const authenticator$ = reloadBundle({
      first: text,
      changes$: watchFile(path, text, environment, clock).pipe(skip(1)),
      create,
      onRejected: (error) =>
        environment.print(`--${flag}: the change of ${path} was not taken over: ${errorText(error)}`),
    });
    return ({ closed$ }) => reloadingAuthenticator(authenticator$, closed$);
  } catch (error) {
    throw new Error(`--${flag}: ${path} cannot be used: ${errorText(error)}`, { cause: error });
  }
}

interface Oidc {
  readonly first: AuthenticationConfiguration;
  readonly reloaded: ReloadedAuthentication;
}

/** Creates OpenID Connect from `--authentication-config` or from `--oidc-…` flags, which exclude each other. */
async function createOidc(
  { configFile, oidc }: AuthenticationFlags,
  { environment, clock }: AuthenticationSetup,
  disallowedIssuers: readonly string[],
): Promise<Oidc | undefined> {
  const hasFlags = oidc.issuerUrl !== undefined || oidc.clientId !== undefined;
  const options = { clock, disallowedIssuers, fetchDocument: httpsDocuments({ clock }) };
  if (configFile !== undefined) {
    if (hasFlags) throw new FlagError('--authentication-config and the flags --oidc-… exclude each other');
    const text = await environment.readFile(configFile);
    const first = await parseAuthenticationConfiguration(text);
    const configuration$ = watchFile(configFile, text, environment, clock).pipe(
      concatMap((each) => parseOrReport(each, environment)),
    );
    return { first, reloaded: authenticationFrom(configuration$, options) };
  }
  if (!hasFlags) return undefined;
  const { caFile, signingAlgs = oidcFlagAlgorithms } = oidc;
  const authorities = caFile === undefined ? undefined : await environment.readFile(caFile);
  const first = configurationOfOidcFlags({
    ...definedFlags(oidc),
    ...(authorities !== undefined && { certificateAuthority: authorities }),
  });
  return {
    first,
    reloaded: authenticationFrom(of(first), { ...options, algorithms: signingAlgs.map(parseAlgorithm) }),
  };
}

function definedFlags({
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

function parseAlgorithm(name: string): SignatureAlgorithm {
  const algorithm = signatureAlgorithms.find((each) => each === name);
  if (algorithm === undefined)
    throw new FlagError(`--oidc-signing-algs: ${JSON.stringify(name)} is none of ${signatureAlgorithms.join(', ')}`);
  return algorithm;
}

function anonymousOptions(
  { anonymous }: AuthenticationFlags,
  configuration: AuthenticationConfiguration | undefined,
  allowedByDefault: boolean,
): AnonymousOptions | undefined {
  if (configuration?.anonymous !== undefined && anonymous !== undefined)
    throw new FlagError('--anonymous-auth and the anonymous field of --authentication-config exclude each other');
  return anonymousOf(configuration ?? {}, anonymous ?? allowedByDefault);
}

/** Parses a later version of the configuration; an invalid one is reported and ignored. */
function parseOrReport(text: string, { print }: CommandEnvironment): Observable<AuthenticationConfiguration> {
  return defer(() => from(parseAuthenticationConfiguration(text))).pipe(
    catchError((error: unknown) => {
      print(`the authentication configuration was not taken over: ${errorText(error)}`);
      return EMPTY;
    }),
  );
}
