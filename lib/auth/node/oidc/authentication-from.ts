// A configuration that changes while the server runs. A new one is tried first: it serves once all its issuers have
// answered; if they do not within a minute, or a newer one comes, the old one stays. The one replaced is kept for
// another minute, for requests that are being answered with it. As pkg/kubeapiserver/options/authentication.go
// (ApplyTo) and pkg/kubeapiserver/authenticator/config.go (updateAuthenticationConfig).
//
//   tried ──all issuers answered──► serving ──another serves──► kept for a minute ──► ended
//     └──a minute passed, or a newer configuration──► refused
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

/** Verifies tokens by the configuration that serves at the time, while its `run()` is subscribed. */
export interface ReloadedAuthentication extends Part<AuthenticationReload> {
  readonly name: 'authentication';
  readonly authenticate: TokenAuthenticator;
  /**
   * Follows the configurations; never completes. Fails when the first is invalid: there is nothing to fall back to. One
   * subscriber.
   */
  run(): Observable<AuthenticationReload>;
}

/** The activity of a ReloadedAuthentication. */
export type AuthenticationReload =
  /** Tokens are verified by this configuration from now on. */
  | { readonly type: 'configuration-serving'; readonly configuration: AuthenticationConfiguration }
  /** A configuration makes no sense, or its issuers do not respond; the one before stays in use. */
  | {
      readonly type: 'configuration-refused';
      readonly configuration?: AuthenticationConfiguration;
      readonly problem: string;
    }
  | OidcActivity;

/**
 * Authenticates by the latest good configuration. One that serves or is being tried is not begun again; one that was
 * refused may come again. Where `config$` ends or fails, the last stays.
 */
export function authenticationFrom(
  config$: Observable<AuthenticationConfiguration>,
  options: OidcOptions,
): ReloadedAuthentication {
  let serving: OidcTokens | undefined;
  return {
    name: 'authentication',
    // Before the first configuration nobody knows which tokens are ours.
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

/** How one configuration follows another. */
interface Succession {
  readonly clock: Clock;
  readonly accepted$: Observable<OidcTokens>;
  readonly accept: (tokens: OidcTokens) => void;
}

/** Says true when a configuration may serve, false when it had its time. */
type Verdict = (tokens: OidcTokens, activity$: Observable<unknown>) => Observable<boolean>;

const minuteMs = 60_000;

/** Begins with configurations. The first serves at once, and has to be valid; each further one is tried. */
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
