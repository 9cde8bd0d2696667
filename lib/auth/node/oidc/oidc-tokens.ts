// The JWT authenticators of a configuration. The issuer of a token selects the one that verifies it, which returns a
// user or an error; tokens of other issuers are not authenticated here. Issuers are discovered in the background with
// retries, since they may run on the cluster itself. As apiserver/plugin/pkg/authenticator/token/oidc/oidc.go and
// pkg/kubeapiserver/authenticator/config.go.
import { NEVER, concat, defer, finalize, map, merge, repeat, takeWhile } from 'rxjs';
import type { Observable } from 'rxjs';
import { errorText, quote } from '../../../core/index.js';
import type { Activity, Clock, Part } from '../../../core/index.js';
import { bundleProblem } from '../../../pki/index.js';
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
import { issuerNamed, verifyIdToken } from './id-token.js';
import type { IdToken, IdTokenRules } from './id-token.js';
import { Issuer, discoveryIntervalMs } from './issuer.js';

/** Dependencies of the JWT authenticators. */
export interface OidcOptions extends Pick<AuthenticationConfigurationRules, 'expressions' | 'disallowedIssuers'> {
  readonly fetchDocument: FetchDocument;
  readonly clock: Clock;
  /** Allowed algorithms. Default: all, as for a configuration file; flags allow `oidcFlagAlgorithms`. */
  readonly algorithms?: readonly SignatureAlgorithm[];
  /** Egress types that `fetchDocument` supports; configurations that name others are rejected. */
  readonly egressTypes?: readonly EgressType[];
}

/** Verifies tokens while its `run()` is subscribed. */
export interface OidcTokens extends Part<OidcActivity> {
  readonly name: 'oidc';
  readonly authenticate: TokenAuthenticator;
  /** Why tokens of some issuers cannot be verified yet; empty if all can. */
  problems(): readonly string[];
  /**
   * Discovers the issuers and emits each attempt; never completes. Unsubscribing aborts requests in progress. One
   * subscriber at a time.
   */
  run(): Observable<OidcActivity>;
}

/** An attempt to discover an issuer. */
export interface OidcActivity extends Activity {
  readonly type: 'issuer-ready' | 'issuer-failed';
  readonly issuer: string;
  /** Why it failed; absent on success. */
  readonly problem?: string;
}

/** Creates the authenticators of a configuration. Throws `AuthenticationConfigurationError`. */
export function oidcTokens(configuration: AuthenticationConfiguration, options: OidcOptions): OidcTokens {
  const ending = new AbortController();
  const members = new Map(
    compileAuthenticationConfiguration(configuration, { ...options, certificatesProblem: bundleProblem }).map(
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

/** One JWT authenticator. */
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

/** Returns undefined for an empty string. */
function given(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

/** Retries until an attempt succeeds. */
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

/** Synchronous if the key is cached and no claim is distributed. */
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

/** Runs the work, synchronous or not, and prefixes its error. */
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
