// JWT authentication whose configuration changes while the server runs. A new configuration is used once all its
// issuers were discovered; if that takes longer than a minute, or a newer one arrives, the present one stays. The
// replaced one lives for another minute, for requests in progress. As pkg/kubeapiserver/options/authentication.go
// (ApplyTo) and pkg/kubeapiserver/authenticator/config.go (updateAuthenticationConfig).
//
//   trying ──all issuers discovered──► in use ──another is used──► kept for a minute ──► ended
//     └──a minute passed, or a newer configuration──► rejected
import {
  NEVER,
  catchError,
  concat,
  connect,
  defer,
  filter,
  map,
  merge,
  mergeMap,
  of,
  race,
  startWith,
  take,
  takeUntil,
  takeWhile,
  tap,
} from 'rxjs';
import type { Observable } from 'rxjs';
import { Outlet, deepEqual, errorText, fieldForbidden, fieldPath } from '../../../core/index.js';
import type { Clock, Part } from '../../../core/index.js';
import type { AuthenticationConfiguration } from '../../authentication/authentication-configuration.js';
import { AuthenticationConfigurationError } from '../../authentication/authentication-configuration-validation.js';
import type { TokenAuthenticator } from '../../authenticator.js';
import { oidcTokens } from './oidc-tokens.js';
import type { OidcActivity, OidcOptions, OidcTokens } from './oidc-tokens.js';

/** Verifies tokens with the current configuration while `run()` is subscribed. */
export interface ReloadedAuthentication extends Part<AuthenticationReload> {
  readonly name: 'authentication';
  readonly authenticate: TokenAuthenticator;
  /** Applies configurations; never completes. Fails if the first is invalid. One subscriber at a time. */
  run(): Observable<AuthenticationReload>;
}

/** Activities of a ReloadedAuthentication. */
export type AuthenticationReload =
  /** Tokens are verified with this configuration from now on. */
  | { readonly type: 'configuration-serving'; readonly configuration: AuthenticationConfiguration }
  /** A configuration is invalid or its issuers do not respond; the previous one stays in use. */
  | {
      readonly type: 'configuration-refused';
      readonly configuration?: AuthenticationConfiguration;
      readonly problem: string;
    }
  | OidcActivity;

/**
 * Authenticates with the latest usable configuration. One that is in use or being tried is not started again; one that
 * was rejected may be retried. If `config$` completes or fails, the last one stays.
 */
export function authenticationFrom(
  config$: Observable<AuthenticationConfiguration>,
  options: OidcOptions,
): ReloadedAuthentication {
  let serving: OidcTokens | undefined;
  return {
    name: 'authentication',
    // Before the first configuration no token can be attributed to an issuer.
    authenticate: (token, audiences) => serving?.authenticate(token, audiences) ?? [undefined],
    run: () =>
      defer(() => {
        const accepted = new Outlet<OidcTokens>();
        const accept = (tokens: OidcTokens): void => {
          serving = tokens;
          accepted.emit(tokens);
        };
        const begin = beginner(options, { clock: options.clock, accepted$: accepted.values$, accept });
        let obeyed: AuthenticationConfiguration | undefined;
        let tried: AuthenticationConfiguration | undefined;
        const lives$ = config$.pipe(
          catchError((error: unknown) => of(refused(error))),
          filter((change) => isRefused(change) || !deepEqual(change, tried ?? obeyed)),
          connect((changes$) =>
            changes$.pipe(
              mergeMap((change) => {
                if (isRefused(change)) return of(change);
                tried = change;
                return begin(change, changes$.pipe(filter((other) => !isRefused(other))));
              }),
            ),
          ),
          tap((reload) => {
            if (reload.type === 'configuration-serving') obeyed = reload.configuration;
            if ('configuration' in reload && reload.configuration === tried) tried = undefined;
          }),
        );
        return concat(lives$, NEVER);
      }),
  };
}

type Refused = Extract<AuthenticationReload, { readonly type: 'configuration-refused' }>;

function isRefused(change: AuthenticationConfiguration | Refused): change is Refused {
  return 'type' in change;
}

/** A configuration in the sequence of configurations. */
interface Succession {
  readonly clock: Clock;
  readonly accepted$: Observable<OidcTokens>;
  readonly accept: (tokens: OidcTokens) => void;
}

/** Emits true when a configuration may be used, false when it is to end. */
type Verdict = (tokens: OidcTokens, activity$: Observable<unknown>) => Observable<boolean>;

const minuteMs = 60_000;

/** Starts configurations. The first is used at once and has to be valid; each further one is tried first. */
function beginner(
  options: OidcOptions,
  succession: Succession,
): (configuration: AuthenticationConfiguration, newer$: Observable<unknown>) => Observable<AuthenticationReload> {
  let first: AuthenticationConfiguration | undefined;
  return (configuration, newer$) => {
    if (first === undefined) {
      first = configuration;
      return life(configuration, oidcTokens(configuration, options), () => of(true), succession);
    }
    try {
      checkAnonymous(first, configuration);
      return life(configuration, oidcTokens(configuration, options), trial(newer$, options.clock), succession);
    } catch (error) {
      return of({ ...refused(error), configuration });
    }
  };
}

function trial(newer$: Observable<unknown>, clock: Clock): Verdict {
  return (tokens, activity$) => {
    const allAnswered$ = activity$.pipe(
      startWith(undefined),
      filter(() => tokens.problems().length === 0),
      map(() => true),
    );
    const isOver$ = merge(clock.timer(minuteMs), newer$).pipe(map(() => false));
    return race(allAnswered$, isOver$).pipe(take(1));
  };
}

function life(
  configuration: AuthenticationConfiguration,
  tokens: OidcTokens,
  verdict: Verdict,
  { clock, accepted$, accept }: Succession,
): Observable<AuthenticationReload> {
  const replaced$ = accepted$.pipe(
    filter((other) => other !== tokens),
    take(1),
    mergeMap(() => clock.timer(minuteMs)),
  );
  const judged = (isGood: boolean): AuthenticationReload => {
    if (!isGood) return { type: 'configuration-refused', configuration, problem: tokens.problems().join(', ') };
    accept(tokens);
    return { type: 'configuration-serving', configuration };
  };
  return tokens.run().pipe(
    connect((activity$) => merge(activity$, verdict(tokens, activity$).pipe(map(judged)))),
    takeWhile(({ type }) => type !== 'configuration-refused', true),
    takeUntil(replaced$),
  );
}

function checkAnonymous(first: AuthenticationConfiguration, next: AuthenticationConfiguration): void {
  if (deepEqual(first.anonymous, next.anonymous)) return;
  throw new AuthenticationConfigurationError([
    fieldForbidden(fieldPath('anonymous'), 'changed from initial configuration file'),
  ]);
}

function refused(error: unknown): Refused {
  return { type: 'configuration-refused', problem: errorText(error) };
}
