// The plugin LimitRanger: what it fills in, what it refuses, in the words and the order of Kubernetes.
import t, { type Test } from 'tap';
import { limitRangerAdmission } from '../../lib/admission/index.js';
import { claimProblems, podProblems, withDefaults } from '../../lib/admission/limit-ranger.js';
import { administrator } from '../../lib/auth/index.js';
import { inProcessClient } from '../../lib/client/index.js';
import type { Client } from '../../lib/client/index.js';
import { random, virtualClock } from '../../lib/core/index.js';
import type { Container, LimitRangeItem, PersistentVolumeClaim, Pod } from '../../lib/core/types/index.js';
import { createServer } from '../../lib/server/index.js';
import { memoryStore } from '../../lib/storage/index.js';

type Resources = NonNullable<Container['resources']>;

function clusterOf(test: Test): Client {
  const clock = virtualClock();
  const store = memoryStore({ clock });
  const server = createServer({ store, clock, random: random(1), admission: (tools) => [limitRangerAdmission(tools)] });
  test.teardown(async () => {
    await server.close();
    await store.close();
  });
  return inProcessClient(server.handler, { user: administrator });
}

function container(name: string, resources: Resources = {}, restartPolicy?: 'Always'): Container {
  return { name, image: 'i', resources, ...(restartPolicy && { restartPolicy }) };
}

function pod(containers: readonly Container[], rest: Partial<NonNullable<Pod['spec']>> = {}): Pod {
  return { metadata: { name: 'p', namespace: 'default' }, spec: { containers: [...containers], ...rest } };
}

const claim = (storage?: string): PersistentVolumeClaim => ({
  metadata: { name: 'c', namespace: 'default' },
  spec: { accessModes: ['ReadWriteOnce'], resources: storage === undefined ? {} : { requests: { storage } } },
});

const cpu = (request?: string, limit?: string): { requests?: { cpu: string }; limits?: { cpu: string } } => ({
  ...(request !== undefined && { requests: { cpu: request } }),
  ...(limit !== undefined && { limits: { cpu: limit } }),
});

void t.test('missing requests and limits of containers are filled in and noted', (test) => {
  const limits: LimitRangeItem[] = [
    { type: 'Container', default: { memory: '1Gi', cpu: '2' }, defaultRequest: { cpu: '1' } },
    { type: 'Pod', max: { cpu: '8' } },
  ];
  const given = pod([container('a'), container('b', { requests: { cpu: '3' }, limits: { cpu: '4', memory: '2Gi' } })], {
    initContainers: [container('init', { limits: { cpu: '5' } })],
  });
  const filled = withDefaults(given, { spec: { limits } });
  test.match(filled.spec, {
    containers: [
      { name: 'a', resources: { requests: { cpu: '1' }, limits: { cpu: '2', memory: '1Gi' } } },
      { name: 'b', resources: { requests: { cpu: '3' }, limits: { cpu: '4', memory: '2Gi' } } },
    ],
    initContainers: [{ name: 'init', resources: { requests: { cpu: '1' }, limits: { cpu: '5', memory: '1Gi' } } }],
  });
  test.equal(
    filled.metadata?.annotations?.['kubernetes.io/limit-ranger'],
    'LimitRanger plugin set: cpu request for container a; cpu, memory limit for container a; ' +
      'cpu request for init container init; memory limit for init container init',
  );
  test.equal(withDefaults(filled, { spec: { limits } }), filled, 'what lacks nothing is left as it is');
  test.equal(withDefaults(given, { spec: { limits: [{ type: 'Pod', max: { cpu: '8' } }] } }), given);
  test.end();
});

/** A limit, what it is applied to, and what is refused. */
const refusals: readonly (readonly [what: string, limit: LimitRangeItem, pod: Pod, problems: readonly string[]])[] = [
  ['a minimum that is met', { type: 'Container', min: { cpu: '1' } }, pod([container('a', cpu('1', '1000m'))]), []],
  [
    'a minimum without a request',
    { type: 'Container', min: { cpu: '1' } },
    pod([container('a', cpu(undefined, '2'))]),
    ['minimum cpu usage per Container is 1.  No request is specified'],
  ],
  [
    'a minimum above the request',
    { type: 'Container', min: { cpu: '1' } },
    pod([container('a', cpu('999m', '2'))]),
    ['minimum cpu usage per Container is 1, but request is 999m'],
  ],
  [
    'a minimum above the limit',
    { type: 'Container', min: { cpu: '1' } },
    pod([container('a', cpu('1', '500m'))]),
    ['minimum cpu usage per Container is 1, but limit is 500m'],
  ],
  [
    'a maximum without a limit',
    { type: 'Container', max: { cpu: '1' } },
    pod([container('a', cpu('1'))]),
    ['maximum cpu usage per Container is 1.  No limit is specified'],
  ],
  [
    'a maximum below the limit',
    { type: 'Container', max: { cpu: '1' } },
    pod([container('a', cpu('2', '1001m'))]),
    ['maximum cpu usage per Container is 1, but limit is 1001m'],
  ],
  [
    'a maximum below the request',
    { type: 'Container', max: { cpu: '1' } },
    pod([container('a', cpu('2', '1'))]),
    ['maximum cpu usage per Container is 1, but request is 2'],
  ],
  [
    'a ratio of an unknown request',
    { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
    pod([container('a', cpu('0', '2'))]),
    ['cpu max limit to request ratio per Container is 2, but no request is specified or request is 0'],
  ],
  [
    'a ratio of an unknown limit',
    { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
    pod([container('a', cpu('1'))]),
    ['cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0'],
  ],
  [
    'a ratio that is too high',
    { type: 'Container', maxLimitRequestRatio: { cpu: '1500m' } },
    pod([container('a', cpu('300m', '500m'))]),
    ['cpu max limit to request ratio per Container is 1500m, but provided ratio is 1.666667'],
  ],
  [
    'containers before init containers, minimum before maximum before ratio, names in order',
    { type: 'Container', min: { memory: '1', cpu: '1' }, max: { cpu: '2' }, maxLimitRequestRatio: { cpu: '1' } },
    pod([container('a', cpu('1', '3'))], {
      initContainers: [container('i', { requests: { cpu: '1', memory: '1' }, limits: { cpu: '1' } })],
    }),
    [
      'minimum memory usage per Container is 1.  No request is specified',
      'maximum cpu usage per Container is 2, but limit is 3',
      'cpu max limit to request ratio per Container is 1, but provided ratio is 3.000000',
    ],
  ],
  [
    'pods by the sum of their containers and sidecars, or by an init container that needs more',
    { type: 'Pod', max: { cpu: '3', memory: '1Gi' } },
    pod([container('a', cpu('1', '1')), container('b', { limits: { cpu: '1', memory: '1Gi' } })], {
      initContainers: [container('s', cpu('1', '1500m'), 'Always'), container('i', { limits: { memory: '2Gi' } })],
    }),
    ['maximum cpu usage per Pod is 3, but limit is 3500m', 'maximum memory usage per Pod is 1Gi, but limit is 2Gi'],
  ],
  [
    'pods by what they state as a whole',
    { type: 'Pod', min: { cpu: '1' }, max: { cpu: '3' } },
    pod([container('a', cpu('2', '2'))], { resources: { requests: { cpu: '500m' }, limits: { cpu: '4' } } }),
    ['minimum cpu usage per Pod is 1, but request is 500m', 'maximum cpu usage per Pod is 3, but limit is 4'],
  ],
  [
    'amounts whose thousandths fit no int64',
    { type: 'Container', max: { 'example.com/x': '9223372036854775807' } },
    pod([container('a', { limits: { 'example.com/x': '9223372036854775807' } })]),
    [],
  ],
];

void t.test('pods outside of the bounds are refused in the words of Kubernetes', (test) => {
  for (const [what, limit, given, problems] of refusals) test.strictSame(podProblems(given, [limit]), problems, what);
  test.end();
});

void t.test('claims are bounded by the storage they request', (test) => {
  const limits: LimitRangeItem[] = [
    { type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '2Gi' } },
  ];
  test.strictSame(claimProblems(claim('1Gi'), limits), []);
  test.strictSame(claimProblems(claim('1023Mi'), limits), [
    'minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1023Mi',
  ]);
  test.strictSame(claimProblems(claim('3Gi'), limits), [
    'maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi',
  ]);
  test.strictSame(claimProblems(claim(), limits), [
    'minimum storage usage per PersistentVolumeClaim is 1Gi.  No request is specified',
    'maximum storage usage per PersistentVolumeClaim is 2Gi.  No request is specified',
  ]);
  test.strictSame(claimProblems(claim('3Gi'), [{ type: 'Pod', max: { storage: '1Gi' } }]), []);
  test.end();
});

void t.test('LimitRanges of a namespace apply to what is created and resized in it', async (test) => {
  const client = clusterOf(test);
  const ranges = client.kind('v1', 'LimitRange').in('default');
  const pods = client.kind('v1', 'Pod');
  await ranges.create({
    metadata: { name: 'b' },
    spec: { limits: [{ type: 'Container', max: { cpu: '2' }, default: { cpu: '2' }, defaultRequest: { cpu: '1' } }] },
  });
  await ranges.create({
    metadata: { name: 'a' },
    spec: { limits: [{ type: 'Container', default: { memory: '1Gi', cpu: '1' } }] },
  });
  const created = await pods.create(pod([container('c')]));
  test.strictSame(
    created.spec?.containers[0]?.resources,
    { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '1', memory: '1Gi' } },
    'the first by name fills first',
  );
  test.equal(
    created.metadata.annotations?.['kubernetes.io/limit-ranger'],
    'LimitRanger plugin set: cpu, memory request for container c; cpu, memory limit for container c',
  );
  await test.rejects(
    pods.create({ ...pod([container('c', cpu('3', '3'))]), metadata: { generateName: 'q-', namespace: 'default' } }),
    {
      status: { code: 403 },
      message: /^pods "q-[a-z0-9]+" is forbidden: maximum cpu usage per Container is 2, but limit is 3$/,
    },
  );
  const resize = pods.in('default').subresource<Pod>('resize');
  await test.rejects(
    resize.patch('p', { strategic: { spec: { containers: [{ name: 'c', resources: cpu('3', '3') }] } } }),
    {
      status: { code: 403 },
      message: 'pods "p" is forbidden: maximum cpu usage per Container is 2, but limit is 3',
    },
  );
  await ranges.delete('b');
  await pods.in('default').patch('p', { merge: { metadata: { labels: { a: 'b' } } } });
  await resize.patch('p', { strategic: { spec: { containers: [{ name: 'c', resources: cpu('3', '3') }] } } });
  await client.kind('v1', 'Namespace').create({ metadata: { name: 'other' } });
  const elsewhere = await pods.create({ ...pod([container('c')]), metadata: { name: 'p', namespace: 'other' } });
  test.strictSame(elsewhere.spec?.containers[0]?.resources, {}, 'other namespaces are not concerned');
});
