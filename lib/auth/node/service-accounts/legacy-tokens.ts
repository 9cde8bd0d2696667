// Legacy tokens, which are stored in Secrets and do not expire: they are valid as long as their Secret contains them.
// Kubernetes no longer creates them by default, but accepts them, records the day of their last use, and rejects those
// whose Secret is labelled invalid. As pkg/serviceaccount/legacy.go.
import { createHash, timingSafeEqual } from 'node:crypto';
import { decodeBase64, deepFreeze, notFound, printTime } from '../../../core/index.js';
import type { Frozen, JsonObject, ObjectReader } from '../../../core/index.js';
import type { Secret, ServiceAccount, UserInfo } from '../../../core/types/index.js';
import { AuthenticationError } from '../../authentication/authentication-error.js';
import type { Authenticated, TokenAuthenticator } from '../../authenticator.js';
import { serviceAccountGroups, serviceAccountOf } from '../../system-users.js';
import { textClaim } from '../claims.js';
import { signJws } from '../jws.js';
import type { ServiceAccountKeys } from './keys.js';
import { signedTokens } from './signed-tokens.js';
import type { ServiceAccountTokenOptions, SignedToken } from './signed-tokens.js';

/** Options of legacy tokens. */
export interface LegacyTokenOptions extends Omit<ServiceAccountTokenOptions, 'issuers' | 'apiAudiences'> {
  /** Audiences of the API server, for which these tokens are issued. */
  readonly apiAudiences: readonly string[];
  /** True if their Secret and service account must exist. Default true. */
  readonly lookup?: boolean;
  /**
   * Sets the label `kubernetes.io/legacy-token-last-used` of a Secret to a day; called at most once a day per Secret.
   * The request waits for it and continues if it fails.
   */
  markUsed?(secret: Frozen<Secret>, day: string): Promise<unknown>;
}

/** Authenticates service accounts by legacy tokens. */
export function legacyTokens(options: LegacyTokenOptions): TokenAuthenticator {
  const { keys, apiAudiences, lookup = true } = options;
  return signedTokens({ keys, issuers: [legacyIssuer], apiAudiences }, async (signed) => {
    const legacy = legacyClaims(signed);
    const { namespace, name, uid } = legacy;
    const user: UserInfo = {
      username: `system:serviceaccount:${namespace}:${name}`,
      uid,
      groups: [...serviceAccountGroups(namespace)],
    };
    const notes = lookup ? await checkSecret(legacy, signed.token, options) : {};
    return { user: deepFreeze(user), ...notes };
  });
}

/** Creates the token of a Secret, for the tokens controller. Throws Error if there is no signing key. */
export function legacyToken(
  keys: ServiceAccountKeys,
  secret: Frozen<Secret>,
  { metadata: account = {} }: Frozen<ServiceAccount>,
): string {
  const { signing } = keys;
  if (signing === undefined) throw new Error('there is no key to sign tokens with');
  const { namespace = '', name = '', uid = '' } = account;
  const claims: JsonObject = {
    iss: legacyIssuer,
    [claimKeys.namespace]: namespace,
    [claimKeys.secret]: secret.metadata?.name ?? '',
    [claimKeys.name]: name,
    [claimKeys.uid]: uid,
    sub: `system:serviceaccount:${namespace}:${name}`,
  };
  return signJws(claims, signing);
}

const legacyIssuer = 'kubernetes/serviceaccount';
const claimKeys = {
  namespace: 'kubernetes.io/serviceaccount/namespace',
  secret: 'kubernetes.io/serviceaccount/secret.name',
  name: 'kubernetes.io/serviceaccount/service-account.name',
  uid: 'kubernetes.io/serviceaccount/service-account.uid',
} as const;

interface LegacyClaims {
  readonly namespace: string;
  readonly secret: string;
  readonly name: string;
  readonly uid: string;
}

/** Returns the claims; all have to be present and consistent. Throws AuthenticationError. */
function legacyClaims({ claims, registered: { subject } }: SignedToken): LegacyClaims {
  const required = (key: string, title: string): string => {
    const text = textClaim(claims, key);
    if (text === undefined) throw new AuthenticationError('service account token claims could not be read');
    if (text === '') throw new AuthenticationError(`${title} claim is missing`);
    return text;
  };
  if (subject === '') throw new AuthenticationError('sub claim is missing');
  const namespace = required(claimKeys.namespace, 'namespace');
  const secret = required(claimKeys.secret, 'secretName');
  const name = required(claimKeys.name, 'serviceAccountName');
  const uid = required(claimKeys.uid, 'serviceAccountUID');
  const account = serviceAccountOf(subject);
  if (account?.namespace !== namespace || account.name !== name) throw new AuthenticationError('sub claim is invalid');
  return { namespace, secret, name, uid };
}

/** Checks that the Secret and the service account still exist; returns annotations about the use. */
async function checkSecret(
  legacy: LegacyClaims,
  token: string,
  options: LegacyTokenOptions,
): Promise<Pick<Authenticated, 'warnings' | 'annotations'>> {
  const { reader, clock } = options;
  const { namespace, name, uid } = legacy;
  const secret = await secretOf(reader, legacy);
  if (secret === undefined || secret.metadata?.deletionTimestamp !== undefined)
    throw new AuthenticationError('Token has been invalidated');
  if (!holds(secret, token)) throw new AuthenticationError("Token does not match server's copy");
  const account = await reader.get<ServiceAccount>({ group: '', resource: 'serviceaccounts' }, name, namespace);
  if (account === undefined)
    throw new AuthenticationError(notFound({ group: '', resource: 'serviceaccounts', name }).message);
  if (account.metadata?.deletionTimestamp !== undefined)
    throw new AuthenticationError(`ServiceAccount ${namespace}/${name} has been deleted`);
  const actual = account.metadata?.uid ?? '';
  if (actual !== uid) throw new AuthenticationError(`ServiceAccount UID (${actual}) does not match claim (${uid})`);
  await noteUse(secret, clock.now(), options);
  if ((secret.metadata?.labels?.[invalidSinceLabel] ?? '') !== '') {
    throw new AuthenticationError(
      `the token in secret ${namespace}/${legacy.secret} for service account ${namespace}/${name} has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the '${invalidSinceLabel}' label from the secret to temporarily allow use of this token`,
    );
  }
  const isGenerated = account.secrets?.some((each) => each.name === legacy.secret) ?? false;
  if (!isGenerated) return { annotations: { 'authentication.k8s.io/legacy-token-manual-secret': legacy.secret } };
  return {
    warnings: [
      'Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens.',
    ],
    annotations: { 'authentication.k8s.io/legacy-token-autogenerated-secret': legacy.secret },
  };
}

const invalidSinceLabel = 'kubernetes.io/legacy-token-invalid-since';
const lastUsedLabel = 'kubernetes.io/legacy-token-last-used';
const dayMs = 24 * 3_600_000;

/** Returns undefined also if reading fails: a token is not valid for a Secret that cannot be read. */
async function secretOf(
  reader: ObjectReader,
  { namespace, secret }: LegacyClaims,
): Promise<Frozen<Secret> | undefined> {
  try {
    return await reader.get<Secret>({ group: '', resource: 'secrets' }, secret, namespace);
  } catch {
    return undefined;
  }
}

/** Compares hashes in constant time. */
function holds({ data = {} }: Frozen<Secret>, token: string): boolean {
  return timingSafeEqual(sha256(decodeBase64(data.token ?? '')), sha256(Buffer.from(token)));
}

function sha256(bytes: Uint8Array): Uint8Array {
  return createHash('sha256').update(bytes).digest();
}

/** A later day needs no write either: the clock of another server may be ahead. */
async function noteUse(secret: Frozen<Secret>, now: number, options: LegacyTokenOptions): Promise<void> {
  const [today = '', tomorrow] = [now, now + dayMs].map((each) => printTime(each).slice(0, 10));
  const lastUsed = secret.metadata?.labels?.[lastUsedLabel];
  if (lastUsed === today || lastUsed === tomorrow) return;
  try {
    await options.markUsed?.(secret, today);
  } catch {
    // The label is informational; the token is valid without it.
  }
}
