// The contract of admission, as plugins of a host see it: what a review says of every sort of write.
import { of } from 'rxjs';
import t, { type Test } from 'tap';
import { admissionChain } from '../../lib/admission/index.js';
import type { AdmissionOperation, AdmissionPlugin, AdmissionReview, Handles } from '../../lib/admission/index.js';
import { administrator } from '../../lib/auth/index.js';
import { inProcessClient } from '../../lib/client/index.js';
import type { Client } from '../../lib/client/index.js';
import { createKinds, deepFreeze, forbidden, random, virtualClock, InProcessRequest } from '../../lib/core/index.js';
import type { Deployment, Pod } from '../../lib/core/types/index.js';
import { createServer } from '../../lib/server/index.js';
import { Registry } from '../../lib/server/registry/registry.js';
import { Exchange } from '../../lib/server/pipeline.js';
import { admitConnect } from '../../lib/server/writes/review.js';
import { memoryStore } from '../../lib/storage/index.js';

interface Seen extends AdmissionReview {
  readonly phase: 'mutate' | 'validate';
  /** The uid at that time: the object is the pipeline's to change afterwards. */
  readonly uid: string | undefined;
}

const everything: Handles = { operations: '*', resources: '*', subresources: '*' };

/** A server with these plugins, and one that keeps every review. */
function cluster(
  test: Test,
  plugins: readonly AdmissionPlugin[] = [],
): { readonly client: Client; readonly seen: Seen[] } {
  const seen: Seen[] = [];
  const recorder: AdmissionPlugin = {
    name: 'recorder',
    handles: everything,
    mutate: (review) => void seen.push({ phase: 'mutate', uid: review.object?.metadata?.uid, ...review }),
    validate: (review) => void seen.push({ phase: 'validate', uid: review.object?.metadata?.uid, ...review }),
  };
  const clock = virtualClock();
  const store = memoryStore({ clock });
  const server = createServer({ store, clock, random: random(1), admission: [...plugins, recorder] });
  test.teardown(async () => {
    await server.close();
    await store.close();
  });
  return { client: inProcessClient(server.handler, { user: administrator }), seen };
}

const pod = (name: string): Pod => ({
  metadata: { name, namespace: 'default' },
  spec: { containers: [{ name: 'one', image: 'image' }] },
});

const deployment: Deployment = {
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'one', image: 'image' }] } },
  },
};

/** Runs a write and returns what both phases saw of it, which must be one review each. */
async function reviewsOf(seen: Seen[], write: () => Promise<unknown>): Promise<[mutate: Seen, validate: Seen]> {
  seen.length = 0;
  await write();
  const [mutate, validate] = [
    seen.find(({ phase }) => phase === 'mutate'),
    seen.find(({ phase }) => phase === 'validate'),
  ];
  if (mutate === undefined || validate === undefined) throw new Error(`${seen.length} reviews`);
  return [mutate, validate];
}

void t.test('create, update and patch are reviewed in both phases, with real options', async (test) => {
  const { client, seen } = cluster(test);
  const pods = client.kind('v1', 'Pod').in('default');
  const [first, last] = await reviewsOf(seen, () =>
    pods.create(pod('a'), { fieldManager: 'me', fieldValidation: 'Strict' }),
  );
  for (const review of [first, last])
    test.match(review, {
      operation: 'CREATE',
      kind: { group: '', version: 'v1', kind: 'Pod' },
      requestKind: { group: '', version: 'v1', kind: 'Pod' },
      resource: { group: '', version: 'v1', resource: 'pods' },
      requestResource: { group: '', version: 'v1', resource: 'pods' },
      subresource: '',
      name: 'a',
      namespace: 'default',
      oldObject: undefined,
      dryRun: false,
      user: administrator,
    });
  test.strictSame(first.options, {
    kind: 'CreateOptions',
    apiVersion: 'meta.k8s.io/v1',
    fieldManager: 'me',
    fieldValidation: 'Strict',
  });
  test.notOk(first.uid, 'the object has no identity before it is prepared');
  test.ok(last.uid, 'and has one after');

  const [patched] = await reviewsOf(seen, () =>
    pods.patch('a', { merge: { metadata: { labels: { a: 'b' } } } }, { dryRun: true }),
  );
  test.match(patched, {
    operation: 'UPDATE',
    dryRun: true,
    oldObject: { metadata: { uid: last.uid } },
  });
  test.strictSame(
    patched.options,
    { kind: 'UpdateOptions', apiVersion: 'meta.k8s.io/v1', dryRun: ['All'] },
    'a patch that changes an object has the options of an update, as in Kubernetes',
  );
  const [status] = await reviewsOf(seen, () => pods.status.patch('a', { merge: { status: { phase: 'Running' } } }));
  test.match(status, { operation: 'UPDATE', subresource: 'status', kind: { kind: 'Pod' } });
});

void t.test('a deletion reaches both phases, without an object', async (test) => {
  const { client, seen } = cluster(test);
  const maps = client.kind('v1', 'ConfigMap').in('default');
  await maps.create({ metadata: { name: 'a' } });
  const [first, last] = await reviewsOf(seen, () => maps.delete('a', { propagationPolicy: 'Background' }));
  for (const review of [first, last])
    test.match(review, { operation: 'DELETE', name: 'a', object: undefined, oldObject: { metadata: { name: 'a' } } });
  test.strictSame(last.options, {
    kind: 'DeleteOptions',
    apiVersion: 'meta.k8s.io/v1',
    propagationPolicy: 'Background',
  });
  await maps.create({ metadata: { name: 'b' } });
  const [collection] = await reviewsOf(seen, () => maps.deleteCollection());
  test.match(collection, { operation: 'DELETE', name: '', oldObject: { metadata: { name: 'b' } } });
});

void t.test('subresources are reviewed as what they are', async (test) => {
  const { client, seen } = cluster(test);
  const pods = client.kind('v1', 'Pod').in('default');
  await pods.create(pod('a'));
  await client.kind('v1', 'Node').create({ metadata: { name: 'node' } });
  const binding = { metadata: { name: 'a' }, target: { kind: 'Node', name: 'node' } };
  const bound = await reviewsOf(seen, () => pods.subresource('binding').create('a', binding));
  for (const review of bound)
    test.match(review, {
      operation: 'CREATE',
      kind: { group: '', version: 'v1', kind: 'Binding' },
      resource: { resource: 'pods' },
      subresource: 'binding',
      name: 'a',
      object: { kind: 'Binding', target: { name: 'node' } },
      options: { kind: 'CreateOptions' },
    });

  const evicted = await reviewsOf(seen, () => pods.subresource('eviction').create('a', { metadata: { name: 'a' } }));
  for (const review of evicted)
    test.match(review, {
      operation: 'CREATE',
      kind: { group: 'policy', version: 'v1', kind: 'Eviction' },
      resource: { resource: 'pods' },
      subresource: 'eviction',
    });
  test.equal(seen.length, 2, 'an eviction is not reviewed as a DELETE too');

  const deployments = client.kind('apps/v1', 'Deployment').in('default');
  await deployments.create(deployment);
  const scaled = await reviewsOf(seen, () => deployments.scale.patch('web', { merge: { spec: { replicas: 3 } } }));
  for (const review of scaled)
    test.match(review, {
      operation: 'UPDATE',
      kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
      resource: { group: 'apps', resource: 'deployments' },
      subresource: 'scale',
      object: { kind: 'Scale', spec: { replicas: 3 } },
      oldObject: { kind: 'Scale', spec: { replicas: 1 } },
    });
});

void t.test('a mutated Scale and a mutated Binding are what is written', async (test) => {
  const { client } = cluster(test, [
    {
      name: 'five',
      handles: { operations: ['UPDATE'], resources: ['deployments.apps'], subresources: ['scale'] },
      mutate: ({ object }) => ({ ...object, spec: { replicas: 5 } }),
    },
    {
      name: 'labels',
      handles: { operations: ['CREATE'], resources: ['pods'], subresources: ['binding'] },
      mutate: ({ object }) => ({ ...object, metadata: { ...object?.metadata, labels: { zone: 'a' } } }),
    },
  ]);
  const deployments = client.kind('apps/v1', 'Deployment').in('default');
  await deployments.create(deployment);
  await deployments.scale.patch('web', { merge: { spec: { replicas: 3 } } });
  test.equal((await deployments.get('web')).spec?.replicas, 5);
  const pods = client.kind('v1', 'Pod').in('default');
  await pods.create(pod('a'));
  await pods.subresource('binding').create('a', { metadata: { name: 'a' }, target: { name: 'node' } });
  test.strictSame((await pods.get('a')).metadata.labels, { zone: 'a' });
});

void t.test('both objects are of the version of kind, in both phases', async (test) => {
  const { client, seen } = cluster(test);
  const scalers = client.kind('autoscaling/v1', 'HorizontalPodAutoscaler').in('default');
  const spec = {
    maxReplicas: 3,
    targetCPUUtilizationPercentage: 50,
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
  };
  await scalers.create({ metadata: { name: 'a' }, spec });
  const reviews = await reviewsOf(seen, () => scalers.patch('a', { merge: { spec: { maxReplicas: 4 } } }));
  for (const { kind, object, oldObject, phase } of reviews) {
    test.equal(kind.version, 'v1');
    for (const each of [object, oldObject])
      test.match(each, { apiVersion: 'autoscaling/v1', spec: { targetCPUUtilizationPercentage: 50 } }, phase);
  }
});

void t.test('plugins run in order, on the result of the one before, and answer in any form', async (test) => {
  const label = (name: string): AdmissionPlugin['mutate'] => {
    return ({ object }) => {
      const labels = { ...object?.metadata?.labels, [name]: `${Object.keys(object?.metadata?.labels ?? {}).length}` };
      const next = { ...object, metadata: { ...object?.metadata, labels } };
      return name === 'promised' ? Promise.resolve(next) : name === 'observed' ? of(next) : next;
    };
  };
  const handles: Handles = { operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] };
  const { client } = cluster(test, [
    ...['plain', 'promised', 'observed'].map((name) => ({ name, handles, mutate: label(name) })),
    { name: 'old', handles, mutate: ({ oldObject }) => oldObject },
  ] as readonly AdmissionPlugin[]);
  const maps = client.kind('v1', 'ConfigMap').in('default');
  const created = await maps.create({ metadata: { name: 'a' }, data: { a: 'b' } });
  test.strictSame(created.metadata.labels, { plain: '0', promised: '1', observed: '2' });
  const updated = await maps.patch('a', { merge: { data: { a: 'c' } } });
  test.strictSame(updated.data, { a: 'b' }, 'a plugin may return the stored object, which is frozen');
});

void t.test('a plugin is called for what it handles only', (test) => {
  const resources = { pods: { group: '', resource: 'pods' }, deployments: { group: 'apps', resource: 'deployments' } };
  const plugin = (handles: Handles): AdmissionPlugin => ({ name: 'p', handles, validate: () => undefined });
  const handled = (
    handles: Handles,
    name: keyof typeof resources,
    subresource: string,
    operation: AdmissionOperation,
  ) =>
    admissionChain([plugin(handles)], virtualClock())?.stepsFor(resources[name], subresource, operation).validate !==
    undefined;
  const pods: Handles = { operations: ['CREATE'], resources: ['pods'] };
  test.ok(handled(pods, 'pods', '', 'CREATE'));
  test.notOk(handled(pods, 'pods', '', 'UPDATE'), 'another operation');
  test.notOk(handled(pods, 'pods', 'binding', 'CREATE'), 'a subresource');
  test.notOk(handled(pods, 'deployments', '', 'CREATE'), 'another resource');
  test.ok(handled({ ...pods, subresources: ['binding'] }, 'pods', 'binding', 'CREATE'));
  test.ok(handled({ ...pods, resources: ['deployments.apps'] }, 'deployments', '', 'CREATE'));
  test.notOk(
    handled({ ...pods, resources: ['deployments'] }, 'deployments', '', 'CREATE'),
    'the group is part of a name',
  );
  test.ok(handled(everything, 'deployments', 'scale', 'DELETE'));
  test.end();
});

void t.test('a connection is admitted with its options as the object', async (test) => {
  const clock = virtualClock();
  const store = memoryStore({ clock });
  const registry = new Registry({ kinds: createKinds(), store, clock });
  test.teardown(() => registry.close());
  const pods = registry.endpoint({ group: '', version: 'v1', resource: 'pods' });
  if (pods === undefined) throw new Error('no pods');
  const info = {
    verb: 'create',
    isResource: true,
    path: '',
    group: '',
    version: 'v1',
    namespace: 'default',
    resource: 'pods',
    subresource: 'exec',
    name: 'a',
  };
  const exchange = new Exchange(new InProcessRequest({ info }), { user: administrator }, 0);
  const options = { kind: 'PodExecOptions', apiVersion: 'v1', command: ['sh'], container: 'one' };
  test.equal(await admitConnect(undefined, pods, exchange, options), options, 'without plugins');
  const seen: AdmissionReview[] = [];
  const chain = admissionChain(
    [
      {
        name: 'container',
        handles: { operations: ['CONNECT'], resources: ['pods'], subresources: ['exec'] },
        mutate: ({ object }) => deepFreeze({ ...object, container: 'two' }),
        validate: (review) => {
          seen.push(review);
          if (review.name === 'b') throw forbidden({ ...review.resource, name: review.name }, 'no shell');
        },
      },
    ],
    virtualClock(),
  );
  test.strictSame(await admitConnect(chain, pods, exchange, options), { ...options, container: 'two' });
  test.match(seen, [
    {
      operation: 'CONNECT',
      kind: { group: '', version: 'v1', kind: 'PodExecOptions' },
      subresource: 'exec',
      object: { container: 'two' },
      options: undefined,
    },
  ]);
  const other = new Exchange(new InProcessRequest({ info: { ...info, name: 'b' } }), { user: administrator }, 0);
  await test.rejects(admitConnect(chain, pods, other, options), { message: 'pods "b" is forbidden: no shell' });
});
