// Admission plugins, each in front of a server that runs it.
import t, { type Test } from 'tap';
import { priorityAdmission } from '../../lib/admission/index.js';
import { administrator } from '../../lib/auth/index.js';
import { inProcessClient } from '../../lib/client/index.js';
import type { Client } from '../../lib/client/index.js';
import { random, virtualClock } from '../../lib/core/index.js';
import type { Pod } from '../../lib/core/types/index.js';
import { createServer } from '../../lib/server/index.js';
import { memoryStore } from '../../lib/storage/index.js';

function clusterOf(test: Test): Client {
  const clock = virtualClock();
  const store = memoryStore({ clock });
  const server = createServer({ store, clock, random: random(1), admission: (tools) => [priorityAdmission(tools)] });
  test.teardown(async () => {
    await server.close();
    await store.close();
  });
  return inProcessClient(server.handler, { user: administrator });
}

function podNamed(name: string, spec: Partial<NonNullable<Pod['spec']>> = {}): Pod {
  return { metadata: { name, namespace: 'default' }, spec: { containers: [{ name: 'one', image: 'image' }], ...spec } };
}

void t.test('Priority writes into pods what their class means', async (test) => {
  const client = clusterOf(test);
  const [pods, classes] = [client.kind('v1', 'Pod'), client.kind('scheduling.k8s.io/v1', 'PriorityClass')];
  await classes.create({ metadata: { name: 'high' }, value: 1000, preemptionPolicy: 'Never' });

  const plain = await pods.create(podNamed('plain'));
  test.match(
    plain.spec,
    { priority: 0, preemptionPolicy: 'PreemptLowerPriority' },
    'without classes every pod has priority 0',
  );
  test.notOk(plain.spec?.priorityClassName);

  const high = await pods.create(podNamed('high', { priorityClassName: 'high' }));
  test.match(high.spec, { priority: 1000, preemptionPolicy: 'Never', priorityClassName: 'high' });

  const critical = await pods.create(podNamed('critical', { priorityClassName: 'system-node-critical' }));
  test.match(critical.spec, { priority: 2_000_001_000, preemptionPolicy: 'PreemptLowerPriority' });

  const same = await pods.create(podNamed('same', { priorityClassName: 'high', priority: 1000 }));
  test.equal(same.spec?.priority, 1000, 'to say what is true is no offence');

  await classes.delete('high');
  const { spec, ...rest } = high;
  const { priority, preemptionPolicy, ...without } = spec ?? { containers: [] };
  const kept = await pods.update({ ...rest, spec: without });
  test.match(kept.spec, { priority, preemptionPolicy }, 'an update without them keeps what the pod was given');
});

void t.test('Priority refuses classes that are not there and priorities that are not theirs', async (test) => {
  const client = clusterOf(test);
  const [pods, classes] = [client.kind('v1', 'Pod'), client.kind('scheduling.k8s.io/v1', 'PriorityClass')];
  await classes.create({ metadata: { name: 'high' }, value: 1000 });
  const refusals: readonly (readonly [string, Pod, string])[] = [
    [
      'an unknown class',
      podNamed('p', { priorityClassName: 'none' }),
      'pods "p" is forbidden: no PriorityClass with name none was found',
    ],
    [
      'a priority of its own',
      podNamed('p', { priority: 5 }),
      'pods "p" is forbidden: the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
    ],
    [
      'a policy of its own',
      podNamed('p', { priorityClassName: 'high', preemptionPolicy: 'Never' }),
      'pods "p" is forbidden: the string value of PreemptionPolicy (Never) must not be provided in pod spec; priority admission controller computed PreemptLowerPriority from the given PriorityClass name',
    ],
    [
      'one whose name is not made yet',
      { ...podNamed('', { priorityClassName: 'none' }), metadata: { generateName: 'p-', namespace: 'default' } },
      'pods "p-" is forbidden: no PriorityClass with name none was found',
    ],
  ];
  for (const [what, pod, message] of refusals)
    await test.rejects(pods.create(pod), { status: { code: 403 }, message }, what);
});

void t.test('Priority has one default, and pods without a class are of it', async (test) => {
  const client = clusterOf(test);
  const [pods, classes] = [client.kind('v1', 'Pod'), client.kind('scheduling.k8s.io/v1', 'PriorityClass')];
  await classes.create({ metadata: { name: 'usual' }, value: 7, globalDefault: true });
  await pods.create(podNamed('first'));
  const pod = await pods.create(podNamed('plain'));
  test.match(pod.spec, { priority: 7, priorityClassName: 'usual' });
  const message =
    'priorityclasses.scheduling.k8s.io "other" is forbidden: PriorityClass usual is already marked as default. Only one default can exist';
  await test.rejects(classes.create({ metadata: { name: 'other' }, value: 8, globalDefault: true }), {
    status: { code: 403 },
    message,
  });
  await classes.create({ metadata: { name: 'other' }, value: 8 });
  await test.rejects(
    classes.patch('other', { merge: { globalDefault: true } }),
    { status: { code: 403 }, message },
    'an update cannot make a second one either',
  );
  test.equal(
    (await classes.patch('usual', { merge: { description: 'the usual' } })).description,
    'the usual',
    'the default itself may change',
  );
});
