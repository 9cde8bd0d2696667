// Acting in another's name: a request may ask, with Impersonate-⟨…⟩ headers, to be served as somebody else, if its user
// may become everything that it names. As apiserver/pkg/endpoints/filters/impersonation (constrained_impersonation.go,
// mode.go).
//
// There are five ways in which that can be allowed, tried in this order; the first refusal is the one that is told. The
// way that last worked for a user is tried before the others. All but the last ask twice: whether this very request may
// be made that way, and whether its user may become that one.
//
//   associated-node  a ServiceAccount becomes the node that its token is bound to
//   arbitrary-node   somebody becomes a node
//   serviceaccount   somebody becomes a ServiceAccount
//   user-info        somebody becomes anybody else, with groups, uid and extra
//   (no name)        the verb `impersonate`, for each thing that is named
//
// Kubernetes remembers what was allowed for ten seconds; here authorizers are asked every time.
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
} from '../auth/index.js';
import type { AccessAttributes, Authorizer } from '../auth/index.js';
import type { ApiRequest, ApiResponse } from '../client/index.js';
import {
  badRequest,
  fieldErrorsText,
  fieldPath,
  isApiError,
  quote,
  validateDomainPrefixedPath,
} from '../core/index.js';
import type { Frozen } from '../core/index.js';
import type { UserInfo } from '../core/types/index.js';
import { unescapePercent } from './http/query.js';
import type { Serve, Step } from './pipeline.js';
import type { Exchange } from './requests/exchange.js';
import { attributesOf, decide, forbidSniffing, refused } from './steps.js';

/** Serves as whom the headers name. Without an authorizer only system:masters may become somebody else. */
export function impersonateStep(authorizer: Authorizer = mastersAllowed): Step {
  const lastModes = new Map<string, Mode>();
  return (exchange, next) => {
    const headers = exchange.request.headersWith?.(prefix) ?? none;
    return headers.length === 0
      ? next(exchange)
      : serveAs(wantedUser(headers), exchange, next, { authorizer, lastModes });
  };
}

const prefix = 'impersonate-';
const none: ReturnType<NonNullable<ApiRequest['headersWith']>> = [];

/** A user as the headers name it. */
interface Wanted {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: ReadonlyMap<string, readonly string[]>;
}

/** A way to become somebody. */
interface Mode {
  readonly name: string;
  applies(wanted: Wanted, requestor: Frozen<UserInfo>): boolean;
}

interface Impersonating {
  readonly authorizer: Authorizer;
  /** By the name of the requestor; those who did not impersonate for longest are forgotten. */
  readonly lastModes: Map<string, Mode>;
}

/** As the cache in impersonation/cache.go. */
const lastModesMax = 10_000;

async function serveAs(
  wanted: Wanted,
  exchange: Exchange,
  next: Serve,
  impersonating: Impersonating,
): Promise<ApiResponse> {
  if (wanted.name !== '') {
    const { user, mode } = await allowedUser(wanted, exchange, impersonating);
    exchange.impersonate(user, mode === plain ? '' : `impersonate:${mode.name}`);
  } else if (wanted.uid !== '' || wanted.groups.length > 0 || wanted.extra.size > 0) {
    throw badRequest(`requested ${printed(wanted)} without impersonating a user name`);
  }
  return next(exchange);
}

/** Throws ApiError 403. */
async function allowedUser(
  wanted: Wanted,
  exchange: Exchange,
  { authorizer, lastModes }: Impersonating,
): Promise<{ readonly user: Frozen<UserInfo>; readonly mode: Mode }> {
  const { requestor } = exchange;
  const username = requestor.username ?? '';
  const last = lastModes.get(username);
  let refusal: unknown;
  for (const mode of last === undefined ? modes : [last, ...modes.filter((each) => each !== last)]) {
    if (!mode.applies(wanted, requestor)) continue;
    try {
      const user = await becoming(mode, wanted, exchange, authorizer);
      remember(lastModes, username, mode);
      return { user, mode };
    } catch (error) {
      if (!isApiError(error, 'Forbidden')) throw error;
      refusal ??= error;
    }
  }
  forbidSniffing(exchange);
  throw refusal;
}

function remember(lastModes: Map<string, Mode>, username: string, mode: Mode): void {
  lastModes.delete(username);
  lastModes.set(username, mode);
  const oldest = lastModes.size > lastModesMax ? lastModes.keys().next().value : undefined;
  if (oldest !== undefined) lastModes.delete(oldest);
}

const onlyName = ({ uid, groups, extra }: Wanted): boolean => uid === '' && groups.length === 0 && extra.size === 0;
const nodeNameKey = 'authentication.kubernetes.io/node-name';

const associatedNode: Mode = {
  name: 'associated-node',
  applies(wanted, { username = '', extra = {} }) {
    const node = nodeOf(wanted.name);
    const [own, ...others] = extra[nodeNameKey] ?? [];
    return (
      onlyName(wanted) &&
      node !== undefined &&
      serviceAccountOf(username) !== undefined &&
      own === node &&
      others.length === 0
    );
  },
};
/** The oldest way, and the only one that checks what is named one by one and nothing else. */
const plain: Mode = { name: '', applies: () => true };
const modes: readonly Mode[] = [
  associatedNode,
  { name: 'arbitrary-node', applies: (wanted) => onlyName(wanted) && nodeOf(wanted.name) !== undefined },
  { name: 'serviceaccount', applies: (wanted) => onlyName(wanted) && serviceAccountOf(wanted.name) !== undefined },
  { name: 'user-info', applies: ({ name }) => nodeOf(name) === undefined && serviceAccountOf(name) === undefined },
  plain,
];

/** The user as whom to go on. Throws ApiError 403. */
async function becoming(
  mode: Mode,
  wanted: Wanted,
  exchange: Exchange,
  authorizer: Authorizer,
): Promise<Frozen<UserInfo>> {
  const isPlain = mode === plain;
  const user = mode === associatedNode ? withoutValues(exchange.requestor) : exchange.requestor;
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
  await allow(authorizer, { ...common, group, ...named(mode, wanted.name) });
  if (wanted.uid !== '')
    await allow(authorizer, { ...common, group: identityGroup, resource: 'uids', name: wanted.uid });
  await allowGroups(authorizer, { ...common, group, resource: 'groups' }, wanted.groups, isPlain);
  await allowExtra(authorizer, { ...common, group: identityGroup, resource: 'userextras' }, wanted.extra, isPlain);
  return impersonated(mode, wanted);
}

const identityGroup = 'authentication.k8s.io';

/** What a user name stands for. */
function named(
  mode: Mode,
  username: string,
): Pick<AccessAttributes, 'resource' | 'name'> & Partial<Pick<AccessAttributes, 'namespace'>> {
  const account = serviceAccountOf(username);
  if (account !== undefined) return { resource: 'serviceaccounts', ...account };
  const node = mode === plain ? undefined : nodeOf(username);
  if (node === undefined) return { resource: 'users', name: username };
  return { resource: 'nodes', name: mode === associatedNode ? '*' : node };
}

/** From so many on it is asked first whether all of them are allowed. */
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
  extra: Wanted['extra'],
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

function extraProblem(extra: Wanted['extra']): string | undefined {
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

/** Throws ApiError 403 where nobody allows it, also where somebody failed to say. */
async function allow(authorizer: Authorizer, attributes: AccessAttributes): Promise<void> {
  const { decision, reason, error } = await decide(authorizer, attributes);
  if (decision !== 'allow') throw refused(attributes, error ?? reason);
}

/** A node's agent is the same on every node: authorizers see which extras it has, not what they say. */
function withoutValues(requestor: Frozen<UserInfo>): Frozen<UserInfo> {
  return {
    ...requestor,
    extra: { 'authentication.kubernetes.io/associated-node-keys': Object.keys(requestor.extra ?? {}).sort() },
  };
}

function impersonated(mode: Mode, { name, uid, groups: given, extra }: Wanted): Frozen<UserInfo> {
  const account = serviceAccountOf(name);
  const isNode = mode !== plain && nodeOf(name) !== undefined;
  const groups = isNode
    ? [systemNodes]
    : given.length === 0 && account !== undefined
      ? serviceAccountGroups(account.namespace)
      : given;
  const everybody =
    name === anonymousUser ? allUnauthenticated : groups.includes(allUnauthenticated) ? undefined : allAuthenticated;
  return {
    username: name,
    ...(uid !== '' && { uid }),
    groups: everybody === undefined || groups.includes(everybody) ? groups : [...groups, everybody],
    ...(extra.size > 0 && { extra: Object.fromEntries(extra) }),
  };
}

/** Reads the headers; of user and uid the first counts. */
function wantedUser(headers: typeof none): Wanted {
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

/** As Go prints it, which clients get to read. */
function printed({ name, uid, groups, extra }: Wanted): string {
  const list = (values: readonly string[]): string =>
    values.length === 0 ? '[]string(nil)' : `[]string{${values.map(quote).join(', ')}}`;
  const entries = [...extra]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, values]) => `${quote(key)}:${list(values)}`);
  const map = entries.length === 0 ? 'map[string][]string(nil)' : `map[string][]string{${entries.join(', ')}}`;
  return `&user.DefaultInfo{Name:${quote(name)}, UID:${quote(uid)}, Groups:${list(groups)}, Extra:${map}}`;
}
