// Tokens of the TokenRequest API. Such a token is valid until it expires, and only while its service account and the
// pod, secret or node that it is bound to exist. Each is looked up for every token, so that deleting a pod also ends
// its access. Expiry and deletion have a leeway of one minute, for clock skew and for pods that are shutting down. As
// pkg/serviceaccount/claims.go.
import { deepFreeze, isJsonObject, notFound, parseTime } from '../../../core/index.js';
import type { ApiObject, Frozen, JsonObject, JsonValue, ObjectReader } from '../../../core/index.js';
import type { UserInfo } from '../../../core/types/index.js';
import { AuthenticationError } from '../../authentication/authentication-error.js';
import type { Authenticated, TokenAuthenticator } from '../../authenticator.js';
import { serviceAccountGroups } from '../../system-users.js';
import { numericDate, textClaim } from '../claims.js';
import type { RegisteredClaims } from '../claims.js';
import { legacyTokens } from './legacy-tokens.js';
import type { LegacyTokenOptions } from './legacy-tokens.js';
import { signedTokens } from './signed-tokens.js';
import type { ServiceAccountTokenOptions } from './signed-tokens.js';

/**
 * Returns the authenticators of both kinds of service account tokens in the order of Kubernetes: those of Secrets, then
 * those of the TokenRequest API. `reader` and `clock` are members of `ServerTools`.
 */
export function serviceAccountTokens(
  options: ServiceAccountTokenOptions & Pick<LegacyTokenOptions, 'lookup' | 'markUsed'>,
): readonly TokenAuthenticator[] {
  const { issuers, apiAudiences = issuers } = options;
  return [legacyTokens({ ...options, apiAudiences }), boundTokens(options)];
}

/** Authenticates service accounts by tokens of the TokenRequest API. */
export function boundTokens(options: ServiceAccountTokenOptions): TokenAuthenticator {
  const { reader, clock } = options;
  return signedTokens(options, async ({ claims, registered }) => {
    const now = clock.now();
    checkTimes(registered, now);
    const bound = parseBoundClaims(claims);
    if (bound === undefined) throw new AuthenticationError('service account token claims could not be read');
    await checkObjects(bound, reader, now - leewayMs);
    return authenticated(bound, registered, now);
  });
}

/** Leeway for clock skew, and for objects that were deleted. */
const leewayMs = 60_000;

interface Reference {
  readonly name: string;
  readonly uid: string;
}

/** The claims of a bound token besides the registered ones. */
interface BoundClaims {
  readonly namespace: string;
  readonly account: Reference;
  readonly pod?: Reference;
  readonly secret?: Reference;
  readonly node?: Reference;
  /** Seconds since 1970 after which the use of the token is annotated as stale. */
  readonly warnAfter?: number;
}

/** Returns undefined if a claim has the wrong type. */
function parseBoundClaims(claims: JsonObject): BoundClaims | undefined {
  const own = claims['kubernetes.io'] ?? {};
  if (!isJsonObject(own)) return undefined;
  const namespace = textClaim(own, 'namespace');
  const account = parseReference(own.serviceaccount ?? {});
  const [pod, secret, node] = [parseReference(own.pod), parseReference(own.secret), parseReference(own.node)];
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

/** Returns null if the claim is absent, undefined if it has the wrong type. */
function parseReference(value: JsonValue | undefined): Reference | null | undefined {
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
 * Checks the service account, then the object that the token is bound to. The node of a pod is not checked: the pod
 * ends with it.
 */
async function checkObjects(
  { namespace, account, secret, pod, node }: BoundClaims,
  reader: ObjectReader,
  deletedBeforeMs: number,
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
  if (isDeletedBefore(found, deletedBeforeMs))
    throw new AuthenticationError(`service account ${namespace}/${account.name} has been deleted`);
  const check = async (kind: 'secret' | 'pod' | 'node', { name, uid: claimed }: Reference): Promise<void> => {
    const object = await findObject(reader, `${kind}s`, name, kind === 'node' ? '' : namespace);
    if (object === undefined) throw invalidatedError();
    const { uid: actual = '' } = object.metadata ?? {};
    if (actual !== claimed)
      throw new AuthenticationError(
        `${kind} UID (${actual}) does not match service account ${kind} ref claim (${claimed})`,
      );
    if (isDeletedBefore(object, deletedBeforeMs)) throw invalidatedError();
  };
  if (secret !== undefined) await check('secret', secret);
  if (pod !== undefined) await check('pod', pod);
  else if (node !== undefined) await check('node', node);
}

/** Returns undefined also if reading fails: a token is not valid for an object that cannot be read. */
async function findObject(
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

function invalidatedError(): AuthenticationError {
  return new AuthenticationError('service account token has been invalidated');
}

function authenticated(
  { namespace, account, pod, node, warnAfter = 0 }: BoundClaims,
  { id, subject }: RegisteredClaims,
  now: number,
): Authenticated {
  const hasPod = pod !== undefined && pod.name !== '' && pod.uid !== '';
  const extra = {
    ...(id !== '' && { [extraKeys.credentialId]: [`JTI=${id}`] }),
    ...(node &&
      node.name !== '' && {
        [extraKeys.nodeName]: [node.name],
        ...(node.uid !== '' && { [extraKeys.nodeUid]: [node.uid] }),
      }),
    ...(hasPod && { [extraKeys.podName]: [pod.name], [extraKeys.podUid]: [pod.uid] }),
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
