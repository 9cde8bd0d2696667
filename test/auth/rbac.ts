// RBAC: what roles and bindings allow, as a plain reading of the rules says and as the index says; what one has to have
// to give it away; the roles every cluster begins with. Refusals are those of a real server.
import type { Observable } from 'rxjs';
import { NEVER, ReplaySubject, filter, firstValueFrom, take, toArray } from 'rxjs';
import t from 'tap';
import { rbacAuthorizer, rbacIndex, ruleAllows, uncoveredRules } from '../../lib/auth/index.js';
import type { AccessAttributes, AccessRules, RbacRules } from '../../lib/auth/index.js';
import { compactRules, printMissingRules, printRule } from '../../lib/auth/rbac/rule-coverage.js';
import { inProcessClient } from '../../lib/client/index.js';
import type { Client } from '../../lib/client/index.js';
import { clusterRoleAggregation } from '../../lib/controllers/index.js';
import { aggregatedRules, isApiError, objectInformers, random, virtualClock } from '../../lib/core/index.js';
import type { ApiObject, Frozen } from '../../lib/core/index.js';
import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Role,
  RoleBinding,
  UserInfo,
  rbacV1,
} from '../../lib/core/types/index.js';
import { createServer } from '../../lib/server/index.js';
import type { ApiServer, ServerOptions } from '../../lib/server/index.js';
import { policyObjects } from '../../lib/server/bootstrap/policy/policy-objects.js';
import { readBindings, readRoles } from '../../lib/server/bootstrap/policy/policy-notation.js';
import { reconciledBinding, reconciledRole } from '../../lib/server/bootstrap/policy/reconciled-policy.js';
import { memoryStore } from '../../lib/storage/index.js';
import type { Store } from '../../lib/storage/index.js';
import { referenceCovers, referenceDecision, referenceRuleAllows, referenceRules } from '../support/reference-rbac.js';
import type { Rbac } from '../support/reference-rbac.js';
import { FakeObjectReader } from '../support/fake-object-reader.js';
import { fc, runs } from '../support/properties.js';

const v1 = 'rbac.authorization.k8s.io/v1';
const rbacGroup = 'rbac.authorization.k8s.io';
const rule = (
  apiGroups: readonly string[],
  resources: readonly string[],
  verbs: readonly string[],
  resourceNames?: readonly string[],
): PolicyRule => ({
  verbs: [...verbs],
  apiGroups: [...apiGroups],
  resources: [...resources],
  ...(resourceNames && { resourceNames: [...resourceNames] }),
});
const urls = (nonResourceURLs: readonly string[], ...verbs: readonly string[]): PolicyRule => ({
  verbs: [...verbs],
  nonResourceURLs: [...nonResourceURLs],
});
const asking = (verb: string, resource: string, rest: Partial<AccessAttributes> = {}): AccessAttributes => {
  const [name = '', subresource = ''] = resource.split('/');
  return {
    user: { username: 'u', groups: [] },
    verb,
    isResource: true,
    path: '',
    group: '',
    version: 'v1',
    resource: name,
    subresource,
    namespace: '',
    name: '',
    ...rest,
  };
};
const fetching = (path: string, rest: Partial<AccessAttributes> = {}): AccessAttributes => ({
  ...asking('get', '', rest),
  isResource: false,
  path,
});

t.test('a rule allows what it says, word for word', async (t) => {
  const cases: readonly (readonly [boolean, PolicyRule, AccessAttributes])[] = [
    [true, rule([''], ['pods'], ['get']), asking('get', 'pods')],
    [false, rule([''], ['pods'], ['get']), asking('list', 'pods')],
    [false, rule([''], ['pods'], ['get']), asking('get', 'pods', { group: 'apps' })],
    [false, rule([''], ['pods'], ['get']), asking('get', 'pods/log')],
    [true, rule([''], ['pods/log'], ['get']), asking('get', 'pods/log')],
    [true, rule(['*'], ['*'], ['*']), asking('get', 'pods/log', { group: 'x' })],
    [false, rule([''], ['pods/*'], ['*']), asking('get', 'pods/log')],
    [true, rule([''], ['*/scale'], ['get']), asking('get', 'anything/scale')],
    [false, rule([''], ['*/scale'], ['get']), asking('get', 'scale')],
    [false, rule([''], ['*/'], ['get']), asking('get', 'pods')],
    [true, rule([''], ['pods'], ['get'], ['a', 'b']), asking('get', 'pods', { name: 'b' })],
    [false, rule([''], ['pods'], ['create'], ['a']), asking('create', 'pods')],
    [false, rule([''], ['pods'], ['get']), fetching('/pods')],
    [true, urls(['/healthz'], 'get'), fetching('/healthz')],
    [false, urls(['/healthz'], 'get'), fetching('/healthz/etcd')],
    [true, urls(['/healthz/*'], 'get'), fetching('/healthz/')],
    [false, urls(['/healthz/*'], 'get'), fetching('/healthz')],
    [true, urls(['/health***'], 'get'), fetching('/healthz')],
    [true, urls(['*'], '*'), fetching('/anything')],
    [false, urls(['*'], '*'), asking('get', 'pods')],
    [false, rule(['__proto__'], ['constructor'], ['toString']), asking('toString', 'constructor')],
  ];
  for (const [allows, each, attributes] of cases)
    t.equal(
      ruleAllows(each, attributes),
      allows,
      `${printRule(each)} ${attributes.verb} ${attributes.resource}/${attributes.subresource}${attributes.path}`,
    );
});

const oneOf = <T>(...values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const someOf = <T>(max: number, ...values: readonly T[]): fc.Arbitrary<T[]> =>
  fc.array(oneOf(...values), { minLength: 1, maxLength: max });
const [namespaces, names] = [
  ['n', 'm'],
  ['a', 'b', 'c'],
];
const anyRule: fc.Arbitrary<PolicyRule> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .tuple(
        someOf(2, '', 'x', '*'),
        someOf(3, 'p', 'q', 'p/s', 'q/s', '*/s', '*', 'p/*', '*/*', '__proto__'),
        someOf(2, 'get', 'list', 'create', '*'),
        fc.option(someOf(2, 'a', 'b', ''), { nil: undefined }),
      )
      .map((each) => rule(...each)),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(someOf(2, '/', '/a', '/a*', '/a/b', '/a/**', '*'), someOf(2, 'get', 'post', '*'))
      .map(([paths, verbs]) => urls(paths, ...verbs)),
  },
);
const anyRules = fc.array(anyRule, { maxLength: 6, size: 'max' });
const anySubject: fc.Arbitrary<rbacV1.Subject> = fc.oneof(
  oneOf('u', 'v', 'system:serviceaccount:n:a').map((name) => ({ kind: 'User', apiGroup: rbacGroup, name })),
  oneOf('g', 'h').map((name) => ({ kind: 'Group', apiGroup: rbacGroup, name })),
  fc
    .tuple(oneOf(...names), fc.option(oneOf(...namespaces), { nil: undefined }))
    .map(([name, namespace]) => ({ kind: 'ServiceAccount', name, ...(namespace && { namespace }) })),
);
const anyRole = fc
  .tuple(oneOf(...names), oneOf(...namespaces), anyRules)
  .map(([name, namespace, rules]): Role => ({ metadata: { name, namespace }, rules }));
const anyClusterRole = fc
  .tuple(oneOf(...names), anyRules)
  .map(([name, rules]): ClusterRole => ({ metadata: { name }, rules }));
const anyRef = fc
  .tuple(oneOf('Role', 'ClusterRole'), oneOf(...names, 'none'))
  .map(([kind, name]) => ({ apiGroup: rbacGroup, kind, name }));
const anySubjects = fc.array(anySubject, { maxLength: 5, size: 'max' });
const anyRoleBinding = fc
  .tuple(oneOf('x', 'y', 'z'), oneOf(...namespaces), anyRef, anySubjects)
  .map(([name, namespace, roleRef, subjects]): RoleBinding => ({ metadata: { name, namespace }, roleRef, subjects }));
const anyClusterRoleBinding = fc
  .tuple(oneOf('x', 'y', 'z'), oneOf(...names, 'none'), anySubjects)
  .map(([name, role, subjects]): ClusterRoleBinding => ({
    metadata: { name },
    roleRef: { apiGroup: rbacGroup, kind: 'ClusterRole', name: role },
    subjects,
  }));
const keyOf = ({ metadata: { name = '', namespace = '' } = {} }: ApiObject): string => `${namespace}/${name}`;
const each = <T extends ApiObject>(of: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
  fc.uniqueArray(of, { selector: keyOf, maxLength: 6, size: 'max' });
const anyRbac: fc.Arbitrary<Rbac> = fc.record({
  roles: each(anyRole),
  clusterRoles: each(anyClusterRole),
  roleBindings: each(anyRoleBinding),
  clusterRoleBindings: each(anyClusterRoleBinding),
});
const anyUser: fc.Arbitrary<UserInfo> = fc.record({
  username: oneOf(
    'u',
    'v',
    'w',
    'system:serviceaccount:n:a',
    'system:serviceaccount:m:b',
    'system:serviceaccount:n:a:b',
  ),
  groups: fc.array(oneOf('g', 'h', 'i'), { maxLength: 3 }),
});
const anyRequest: fc.Arbitrary<AccessAttributes> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .tuple(
        anyUser,
        oneOf('get', 'list', 'create', '*', ''),
        oneOf('p', 'q', 'p/s', 'q/s', 'p/*', '*', '__proto__'),
        oneOf('', 'x'),
        oneOf('', ...namespaces),
        oneOf('', 'a', 'b'),
      )
      .map(([user, verb, resource, group, namespace, name]) =>
        asking(verb, resource, { user, group, namespace, name }),
      ),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(anyUser, oneOf('get', 'post'), oneOf('/', '/a', '/a/b', '/ab', ''))
      .map(([user, verb, path]) => fetching(path, { user, verb })),
  },
);

const resourcesOf = ({
  roles,
  clusterRoles,
  roleBindings,
  clusterRoleBindings,
}: Rbac): readonly (readonly [string, readonly ApiObject[]])[] => [
  ['roles', roles],
  ['clusterroles', clusterRoles],
  ['rolebindings', roleBindings],
  ['clusterrolebindings', clusterRoleBindings],
];
function readerOf(rbac: Rbac): FakeObjectReader {
  const objects = new FakeObjectReader();
  for (const [resource, all] of resourcesOf(rbac)) for (const object of all) objects.set(resource, object);
  return objects;
}
const indexed = (reader: FakeObjectReader, closed$: Observable<void>): RbacRules =>
  rbacIndex({ reader, informers: objectInformers(reader), closed$ });
const known = (objects: FakeObjectReader): RbacRules => indexed(objects, NEVER);
const rulesReview = async (rbac: RbacRules, user: UserInfo, namespace: string): Promise<AccessRules> =>
  rbacAuthorizer(rbac).rules?.(user, namespace) as Promise<AccessRules>;

t.test('the index decides as a plain reading of the rules does, and names the same binding', async (t) => {
  let decided = { allow: 0, noOpinion: 0, missing: 0 };
  const property = fc.asyncProperty(
    anyRbac,
    fc.array(anyRequest, { minLength: 25, maxLength: 25 }),
    async (rbac, requests) => {
      const index = known(readerOf(rbac));
      for (const request of requests) {
        const decision = await index.decide(request);
        const expected = referenceDecision(rbac, request);
        if (decision.decision !== expected.decision || decision.reason !== expected.reason)
          throw new Error(
            `${JSON.stringify(request)}: ${JSON.stringify(decision)} instead of ${JSON.stringify(expected)}`,
          );
        decided = {
          allow: decided.allow + Number(decision.decision === 'allow'),
          noOpinion: decided.noOpinion + Number(decision.decision !== 'allow'),
          missing: decided.missing + Number(decision.reason.includes('not found')),
        };
        // What is listed is what is allowed.
        const { rules } = await index.rulesFor(request.user, request.namespace);
        if (JSON.stringify(rules) !== JSON.stringify(referenceRules(rbac, request.user, request.namespace)))
          throw new Error('other rules');
        if (rules.some((one) => ruleAllows(one, request)) !== (decision.decision === 'allow'))
          throw new Error('the rules say otherwise');
        if (rules.some((one) => referenceRuleAllows(one, request) !== ruleAllows(one, request)))
          throw new Error('a rule says otherwise');
      }
    },
  );
  await fc.assert(property, { numRuns: runs(1000) });
  t.ok(decided.allow + decided.noOpinion >= runs(20_000), 'many triples');
  t.ok(
    decided.allow > runs(1500) && decided.noOpinion > runs(1500) && decided.missing > runs(500),
    `of every kind: ${JSON.stringify(decided)}`,
  );
});

t.test('an index that followed changes is the one that would be made anew', async (t) => {
  let compared = 0;
  const anyChange = fc.oneof(
    ...(
      [
        ['roles', anyRole],
        ['clusterroles', anyClusterRole],
        ['rolebindings', anyRoleBinding],
        ['clusterrolebindings', anyClusterRoleBinding],
      ] as const
    ).map(([resource, arbitrary]) =>
      (arbitrary as fc.Arbitrary<ApiObject>).map((object) => ({ type: 'set', resource, object }) as const),
    ),
    fc
      .tuple(oneOf('roles', 'clusterroles', 'rolebindings', 'clusterrolebindings'), fc.nat())
      .map(([resource, which]) => ({ type: 'delete', resource, which }) as const),
    anyRbac.map((rbac) => ({ type: 'relist', rbac }) as const),
  );
  const property = fc.asyncProperty(
    anyRbac,
    fc.array(anyChange, { minLength: 1, maxLength: 30 }),
    fc.array(anyRequest, { minLength: 20, maxLength: 20 }),
    async (rbac, changes, requests) => {
      const objects = readerOf(rbac);
      const followed = known(objects);
      await followed.decide(asking('get', 'p'));
      for (const change of changes) {
        if (change.type === 'set') objects.set(change.resource, change.object);
        else if (change.type === 'relist')
          for (const [resource, all] of resourcesOf(change.rbac)) objects.replace(resource, all);
        else
          objects.delete(
            change.resource,
            objects.keys(change.resource)[change.which % Math.max(1, objects.keys(change.resource).length)] ?? '',
          );
      }
      const anew = known(objects);
      for (const request of requests) {
        const decision = followed.decide(request);
        if (decision instanceof Promise) throw new Error('a known decision is synchronous');
        const expected = await anew.decide(request);
        if (JSON.stringify(decision) !== JSON.stringify(expected))
          throw new Error(
            `${JSON.stringify(request)}: ${JSON.stringify(decision)} instead of ${JSON.stringify(expected)}`,
          );
        const [rules, expectedRules] = [
          await followed.rulesFor(request.user, request.namespace),
          await anew.rulesFor(request.user, request.namespace),
        ];
        if (JSON.stringify(rules) !== JSON.stringify(expectedRules)) throw new Error('other rules');
        compared += 1;
      }
    },
  );
  await fc.assert(property, { numRuns: runs(250) });
  t.equal(compared, runs(250) * 20);
});

t.test('roles of many rules and lists answer as small ones do', async (t) => {
  const many = Array.from({ length: 500 }, (_, index) => rule(['x'], ['p'], [`verb${index}`], [`name${index % 7}`]));
  const objects = readerOf({
    roles: [],
    clusterRoles: [{ metadata: { name: 'r' }, rules: [...many, rule(['y'], ['p'], ['*'])] }],
    roleBindings: [],
    clusterRoleBindings: [
      { metadata: { name: 'b' }, roleRef: { kind: 'ClusterRole', name: 'r' }, subjects: [{ kind: 'User', name: 'u' }] },
    ],
  });
  const index = known(objects);
  t.equal((await index.decide(asking('verb5', 'p', { group: 'x', name: 'name5' }))).decision, 'allow');
  t.equal((await index.decide(asking('verb5', 'p', { group: 'x', name: 'name6' }))).decision, 'noOpinion');
  t.equal((await index.decide(asking('verb5', 'q', { group: 'x', name: 'name5' }))).decision, 'noOpinion');
  t.equal((await index.decide(asking('verb5', 'p', { group: 'y' }))).decision, 'allow', 'by the rule for all verbs');
  t.equal(
    (await index.decide(asking('*', 'p', { group: 'x', name: 'name5' }))).decision,
    'noOpinion',
    'a star asked for is no star given',
  );
  objects.set('clusterroles', {
    metadata: { name: 'r' },
    rules: many.map((one) => ({ ...one, verbs: ['get'] })),
  } as ClusterRole);
  t.equal(
    (await index.decide(asking('get', 'p', { group: 'x', name: 'name6' }))).decision,
    'allow',
    'where all have the verb too',
  );
  t.equal((await index.decide(asking('get', 'p', { group: 'x', name: 'name7' }))).decision, 'noOpinion');
});

t.test('nothing is read before the first question, and nothing after the end', async (t) => {
  const objects = readerOf({ roles: [], clusterRoles: [], roleBindings: [], clusterRoleBindings: [] });
  const closed$ = new ReplaySubject<void>(1);
  const index = indexed(objects, closed$);
  t.equal(objects.followers, 0);
  const first = index.decide(asking('get', 'p'));
  t.ok(first instanceof Promise, 'the first question waits');
  await first;
  t.equal(objects.followers, 4);
  t.notOk(index.decide(asking('get', 'p')) instanceof Promise, 'the others do not');
  closed$.next();
  t.equal(objects.followers, 0);
  t.strictSame(index.decide(asking('get', 'p')), { decision: 'noOpinion', reason: '' });
  const late = indexed(objects, closed$);
  t.strictSame(
    await late.decide(asking('get', 'p')),
    { decision: 'noOpinion', reason: '' },
    'later requests are refused',
  );
  t.equal(objects.followers, 0);
});

t.test('a review lists rules as they are written, with what could not be found', async (t) => {
  const subjects = [
    { kind: 'User', name: 'u' },
    { kind: 'Group', name: 'g' },
  ];
  const shared = [rule([''], ['p'], ['get']), urls(['/a'], 'get'), { verbs: ['get'] }];
  const bind = (name: string, role: string): ClusterRoleBinding => ({
    metadata: { name },
    roleRef: { kind: 'ClusterRole', name: role },
    subjects,
  });
  const index = known(
    readerOf({
      roles: [],
      clusterRoles: [{ metadata: { name: 'r' }, rules: shared }],
      roleBindings: [],
      clusterRoleBindings: [bind('a', 'r'), bind('b', 'none'), bind('c', 'r')],
    }),
  );
  t.strictSame(await rulesReview(index, { username: 'u', groups: ['g'] }, 'n'), {
    resourceRules: [shared[0], shared[0]],
    nonResourceRules: [shared[1], shared[1]],
    incomplete: false,
    error: 'clusterrole.rbac.authorization.k8s.io "none" not found',
  });
  t.strictSame(await rulesReview(index, { username: 'v' }, 'n'), {
    resourceRules: [],
    nonResourceRules: [],
    incomplete: false,
  });
  t.strictSame(await index.rulesOf({ kind: 'ClusterRole', name: 'r' }, 'n'), shared);
  t.equal(await index.rulesOf({ kind: 'Role', name: 'r' }, 'n'), undefined);
});

t.test('what covers a rule is found as by trying everything', async (t) => {
  let uncovered = 0;
  const property = fc.property(
    fc.array(anyRule, { maxLength: 5 }),
    fc.array(anyRule, { minLength: 1, maxLength: 3 }),
    (owned, granted) => {
      const missing = uncoveredRules(owned, granted);
      const expected = granted.every((one) => referenceCovers(owned, one));
      if ((missing.length === 0) !== expected) throw new Error(`${JSON.stringify(owned)} ${JSON.stringify(granted)}`);
      if (missing.some((one) => referenceCovers(owned, one as PolicyRule)))
        throw new Error('reported although it is covered');
      uncovered += Number(missing.length > 0);
      // Put together again, what is missing is the same.
      const compact = compactRules(missing);
      if (
        compact.some((one) => referenceCovers(owned, one as PolicyRule)) ||
        missing.some((one) => !referenceCovers(compact as PolicyRule[], one as PolicyRule))
      )
        throw new Error('not the same');
    },
  );
  fc.assert(property, { numRuns: runs(5000) });
  t.ok(uncovered > runs(500) && uncovered < runs(4900), 'both happen');
});

t.test('a rule that stands for more than fits in memory is refused, soon and shortly', async (t) => {
  const wide = (prefix: string): string[] => Array.from({ length: 2000 }, (_, index) => `${prefix}${index}`);
  const bomb = rule(wide('g'), wide('r'), wide('v'), wide('n'));
  t.strictSame(uncoveredRules([rule(['*'], ['*'], ['get'])], [bomb]), [bomb], 'it is reported unchanged');
  const long = rule(['x'.repeat(100_000)], wide('r'), ['get']);
  const text = printMissingRules(uncoveredRules([], [long]));
  t.ok(text.length < 2_000_000);
  t.match(text, /\n\(and \d+ more\)$/);
});

/** The user that the client names. */
const server = (options: Partial<ServerOptions> = {}): ApiServer =>
  createServer({
    store: memoryStore(),
    clock: virtualClock(),
    random: random(1),
    authorizers: ({ rbac }) => [rbacAuthorizer(rbac())],
    ...options,
  });
const admin: UserInfo = { username: 'admin', groups: ['system:masters', 'system:authenticated'] };
const ordinary = (username: string, ...groups: readonly string[]): UserInfo => ({
  username,
  groups: [...groups, 'system:authenticated'],
});
interface Cluster {
  readonly admin: Client;
  as(username: string, ...groups: readonly string[]): Client;
}
const clusterOf = ({ handler }: ApiServer): Cluster => {
  const client = inProcessClient(handler, { user: admin });
  return { admin: client, as: (username, ...groups) => client.as(ordinary(username, ...groups)) };
};
const refusalOf = async (request: Promise<unknown>): Promise<string> => {
  try {
    await request;
    return 'allowed';
  } catch (error) {
    if (!isApiError(error)) throw error;
    return `${error.status.code ?? ''} ${error.message}`;
  }
};
const bindingOf = (
  name: string,
  kind: 'Role' | 'ClusterRole',
  role: string,
  ...subjects: rbacV1.Subject[]
): { metadata: { name: string }; roleRef: rbacV1.RoleRef; subjects: rbacV1.Subject[] } => ({
  metadata: { name },
  roleRef: { apiGroup: rbacGroup, kind, name: role },
  subjects: subjects.length === 0 ? [{ kind: 'User', name: 'z', apiGroup: rbacGroup }] : subjects,
});
const user = (name: string): rbacV1.Subject => ({ kind: 'User', name, apiGroup: rbacGroup });

t.test('changes count while the server runs', async (t) => {
  const api = server();
  const { admin, as } = clusterOf(api);
  const pods = as('alice').kind('v1', 'Pod').in('default');
  const refused =
    '403 pods is forbidden: User "alice" cannot list resource "pods" in API group "" in the namespace "default"';
  t.equal(await refusalOf(pods.list()), refused);
  const [roles, bindings] = [admin.kind(v1, 'Role').in('default'), admin.kind(v1, 'RoleBinding').in('default')];
  await bindings.create(bindingOf('b', 'Role', 'r', user('alice')));
  t.equal(await refusalOf(pods.list()), `${refused}: RBAC: role.rbac.authorization.k8s.io "r" not found`);
  await roles.create({ metadata: { name: 'r' }, rules: [rule([''], ['pods'], ['list'])] });
  t.equal(await refusalOf(pods.list()), 'allowed');
  t.equal(
    await refusalOf(as('alice').kind('v1', 'Pod').in('kube-system').list()),
    refused.replace('"default"', '"kube-system"'),
  );
  await roles.patch('r', { merge: { rules: [] } });
  t.equal(await refusalOf(pods.list()), refused);
  await roles.patch('r', { merge: { rules: [rule([''], ['*'], ['*'])] } });
  t.equal(await refusalOf(pods.list()), 'allowed');
  await bindings.patch('b', { merge: { subjects: [user('bob')] } });
  t.equal(await refusalOf(pods.list()), refused);
  t.equal(await refusalOf(as('bob').kind('v1', 'Pod').in('default').list()), 'allowed');
  await bindings.delete('b');
  t.equal(await refusalOf(as('bob').kind('v1', 'Pod').in('default').list()), refused.replace('alice', 'bob'));
  await api.close();
});

t.test('a role that allows more than its writer may is refused', async (t) => {
  const api = server();
  const { admin, as } = clusterOf(api);
  await admin.kind(v1, 'ClusterRole').create({
    metadata: { name: 'writer' },
    rules: [
      rule(
        [rbacGroup],
        ['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings'],
        ['create', 'update', 'patch'],
      ),
      rule([''], ['pods'], ['get', 'list']),
      rule([''], ['secrets'], ['get'], ['s1']),
      rule(['*'], ['*/scale'], ['get']),
      urls(['/metrics*'], 'get'),
    ],
  });
  await admin.kind(v1, 'ClusterRoleBinding').create(bindingOf('writer', 'ClusterRole', 'writer', user('alice')));
  await admin
    .kind(v1, 'Role')
    .in('default')
    .create({ metadata: { name: 'local' }, rules: [rule([''], ['configmaps'], ['*'])] });
  await admin
    .kind(v1, 'RoleBinding')
    .in('default')
    .create(bindingOf('local', 'Role', 'local', user('alice')));
  const alice = as('alice');
  const write = (rules: PolicyRule[], namespace = 'default'): Promise<string> =>
    refusalOf(
      alice
        .kind(v1, 'Role')
        .in(namespace)
        .create({ metadata: { name: 'r' }, rules }, { dryRun: true }),
    );
  const refused = (...missing: readonly string[]): string =>
    `403 roles.rbac.authorization.k8s.io "r" is forbidden: user "alice" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n${missing.join('\n')}`;
  t.equal(await write([rule([''], ['pods'], ['get'])]), 'allowed');
  t.equal(
    await write([rule([''], ['pods'], ['get', 'watch', 'deletecollection', 'list'])]),
    refused('{APIGroups:[""], Resources:["pods"], Verbs:["watch" "deletecollection"]}'),
  );
  t.equal(await write([rule(['*'], ['*'], ['*'])]), refused('{APIGroups:["*"], Resources:["*"], Verbs:["*"]}'));
  t.equal(await write([rule([''], ['secrets'], ['get'], ['s1'])]), 'allowed');
  t.equal(
    await write([rule([''], ['secrets'], ['get'], ['s1', 's2'])]),
    refused('{APIGroups:[""], Resources:["secrets"], ResourceNames:["s2"], Verbs:["get"]}'),
  );
  t.equal(
    await write([rule([''], ['secrets'], ['get'])]),
    refused('{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}'),
    'names cannot be dropped',
  );
  t.equal(await write([rule(['apps'], ['deployments/scale', '*/scale'], ['get'])]), 'allowed');
  t.equal(
    await write([rule(['apps'], ['*/status'], ['get'])]),
    refused('{APIGroups:["apps"], Resources:["*/status"], Verbs:["get"]}'),
  );
  t.equal(
    await write([rule([''], ['configmaps'], ['*', 'own'])]),
    'allowed',
    'what she has in the namespace counts there',
  );
  t.equal(
    await write([rule([''], ['configmaps'], ['get'])], 'kube-system'),
    refused('{APIGroups:[""], Resources:["configmaps"], Verbs:["get"]}'),
    'and nowhere else',
  );
  const clusterRoles = alice.kind(v1, 'ClusterRole');
  t.match(
    await refusalOf(clusterRoles.create({ metadata: { name: 'r' }, rules: [rule([''], ['configmaps'], ['get'])] })),
    /^403 clusterroles[^]*Resources:\["configmaps"\]/,
  );
  t.equal(
    await refusalOf(clusterRoles.create({ metadata: { name: 'r' }, rules: [urls(['/metrics', '/metrics/*'], 'get')] })),
    'allowed',
  );
  t.match(
    await refusalOf(clusterRoles.create({ metadata: { name: 's' }, rules: [urls(['/*'], 'get')] })),
    /\{NonResourceURLs:\["\/\*"\], Verbs:\["get"\]\}/,
  );
  t.match(
    await refusalOf(clusterRoles.patch('r', { merge: { rules: [rule(['*'], ['*'], ['get'])] } })),
    /^403 /,
    'by patches',
  );
  t.match(
    await refusalOf(clusterRoles.update({ metadata: { name: 'new' }, rules: [rule(['*'], ['*'], ['get'])] })),
    /^403 /,
    'by updates that create',
  );
  t.match(
    await refusalOf(clusterRoles.create({ metadata: { name: '..' }, rules: [rule(['*'], ['*'], ['get'])] })),
    /^403 /,
    'before validation reports other errors',
  );

  await admin.kind(v1, 'ClusterRoleBinding').create(bindingOf('lost', 'ClusterRole', 'gone', user('alice')));
  t.equal(
    await write([rule(['x'], ['x'], ['get'])]),
    `${refused('{APIGroups:["x"], Resources:["x"], Verbs:["get"]}')}; resolution errors: [roles.rbac.authorization.k8s.io "gone" not found]`,
  );
  await admin.kind(v1, 'ClusterRoleBinding').create(bindingOf('may', 'ClusterRole', 'escalate', user('alice')));
  await admin
    .kind(v1, 'ClusterRole')
    .create({ metadata: { name: 'escalate' }, rules: [rule([rbacGroup], ['clusterroles'], ['escalate'], ['r'])] });
  t.match(
    await refusalOf(clusterRoles.create({ metadata: { name: 's' }, rules: [rule(['*'], ['*'], ['get'])] })),
    /^403 /,
    'who creates names nothing',
  );
  t.equal(
    await refusalOf(clusterRoles.patch('r', { merge: { rules: [rule(['*'], ['*'], ['get'])] } })),
    'allowed',
    'the verb escalate lifts it',
  );
  await api.close();
});

t.test('roles that gather take all the rights there are', async (t) => {
  const api = server();
  const { admin, as } = clusterOf(api);
  const gathers = { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } };
  await admin.kind(v1, 'ClusterRole').create({
    metadata: { name: 'writer' },
    rules: [rule([rbacGroup], ['clusterroles'], ['create', 'patch', 'update'])],
  });
  await admin.kind(v1, 'ClusterRole').create({ metadata: { name: 'all' }, rules: [rule(['*'], ['*'], ['*'])] });
  await admin.kind(v1, 'ClusterRole').create({ metadata: { name: 'gathers' }, ...gathers });
  await admin
    .kind(v1, 'ClusterRoleBinding')
    .create(bindingOf('writer', 'ClusterRole', 'writer', user('alice'), user('root')));
  await admin.kind(v1, 'ClusterRoleBinding').create(bindingOf('root', 'ClusterRole', 'cluster-admin', user('root')));
  const alice = as('alice').kind(v1, 'ClusterRole');
  const refused = (name: string): string =>
    `403 clusterroles.rbac.authorization.k8s.io "${name}" is forbidden: must have cluster-admin privileges to use the aggregationRule`;
  t.equal(await refusalOf(alice.create({ metadata: { name: 'r' }, ...gathers })), refused('r'));
  t.equal(
    await refusalOf(alice.patch('gathers', { merge: { aggregationRule: null } })),
    refused('gathers'),
    'also to stop it',
  );
  t.equal(await refusalOf(alice.patch('gathers', { merge: { metadata: { labels: { x: 'y' } } } })), refused('gathers'));
  t.equal(
    await refusalOf(alice.patch('gathers', { merge: { metadata: { finalizers: ['a.io/b'] } } })),
    'allowed',
    'finalizers grant nothing',
  );
  t.equal(
    await refusalOf(alice.patch('gathers', { merge: { metadata: { finalizers: null, annotations: { x: 'y' } } } })),
    refused('gathers'),
  );
  t.equal(
    await refusalOf(alice.patch('writer', { merge: { metadata: { labels: { a: 'b' } } } })),
    'allowed',
    'to be gathered is free to who has what is gathered',
  );
  t.match(
    await refusalOf(alice.patch('all', { merge: { metadata: { labels: { a: 'b' } } } })),
    /not currently held/,
    'and to no other user',
  );
  t.equal(
    await refusalOf(
      as('root')
        .kind(v1, 'ClusterRole')
        .create({ metadata: { name: 'r' }, ...gathers }),
    ),
    'allowed',
  );
  await api.close();
});

t.test('a binding to a role that allows more than its writer may is refused', async (t) => {
  const api = server();
  const { admin, as } = clusterOf(api);
  await admin.kind(v1, 'ClusterRole').create({
    metadata: { name: 'binder' },
    rules: [
      rule([rbacGroup], ['rolebindings', 'clusterrolebindings'], ['create', 'patch']),
      rule([''], ['pods'], ['get']),
    ],
  });
  await admin.kind(v1, 'ClusterRole').create({ metadata: { name: 'small' }, rules: [rule([''], ['pods'], ['get'])] });
  await admin
    .kind(v1, 'ClusterRole')
    .create({ metadata: { name: 'may' }, rules: [rule([rbacGroup], ['clusterroles'], ['bind'], ['view', 'none'])] });
  await admin
    .kind(v1, 'ClusterRoleBinding')
    .create(bindingOf('binder', 'ClusterRole', 'binder', user('alice'), user('bob')));
  await admin
    .kind(v1, 'RoleBinding')
    .in('default')
    .create(bindingOf('may', 'ClusterRole', 'may', user('bob')));
  const bind = (who: string, binding: ReturnType<typeof bindingOf>): Promise<string> =>
    refusalOf(as(who).kind(v1, 'RoleBinding').in('default').create(binding));
  const bindEverywhere = (who: string, binding: ReturnType<typeof bindingOf>): Promise<string> =>
    refusalOf(as(who).kind(v1, 'ClusterRoleBinding').create(binding));
  t.equal(await bind('alice', bindingOf('a1', 'ClusterRole', 'small')), 'allowed');
  t.equal(await bindEverywhere('alice', bindingOf('a1', 'ClusterRole', 'small')), 'allowed');
  t.match(
    await bindEverywhere('alice', bindingOf('a2', 'ClusterRole', 'cluster-admin')),
    /^403 clusterrolebindings.* "a2" is forbidden: user "alice" .*not currently held:\n\{APIGroups:\["\*"\], Resources:\["\*"\], Verbs:\["\*"\]\}\n\{NonResourceURLs:\["\*"\], Verbs:\["\*"\]\}$/,
  );
  t.match(await bind('alice', bindingOf('a3', 'ClusterRole', 'view')), /^403 /);
  t.equal(
    await bind('alice', bindingOf('a4', 'Role', 'none')),
    '404 rolebindings.rbac.authorization.k8s.io "none" not found',
  );
  t.equal(
    await bind('alice', bindingOf('a5', 'ClusterRole', 'none')),
    '404 rolebindings.rbac.authorization.k8s.io "none" not found',
  );
  t.equal(await bind('alice', bindingOf('a6', 'Role', '')), '400 Name parameter required.');
  t.equal(
    await bind('alice', bindingOf('a6', 'Role', 'a/b')),
    `400 Name parameter invalid: "a/b": may not contain '/'`,
  );
  t.equal(await bind('alice', bindingOf('a6', 'Else' as 'Role', 'x')), '500 unsupported role reference kind: "Else"');
  t.equal(await bindEverywhere('alice', bindingOf('a6', 'Role', 'x')), '400 Namespace parameter required.');
  t.equal(await bind('bob', bindingOf('b1', 'ClusterRole', 'view')), 'allowed', 'the verb bind lifts it');
  t.equal(await bind('bob', bindingOf('b2', 'ClusterRole', 'none')), 'allowed', 'also for roles to come');
  t.match(await bindEverywhere('bob', bindingOf('b1', 'ClusterRole', 'view')), /^403 /, 'where it was given');
  t.match(await bind('bob', bindingOf('b3', 'ClusterRole', 'edit')), /^403 /, 'for what it was given');
  const bindings = as('alice').kind(v1, 'RoleBinding').in('default');
  t.match(
    await refusalOf(bindings.patch('b1', { merge: { subjects: [user('alice')] } })),
    /^403 /,
    'a subject cannot be added to a binding that the user could not create',
  );
  t.match(
    await refusalOf(bindings.patch('a1', { merge: { roleRef: { name: 'binder' } } })),
    /^422 .*cannot change roleRef/,
  );
  t.match(
    await refusalOf(
      admin
        .kind(v1, 'RoleBinding')
        .in('default')
        .patch('a1', { merge: { roleRef: { name: 'view' } } }),
    ),
    /^422 .*cannot change roleRef/,
    'the role of a binding cannot be changed',
  );
  await api.close();
});

t.test('a server without authorizers guards nothing, and has no policy unless it is asked for', async (t) => {
  const api = createServer({ store: memoryStore(), clock: virtualClock(), random: random(1) });
  const { admin, as } = clusterOf(api);
  t.strictSame((await admin.kind(v1, 'ClusterRole').list()).items, []);
  t.equal(
    await refusalOf(
      as('alice')
        .kind(v1, 'ClusterRoleBinding')
        .create(bindingOf('a', 'ClusterRole', 'none')),
    ),
    'allowed',
  );
  await api.close();
  const asked = createServer({ store: memoryStore(), clock: virtualClock(), random: random(1), bootstrapPolicy: true });
  t.equal((await clusterOf(asked).admin.kind(v1, 'ClusterRole').list()).items.length, 69);
  await asked.close();
  const declined = server({ bootstrapPolicy: false });
  t.strictSame((await clusterOf(declined).admin.kind(v1, 'ClusterRole').list()).items, []);
  await declined.close();
});

t.test('a cluster begins with the roles and bindings of Kubernetes', async (t) => {
  const api = server();
  const { admin, as } = clusterOf(api);
  const counts = await Promise.all(
    (['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'] as const).map(
      async (kind) => (await admin.kind(v1, kind).list()).items.length,
    ),
  );
  t.strictSame(counts, [69, 50, 7, 7]);
  const {
    uid: _uid,
    resourceVersion: _version,
    creationTimestamp: _created,
    managedFields: _managed,
    ...metadata
  } = (await admin.kind(v1, 'ClusterRole').get('edit')).metadata;
  t.strictSame(metadata, {
    name: 'edit',
    labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', 'rbac.authorization.k8s.io/aggregate-to-admin': 'true' },
    annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
  });
  const allows = async (
    client: Client,
    verb: string,
    resource: string,
    namespace = 'default',
    group = '',
  ): Promise<boolean | undefined> => {
    const review = await client
      .kind('authorization.k8s.io/v1', 'SelfSubjectAccessReview')
      .create({ spec: { resourceAttributes: { verb, resource, namespace, group } } });
    return review.status?.allowed;
  };
  for (const role of ['view', 'edit', 'admin'])
    await admin
      .kind(v1, 'RoleBinding')
      .in('default')
      .create(bindingOf(role, 'ClusterRole', role, user(role)));
  const can = async (who: string): Promise<readonly (boolean | undefined)[]> => [
    await allows(as(who), 'list', 'pods'),
    await allows(as(who), 'get', 'secrets'),
    await allows(as(who), 'create', 'pods'),
    await allows(as(who), 'create', 'rolebindings', 'default', rbacGroup),
    await allows(as(who), 'list', 'nodes', ''),
    await allows(as(who), 'list', 'pods', 'kube-system'),
  ];
  t.strictSame(await can('nobody'), [false, false, false, false, false, false]);
  t.strictSame(await can('view'), [true, false, false, false, false, false]);
  t.strictSame(await can('edit'), [true, true, true, false, false, false]);
  t.strictSame(await can('admin'), [true, true, true, true, false, false]);
  t.equal(
    await refusalOf(
      as('admin')
        .kind(v1, 'RoleBinding')
        .in('default')
        .create(bindingOf('more', 'ClusterRole', 'edit')),
    ),
    'allowed',
    'who administers a namespace shares it',
  );
  t.match(
    await refusalOf(
      as('admin')
        .kind(v1, 'RoleBinding')
        .in('default')
        .create(bindingOf('most', 'ClusterRole', 'cluster-admin')),
    ),
    /^403 /,
  );
  t.equal(await allows(as('system:kube-scheduler'), 'create', 'bindings'), true);
  t.equal(
    await allows(
      as('system:serviceaccount:kube-system:deployment-controller'),
      'create',
      'replicasets',
      'default',
      'apps',
    ),
    true,
  );
  t.equal(
    await allows(as('system:serviceaccount:default:deployment-controller'), 'create', 'replicasets', 'default', 'apps'),
    false,
  );
  t.equal(
    await allows(as('system:node:n', 'system:nodes'), 'list', 'pods'),
    false,
    'nodes are known to their own authorizer',
  );
  t.equal(await refusalOf(admin.as({ username: 'x', groups: ['system:unauthenticated'] }).read('/version')), 'allowed');
  t.match(await refusalOf(admin.as({ username: 'x', groups: ['system:unauthenticated'] }).read('/api')), /^403 /);
  await api.close();
});

t.test('the notation says what it means', async (t) => {
  t.strictSame(readRoles('a\n  core x: b a named z y = update read\n  urls: /b /a = get\nb\n'), [
    {
      name: 'a',
      rules: [
        {
          verbs: ['get', 'list', 'update', 'watch'],
          apiGroups: ['', 'x'],
          resources: ['a', 'b'],
          resourceNames: ['y', 'z'],
        },
        { verbs: ['get'], nonResourceURLs: ['/a', '/b'] },
      ],
    },
    { name: 'b', rules: [] },
  ]);
  t.strictSame(readBindings('a of b = user u, account n/a\nc =\n'), [
    {
      name: 'a',
      role: 'b',
      subjects: [
        { kind: 'User', apiGroup: rbacGroup, name: 'u' },
        { kind: 'ServiceAccount', name: 'a', namespace: 'n' },
      ],
    },
    { name: 'c', role: 'c', subjects: [] },
  ]);
  t.throws(() => readRoles('a\n  core: pods\n'), new SyntaxError('no "=" in: core: pods'));
  t.throws(() => readBindings('a = nobody x'), new SyntaxError('neither user, group nor account: nobody x'));
});

t.test('a server that starts completes the policy it finds, and leaves alone what asks for it', async (t) => {
  const store = memoryStore();
  const first = server({ store });
  const before = clusterOf(first).admin;
  const [roles, bindings] = [before.kind(v1, 'ClusterRole'), before.kind(v1, 'ClusterRoleBinding')];
  const own = rule(['own'], ['x'], ['get']);
  await roles.patch('system:kube-dns', {
    merge: {
      rules: [own, rule([''], ['endpoints'], ['list'])],
      metadata: { labels: { 'kubernetes.io/bootstrapping': 'mine' }, annotations: null },
    },
  });
  await roles.patch('system:heapster', {
    merge: { rules: [], metadata: { annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'false' } } },
  });
  await roles.patch('system:discovery', {
    merge: { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } },
  });
  await roles.patch('view', {
    merge: { rules: [own], aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } },
  });
  await roles.delete('edit');
  await bindings.patch('system:basic-user', { merge: { subjects: [user('me')] } });
  await bindings.delete('system:discovery');
  const other = await bindings.create(bindingOf('system:discovery', 'ClusterRole', 'view', user('me')));
  await first.close();

  const again = server({ store });
  const after = clusterOf(again).admin;
  const role = (name: string): Promise<Frozen<ClusterRole>> => after.kind(v1, 'ClusterRole').get(name);
  const binding = (name: string): Promise<Frozen<ClusterRoleBinding>> => after.kind(v1, 'ClusterRoleBinding').get(name);
  const dns = await role('system:kube-dns');
  t.strictSame(
    dns.rules,
    [
      own,
      rule([''], ['endpoints'], ['list']),
      rule([''], ['endpoints'], ['watch']),
      rule([''], ['services'], ['list']),
      rule([''], ['services'], ['watch']),
    ],
    'what is missing is added',
  );
  t.strictSame(dns.metadata?.labels, { 'kubernetes.io/bootstrapping': 'mine' }, 'what is there is not overruled');
  t.strictSame(dns.metadata?.annotations, { 'rbac.authorization.kubernetes.io/autoupdate': 'true' });
  t.strictSame((await role('system:heapster')).rules, []);
  t.equal((await role('system:discovery')).aggregationRule, undefined);
  const view = await role('view');
  t.strictSame(
    [view.rules, view.aggregationRule?.clusterRoleSelectors?.length],
    [[own], 2],
    'what is gathered is the business of who gathers',
  );
  t.equal((await role('edit')).rules?.length, 27);
  t.strictSame((await binding('system:basic-user')).subjects, [
    user('me'),
    { kind: 'Group', apiGroup: rbacGroup, name: 'system:authenticated' },
  ]);
  const discovery = await binding('system:discovery');
  t.equal(discovery.roleRef.name, 'system:discovery', 'a binding of another role is made anew');
  t.not(discovery.metadata?.uid, other.metadata.uid);
  await again.close();

  const revision = await store.revision();
  const third = server({ store });
  await clusterOf(third).admin.kind(v1, 'ClusterRole').list();
  t.equal(await store.revision(), revision, 'nothing is written where nothing is missing');
  await third.close();
});

t.test('a server that is beaten to it while it completes the policy looks again', async (t) => {
  const store = memoryStore();
  const first = server({ store });
  const before = clusterOf(first).admin.kind(v1, 'ClusterRole');
  for (const name of ['system:kube-dns', 'system:heapster']) await before.patch(name, { merge: { rules: [] } });
  await first.close();
  const beaten = new Set<string>();
  /** Another client changes or deletes a role before it is completed. */
  const commit: Store['commit'] = async (transaction) => {
    const [condition] = transaction.compare ?? [];
    const { key = '', modRevision = 0 } = condition ?? {};
    if (modRevision > 0 && !beaten.has(key)) {
      beaten.add(key);
      const found = await store.commit({ compare: [{ key, modRevision: 0 }] });
      const entry = found.committed ? undefined : found.found[0];
      if (entry !== undefined && key.endsWith('kube-dns'))
        await store.commit({
          put: [{ key, value: { ...entry.value, rules: [{ verbs: ['get'], nonResourceURLs: ['/other'] }] } }],
        });
      else await store.commit({ delete: [key] });
    }
    return store.commit(transaction);
  };
  const contended = new Proxy(store, {
    get: (target, name) => {
      const member: unknown = name === 'commit' ? commit : Reflect.get(target, name, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
  const second = server({ store: contended });
  const roles = clusterOf(second).admin.kind(v1, 'ClusterRole');
  t.strictSame(
    (await roles.get('system:kube-dns')).rules,
    [
      urls(['/other'], 'get'),
      ...['endpoints', 'services'].flatMap((resource) =>
        ['list', 'watch'].map((verb) => rule([''], [resource], [verb])),
      ),
    ],
    'what the other wrote stays',
  );
  t.equal((await roles.get('system:heapster')).rules?.length, 2, 'what the other deleted is there again');
  t.equal(beaten.size, 2);
  await second.close();
});

t.test('what is expected and what is found become one', async (t) => {
  const expected = policyObjects().find(
    ({ kind, metadata }) => kind === 'ClusterRole' && metadata?.name === 'admin',
  ) as Frozen<ClusterRole>;
  t.equal(reconciledRole(expected, expected), expected, 'nothing to do is the same object');
  const bare = { metadata: { name: 'admin' } };
  t.strictSame(reconciledRole(bare, expected), {
    metadata: expected.metadata,
    aggregationRule: expected.aggregationRule,
  });
  const binding = bindingOf('b', 'Role', 'r');
  t.equal(reconciledBinding(binding, { ...binding, roleRef: { ...binding.roleRef, name: 's' } }), undefined);
  const keep = {
    ...binding,
    metadata: { name: 'b', annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'false' } },
  };
  t.equal(reconciledBinding(keep, { ...binding, roleRef: { ...binding.roleRef, name: 's' } }), keep);
});

t.test('a role gathers by name, from others only, and nothing twice', async (t) => {
  const [one, two, three] = [rule([''], ['a'], ['get']), rule([''], ['b'], ['get']), rule([''], ['c'], ['get'])];
  const role = (name: string, labels: Record<string, string>, ...rules: PolicyRule[]): ClusterRole => ({
    metadata: { name, labels },
    rules,
  });
  const gathers: ClusterRole = {
    ...role('gathers', { a: 'b' }, three),
    aggregationRule: {
      clusterRoleSelectors: [{ matchLabels: { a: 'b' } }, { matchExpressions: [{ key: 'c', operator: 'Exists' }] }],
    },
  };
  t.strictSame(
    aggregatedRules(gathers, [
      gathers,
      role('z', { a: 'b', c: '' }, two, one),
      role('y', { a: 'b' }, one),
      role('x', { c: '' }, three, two),
    ]),
    [one, two, three],
  );
  t.strictSame(aggregatedRules(role('r', {}), [gathers]), []);
});

const aggregator = ordinary(
  'system:serviceaccount:kube-system:clusterrole-aggregation-controller',
  'system:serviceaccounts',
  'system:serviceaccounts:kube-system',
);

t.test('the controller keeps roles in step as its own user', async (t) => {
  const clock = virtualClock();
  const api = server({ clock });
  const { admin } = clusterOf(api);
  const [roles, client] = [admin.kind(v1, 'ClusterRole'), admin.as(aggregator)];
  const outcomes: string[] = [];
  const running = clusterRoleAggregation({ client, clock, random: random(3) })
    .run()
    .subscribe(({ type }) => outcomes.push(type));
  const until = async (name: string, holds: (rules: readonly Frozen<PolicyRule>[]) => boolean): Promise<void> => {
    const changes$ = roles.watch({ fieldSelector: `metadata.name=${name}` });
    await firstValueFrom(
      changes$.pipe(filter((event) => event.type !== 'BOOKMARK' && holds(event.object.rules ?? []))),
      { defaultValue: undefined },
    );
  };
  const crd = rule(['example.io'], ['things'], ['get']);
  await roles.create({
    metadata: { name: 'things-view', labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } },
    rules: [crd],
  });
  const has = (rules: readonly Frozen<PolicyRule>[]): boolean =>
    rules.some(({ apiGroups }) => apiGroups?.[0] === 'example.io');
  for (const name of ['view', 'edit', 'admin']) await until(name, has);
  t.equal((await roles.get('view')).rules?.length, 13);
  await roles.delete('things-view');
  for (const name of ['view', 'edit', 'admin']) await until(name, (rules) => !has(rules));
  t.ok(
    outcomes.includes('aggregated') && outcomes.every((type) => type === 'aggregated' || type === 'reconciled'),
    'RBAC allows it to escalate',
  );
  running.unsubscribe();
  await api.close();
});

t.test('the controller tries again what it was refused', async (t) => {
  const clock = virtualClock();
  const api = server({ clock });
  const { admin, as } = clusterOf(api);
  const roles = admin.kind(v1, 'ClusterRole');
  const gathers = { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } };
  await roles.create({
    metadata: { name: 'reader' },
    rules: [rule([rbacGroup], ['clusterroles'], ['list', 'watch', 'patch'])],
  });
  await admin.kind(v1, 'ClusterRoleBinding').create(bindingOf('reader', 'ClusterRole', 'reader', user('ctl')));
  await roles.create({ metadata: { name: 'part', labels: { a: 'b' } }, rules: [rule([''], ['nodes'], ['get'])] });
  await roles.create({ metadata: { name: 'whole' }, ...gathers });
  const seen = firstValueFrom(
    clusterRoleAggregation({ client: as('ctl'), clock, random: random(3) })
      .run()
      .pipe(
        filter((activity) => activity.type === 'failed'),
        take(3),
        toArray(),
      ),
    { defaultValue: [] },
  );
  const driving = drive(clock, seen);
  const outcomes = await seen;
  await driving;
  t.strictSame(
    outcomes.map(({ item, retryInMs }) => [item.name, retryInMs]),
    [
      ['whole', 5],
      ['whole', 10],
      ['whole', 20],
    ],
    'later and later',
  );
  t.match(
    outcomes[0],
    { error: { message: /must have cluster-admin privileges|not currently held/ } },
    'it may no more than its user: gathering is no way around',
  );
  t.strictSame((await roles.get('whole')).rules ?? [], []);
  await api.close();
});

/** Moves the time on until something is there. */
async function drive(clock: ReturnType<typeof virtualClock>, until: Promise<unknown>): Promise<void> {
  const ended = until.then(() => true);
  while (!(await Promise.race([ended, clock.advance(1).then(() => false)])));
}
