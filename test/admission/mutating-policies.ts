// Mutating admission policies: configurations that are merged, patches, their order, and what failures lead to.
import t from 'tap';
import type { Client } from '../../lib/client/index.js';
import type { ConfigMap, Pod } from '../../lib/core/types/index.js';
import { mutate, policyServer, refusalOf, validate } from '../support/policies.js';

const configMaps = (client: Client) => client.kind('v1', 'ConfigMap').in('default');

const onPods = {
  matchConstraints: {
    resourceRules: [{ operations: ['CREATE' as const], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
  },
};

const pod = (name: string, more: Partial<NonNullable<Pod['spec']>> = {}): Pod => ({
  metadata: { name },
  spec: { serviceAccountName: 'default', containers: [{ name: 'c', image: 'i' }], ...more },
});

/** A mutation of a new ConfigMap and its result. */
interface Case {
  readonly title: string;
  readonly mutations: readonly string[];
  readonly write?: Partial<ConfigMap>;
  readonly result?: Partial<ConfigMap>;
  /** The message after the part that all denials have. */
  readonly denial?: RegExp | string;
}

const cases: readonly Case[] = [
  {
    title: 'a configuration is merged',
    mutations: ["Object{data: {'b': '2'}, metadata: Object.metadata{labels: {'l': 'm'}}}"],
    write: { data: { a: '1' }, metadata: { labels: { k: 'v' } } },
    result: { data: { a: '1', b: '2' }, metadata: { labels: { k: 'v', l: 'm' } } },
  },
  {
    title: 'an empty configuration changes nothing',
    mutations: ['Object{}'],
    write: { data: { a: '1' } },
    result: { data: { a: '1' } },
  },
  {
    title: 'a configuration removes nothing',
    mutations: ['Object{data: {}}'],
    write: { data: { a: '1' } },
    result: { data: { a: '1' } },
  },
  {
    title: 'optional fields without a value are left out',
    mutations: ["Object{?immutable: object.data[?'no'].optMap(x, true), data: {'b': 'c'}}"],
    write: { data: { a: '1' } },
    result: { data: { a: '1', b: 'c' } },
  },
  {
    title: 'a field that the kind does not have is refused',
    mutations: ['Object{spec: Object.spec{no: 1}}'],
    denial: 'error applying patch: invalid ApplyConfiguration: .spec: field not declared in schema',
  },
  {
    title: 'the names of types follow their paths',
    mutations: ["Object{metadata: Object.other{labels: {'l': 'm'}}}"],
    denial:
      'type mismatch: unexpected type name "Object.other", expected "Object.metadata", which matches field name path from root Object type',
  },
  {
    title: 'a patch adds, replaces and removes',
    mutations: [
      "[JSONPatch{op: 'add', path: '/data/b', value: '2'}, JSONPatch{op: 'replace', path: '/data/a', value: '3'}, JSONPatch{op: 'remove', path: '/data/c'}]",
    ],
    write: { data: { a: '1', c: '9' } },
    result: { data: { a: '3', b: '2' } },
  },
  {
    title: 'a patch copies and moves',
    mutations: [
      "[JSONPatch{op: 'copy', from: '/data/a', path: '/data/b'}, JSONPatch{op: 'move', from: '/data/a', path: '/data/c'}]",
    ],
    write: { data: { a: '1' } },
    result: { data: { b: '1', c: '1' } },
  },
  {
    title: 'a failing test skips the whole patch and nothing else',
    mutations: [
      "[JSONPatch{op: 'add', path: '/data/b', value: '2'}, JSONPatch{op: 'test', path: '/data/a', value: 'x'}]",
      "Object{data: {'c': '3'}}",
    ],
    write: { data: { a: '1' } },
    result: { data: { a: '1', c: '3' } },
  },
  {
    title: 'keys of patches are escaped',
    mutations: [
      "[JSONPatch{op: 'add', path: '/metadata/labels/' + jsonpatch.escapeKey('a.b/c~d'.replace('~d', '')), value: 'y'}]",
    ],
    write: { metadata: { labels: { k: 'v' } } },
    result: { metadata: { labels: { k: 'v', 'a.b/c': 'y' } } },
  },
  {
    title: 'a patch of a missing place is refused',
    mutations: ["[JSONPatch{op: 'remove', path: '/data/b'}]"],
    write: { data: { a: '1' } },
    denial: /^error applying patch: /,
  },
  {
    title: 'each mutation sees the result of the one before',
    mutations: ["Object{data: {'b': object.data.a + '1'}}", "Object{data: {'c': object.data.b + '1'}}"],
    write: { data: { a: '1' } },
    result: { data: { a: '1', b: '11', c: '111' } },
  },
  {
    title: 'a failing expression denies',
    mutations: ["Object{data: {'b': object.data.no}}"],
    write: { data: { a: '1' } },
    denial: "expression 'Object{data: {'b': object.data.no}}' resulted in error: no such key: no",
  },
];

void t.test('what mutations make of a new object', async (suite) => {
  for (const { title, mutations, write = {}, result, denial } of cases) {
    await suite.test(title, async (test) => {
      const { client } = policyServer(test);
      await mutate(client, 'p', mutations);
      const created = configMaps(client).create({ ...write, metadata: { name: 'a', ...write.metadata } });
      if (denial === undefined) {
        const { data, metadata } = await created;
        if (result?.data !== undefined) test.same(data, result.data);
        if (result?.metadata !== undefined) test.same(metadata.labels, result.metadata.labels);
        return;
      }
      const { code, reason, message = '' } = await refusalOf(created);
      test.match({ code, reason }, { code: 403, reason: 'Invalid' });
      const place = "policy 'p' with binding 'p' denied request: ";
      test.equal(message.slice(0, place.length), place);
      if (typeof denial === 'string') test.equal(message.slice(place.length), denial);
      else test.match(message.slice(place.length), denial);
    });
  }
});

void t.test('a list of named items is merged by name, and an atomic one is refused', async (test) => {
  const { client } = policyServer(test);
  const pods = client.kind('v1', 'Pod').in('default');
  await client
    .kind('v1', 'ServiceAccount')
    .in('default')
    .create({ metadata: { name: 'default' } });
  await mutate(
    client,
    'named',
    [
      "Object{spec: Object.spec{containers: object.spec.containers.map(c, Object.spec.containers{name: c.name, workingDir: '/w'}), initContainers: [Object.spec.initContainers{name: 'first', image: 'j'}]}}",
    ],
    { ...onPods, matchConditions: [{ name: 'named', expression: "object.metadata.name == 'named'" }] },
  );
  await mutate(
    client,
    'atomic',
    ["Object{spec: Object.spec{containers: [Object.spec.containers{name: 'c', command: ['sh']}]}}"],
    { ...onPods, matchConditions: [{ name: 'atomic', expression: "object.metadata.name == 'atomic'" }] },
  );
  const { spec } = await pods.create(pod('named'));
  test.match(spec?.containers, [{ name: 'c', image: 'i', workingDir: '/w', imagePullPolicy: 'Always' }]);
  test.match(spec?.initContainers, [{ name: 'first', image: 'j', imagePullPolicy: 'Always' }], 'with defaults');
  const { message } = await refusalOf(pods.create(pod('atomic')));
  test.equal(
    message,
    `policy 'atomic' with binding 'atomic' denied request: error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.containers[name="c"].command`,
  );
});

void t.test('failures are ignored where the policy says so', async (test) => {
  const { client } = policyServer(test);
  await mutate(client, 'p', ["Object{data: {'b': object.data.no}}"], { failurePolicy: 'Ignore' });
  const { data } = await configMaps(client).create({ metadata: { name: 'a' }, data: { a: '1' } });
  test.same(data, { a: '1' });
});

void t.test('a policy that allows it runs again after a later change, and only then', async (test) => {
  const { client } = policyServer(test);
  const count = (name: string): string =>
    `Object{data: {'${name}': string(int(object.data.?${name}.orValue('0')) + 1)}}`;
  await mutate(client, 'a', [count('a')], { reinvocationPolicy: 'IfNeeded' });
  await mutate(client, 'b', [count('b')], { reinvocationPolicy: 'Never' });
  await mutate(client, 'c', [count('c')], { reinvocationPolicy: 'IfNeeded' });
  const { data } = await configMaps(client).create({ metadata: { name: 'x' }, data: { z: '' } });
  test.same(data, { a: '2', b: '1', c: '2', z: '' }, 'the second run of a is a change that c has not seen');
});

void t.test('validating policies see what mutating ones made', async (test) => {
  const { client } = policyServer(test);
  await mutate(client, 'm', ["Object{data: {'a': 'bad'}}"]);
  await validate(client, 'v', { validations: [{ expression: "object.data.a != 'bad'", message: 'bad' }] });
  test.match(await refusalOf(configMaps(client).create({ metadata: { name: 'x' } })), { code: 422 });
});

void t.test('each parameter mutates the object in turn', async (test) => {
  const { client } = policyServer(test);
  for (const name of ['p1', 'p2'])
    await client
      .kind('v1', 'Secret')
      .in('default')
      .create({ metadata: { name, labels: { param: 'y' } }, type: name });
  await mutate(
    client,
    'm',
    ['Object{data: {params.metadata.name: params.type + string(object.data.size())}}'],
    { paramKind: { apiVersion: 'v1', kind: 'Secret' } },
    { paramRef: { selector: { matchLabels: { param: 'y' } }, parameterNotFoundAction: 'Deny' } },
  );
  const { data } = await configMaps(client).create({ metadata: { name: 'x' }, data: { z: '' } });
  test.same(data, { z: '', p1: 'p11', p2: 'p22' });
});

void t.test('a mutation in an older version is converted and converted back', async (test) => {
  const { client } = policyServer(test);
  await mutate(
    client,
    'm',
    ["Object{metadata: Object.metadata{labels: {'seen': object.apiVersion.replace('/', '.')}}}"],
    {
      matchConstraints: {
        resourceRules: [
          {
            operations: ['CREATE'],
            apiGroups: ['autoscaling'],
            apiVersions: ['v1'],
            resources: ['horizontalpodautoscalers'],
          },
        ],
      },
    },
  );
  const created = await client
    .kind('autoscaling/v2', 'HorizontalPodAutoscaler')
    .in('default')
    .create({
      metadata: { name: 'h' },
      spec: { maxReplicas: 2, scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' } },
    });
  test.match(created, { apiVersion: 'autoscaling/v2', metadata: { labels: { seen: 'autoscaling.v1' } } });
});
