// Tokens that end: with their time, with their account, and with the pod, secret or node that they are bound to. Each
// of those is looked up for every token, so that who deletes a pod has also ended its access. A minute's leeway is
// given everywhere, for clocks differ and pods say farewell. As pkg/serviceaccount/claims.go.
import { deepFreeze, isJsonObject, notFound, parseTime } from '../../../core/index.js';
import type { ApiObject, Frozen, JsonObject, JsonValue, ObjectReader } from '../../../core/index.js';
import type { UserInfo } from '../../../core/types/index.js';
import { AuthenticationError } from '../../authentication/authentication-error.js';
import type { Authenticated, TokenAuthenticator } from '../../authenticator.js';
import { serviceAccountGroups } from '../../system-users.js';
import { numericDate, textClaim } from '../claims.js';
import type { RegisteredClaims } from '../claims.js';
import { signedTokens } from './signed-tokens.js';
import type { ServiceAccountTokenOptions } from './signed-tokens.js';

/** Knows ServiceAccounts by tokens of the TokenRequest API. */
export function boundTokens(options: ServiceAccountTokenOptions): TokenAuthenticator {
  const { reader, clock } = options;
  return signedTokens(options, async ({ claims, registered }) => {
    const now = clock.now();
    checkTimes(registered, now);
    const bound = boundClaims(claims);
    if (bound === undefined) throw new AuthenticationError('service account token claims could not be read');
    await checkObjects(bound, reader, now - leewayMs);
    return authenticated(bound, registered, now);
  });
}

/** How far clocks may be apart, and how long a deleted object still counts. */
const leewayMs = 60_000;

interface Reference {
  readonly name: string;
  readonly uid: string;
}

/** What a bound token says besides the registered claims. */
interface BoundClaims {
  readonly namespace: string;
  readonly account: Reference;
  readonly pod?: Reference;
  readonly secret?: Reference;
  readonly node?: Reference;
  /** Seconds since 1970: until then the token was meant to be used. */
  readonly warnAfter?: number;
}

/** Undefined where a claim is not of its type. */
function boundClaims(claims: JsonObject): BoundClaims | undefined {
  const own = claims['kubernetes.io'] ?? {};
  if (!isJsonObject(own)) return undefined;
  const namespace = textClaim(own, 'namespace');
  const account = reference(own.serviceaccount ?? {});
  const [pod, secret, node] = [reference(own.pod), reference(own.secret), reference(own.node)];
  const warnAfter = numericDate(own.warnafter);
  if (namespace === undefined || account === undefined || account === null) return undefined;
  if (pod === undefined || secret === undefined || node === undefined || warnAfter === undefined) return undefined;
  return {
    namespace,
    account,
    ...(pod && { pod }),
    ...(secret && { secret }),
    ...(node && { node }),
    ...(warnAfter !== null && { warnAfter }),
  };
}

/** Null where there is none, undefined where it is something else. */
function reference(value: JsonValue | undefined): Reference | null | undefined {
  if (value === undefined || value === null) return null;
  if (!isJsonObject(value)) return undefined;
  const [name, uid] = [textClaim(value, 'name'), textClaim(value, 'uid')];
  return name === undefined || uid === undefined ? undefined : { name, uid };
}

function checkTimes({ notBefore, expiry, issuedAt }: RegisteredClaims, now: number): void {
  if (notBefore !== undefined && now + leewayMs < notBefore * 1000)
    throw new AuthenticationError('service account token is not valid yet');
  if (expiry !== undefined && now - leewayMs > expiry * 1000)
    throw new AuthenticationError('service account token has expired');
  if (issuedAt !== undefined && now + leewayMs < issuedAt * 1000)
    throw new AuthenticationError('service account token is issued in the future');
}

/**
 * The account first, then what the token is bound to. The node of a pod is told but not asked for: the pod's end is
 * enough.
 */
async function checkObjects(
  { namespace, account, secret, pod, node }: BoundClaims,
  reader: ObjectReader,
  goneBeforeMs: number,
): Promise<void> {
  const found =
    account.name === ''
      ? undefined
      : await reader.get({ group: '', resource: 'serviceaccounts' }, account.name, namespace);
  if (found === undefined)
    throw new AuthenticationError(notFound({ group: '', resource: 'serviceaccounts', name: account.name }).message);
  const { uid = '' } = found.metadata ?? {};
  if (uid !== account.uid)
    throw new AuthenticationError(`service account UID (${uid}) does not match claim (${account.uid})`);
  if (isDeletedBefore(found, goneBeforeMs))
    throw new AuthenticationError(`service account ${namespace}/${account.name} has been deleted`);
  const check = async (kind: 'secret' | 'pod' | 'node', { name, uid: claimed }: Reference): Promise<void> => {
    const object = await lookedUp(reader, `${kind}s`, name, kind === 'node' ? '' : namespace);
    if (object === undefined) throw invalidated();
    const { uid: actual = '' } = object.metadata ?? {};
    if (actual !== claimed)
      throw new AuthenticationError(
        `${kind} UID (${actual}) does not match service account ${kind} ref claim (${claimed})`,
      );
    if (isDeletedBefore(object, goneBeforeMs)) throw invalidated();
  };
  if (secret !== undefined) await check('secret', secret);
  if (pod !== undefined) await check('pod', pod);
  else if (node !== undefined) await check('node', node);
}

/** An object that cannot be read keeps no token alive. */
async function lookedUp(
  reader: ObjectReader,
  resource: string,
  name: string,
  namespace: string,
): Promise<Frozen<ApiObject> | undefined> {
  if (name === '') return undefined;
  try {
    return await reader.get({ group: '', resource }, name, namespace);
  } catch {
    return undefined;
  }
}

function isDeletedBefore({ metadata }: Frozen<ApiObject>, ms: number): boolean {
  return metadata?.deletionTimestamp !== undefined && parseTime(metadata.deletionTimestamp) < ms;
}

function invalidated(): AuthenticationError {
  return new AuthenticationError('service account token has been invalidated');
}

function authenticated(
  { namespace, account, pod, node, warnAfter = 0 }: BoundClaims,
  { id, subject }: RegisteredClaims,
  now: number,
): Authenticated {
  const podIsWhole = pod !== undefined && pod.name !== '' && pod.uid !== '';
  const extra = {
    ...(id !== '' && { [extraKeys.credentialId]: [`JTI=${id}`] }),
    ...(node &&
      node.name !== '' && {
        [extraKeys.nodeName]: [node.name],
        ...(node.uid !== '' && { [extraKeys.nodeUid]: [node.uid] }),
      }),
    ...(podIsWhole && { [extraKeys.podName]: [pod.name], [extraKeys.podUid]: [pod.uid] }),
  };
  const username = `system:serviceaccount:${namespace}:${account.name}`;
  const user: UserInfo = {
    username,
    uid: account.uid,
    groups: [...serviceAccountGroups(namespace)],
    ...(Object.keys(extra).length > 0 && { extra }),
  };
  const staleSeconds = Math.floor(now / 1000) - warnAfter;
  const isStale = warnAfter !== 0 && now > warnAfter * 1000;
  return {
    user: deepFreeze(user),
    ...(isStale && {
      annotations: {
        'authentication.k8s.io/stale-token': `subject: ${subject}, seconds after warning threshold: ${staleSeconds}`,
      },
    }),
  };
}

const extraKeys = {
  credentialId: 'authentication.kubernetes.io/credential-id',
  nodeName: 'authentication.kubernetes.io/node-name',
  nodeUid: 'authentication.kubernetes.io/node-uid',
  podName: 'authentication.kubernetes.io/pod-name',
  podUid: 'authentication.kubernetes.io/pod-uid',
} as const;
