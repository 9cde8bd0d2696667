// Tokens of foreign issuers: the JWT authenticators of a configuration as one. The issuer that a token names decides
// who verifies it; whoever is named answers with a user or an error, and tokens of other issuers are not ours. Issuers
// are discovered in the background, again and again until they answer: they may well run on the cluster they vouch for.
// As apiserver/plugin/pkg/authenticator/token/oidc/oidc.go and pkg/kubeapiserver/authenticator/config.go.
import { NEVER, concat, defer, finalize, map, merge, repeat, takeWhile } from 'rxjs';
import type { Observable } from 'rxjs';
import { errorText, quote } from '../../../core/index.js';
import type { Activity, Clock, Part } from '../../../core/index.js';
import type { AuthenticationConfiguration } from '../../authentication/authentication-configuration.js';
import { compileAuthenticationConfiguration } from '../../authentication/authentication-configuration-validation.js';
import type {
  AuthenticationConfigurationRules,
  CompiledJwtAuthenticator,
} from '../../authentication/authentication-configuration-validation.js';
import { AuthenticationError } from '../../authentication/authentication-error.js';
import { userOf } from '../../authentication/claim-mapping.js';
import type { Authenticated, TokenAuthenticator } from '../../authenticator.js';
import { parseJws, unverifiedIssuer } from '../jws.js';
import type { Jws } from '../jws.js';
import { signatureAlgorithms } from '../signature-key.js';
import type { SignatureAlgorithm } from '../signature-key.js';
import { distributedClaims } from './distributed-claims.js';
import type { ClaimResolver } from './distributed-claims.js';
import type { EgressType, FetchDocument } from './documents.js';
import { pemProblem } from './https-documents.js';
import { issuerNamed, verifyIdToken } from './id-token.js';
import type { IdToken, IdTokenRules } from './id-token.js';
import { Issuer, discoveryIntervalMs } from './issuer.js';

/** What tokens are verified with. */
export interface OidcOptions extends Pick<AuthenticationConfigurationRules, 'expressions' | 'disallowedIssuers'> {
  readonly fetchDocument: FetchDocument;
  readonly clock: Clock;
  /** All that exist unless given, as for a configuration from a file; flags allow `oidcFlagAlgorithms`. */
  readonly algorithms?: readonly SignatureAlgorithm[];
  /** The ways out of the network that `fetchDocument` knows; a configuration that names another is refused. */
  readonly egressTypes?: readonly EgressType[];
}

/** Verifies tokens while its `run()` is subscribed. */
export interface OidcTokens extends Part<OidcActivity> {
  readonly name: 'oidc';
  readonly authenticate: TokenAuthenticator;
  /** Why tokens of some issuers cannot be verified yet; empty when all can. */
  problems(): readonly string[];
  /**
   * Discovers the issuers and tells of each attempt; never completes. Unsubscribing ends every request under way. One
   * subscriber.
   */
  run(): Observable<OidcActivity>;
}

/** An attempt to discover an issuer. */
export interface OidcActivity extends Activity {
  readonly type: 'issuer-ready' | 'issuer-failed';
  readonly issuer: string;
  /** Why it failed. */
  readonly problem?: string;
}

/** Verifies the tokens that a configuration believes. Throws `AuthenticationConfigurationError`. */
export function oidcTokens(configuration: AuthenticationConfiguration, options: OidcOptions): OidcTokens {
  const ending = new AbortController();
  const members = new Map(
    compileAuthenticationConfiguration(configuration, { ...options, certificatesProblem: pemProblem }).map(
      (compiled) => {
        const member = memberOf(compiled, options, ending.signal);
        return [member.issuer.url, member];
      },
    ),
  );
  const all = [...members.values()];
  return {
    name: 'oidc',
    authenticate: (token) => {
      const jws = parseJws(token);
      const iss = jws === undefined ? unverifiedIssuer(token) : jws.unverified.iss;
      const member = typeof iss === 'string' ? members.get(issuerNamed(iss)) : undefined;
      return member === undefined ? notMine : answerOf(member, jws);
    },
    problems: () =>
      all.flatMap(({ issuer: { url, problem } }) =>
        problem === undefined ? [] : [`oidc: authenticator for issuer ${quote(url)} is not healthy: ${problem}`],
      ),
    run: () =>
      concat(merge(...all.map(({ issuer }) => discovery(issuer, options.clock))), NEVER).pipe(
        finalize(() => {
          ending.abort();
        }),
      ),
  };
}

const notMine = [undefined] as const;

/** One authenticator of the set. */
interface Member {
  readonly compiled: CompiledJwtAuthenticator;
  readonly issuer: Issuer;
  readonly rules: IdTokenRules;
  readonly resolve: ClaimResolver;
}

function memberOf(compiled: CompiledJwtAuthenticator, options: OidcOptions, signal: AbortSignal): Member {
  const { clock, fetchDocument, algorithms = signatureAlgorithms, egressTypes = [] } = options;
  const {
    issuer,
    claimMappings: { groups },
  } = compiled.configuration;
  const { url, egressSelectorType: egress, audiences = [] } = issuer;
  if (egress !== undefined && !egressTypes.includes(egress))
    throw new Error(`oidc: egress lookup required with egress selector type ${quote(egress)}`);
  const unknown = algorithms.find((each) => !signatureAlgorithms.includes(each));
  if (unknown !== undefined) throw new Error(`oidc: unsupported signing alg: ${quote(unknown)}`);
  const rules: IdTokenRules = { algorithms: [...algorithms].sort(), audiences, clock };
  const connection = { certificateAuthority: given(issuer.certificateAuthority), egress, signal };
  const claim = given(groups?.claim);
  return {
    compiled,
    issuer: new Issuer({ url, discoveryUrl: given(issuer.discoveryURL), fetchDocument, clock, connection }),
    rules,
    resolve:
      claim === undefined ? ({ claims }) => claims : distributedClaims({ claim, rules, fetchDocument, connection }),
  };
}

/** What is empty is absent. */
function given(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

/** Attempts until one succeeds. */
function discovery(issuer: Issuer, clock: Clock): Observable<OidcActivity> {
  return defer(() => issuer.discover()).pipe(
    map((): OidcActivity => {
      const { url, problem } = issuer;
      return problem === undefined
        ? { type: 'issuer-ready', issuer: url }
        : { type: 'issuer-failed', issuer: url, problem };
    }),
    repeat({ delay: () => clock.timer(discoveryIntervalMs) }),
    takeWhile(({ type }) => type === 'issuer-failed', true),
  );
}

/** Answers at once where the key is known and all claims are in the token. */
function answerOf(member: Member, jws: Jws | undefined): readonly [Authenticated] | Promise<Authenticated> {
  const { issuer, rules } = member;
  if (issuer.problem !== undefined) throw new AuthenticationError('oidc: authenticator not initialized');
  if (jws === undefined) throw unverified('oidc: malformed jwt');
  const token = telling(unverified, () => verifyIdToken(jws, issuer, rules));
  if (token instanceof Promise) return token.then((found) => authenticated(member, found));
  const answer = authenticated(member, token);
  return answer instanceof Promise ? answer : [answer];
}

function authenticated({ compiled, resolve }: Member, token: IdToken): Authenticated | Promise<Authenticated> {
  const all = telling(unresolved, () => resolve(token));
  return all instanceof Promise
    ? all.then((found) => ({ user: userOf(compiled, found) }))
    : { user: userOf(compiled, all) };
}

/** Does the work, now or later; so is told why it failed. */
function telling<T>(failure: (reason: string) => AuthenticationError, work: () => T | Promise<T>): T | Promise<T> {
  try {
    const result = work();
    if (!(result instanceof Promise)) return result;
    return result.catch((error: unknown) => {
      throw failure(errorText(error));
    });
  } catch (error) {
    throw failure(errorText(error));
  }
}

function unverified(reason: string): AuthenticationError {
  return new AuthenticationError(`oidc: verify token: ${reason}`);
}

function unresolved(reason: string): AuthenticationError {
  return new AuthenticationError(`oidc: could not expand distributed claims: ${reason}`);
}
