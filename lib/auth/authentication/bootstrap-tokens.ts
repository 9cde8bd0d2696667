// Bootstrap tokens, with which nodes join a cluster: `id.secret`, stored in Secrets `bootstrap-token-⟨id⟩` of
// kube-system. An invalid token is not recognised rather than rejected; only failed reads are errors. As
// plugin/pkg/auth/authenticator/token/bootstrap/bootstrap.go.
import { decodeBase64, parseTime } from '../../core/index.js';
import type { Clock, Frozen, ObjectReader } from '../../core/index.js';
import type { Secret } from '../../core/types/index.js';
import type { Authenticated, TokenAuthenticator } from '../authenticator.js';
import { isSameSecret } from './constant-time.js';

/** Dependencies of bootstrap tokens; `ServerTools` has them. */
export interface BootstrapTokenOptions {
  readonly reader: ObjectReader;
  readonly clock: Clock;
}

/** Authenticates users by bootstrap tokens. */
export function bootstrapTokens({ reader, clock }: BootstrapTokenOptions): TokenAuthenticator {
  return async (token) => {
    const [id = '', secret = '', ...rest] = token.split('.', 3);
    if (rest.length > 0 || !/^[a-z0-9]{6}$/.test(id) || !/^[a-z0-9]{16}$/.test(secret)) return undefined;
    const kept = await reader.get<Secret>({ group: '', resource: 'secrets' }, `bootstrap-token-${id}`, 'kube-system');
    return kept === undefined ? undefined : userOf(kept, { id, secret }, clock.now());
  };
}

function userOf(
  kept: Frozen<Secret>,
  { id, secret }: { readonly id: string; readonly secret: string },
  nowMs: number,
): Authenticated | undefined {
  if (kept.metadata?.deletionTimestamp !== undefined || kept.type !== 'bootstrap.kubernetes.io/token') return undefined;
  const value = (key: string): string => textOf(kept, key);
  if (!isSameSecret(value('token-secret'), secret) || value('token-id') !== id) return undefined;
  if (isExpired(value('expiration'), nowMs) || value('usage-bootstrap-authentication') !== 'true') return undefined;
  const groups = groupsOf(value('auth-extra-groups'));
  return groups && { user: { username: `system:bootstrap:${id}`, groups } };
}

function textOf({ data }: Frozen<Secret>, key: string): string {
  const encoded = data !== undefined && Object.hasOwn(data, key) ? data[key] : undefined;
  return encoded === undefined ? '' : new TextDecoder().decode(decodeBase64(encoded));
}

/** A time that cannot be parsed counts as expired. */
function isExpired(expiration: string, nowMs: number): boolean {
  if (expiration === '') return false;
  try {
    return parseTime(expiration) <= nowMs;
  } catch {
    return true;
  }
}

/** Returns the bootstrappers' group and those of the Secret. One malformed group invalidates the token. */
function groupsOf(extra: string): string[] | undefined {
  const added = extra === '' ? [] : extra.split(',');
  if (!added.every((group) => groupForm.test(group))) return undefined;
  return [...new Set(['system:bootstrappers', ...added])].sort();
}

const groupForm = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;
