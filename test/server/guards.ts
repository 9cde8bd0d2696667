// The guards of the server: what is recorded of requests, in whose name they run, and how they are counted. Expected
// answers and events are a real server's.
import { filter } from 'rxjs';
import t from 'tap';
import type { AccessAttributes, Authenticator, Authorizer } from '../../lib/auth/index.js';
import {
  Histogram,
  labelText,
  printSampleValue,
  random,
  virtualClock,
  InProcessRequest,
} from '../../lib/core/index.js';
import type { VirtualClock } from '../../lib/core/index.js';
import { createServer, fetchHandler } from '../../lib/server/index.js';
import type { ApiServer, AuditEvent, AuditPolicy, AuditRule, ServerOptions } from '../../lib/server/index.js';
import { auditTerms } from '../../lib/server/audit/audit-policy.js';
import { readRequestInfo } from '../../lib/server/http/request-info.js';
import { Peak } from '../../lib/server/metrics/request-metrics.js';
import { memoryStore } from '../../lib/storage/index.js';

interface Served {
  readonly server: ApiServer;
  readonly clock: VirtualClock;
  ask(
    who: string,
    method: string,
    path: string,
    rest?: { readonly body?: string; readonly headers?: Readonly<Record<string, string>> },
  ): Promise<Response>;
}

/** A token is the user's name; administrators are called admin. */
const byToken: Authenticator = (request) => {
  const username = /^Bearer (.+)$/.exec(request.header('Authorization') ?? '')?.[1];
  if (username === undefined || username === 'nobody') return [];
  return [
    {
      user: {
        username,
        uid: `${username}-uid`,
        groups: [username === 'admin' ? 'system:masters' : 'dev', 'system:authenticated'],
      },
    },
  ];
};

const isAdmin = ({ user }: AccessAttributes): boolean => user.groups?.includes('system:masters') === true;
const allowing =
  (allows: (attributes: AccessAttributes) => boolean): Authorizer =>
  (attributes) => [{ decision: allows(attributes) ? 'allow' : 'noOpinion', reason: '' }];

function serve(options: Partial<ServerOptions> = {}): Served {
  const clock = virtualClock();
  const server = createServer({
    store: memoryStore({ clock }),
    clock,
    random: random(1),
    authenticators: [byToken],
    authorizers: [allowing((each) => isAdmin(each) || each.path === '/version')],
    ...options,
  });
  const handle = fetchHandler(server, { clock, random: random(2) });
  return {
    server,
    clock,
    ask: (who, method, path, { body, headers = {} } = {}) =>
      handle(
        new Request(`http://x${path}`, {
          method,
          ...(body !== undefined && { body }),
          headers: {
            Authorization: `Bearer ${who}`,
            'User-Agent': 'probe/1.0',
            ...(body !== undefined && { 'Content-Type': 'application/json' }),
            ...headers,
          },
        }),
        { remoteAddress: '127.0.0.1' },
      ),
  };
}

/** What a log says: the events as one would write them to a file. */
function recording({ audit$ }: ApiServer): AuditEvent[] {
  const events: AuditEvent[] = [];
  audit$.subscribe((event) => events.push(JSON.parse(JSON.stringify(event)) as AuditEvent));
  return events;
}

const configMaps = '/api/v1/namespaces/default/configmaps';
const everything: AuditPolicy = {
  rules: [
    { level: 'Metadata', resources: [{ resources: ['secrets'] }] },
    { level: 'Request', resources: [{ resources: ['services'] }] },
    { level: 'RequestResponse', omitManagedFields: true },
  ],
};
const admin = { username: 'admin', uid: 'admin-uid', groups: ['system:masters', 'system:authenticated'] };
const allowed = { 'authorization.k8s.io/decision': 'allow', 'authorization.k8s.io/reason': '' };

t.test('events say what a real server says, in the same order', async (t) => {
  const { server, ask } = serve({ audit: everything });
  const events = recording(server);
  const last = async (...request: Parameters<typeof ask>): Promise<Partial<AuditEvent>> => {
    await (await ask(...request)).text();
    const { requestReceivedTimestamp, stageTimestamp, auditID, ...rest } = events.at(-1) ?? ({} as AuditEvent);
    t.equal(requestReceivedTimestamp, '2026-01-01T00:00:00.000000Z');
    t.equal(stageTimestamp, '2026-01-01T00:00:00.000000Z');
    t.equal(
      events.filter((each) => each.auditID === auditID && each.stage === 'RequestReceived').length,
      request[0] === 'nobody' ? 0 : 1,
    );
    return rest;
  };
  const common = {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    stage: 'ResponseComplete',
    user: admin,
    sourceIPs: ['127.0.0.1'],
    userAgent: 'probe/1.0',
    annotations: allowed,
  };
  const services = '/api/v1/namespaces/default/services';
  const created = await last('admin', 'POST', services, {
    body: '{"metadata":{"name":"s"},"spec":{"ports":[{"port":80}]}}',
  });
  t.strictSame(created, {
    ...common,
    level: 'Request',
    requestURI: services,
    verb: 'create',
    objectRef: { resource: 'services', namespace: 'default', name: 's', apiVersion: 'v1' },
    responseStatus: { metadata: {}, code: 201 },
    requestObject: {
      kind: 'Service',
      apiVersion: 'v1',
      metadata: { name: 's' },
      spec: {
        ports: [{ protocol: 'TCP', port: 80, targetPort: 80 }],
        type: 'ClusterIP',
        sessionAffinity: 'None',
        internalTrafficPolicy: 'Cluster',
      },
      status: { loadBalancer: {} },
    },
  });
  t.strictSame(Object.keys(created), [
    'kind',
    'apiVersion',
    'level',
    'stage',
    'requestURI',
    'verb',
    'user',
    'sourceIPs',
    'userAgent',
    'objectRef',
    'responseStatus',
    'requestObject',
    'annotations',
  ]);
  const missing = {
    status: 'Failure',
    message: 'configmaps "zz" not found',
    reason: 'NotFound',
    details: { name: 'zz', kind: 'configmaps' },
    code: 404,
  } as const;
  t.strictSame(await last('admin', 'GET', `${configMaps}/zz?x=1`), {
    ...common,
    level: 'RequestResponse',
    requestURI: `${configMaps}/zz?x=1`,
    verb: 'get',
    objectRef: { resource: 'configmaps', namespace: 'default', name: 'zz', apiVersion: 'v1' },
    responseStatus: { metadata: {}, ...missing },
    responseObject: { kind: 'Status', apiVersion: 'v1', metadata: {}, ...missing },
  });
  t.match(
    await last('admin', 'PUT', `${services}/s`, {
      body: '{"metadata":{"name":"t","uid":"u","resourceVersion":"5"},"spec":{"ports":[{"port":80}]}}',
    }),
    {
      objectRef: {
        resource: 'services',
        namespace: 'default',
        name: 's',
        uid: 'u',
        apiVersion: 'v1',
        resourceVersion: '5',
      },
      responseStatus: { code: 400, message: 'the name of the object (t) does not match the name on the URL (s)' },
    },
  );
  t.match(await last('admin', 'POST', '/api/v1/namespaces/default/secrets', { body: '{"metadata":{"name":"s"}}' }), {
    level: 'Metadata',
    requestObject: undefined,
    objectRef: { name: 's' },
  });
  t.match(
    await last('admin', 'PATCH', `${services}/s`, {
      body: '{"metadata":{"labels":{"a":"b"}}}',
      headers: { 'Content-Type': 'application/merge-patch+json' },
    }),
    { requestObject: { metadata: { labels: { a: 'b' } } } },
  );
  t.match(
    await last('admin', 'PATCH', `${services}/s`, {
      body: '{',
      headers: { 'Content-Type': 'application/merge-patch+json' },
    }),
    { requestObject: undefined, responseStatus: { code: 400 } },
  );
  t.match(await last('admin', 'DELETE', `${services}/s`, { body: '{"gracePeriodSeconds":0}' }), {
    requestObject: { gracePeriodSeconds: 0 },
    responseStatus: { status: undefined, code: 200 },
  });
  t.match(await last('admin', 'DELETE', configMaps), {
    verb: 'deletecollection',
    requestObject: undefined,
    responseObject: { kind: 'ConfigMapList' },
  });
  t.match(await last('admin', 'GET', '/version'), {
    requestURI: '/version',
    objectRef: undefined,
    responseObject: undefined,
    responseStatus: { metadata: {}, code: 200 },
  });
  t.match(await last('alice', 'GET', configMaps), {
    user: { username: 'alice' },
    responseStatus: { code: 403 },
    annotations: { 'authorization.k8s.io/decision': 'forbid', 'authorization.k8s.io/reason': '' },
  });
  const proxied = await last('admin', 'GET', '/version', {
    headers: {
      'X-Forwarded-For': '1.2.3.4, nonsense, 5.6.7.8',
      'X-Real-Ip': '9.9.9.9',
      'User-Agent': 'x'.repeat(2000),
      'Audit-Id': 'mine',
    },
  });
  t.match(proxied, {
    sourceIPs: ['1.2.3.4', '5.6.7.8', '9.9.9.9', '127.0.0.1'],
    userAgent: `${'x'.repeat(1024)}...TRUNCATED`,
  });
  t.equal(events.at(-1)?.auditID, 'mine');
  const refused = await last('nobody', 'GET', '/version');
  t.strictSame(
    { stage: refused.stage, user: refused.user, code: refused.responseStatus?.code, notes: refused.annotations },
    { stage: 'ResponseStarted', user: {}, code: 401, notes: undefined },
  );
  await server.close();
});

t.test('long requests have an event when they begin and one when they end', async (t) => {
  const { server, clock, ask } = serve({ audit: everything });
  const events = recording(server);
  const stages = (): readonly string[] => events.splice(0).map(({ stage }) => stage);
  const body = (await ask('admin', 'GET', `${configMaps}?watch=true&timeoutSeconds=5`)).text();
  t.strictSame(stages(), ['RequestReceived', 'ResponseStarted']);
  await clock.advance(5000);
  await body;
  t.match(events, [
    {
      stage: 'ResponseComplete',
      requestReceivedTimestamp: '2026-01-01T00:00:00.000000Z',
      stageTimestamp: '2026-01-01T00:00:05.000000Z',
    },
  ]);
  stages();
  await ask('admin', 'GET', `${configMaps}?watch=true&timeoutSeconds=x`);
  t.strictSame(stages(), ['RequestReceived', 'ResponseStarted', 'ResponseComplete'], 'a refusal is begun and ended');
  await server.close();
});

t.test('failures that are no API errors are recorded as such', async (t) => {
  const plugin = {
    name: 'broken',
    handles: { operations: '*', resources: '*' } as const,
    validate: (): never => {
      throw new TypeError('x is not a function');
    },
  };
  const { server, ask } = serve({ audit: { ...everything, omitStages: ['RequestReceived'] }, admission: [plugin] });
  const events = recording(server);
  t.equal((await ask('admin', 'POST', configMaps, { body: '{"metadata":{"name":"a"}}' })).status, 500);
  t.match(events, [
    {
      stage: 'Panic',
      responseStatus: {
        metadata: {},
        status: 'Failure',
        message: "APIServer panic'd: x is not a function",
        reason: 'InternalError',
        code: 500,
      },
    },
  ]);
  await server.close();
});

t.test('nothing is recorded without subscribers, without a policy, or after close', async (t) => {
  const { server, ask } = serve({ audit: everything });
  await ask('admin', 'GET', '/version');
  const heard: AuditEvent[] = [];
  let isOver = false;
  const subscription = server.audit$
    .pipe(filter(({ stage }) => stage === 'ResponseComplete'))
    .subscribe({ next: (event) => heard.push(event) });
  server.audit$.subscribe({ complete: () => (isOver = true) });
  await ask('admin', 'GET', '/version');
  subscription.unsubscribe();
  await ask('admin', 'GET', '/version');
  t.equal(heard.length, 1);
  await server.close();
  t.ok(isOver);
  const silent = serve();
  const events = recording(silent.server);
  await silent.ask('admin', 'GET', '/version');
  t.strictSame(events, []);
  await silent.server.close();
});

t.test('the first rule that matches decides', async (t) => {
  const levelOf = (
    rules: readonly AuditRule[],
    path: string,
    { method = 'GET', username = 'bob', groups = ['dev'] } = {},
  ): string => {
    const info = readRequestInfo(method, path, new Map());
    return (
      (info && auditTerms({ rules: [...rules, { level: 'None' }] })({ ...info, user: { username, groups } })?.level) ??
      'None'
    );
  };
  const pods = '/api/v1/namespaces/a/pods';
  const cases: readonly (readonly [rule: Omit<AuditRule, 'level'>, path: string, matches: boolean])[] = [
    [{}, '/version', true],
    [{ users: ['bob'] }, pods, true],
    [{ users: ['eve'] }, pods, false],
    [{ userGroups: ['ops', 'dev'] }, pods, true],
    [{ userGroups: ['ops'] }, pods, false],
    [{ verbs: ['list'] }, pods, true],
    [{ verbs: ['get'] }, pods, false],
    [{ namespaces: ['a'] }, pods, true],
    [{ namespaces: [''] }, '/api/v1/nodes', true],
    [{ namespaces: ['b'] }, pods, false],
    [{ namespaces: ['a'] }, '/version', false],
    [{ resources: [{}] }, pods, true],
    [{ resources: [{ group: 'apps' }] }, pods, false],
    [{ resources: [{ group: '*', resources: ['pods'] }] }, pods, true],
    [{ resources: [{ resources: ['pods'] }] }, `${pods}/x/log`, false],
    [{ resources: [{ resources: ['pods/log'] }] }, `${pods}/x/log`, true],
    [{ resources: [{ resources: ['pods/*'] }] }, `${pods}/x/log`, true],
    [{ resources: [{ resources: ['*/log'] }] }, `${pods}/x/log`, true],
    [{ resources: [{ resources: ['*'] }] }, `${pods}/x/log`, true],
    [{ resources: [{ resources: ['pods'], resourceNames: ['y'] }] }, `${pods}/x`, false],
    [{ nonResourceURLs: ['/healthz*'] }, '/healthz/ping', true],
    [{ nonResourceURLs: ['/healthz'] }, '/healthz/ping', false],
    [{ nonResourceURLs: ['*'] }, pods, false],
  ];
  for (const [rule, path, matches] of cases)
    t.equal(levelOf([{ level: 'Request', ...rule }], path), matches ? 'Request' : 'None', JSON.stringify(rule));
  t.equal(levelOf([{ level: 'None', users: ['bob'] }, { level: 'Metadata' }], pods), 'None');
  const refusals: readonly (readonly [object, string])[] = [
    [{ rules: [{}] }, 'rules[0].level: Required value'],
    [
      { rules: [{ level: 'All' }] },
      'rules[0].level: Unsupported value: "All": supported values: "None", "Metadata", "Request", "RequestResponse"',
    ],
    [
      { rules: [{ level: 'None', nonResourceURLs: ['a', '/*/b'], namespaces: ['x'] }] },
      `[rules[0].nonResourceURLs[0]: Invalid value: "a": non-resource URL rules must begin with a '/' character, rules[0].nonResourceURLs[1]: Invalid value: "/*/b": non-resource URL wildcards '*' must be the final character of the rule, rules[0].nonResourceURLs: Invalid value: ["a","/*/b"]: rules cannot apply to both regular resources and non-resource URLs]`,
    ],
    [
      { rules: [], omitStages: ['Never'] },
      'omitStages[0]: Invalid value: "Never": allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic',
    ],
    [
      { rules: [{ level: 'None', resources: [{ resourceNames: ['a'] }] }] },
      'rules[0].resources.resourceNames: Invalid value: ["a"]: using resourceNames requires at least one resource',
    ],
  ];
  for (const [policy, message] of refusals)
    t.throws(() => auditTerms(policy as AuditPolicy), new RangeError(`audit policy: ${message}`));
});

t.test('requests run in the name that their headers say, if that is allowed', async (t) => {
  const can = (each: AccessAttributes): boolean => {
    const { user, verb, group, resource, subresource, name } = each;
    const what = `${group}/${resource}${subresource === '' ? '' : `/${subresource}`}`;
    if (isAdmin(each)) return true;
    if (user.username === 'imp')
      return (
        verb === 'impersonate' &&
        [
          '/users',
          '/groups',
          '/serviceaccounts',
          'authentication.k8s.io/uids',
          'authentication.k8s.io/userextras/scopes',
        ].includes(what)
      );
    if (user.username !== 'con') return false;
    if (what === '/configmaps')
      return [
        'impersonate-on:user-info:list',
        'impersonate-on:arbitrary-node:list',
        'impersonate-on:serviceaccount:list',
      ].includes(verb);
    return (
      (verb === 'impersonate:user-info' && resource === 'users' && name === 'bob') ||
      (verb === 'impersonate:arbitrary-node' && resource === 'nodes')
    );
  };
  const { server, ask } = serve({ audit: { rules: [{ level: 'Metadata' }] }, authorizers: [allowing(can)] });
  const events = recording(server);
  const inDefault = 'in API group "" in the namespace "default"';
  const identity = 'in API group "authentication.k8s.io" at the cluster scope';
  const [bob, masters, node, account] = [
    { User: 'bob' },
    { Group: 'system:masters' },
    { User: 'system:node:n1' },
    { User: 'system:serviceaccount:ns:x' },
  ];
  const refusals: readonly (readonly [who: string, headers: Readonly<Record<string, string>>, message: string])[] = [
    [
      'alice',
      bob,
      `configmaps is forbidden: User "alice" cannot impersonate-on:user-info:list resource "configmaps" ${inDefault}`,
    ],
    [
      'alice',
      account,
      `configmaps is forbidden: User "alice" cannot impersonate-on:serviceaccount:list resource "configmaps" ${inDefault}`,
    ],
    [
      'alice',
      { ...node, Group: 'g' },
      'users "system:node:n1" is forbidden: User "alice" cannot impersonate resource "users" in API group "" at the cluster scope',
    ],
    [
      'alice',
      { Group: 'g' },
      'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"g"}, Extra:map[string][]string(nil)} without impersonating a user name',
    ],
    [
      'alice',
      { Uid: 'g"x', 'Extra-Foo': 'a, b' },
      'requested &user.DefaultInfo{Name:"", UID:"g\\"x", Groups:[]string(nil), Extra:map[string][]string{"foo":[]string{"a", "b"}}} without impersonating a user name',
    ],
    [
      'con',
      { User: 'bobby' },
      `users.authentication.k8s.io "bobby" is forbidden: User "con" cannot impersonate:user-info resource "users" ${identity}`,
    ],
    [
      'con',
      { ...bob, ...masters },
      `groups.authentication.k8s.io "system:masters" is forbidden: User "con" cannot impersonate:user-info resource "groups" ${identity}: impersonating the system:masters group is not allowed`,
    ],
    [
      'con',
      { ...bob, 'Extra-Scopes': 'a' },
      `userextras.authentication.k8s.io is forbidden: User "con" cannot impersonate:user-info resource "userextras" ${identity}: impersonating an invalid key in extra is not allowed: extra.key: Invalid value: "scopes": must be a domain-prefixed path (such as "acme.io/foo")`,
    ],
    [
      'con',
      { ...bob, 'Extra-a.b%2fScopes': 'a' },
      `userextras.authentication.k8s.io "a" is forbidden: User "con" cannot impersonate:user-info resource "userextras/a.b/scopes" ${identity}`,
    ],
    [
      'con',
      account,
      'serviceaccounts.authentication.k8s.io "x" is forbidden: User "con" cannot impersonate:serviceaccount resource "serviceaccounts" in API group "authentication.k8s.io" in the namespace "ns"',
    ],
    ['con', bob, `configmaps is forbidden: User "bob" cannot list resource "configmaps" ${inDefault}`],
    ['imp', bob, `configmaps is forbidden: User "bob" cannot list resource "configmaps" ${inDefault}`],
    [
      'imp',
      { ...bob, 'Extra-Other%2fx': 'a' },
      `userextras.authentication.k8s.io "a" is forbidden: User "imp" cannot impersonate resource "userextras/other/x" ${identity}`,
    ],
  ];
  const as = (headers: Readonly<Record<string, string>>): { headers: Record<string, string> } => ({
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [`Impersonate-${name}`, value])),
  });
  for (const [who, headers, message] of refusals)
    t.equal(
      ((await (await ask(who, 'GET', configMaps, as(headers))).json()) as { readonly message: string }).message,
      message,
    );
  const users: readonly (readonly [
    who: string,
    headers: Readonly<Record<string, string>>,
    user: object,
    constraint?: string,
  ])[] = [
    ['imp', bob, { username: 'bob', groups: ['system:authenticated'] }],
    [
      'imp',
      { ...bob, Group: 'g, system:unauthenticated' },
      { username: 'bob', groups: ['g', 'system:unauthenticated'] },
    ],
    ['imp', { User: 'system:anonymous' }, { username: 'system:anonymous', groups: ['system:unauthenticated'] }],
    [
      'imp',
      account,
      {
        username: 'system:serviceaccount:ns:x',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:ns', 'system:authenticated'],
      },
    ],
    [
      'imp',
      { ...bob, Uid: 'u1', 'Extra-Scopes': 'a, b' },
      { username: 'bob', uid: 'u1', groups: ['system:authenticated'], extra: { scopes: ['a', 'b'] } },
    ],
    ['con', bob, { username: 'bob', groups: ['system:authenticated'] }, 'impersonate:user-info'],
    [
      'con',
      node,
      { username: 'system:node:n1', groups: ['system:nodes', 'system:authenticated'] },
      'impersonate:arbitrary-node',
    ],
    ['admin', bob, { username: 'bob', groups: ['system:authenticated'] }, 'impersonate:user-info'],
    ['admin', { ...bob, ...masters }, { username: 'bob', groups: ['system:masters', 'system:authenticated'] }],
  ];
  for (const [who, headers, user, constraint] of users) {
    await ask(who, 'GET', configMaps, as(headers));
    const { user: requestor, impersonatedUser, authenticationMetadata } = events.at(-1) ?? ({} as AuditEvent);
    t.equal(requestor.username, who);
    t.strictSame(
      { impersonatedUser, authenticationMetadata },
      {
        impersonatedUser: user,
        authenticationMetadata: constraint === undefined ? undefined : { impersonationConstraint: constraint },
      },
    );
  }
  await server.close();
  const open = serve({ authorizers: [] });
  t.equal(
    (await open.ask('alice', 'GET', configMaps, as(bob))).status,
    403,
    'without authorizers only administrators may',
  );
  t.equal((await open.ask('admin', 'GET', configMaps, as(bob))).status, 200);
  await open.server.close();
});

t.test('an authorizer that fails has no opinion; where no other decides the server fails', async (t) => {
  const failing: Authorizer = () => Promise.reject(new Error('no <contact>'));
  const unsure: Authorizer = () => [{ decision: 'noOpinion', reason: 'who?' }];
  const answer = async (...authorizers: Authorizer[]): Promise<string> => {
    const { server, ask } = serve({
      authorizers,
      audit: { rules: [{ level: 'Metadata' }], omitStages: ['RequestReceived'] },
    });
    const events = recording(server);
    const response = await ask('bob', 'GET', '/version?x=1');
    const text = await response.text();
    await server.close();
    return `${response.status} ${events[0]?.annotations?.['authorization.k8s.io/reason'] ?? ''} ${response.status < 400 ? '' : text}`;
  };
  t.equal(
    await answer(failing, unsure),
    '500 internal error Internal Server Error: "/version?x=1": no &lt;contact&gt;\n',
  );
  t.equal(await answer(failing, failing), await answer(failing), 'the same failure is reported once');
  t.match(await answer(failing, () => Promise.reject(new Error('no answer'))), '[no &lt;contact&gt;, no answer]');
  t.equal(
    await answer(
      failing,
      allowing(() => true),
    ),
    '200  ',
  );
  t.match(
    await answer(unsure, unsure),
    /^403 who\?\nwho\? .*"message":"forbidden: User \\"bob\\" cannot get path \\"\/version\\": who\?\\nwho\?"/,
  );
  t.match(await answer(unsure, () => [{ decision: 'deny', reason: 'never' }]), /^403 never /);
  const { server, ask } = serve({
    authorizers: [
      ({ resource }) =>
        resource === 'pods' ? Promise.reject(new Error('no contact')) : [{ decision: 'allow', reason: '' }],
    ],
  });
  const review = await ask('bob', 'POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
    body: '{"spec":{"resourceAttributes":{"resource":"pods","verb":"get"}}}',
  });
  t.match(await review.json(), { status: { allowed: false, evaluationError: 'no contact' } });
  await server.close();
});

t.test('a node is what the token of a service account is bound to', async (t) => {
  const extra = { 'authentication.kubernetes.io/node-name': ['n1'], 'authentication.kubernetes.io/pod-name': ['p'] };
  const asked: AccessAttributes[] = [];
  const agent: Authenticator = () => [{ user: { username: 'system:serviceaccount:ns:agent', groups: ['x'], extra } }];
  const { server, ask } = serve({
    authenticators: [agent],
    authorizers: [
      allowing(
        (each) => (asked.push(each), each.verb.includes('associated-node') || each.user.username === 'system:node:n1'),
      ),
    ],
  });
  t.equal((await ask('x', 'GET', configMaps, { headers: { 'Impersonate-User': 'system:node:n1' } })).status, 200);
  t.match(asked[1], {
    verb: 'impersonate:associated-node',
    resource: 'nodes',
    name: '*',
    user: { extra: { 'authentication.kubernetes.io/associated-node-keys': Object.keys(extra) } },
  });
  t.equal((await ask('x', 'GET', configMaps, { headers: { 'Impersonate-User': 'system:node:n2' } })).status, 403);
  await server.close();
});

t.test('requests are counted by verb and resource, and whatever is unknown together', async (t) => {
  const { server, clock, ask } = serve();
  const metrics = async (): Promise<ReadonlyMap<string, number>> => {
    const lines = (await (await ask('admin', 'GET', '/metrics')).text())
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    return new Map(
      lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
    );
  };
  const total = (labels: Readonly<Record<string, string>>): string =>
    `apiserver_request_total{${labelText({ code: '200', component: 'apiserver', dry_run: '', group: '', resource: 'configmaps', scope: 'namespace', subresource: '', verb: 'LIST', version: 'v1', ...labels })}}`;
  await ask('admin', 'GET', configMaps);
  await ask('admin', 'GET', '/api/v1/configmaps');
  await ask('admin', 'GET', `${configMaps}/a`);
  await ask('admin', 'POST', `${configMaps}?dryRun=All`, { body: '{"metadata":{"name":"a"}}' });
  await ask('admin', 'POST', configMaps, { body: '{"metadata":{"name":"a"}}' });
  await ask('admin', 'DELETE', configMaps);
  await ask('admin', 'GET', '/api/v1/namespaces/default/pods/x/log');
  await ask('admin', 'GET', '/healthz');
  for (let i = 0; i < 20; i++) await ask('admin', 'GET', `/api/v1/dragons${i}`);
  for (let i = 0; i < 20; i++) await ask('admin', 'GET', `/cave${i}`);
  await ask('alice', 'GET', configMaps);
  const watching = await ask('admin', 'GET', `${configMaps}?watch=true&timeoutSeconds=5`);
  await ask('admin', 'GET', `${configMaps}?watch=true`).then(({ body }) => body?.cancel());
  await ask('admin', 'POST', configMaps, { body: '{"metadata":{"name":"b"}}' });
  const open = `apiserver_longrunning_requests{${labelText({ component: 'apiserver', group: '', resource: 'configmaps', scope: 'namespace', subresource: '', verb: 'WATCH', version: 'v1' })}}`;
  const counted = await metrics();
  const expected: readonly (readonly [string, number])[] = [
    [total({}), 1],
    [total({ scope: 'cluster' }), 1],
    [total({ verb: 'GET', scope: 'resource', code: '404' }), 1],
    [total({ verb: 'POST', scope: 'resource', code: '201' }), 2],
    [total({ verb: 'POST', scope: 'resource', code: '201', dry_run: 'All' }), 1],
    [total({ verb: 'DELETE' }), 1],
    [total({ verb: 'CONNECT', resource: 'pods', subresource: 'log', scope: 'resource', code: '404' }), 1],
    [total({ resource: 'other', version: '', scope: 'cluster', code: '404' }), 20],
    [total({ component: '', resource: '', version: '', scope: '', verb: 'GET', subresource: '/healthz' }), 1],
    [
      total({ component: '', resource: '', version: '', scope: '', verb: 'GET', subresource: '/other', code: '404' }),
      20,
    ],
    [total({ verb: 'WATCH' }), 1],
    [open, 1],
    ['apiserver_watch_events_total{group="",resource="configmaps",version="v1"}', 1],
    // "b", and the ConfigMap of kube-system that every API server has.
    ['apiserver_storage_objects{resource="configmaps"}', 2],
    ['apiserver_current_inflight_requests{request_kind="readOnly"}', 1],
    ['apiserver_flowcontrol_nominal_limit_seats{priority_level="workload-low"}', 245],
    ['apiserver_flowcontrol_current_limit_seats{priority_level="workload-low"}', 56],
  ];
  for (const [name, value] of expected) t.equal(counted.get(name), value, name);
  t.equal([...counted.keys()].filter((name) => /dragons|cave/.test(name)).length, 0);
  t.equal(counted.get(total({ code: '403' })), undefined, 'what is refused on the way is not counted');
  const text = watching.text();
  await clock.advance(5000);
  await text;
  const after = await metrics();
  t.equal(after.get(open), 0, 'nothing stays open');
  t.equal(after.get(total({ verb: 'WATCH' })), 2);
  t.equal(
    after.get(
      total({ verb: 'WATCH' }).replace('request_total', 'request_duration_seconds_sum').replace('code="200",', ''),
    ),
    5,
  );
  const inProcess = await server.handler(
    new InProcessRequest({
      info: { ...readRequestInfo('GET', configMaps, new Map([['watch', ['1']]])) } as never,
      user: admin,
    }),
  );
  t.equal(inProcess.type, 'watch');
  t.equal((await metrics()).get(open), 0, 'a watch without a subscriber is not counted');
  await server.close();
  t.equal(clock.pending, 0);
});

t.test('numbers are printed as Prometheus reads them', async (t) => {
  t.strictSame([0, 1, 999_999, 1_000_000, 1_234_567, 0.005, 0.00001, Infinity, -2.5].map(printSampleValue), [
    '0',
    '1',
    '999999',
    '1e+06',
    '1.234567e+06',
    '0.005',
    '1e-05',
    '+Inf',
    '-2.5',
  ]);
  t.equal(labelText({ b: 'say "x"\n', a: '\\' }), 'a="\\\\",b="say \\"x\\"\\n"');
  const histogram = new Histogram([1, 5]);
  for (const value of [0, 1, 3, 7]) histogram.observe(value);
  t.strictSame(
    [...histogram.samples('')].map(({ suffix, labels, value }) => `${suffix}${labels} ${value}`),
    ['_bucketle="1" 2', '_bucketle="5" 3', '_bucketle="+Inf" 4', '_sum 11', '_count 4'],
  );
  const peak = new Peak();
  peak.add(3, 100);
  peak.add(-2, 200);
  t.strictSame([peak.at(900), peak.at(1500), peak.at(2500), peak.at(9000)], [3, 3, 1, 1]);
});
