// Authenticators and authorizers that are replaced while the server runs, for instance when the file changes that they
// were created from. The stream of replacements is subscribed to with the first request and unsubscribed when the
// server is closed. If the stream fails, its last value stays in use; without a value, the request fails and the next
// one subscribes again. A source that should continue after a failure has to retry by itself.
import type { Observable } from 'rxjs';
import { firstValueFrom, map, shareReplay, takeUntil, tap } from 'rxjs';
import { firstOf } from '../core/index.js';
import type { Frozen } from '../core/index.js';
import type { UserInfo } from '../core/types/index.js';
import type { Authenticator, TokenAuthenticator } from './authenticator.js';
import type { AccessAttributes, AccessRules, Authorizer, Decision } from './authorizer.js';

/** Uses the latest authenticator that `source$` emitted, until `closed$` emits. */
export function reloadingAuthenticator(source$: Observable<Authenticator>, closed$: Observable<void>): Authenticator {
  const latest = latestValue(source$, closed$);
  return (credentials) => {
    const authenticator = latest();
    return authenticator instanceof Promise
      ? authenticator.then((loaded) => firstOf(loaded(credentials), undefined))
      : authenticator(credentials);
  };
}

/** Uses the latest token authenticator that `source$` emitted, until `closed$` emits. */
export function reloadingTokenAuthenticator(
  source$: Observable<TokenAuthenticator>,
  closed$: Observable<void>,
): TokenAuthenticator {
  const latest = latestValue(source$, closed$);
  return (token, audiences) => {
    const authenticator = latest();
    return authenticator instanceof Promise
      ? authenticator.then((loaded) => firstOf(loaded(token, audiences), undefined))
      : authenticator(token, audiences);
  };
}

/** Uses the latest authorizer that `source$` emitted, until `closed$` emits. */
export function reloadingAuthorizer(source$: Observable<Authorizer>, closed$: Observable<void>): Authorizer {
  const latest = latestValue(source$, closed$);
  const authorize = (attributes: AccessAttributes): ReturnType<Authorizer> => {
    const authorizer = latest();
    return authorizer instanceof Promise
      ? authorizer.then((loaded) => firstOf(loaded(attributes), noOpinion))
      : authorizer(attributes);
  };
  authorize.rules = async (user: Frozen<UserInfo>, namespace: string): Promise<AccessRules> => {
    const authorizer = await latest();
    return firstOf(authorizer.rules?.(user, namespace) ?? [], incompleteRules);
  };
  return authorize;
}

const noOpinion: Decision = Object.freeze({ decision: 'noOpinion', reason: '' });
const incompleteRules: AccessRules = Object.freeze({ resourceRules: [], nonResourceRules: [], incomplete: true });

/**
 * Returns a function that returns the latest value, synchronously once there is one, else a promise of the first.
 * Rejects if the stream completes or fails before its first value.
 */
function latestValue<T>(source$: Observable<T>, closed$: Observable<void>): () => T | Promise<T> {
  let latest: Emitted<T> | undefined;
  const shared$ = source$.pipe(
    map((value): Emitted<T> => ({ value })),
    tap((emitted) => (latest = emitted)),
    takeUntil(closed$),
    // Without reference counting the subscription lasts between requests, until closed$ emits.
    shareReplay({ bufferSize: 1, refCount: false }),
  );
  return () =>
    latest === undefined ? firstValueFrom(shared$, { defaultValue: undefined }).then(unwrap) : latest.value;
}

/** Distinguishes an emitted undefined from no value. */
interface Emitted<T> {
  readonly value: T;
}

function unwrap<T>(first: Emitted<T> | undefined): T {
  if (first === undefined) throw new Error('the source ended before it had a value, or the server is closed');
  return first.value;
}
