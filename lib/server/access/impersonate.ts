// Impersonation: a request with Impersonate-⟨…⟩ headers is served as another user, if its own user may impersonate
// everything that the headers name. As apiserver/pkg/endpoints/filters/impersonation (constrained_impersonation.go,
// mode.go).
//
// Five modes are tried in this order; the refusal of the first one that applies is returned. The mode that last
// succeeded for a user is tried first. All but the last need two permissions: to make this request in that mode, and to
// impersonate that user.
//
//   associated-node  a ServiceAccount impersonates the node that its token is bound to
//   arbitrary-node   any user impersonates a node
//   serviceaccount   any user impersonates a ServiceAccount
//   user-info        any user impersonates another user, with groups, uid and extra
//   (no name)        the verb `impersonate`, for each name in the headers
//
// Kubernetes caches permissions for ten seconds; here the authorizers decide every time.
import {
  allAuthenticated,
  allUnauthenticated,
  anonymousUser,
  mastersAllowed,
  nodeOf,
  serviceAccountGroups,
  serviceAccountOf,
  systemMasters,
  systemNodes,
} from '../../auth/index.js';
import type { AccessAttributes, Authorizer } from '../../auth/index.js';
import {
  badRequest,
  fieldErrorsText,
  fieldPath,
  isApiError,
  formatStrings,
  quote,
  unescapePercent,
  validateDomainPrefixedPath,
} from '../../core/index.js';
import type { Frozen, ApiRequest, ApiResponse } from '../../core/index.js';
import type { UserInfo } from '../../core/types/index.js';
import type { Serve, Step, Exchange } from '../pipeline.js';
import { attributesOf, decide, forbidSniffing, refused } from './access-steps.js';

/**
 * Returns the step that serves a request as the user whom its Impersonate headers name. Without an authorizer only
 * members of system:masters may impersonate.
 */
export function impersonateStep(authorizer: Authorizer = mastersAllowed): Step {
  const lastModes = new Map<string, Mode>();
  return (exchange, next) => {
    const headers = exchange.request.headersWith?.(prefix) ?? none;
    return headers.length === 0
      ? next(exchange)
      : serveAs(requestedUser(headers), exchange, next, { authorizer, lastModes });
  };
}

const prefix = 'impersonate-';
const none: ReturnType<NonNullable<ApiRequest['headersWith']>> = [];

/** A user as the Impersonate headers name it. */
interface RequestedUser {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: ReadonlyMap<string, readonly string[]>;
}

/** A mode of impersonation. */
interface Mode {
  readonly name: string;
  applies(requested: RequestedUser, requestor: Frozen<UserInfo>): boolean;
}

interface Impersonating {
  readonly authorizer: Authorizer;
  /** The last successful mode by name of the requestor; bounded, least recently used first out. */
  readonly lastModes: Map<string, Mode>;
}

/** As the cache in impersonation/cache.go. */
const lastModesMax = 10_000;

async function serveAs(
  requested: RequestedUser,
  exchange: Exchange,
  next: Serve,
  impersonating: Impersonating,
): Promise<ApiResponse> {
  if (requested.name !== '') {
    const { user, mode } = await allowedUser(requested, exchange, impersonating);
    exchange.impersonate(user, mode === plain ? '' : `impersonate:${mode.name}`);
  } else if (requested.uid !== '' || requested.groups.length > 0 || requested.extra.size > 0) {
    throw badRequest(`requested ${printed(requested)} without impersonating a user name`);
  }
  return next(exchange);
}

/**
 * Returns the user to continue as, and the mode that allowed it. Rejects with ApiError 403: the refusal of the first
 * mode that applies.
 */
async function allowedUser(
  requested: RequestedUser,
  exchange: Exchange,
  { authorizer, lastModes }: Impersonating,
): Promise<{ readonly user: Frozen<UserInfo>; readonly mode: Mode }> {
  const { requestor } = exchange;
  const username = requestor.username ?? '';
  const last = lastModes.get(username);
  let refusal: unknown;
  for (const mode of last === undefined ? modes : [last, ...modes.filter((each) => each !== last)]) {
    if (!mode.applies(requested, requestor)) continue;
    try {
      const user = await authorizeMode(mode, requested, exchange, authorizer);
      rememberMode(lastModes, username, mode);
      return { user, mode };
    } catch (error) {
      if (!isApiError(error, 'Forbidden')) throw error;
      refusal ??= error;
    }
  }
  forbidSniffing(exchange);
  throw refusal;
}

function rememberMode(lastModes: Map<string, Mode>, username: string, mode: Mode): void {
  lastModes.delete(username);
  lastModes.set(username, mode);
  const oldest = lastModes.size > lastModesMax ? lastModes.keys().next().value : undefined;
  if (oldest !== undefined) lastModes.delete(oldest);
}

const onlyName = ({ uid, groups, extra }: RequestedUser): boolean =>
  uid === '' && groups.length === 0 && extra.size === 0;
const nodeNameKey = 'authentication.kubernetes.io/node-name';

const associatedNode: Mode = {
  name: 'associated-node',
  applies(requested, { username = '', extra = {} }) {
    const node = nodeOf(requested.name);
    const [own, ...others] = extra[nodeNameKey] ?? [];
    return (
      onlyName(requested) &&
      node !== undefined &&
      serviceAccountOf(username) !== undefined &&
      own === node &&
      others.length === 0
    );
  },
};
/** The original mode: the verb `impersonate`, checked for each name alone. */
const plain: Mode = { name: '', applies: () => true };
const modes: readonly Mode[] = [
  associatedNode,
  { name: 'arbitrary-node', applies: (requested) => onlyName(requested) && nodeOf(requested.name) !== undefined },
  {
    name: 'serviceaccount',
    applies: (requested) => onlyName(requested) && serviceAccountOf(requested.name) !== undefined,
  },
  { name: 'user-info', applies: ({ name }) => nodeOf(name) === undefined && serviceAccountOf(name) === undefined },
  plain,
];

/** Authorizes one mode and returns the user to continue as. Rejects with ApiError 403. */
async function authorizeMode(
  mode: Mode,
  requested: RequestedUser,
  exchange: Exchange,
  authorizer: Authorizer,
): Promise<Frozen<UserInfo>> {
  const isPlain = mode === plain;
  const user = mode === associatedNode ? withoutExtraValues(exchange.requestor) : exchange.requestor;
  if (!isPlain)
    await allow(authorizer, {
      ...attributesOf(exchange),
      user,
      verb: `impersonate-on:${mode.name}:${exchange.request.info.verb}`,
    });
  const common = {
    user,
    verb: isPlain ? 'impersonate' : `impersonate:${mode.name}`,
    isResource: true,
    path: '',
    version: 'v1',
    namespace: '',
    subresource: '',
    name: '',
  };
  const group = isPlain ? '' : identityGroup;
  await allow(authorizer, { ...common, group, ...impersonatedResource(mode, requested.name) });
  if (requested.uid !== '')
    await allow(authorizer, { ...common, group: identityGroup, resource: 'uids', name: requested.uid });
  await allowGroups(authorizer, { ...common, group, resource: 'groups' }, requested.groups, isPlain);
  await allowExtra(authorizer, { ...common, group: identityGroup, resource: 'userextras' }, requested.extra, isPlain);
  return impersonated(mode, requested);
}

const identityGroup = 'authentication.k8s.io';

/** Returns the resource that a user name stands for. */
function impersonatedResource(
  mode: Mode,
  username: string,
): Pick<AccessAttributes, 'resource' | 'name'> & Partial<Pick<AccessAttributes, 'namespace'>> {
  const account = serviceAccountOf(username);
  if (account !== undefined) return { resource: 'serviceaccounts', ...account };
  const node = mode === plain ? undefined : nodeOf(username);
  if (node === undefined) return { resource: 'users', name: username };
  return { resource: 'nodes', name: mode === associatedNode ? '*' : node };
}

/** From this number on, permission for all (`*`) is checked first. */
const manyMin = 4;

async function allowGroups(
  authorizer: Authorizer,
  attributes: AccessAttributes,
  groups: readonly string[],
  isPlain: boolean,
): Promise<void> {
  if (!isPlain) {
    if (groups.includes('')) throw refused(attributes, 'impersonating the empty string group is not allowed');
    if (groups.includes(systemMasters))
      throw refused({ ...attributes, name: systemMasters }, 'impersonating the system:masters group is not allowed');
    if (groups.length >= manyMin && (await isAllowed(authorizer, { ...attributes, name: '*' }))) return;
  }
  for (const name of groups) await allow(authorizer, { ...attributes, name });
}

async function allowExtra(
  authorizer: Authorizer,
  attributes: AccessAttributes,
  extra: RequestedUser['extra'],
  isPlain: boolean,
): Promise<void> {
  const pairs = [...extra].flatMap(([subresource, values]) => values.map((name) => ({ subresource, name })));
  if (!isPlain) {
    const problem = extraProblem(extra);
    if (problem !== undefined) throw refused(attributes, problem);
    if (pairs.length >= manyMin && (await isAllowed(authorizer, { ...attributes, subresource: '*', name: '*' })))
      return;
  }
  for (const pair of pairs) await allow(authorizer, { ...attributes, ...pair });
}

function extraProblem(extra: RequestedUser['extra']): string | undefined {
  for (const [key, values] of extra) {
    if (key === '') return 'impersonating the empty string key in extra is not allowed';
    const errors = validateDomainPrefixedPath(key, fieldPath('extra', 'key'));
    if (errors.length > 0) return `impersonating an invalid key in extra is not allowed: ${fieldErrorsText(errors)}`;
    if (key !== key.toLowerCase()) return `impersonating a non-lowercase key in extra is not allowed: ${quote(key)}`;
    if (values.includes('')) return 'impersonating the empty string value in extra is not allowed';
  }
  return undefined;
}

async function isAllowed(authorizer: Authorizer, attributes: AccessAttributes): Promise<boolean> {
  return allow(authorizer, attributes).then(
    () => true,
    () => false,
  );
}

/** Rejects with ApiError 403 where no authorizer allows it, also where authorizers fail. */
async function allow(authorizer: Authorizer, attributes: AccessAttributes): Promise<void> {
  const { decision, reason, error } = await decide(authorizer, attributes);
  if (decision !== 'allow') throw refused(attributes, error ?? reason);
}

/** Replaces the extra values by their keys: rules for node agents must not depend on the node. */
function withoutExtraValues(requestor: Frozen<UserInfo>): Frozen<UserInfo> {
  return {
    ...requestor,
    extra: { 'authentication.kubernetes.io/associated-node-keys': Object.keys(requestor.extra ?? {}).sort() },
  };
}

function impersonated(mode: Mode, { name, uid, groups: given, extra }: RequestedUser): Frozen<UserInfo> {
  const account = serviceAccountOf(name);
  const isNode = mode !== plain && nodeOf(name) !== undefined;
  const groups = isNode
    ? [systemNodes]
    : given.length === 0 && account !== undefined
      ? serviceAccountGroups(account.namespace)
      : given;
  const membership =
    name === anonymousUser ? allUnauthenticated : groups.includes(allUnauthenticated) ? undefined : allAuthenticated;
  return {
    username: name,
    ...(uid !== '' && { uid }),
    groups: membership === undefined || groups.includes(membership) ? groups : [...groups, membership],
    ...(extra.size > 0 && { extra: Object.fromEntries(extra) }),
  };
}

/** Reads the Impersonate headers; the first user and uid win. */
function requestedUser(headers: typeof none): RequestedUser {
  const values = (name: string): readonly string[] =>
    headers.flatMap(([each, value]) => (each === name ? [value] : []));
  const extra = new Map<string, string[]>();
  for (const [name, value] of headers) {
    if (!name.startsWith(extraPrefix)) continue;
    const key = unescapePercent(name.slice(extraPrefix.length)) ?? name.slice(extraPrefix.length);
    const known = extra.get(key);
    if (known === undefined) extra.set(key, [value]);
    else known.push(value);
  }
  return {
    name: values('impersonate-user')[0] ?? '',
    uid: values('impersonate-uid')[0] ?? '',
    groups: values('impersonate-group'),
    extra,
  };
}

const extraPrefix = 'impersonate-extra-';

/** Prints the user as Go does, for the message of a refusal. */
function printed({ name, uid, groups, extra }: RequestedUser): string {
  const entries = [...extra]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, values]) => `${quote(key)}:${formatStrings(values)}`);
  const map = entries.length === 0 ? 'map[string][]string(nil)' : `map[string][]string{${entries.join(', ')}}`;
  return `&user.DefaultInfo{Name:${quote(name)}, UID:${quote(uid)}, Groups:${formatStrings(groups)}, Extra:${map}}`;
}
