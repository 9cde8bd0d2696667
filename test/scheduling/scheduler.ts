// The whole scheduler against a server in the same process, on virtual time: what happens to pods, conditions and
// Events, and that nothing keeps running after it stops.
import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { filter, lastValueFrom, map, take, tap } from 'rxjs';
import t, { type Test } from 'tap';
import { httpClient, inProcessClient } from '../../lib/client/index.js';
import type { Client, Stored, Transport } from '../../lib/client/index.js';
import { connect, loadKubeconfig } from '../../lib/client/node/index.js';
import { parseCommandLine, run, usage } from '../../lib/command/index.js';
import { pageHandler } from '../../lib/command/metrics-page.js';
import { internalError, random, virtualClock } from '../../lib/core/index.js';
import type { Clock, Frozen, VirtualClock, Handler } from '../../lib/core/index.js';
import type { Node, Pod, PodSpec } from '../../lib/core/types/index.js';
import { createScheduler, registryOf, schedulerConfiguration, unschedulable } from '../../lib/scheduling/public.js';
import { definitionOf } from '../../lib/scheduling/framework/plugin-definition.js';
import type {
  SchedulerActivity,
  ExtenderDocument,
  PluginTools,
  ProfileDocument,
  Scheduler,
  SchedulerOptions,
  SchedulingPlugin,
} from '../../lib/scheduling/public.js';
import { TurnThrottle } from '../../lib/scheduling/scheduler/turn-throttle.js';
import { createServer } from '../../lib/server/index.js';
import { memoryStore } from '../../lib/storage/index.js';
import { etcdBinary, etcdMissing, startEtcd } from '../support/etcd-server.js';
import { observe } from '../support/observe.js';
import { startServer } from '../support/served.js';

interface Scene {
  readonly clock: VirtualClock;
  readonly client: Client;
  readonly scheduler: Scheduler;
  readonly seen: SchedulerActivity[];
  /** Returns the activities of one type. */
  of<T extends SchedulerActivity['type']>(type: T): readonly Extract<SchedulerActivity, { type: T }>[];
  node(name: string, cpu?: string): Promise<unknown>;
  pod(name: string, spec?: Partial<PodSpec>, metadata?: Pod['metadata']): Promise<Stored<Pod>>;
  get(name: string): Promise<Stored<Pod>>;
  /** Returns the message of the pod's PodScheduled condition. */
  condition(name: string): Promise<string>;
  /** Returns reason and note of each Event about the pod, with the count of a series. */
  events(name: string): Promise<readonly string[]>;
  stop(): void;
}

interface SceneOptions extends Partial<Omit<SchedulerOptions, 'client' | 'clock'>> {
  readonly profiles?: readonly ProfileDocument[];
  readonly extenders?: readonly ExtenderDocument[];
  /** Wraps the server's handler. */
  readonly around?: (handler: Handler) => Handler;
  /** Runs before the scheduler starts. */
  readonly before?: (client: Client) => Promise<void>;
}

async function scene(
  t: Test,
  { profiles, extenders, around = (handler) => handler, before, plugins = [], ...options }: SceneOptions = {},
): Promise<Scene> {
  const clock = virtualClock({ start: Date.UTC(2026, 0, 1) });
  const store = memoryStore({ clock });
  const server = createServer({ store, clock, random: random(1) });
  const admin = inProcessClient(server.handler);
  await before?.(admin);
  const points = registryOf(plugins.map(definitionOf));
  const everywhere = { multiPoint: { enabled: [...points.keys()].map((name) => ({ name })) } };
  const configuration = schedulerConfiguration(
    { profiles: profiles ?? [{ plugins: everywhere }], ...(extenders && { extenders }) },
    { plugins: points },
  );
  const scheduler = createScheduler({
    client: inProcessClient(around(server.handler)),
    clock,
    random: random(2),
    instance: 'host',
    configuration,
    plugins,
    ...options,
  });
  const seen: SchedulerActivity[] = [];
  const running = observe(scheduler.run(), (attempt) => seen.push(attempt));
  await clock.settled();
  t.teardown(async () => {
    running.unsubscribe();
    await server.close();
    await store.close();
    await clock.settled();
    if (clock.pending > 0) throw new Error(`${clock.pending} timers are left`);
  });
  const pods = admin.kind('v1', 'Pod').in('default');
  return {
    clock,
    client: admin,
    scheduler,
    seen,
    of: <T extends SchedulerActivity['type']>(type: T) =>
      seen.filter((attempt): attempt is Extract<SchedulerActivity, { type: T }> => attempt.type === type),
    node: (name, cpu = '4') => admin.kind('v1', 'Node').create(nodeNamed(name, cpu)),
    pod: async (name, spec = {}, metadata = {}) => {
      const pod = await pods.create({
        metadata: { name, ...metadata },
        spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1' } } }], ...spec },
      });
      await clock.settled();
      return pod;
    },
    get: (name) => pods.get(name),
    condition: async (name) => {
      const condition = (await pods.get(name)).status?.conditions?.find(({ type }) => type === 'PodScheduled');
      return `${condition?.status} ${condition?.reason}: ${condition?.message}`;
    },
    events: async (name) => {
      const { items } = await admin.kind('events.k8s.io/v1', 'Event').list();
      const about = items
        .filter(({ regarding }) => regarding?.name === name)
        .sort((one, other) => (one.eventTime < other.eventTime ? -1 : 1));
      return about.map(
        ({ reason, note, series }) => `${reason}: ${note}${series === undefined ? '' : ` ×${series.count}`}`,
      );
    },
    stop: () => running.unsubscribe(),
  };
}

function nodeNamed(name: string, cpu: string): Node {
  return {
    metadata: { name, labels: { 'kubernetes.io/hostname': name } },
    status: { allocatable: { cpu, memory: '32Gi', pods: '110' } },
  };
}

const asking = (cpu: string): Partial<PodSpec> => ({
  containers: [{ name: 'c', image: 'i', resources: { requests: { cpu } } }],
});

t.test('a pod is bound, and its condition and Event say so', async (t) => {
  const { node, pod, get, seen, events, client, of } = await scene(t);
  await node('n1');
  await pod('web');
  const { spec, status } = await get('web');
  t.equal(spec?.nodeName, 'n1');
  t.match(status?.conditions, [{ type: 'PodScheduled', status: 'True' }]);
  t.strictSame(await events('web'), ['Scheduled: Successfully assigned default/web to n1']);
  const [event] = (await client.kind('events.k8s.io/v1', 'Event').list()).items;
  t.match(event, {
    type: 'Normal',
    action: 'Binding',
    reportingController: 'default-scheduler',
    reportingInstance: 'default-scheduler-host',
    regarding: { kind: 'Pod', apiVersion: 'v1', name: 'web', namespace: 'default' },
  });
  t.strictSame(
    seen.map(({ type }) => type),
    ['started', 'scheduled', 'bound'],
  );
  t.match(of('scheduled'), [{ nodeName: 'n1', evaluated: 1, feasible: 1, attempts: 1 }]);
});

t.test('an unschedulable pod reports why, and is scheduled when a node is added', async (t) => {
  const { node, pod, get, condition, events, clock, of } = await scene(t);
  await node('small', '1');
  await pod('big', asking('2'));
  const why =
    '0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.';
  t.equal(await condition('big'), `False Unschedulable: ${why}`);
  t.strictSame(await events('big'), [`FailedScheduling: ${why}`]);
  t.match((await get('big')).status?.conditions, [
    { observedGeneration: 1, lastTransitionTime: '2026-01-01T00:00:00Z' },
  ]);
  t.match(of('unschedulable'), [{ message: why, rejectors: ['NodeResourcesFit'] }]);

  await clock.advance('2s');
  await node('large');
  await clock.settled();
  t.equal((await get('big')).spec?.nodeName, 'large');
  t.match(of('scheduled'), [{ attempts: 2 }]);
});

t.test('without any node a pod is retried after its back-off', async (t) => {
  const { node, pod, get, condition, events, clock } = await scene(t);
  await pod('early');
  t.equal(await condition('early'), 'False Unschedulable: no nodes available to schedule pods');
  t.strictSame(await events('early'), ['FailedScheduling: no nodes available to schedule pods']);
  await node('n1');
  await clock.settled();
  t.equal((await get('early')).spec?.nodeName, undefined, 'an error waits for its backoff, whatever happens');
  await clock.advance('2s');
  t.equal((await get('early')).spec?.nodeName, 'n1');
});

t.test('repeated Events about a pod become one series with a count', async (t) => {
  // It registers no events, so every event requeues the pod, also the write of its own condition.
  const never: SchedulingPlugin = { name: 'Never', filter: () => unschedulable('never') };
  const { node, pod, events, clock, client } = await scene(t, { plugins: [never] });
  await node('n1');
  await pod('web');
  t.equal((await events('web')).length, 2, 'a pod that has changed begins another series');
  const relabel = async (value: string): Promise<void> => {
    await client.kind('v1', 'Node').patch('n1', { merge: { metadata: { labels: { value } } } });
    await clock.advance('1s');
  };
  await relabel('a');
  t.match((await events('web'))[1], /never.* ×2$/, 'the second is written at once');
  await relabel('b');
  await relabel('c');
  t.match((await events('web'))[1], / ×2$/, 'those that follow are counted here');
  await client.kind('v1', 'Pod').in('default').delete('web', { gracePeriodSeconds: 0 });
  await clock.advance('13m');
  t.match((await events('web'))[1], / ×4$/, 'and their number is written when it was quiet for a while');
});

t.test('notes of Events are truncated to the limit of the API, conditions are not', async (t) => {
  const reasons = Array.from({ length: 80 }, (_, index) => `ä reason that is number ${index}`);
  const talking: SchedulingPlugin = {
    name: 'Talking',
    filter: () => ({ code: 'UnschedulableAndUnresolvable', reasons }),
  };
  const { node, pod, events, condition } = await scene(t, { plugins: [talking] });
  await node('n1');
  await pod('web');
  t.ok((await condition('web')).includes('number 79'));
  const [event = ''] = await events('web');
  const bytes = Buffer.byteLength(event.slice('FailedScheduling: '.length));
  t.ok(event.endsWith(' ...'));
  t.ok(bytes <= 1024 && bytes > 1020, `${bytes} bytes`);
});

t.test('a terminating pod is not scheduled', async (t) => {
  const before = async (client: Client): Promise<void> => {
    const pods = client.kind('v1', 'Pod').in('default');
    await client.kind('v1', 'Node').create(nodeNamed('n1', '4'));
    await pods.create({
      metadata: { name: 'leaving', finalizers: ['example.com/slow'] },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    });
    await pods.delete('leaving');
  };
  const { get, events, of } = await scene(t, { before });
  t.equal((await get('leaving')).spec?.nodeName, undefined);
  t.strictSame(await events('leaving'), ['FailedScheduling: skip schedule deleting pod: default/leaving']);
  t.match(of('skipped'), [{ reason: 'deleted' }]);
});

t.test('pods of other schedulers are ignored, and profiles have their own plugins', async (t) => {
  const picky: SchedulingPlugin = {
    name: 'Picky',
    filter: (_, { name }) => (name === 'n2' ? undefined : { code: 'Unschedulable', reasons: ['not to its taste'] }),
  };
  const profiles = [
    { schedulerName: 'default-scheduler' },
    { schedulerName: 'picky', plugins: { multiPoint: { enabled: [{ name: 'Picky' }] } } },
  ];
  const { node, pod, get, events, client } = await scene(t, { plugins: [picky], profiles });
  for (const name of ['n1', 'n2', 'n3']) await node(name);
  await pod('foreign', { schedulerName: 'another' });
  for (const name of ['a', 'b', 'c']) await pod(name, { schedulerName: 'picky' });
  await pod('plain');
  t.strictSame([(await get('foreign')).spec?.nodeName, await events('foreign')], [undefined, []]);
  for (const name of ['a', 'b', 'c']) t.equal((await get(name)).spec?.nodeName, 'n2');
  t.not((await get('plain')).spec?.nodeName, undefined);
  const { items } = await client.kind('events.k8s.io/v1', 'Event').list();
  t.strictSame(
    items.filter(({ regarding }) => regarding?.name === 'a').map(({ reportingController }) => reportingController),
    ['picky'],
  );
});

t.test('a plugin that throws fails the attempt, not the scheduler', async (t) => {
  let broken = true;
  const fragile: SchedulingPlugin = {
    name: 'Fragile',
    filter: () => {
      if (broken) throw new Error('out of order');
      return undefined;
    },
  };
  const { node, pod, get, condition, clock, of } = await scene(t, { plugins: [fragile] });
  await node('n1');
  await pod('web');
  t.equal(await condition('web'), 'False SchedulerError: running "Fragile" filter plugin: out of order');
  t.match(of('failed'), [{ error: { message: 'running "Fragile" filter plugin: out of order' } }]);
  broken = false;
  await clock.advance('2s');
  t.equal((await get('web')).spec?.nodeName, 'n1');
});

t.test('Reserve', async (t) => {
  const log: string[] = [];
  let refuse = true;
  const first: SchedulingPlugin = {
    name: 'First',
    reserve: () => void log.push('reserve First'),
    unreserve: () => void log.push('unreserve First'),
  };
  const second: SchedulingPlugin = {
    name: 'Second',
    events: [],
    reserve: () => {
      log.push('reserve Second');
      return refuse ? { code: 'Unschedulable', reasons: ['sold out'] } : undefined;
    },
    unreserve: () => {
      log.push('unreserve Second');
      throw new Error('cannot');
    },
  };
  const { node, pod, condition, get, clock, of, scheduler } = await scene(t, { plugins: [first, second] });
  await node('n1');
  await pod('web');
  t.strictSame(
    log.splice(0),
    ['reserve First', 'reserve Second', 'unreserve Second', 'unreserve First'],
    'all take back, in reverse, also after one that fails to',
  );
  t.match(of('background-failed'), [{ error: { message: 'running Unreserve plugin "Second": cannot' } }]);
  t.equal(await condition('web'), 'False Unschedulable: 0/1 nodes are available: 1 sold out.');
  t.equal(scheduler.parts?.cache.figures().pods, 0, 'the node is free again');
  refuse = false;
  await clock.advance('6m');
  t.equal((await get('web')).spec?.nodeName, 'n1', 'time brings back what no event does');
  t.match(scheduler.metrics(), /scheduler_pod_scheduled_after_flush_total 1/);
});

/** A plugin that delays pods at Permit; its tools give access to the waiting pods. */
function waiting(
  name: string,
  waitMs: number,
  tools: PluginTools[] = [],
): {
  readonly name: string;
  readonly points: readonly ['permit'];
  readonly create: (given: PluginTools) => SchedulingPlugin;
} {
  return {
    name,
    points: ['permit'],
    create: (given) => {
      tools.push(given);
      return { name, events: [], permit: () => ({ waitMs }) };
    },
  };
}

t.test('a pod that waits at Permit proceeds when all plugins have allowed it', async (t) => {
  const tools: PluginTools[] = [];
  const { node, pod, get, clock, of, seen } = await scene(t, {
    plugins: [waiting('One', 60_000, tools), waiting('Two', 60_000)],
  });
  await node('n1');
  const { metadata } = await pod('web');
  t.equal((await get('web')).status?.nominatedNodeName, 'n1', 'others can see where it is to go');
  t.match(of('waiting'), [{ nodeName: 'n1', plugins: ['One', 'Two'] }]);
  const held = tools[0]?.waitingPods.get(metadata.uid);
  held?.allow('One');
  held?.allow('One');
  await clock.settled();
  t.strictSame(held?.pendingPlugins, ['Two']);
  t.equal((await get('web')).spec?.nodeName, undefined);
  held?.allow('Two');
  await clock.settled();
  const { spec, status } = await get('web');
  t.strictSame([spec?.nodeName, status?.nominatedNodeName], ['n1', undefined]);
  t.equal(seen.at(-1)?.type, 'bound');
  t.strictSame(tools[0]?.waitingPods.list(), []);
});

t.test('a pod that waits at Permit is rejected by timeout, by a plugin and by preemption', async (t) => {
  const tools: PluginTools[] = [];
  const { node, pod, get, condition, clock, of, scheduler } = await scene(t, {
    plugins: [waiting('Slow', 90_000, tools)],
  });
  await node('n1');
  await pod('late');
  await clock.advance('91s');
  t.equal(
    await condition('late'),
    'False Unschedulable: 0/1 nodes are available: 1 rejected due to timeout after waiting 1m30s at plugin Slow.',
  );
  t.equal((await get('late')).status?.nominatedNodeName, undefined);
  t.equal(scheduler.parts?.queue.figures().unschedulable, 1);

  const { metadata } = await pod('unwanted');
  tools[0]?.waitingPods.get(metadata.uid)?.reject('Slow', 'changed its mind');
  await clock.settled();
  t.equal(await condition('unwanted'), 'False Unschedulable: 0/1 nodes are available: 1 changed its mind.');

  const stopped = await pod('weak');
  t.ok(tools[0]?.waitingPods.stop(stopped.metadata.uid, 'DefaultPreemption', 'preempted'));
  t.notOk(tools[0]?.waitingPods.stop('nobody', 'DefaultPreemption', 'preempted'));
  await clock.settled();
  t.equal(await condition('weak'), 'False SchedulerError: waiting on permit for pod: preempted');
  t.match(of('binding-failed'), [{}, {}, { error: { message: 'waiting on permit for pod: preempted' } }]);
  t.equal(scheduler.parts?.cache.figures().assumedPods, 0);
  t.match(scheduler.metrics(), /scheduler_permit_wait_duration_seconds_count\{result="Unschedulable"\} 2/);
});

t.test('waits at Permit are limited to 15 minutes', async (t) => {
  const { node, pod, condition, clock } = await scene(t, { plugins: [waiting('Patient', 3_600_000)] });
  await node('n1');
  await pod('web');
  await clock.advance('15m');
  t.match(await condition('web'), /after waiting 15m0s at plugin Patient/);
});

t.test('a pod that is deleted while it waits at Permit releases its node', async (t) => {
  const { node, pod, client, clock, scheduler, of } = await scene(t, { plugins: [waiting('Slow', 60_000)] });
  await node('n1');
  await pod('web');
  t.equal(scheduler.parts?.cache.figures().assumedPods, 1);
  await client.kind('v1', 'Pod').in('default').delete('web', { gracePeriodSeconds: 0 });
  await clock.settled();
  t.strictSame(scheduler.parts?.cache.figures(), { nodes: 1, pods: 0, assumedPods: 0 });
  t.match(of('binding-failed'), [{ error: { message: '0/1 nodes are available: 1 removed.' } }]);
  t.match(scheduler.parts?.queue.figures(), { active: 0, backoff: 0, unschedulable: 0, inFlight: 0 });
});

t.test('a failure in PreBind is retried after the back-off, from the start', async (t) => {
  const log: string[] = [];
  let failures = 2;
  const preparing: SchedulingPlugin = {
    name: 'Preparing',
    unreserve: () => void log.push('unreserve'),
    preBind: () => {
      log.push('preBind');
      failures -= 1;
      return failures >= 0 ? Promise.reject(new Error('not now')) : Promise.resolve(undefined);
    },
    postBind: () => void log.push('postBind'),
  };
  const { node, pod, get, condition, clock, of, scheduler } = await scene(t, { plugins: [preparing] });
  await node('n1');
  await pod('web');
  t.equal(await condition('web'), 'False SchedulerError: running PreBind plugin "Preparing": not now');
  t.equal((await get('web')).status?.nominatedNodeName, undefined, 'the node that was announced is taken back');
  t.equal(scheduler.parts?.cache.figures().pods, 0);
  await clock.advance('2s');
  t.strictSame(log, ['preBind', 'unreserve', 'preBind', 'unreserve']);
  await clock.advance('3s');
  t.strictSame(log.slice(4), ['preBind', 'postBind']);
  t.equal((await get('web')).spec?.nodeName, 'n1');
  t.match(of('bound'), [{ attempts: 3 }]);
});

t.test(
  'PreBind: who may runs beside others, who has nothing to do is left out, and one that fails stops its group',
  async (t) => {
    const log: string[] = [];
    const gates = new Map<string, () => void>();
    const parallel = (name: string, plan: 'skip' | { parallel: boolean }): SchedulingPlugin => ({
      name,
      preBindPreFlight: () => plan,
      preBind: (_, __, signal) =>
        new Promise((resolve, reject) => {
          log.push(`${name} begins`);
          signal.addEventListener('abort', () => {
            if (gates.delete(name)) log.push(`${name} is stopped`);
            reject(new Error('stopped'));
          });
          gates.set(name, () => {
            gates.delete(name);
            log.push(`${name} ends`);
            resolve(name === 'Bad' ? { code: 'Unschedulable', reasons: ['bad luck'] } : undefined);
          });
        }),
    });
    const plugins = [
      parallel('A', { parallel: true }),
      parallel('B', { parallel: true }),
      parallel('Idle', 'skip'),
      parallel('C', { parallel: false }),
      parallel('D', { parallel: true }),
      parallel('Bad', { parallel: true }),
    ];
    const { node, pod, condition, clock } = await scene(t, { plugins });
    await node('n1');
    await pod('web');
    const end = async (name: string): Promise<void> => {
      gates.get(name)?.();
      await clock.settled();
    };
    t.strictSame(log.splice(0), ['A begins', 'B begins']);
    await end('B');
    await end('A');
    t.strictSame(log.splice(0), ['B ends', 'A ends', 'C begins']);
    await end('C');
    t.strictSame(log.splice(0), ['C ends', 'D begins', 'Bad begins']);
    await end('Bad');
    t.strictSame(log.splice(0), ['Bad ends', 'D is stopped']);
    t.equal(await condition('web'), 'False Unschedulable: bad luck');
  },
);

t.test('a pod in PreBind can be stopped, one past it cannot', async (t) => {
  const tools: PluginTools[] = [];
  let attempts = 0;
  const endless = {
    name: 'Endless',
    points: ['preBind'] as const,
    create: (given: PluginTools): SchedulingPlugin => {
      tools.push(given);
      return {
        name: 'Endless',
        preBind: (_, __, signal) => {
          attempts += 1;
          return attempts > 1
            ? Promise.resolve(undefined)
            : new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
        },
      };
    },
  };
  const { node, pod, condition, get, clock } = await scene(t, { plugins: [endless] });
  await node('n1');
  const { metadata } = await pod('web');
  t.ok(tools[0]?.waitingPods.stop(metadata.uid, 'DefaultPreemption', 'preempted'));
  await clock.settled();
  t.equal(await condition('web'), 'False SchedulerError: running PreBind plugin "Endless": preempted');
  await clock.advance('2s');
  t.equal((await get('web')).spec?.nodeName, 'n1');
  t.notOk(tools[0]?.waitingPods.stop(metadata.uid, 'DefaultPreemption', 'preempted'));
});

t.test('the first Bind plugin that does not skip binds the pod', async (t) => {
  const bound: string[] = [];
  const leaving: SchedulingPlugin = { name: 'Leaving', bind: () => Promise.resolve('skip') };
  const failing: SchedulingPlugin = {
    name: 'Failing',
    bind: ({ pod }) => (pod.name === 'unlucky' ? Promise.reject(new Error('cannot')) : Promise.resolve('skip')),
  };
  const own: SchedulingPlugin = {
    name: 'Own',
    bind: ({ pod }, nodeName) => Promise.resolve(bound.push(`${pod.name} ${nodeName}`)).then(() => undefined),
  };
  const profiles = [
    {
      plugins: {
        multiPoint: { enabled: [{ name: 'Leaving' }, { name: 'Failing' }, { name: 'Own' }] },
        bind: { disabled: [{ name: 'DefaultBinder' }] },
      },
    },
  ];
  const { node, pod, condition } = await scene(t, { plugins: [leaving, failing, own], profiles });
  await node('n1');
  await pod('web');
  await pod('unlucky');
  t.strictSame(bound, ['web n1']);
  t.equal(await condition('unlucky'), 'False SchedulerError: running Bind plugin "Failing": cannot');
});

t.test('a binding that the server rejects is reported, and its resources are released', async (t) => {
  let refusals = 1;
  const around =
    (handler: Handler): Handler =>
    (request) =>
      request.info.subresource === 'binding' && refusals-- > 0
        ? Promise.reject(internalError('etcd is tired'))
        : handler(request);
  const { node, pod, get, condition, clock, of } = await scene(t, { around });
  await node('n1', '1');
  await pod('web');
  t.match(await condition('web'), /^False SchedulerError: running Bind plugin "DefaultBinder": .*etcd is tired/);
  t.match(of('binding-failed'), [{ nodeName: 'n1' }]);
  await pod('other');
  t.equal((await get('other')).spec?.nodeName, 'n1', 'another pod has the room now');
  await clock.advance('2s');
  t.match(await condition('web'), /Insufficient cpu/);
});

t.test('failed writes are reported, and retried where that may help', async (t) => {
  let cut = 3;
  const around =
    (handler: Handler): Handler =>
    (request) => {
      const { resource, subresource, verb } = request.info;
      if (resource === 'events' && verb === 'create' && cut-- > 0) return Promise.reject(new Error('the line is dead'));
      if (subresource === 'status') return Promise.reject(internalError('no statuses today'));
      return handler(request);
    };
  const { node, pod, events, clock, of } = await scene(t, { around });
  await node('n1', '1');
  await pod('big', asking('2'));
  t.strictSame(await events('big'), []);
  await clock.advance('1s');
  t.match(
    of('write-failed'),
    [{ what: 'status', pod: { metadata: { name: 'big' } } }],
    'a status is given up after four tries',
  );
  await clock.advance('40s');
  t.equal((await events('big')).length, 1, 'an event finds its way when the line is back');
});

t.test('many pods are scheduled in one turn, and other work still runs', async (t) => {
  const { node, pod, clock, client, of } = await scene(t);
  for (let index = 0; index < 10; index++) await node(`n${index}`, '100');
  const pods = client.kind('v1', 'Pod').in('default');
  await Promise.all(
    Array.from({ length: 600 }, (_, index) =>
      pods.create({
        metadata: { name: `p${index}` },
        spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1' } } }] },
      }),
    ),
  );
  await clock.settled();
  t.equal(of('bound').length, 600);
  await pod('last');
  t.equal(of('bound').length, 601);
});

t.test('a pod of higher priority preempts', async (t) => {
  const { node, pod, get, clock, of, client, events } = await scene(t);
  await client.kind('scheduling.k8s.io/v1', 'PriorityClass').create({ metadata: { name: 'high' }, value: 1000 });
  await node('n1', '1');
  await pod('low');
  await pod('high', { priority: 1000, priorityClassName: 'high', ...asking('1') });
  await clock.advance('1s');
  t.match(of('preempted'), [{ pod: { metadata: { name: 'low' } }, by: { metadata: { name: 'high' } } }]);
  t.match((await events('low')).at(-1), /^Preempted: Preempted by pod .* on node n1$/);
  t.match(of('unschedulable'), [{ nominatedNodeName: 'n1' }]);
  t.strictSame(
    (await get('low')).status?.conditions?.map(({ type }) => type),
    ['PodScheduled', 'DisruptionTarget'],
    'what is new comes last',
  );
  await client.kind('v1', 'Pod').in('default').delete('low', { gracePeriodSeconds: 0 });
  await clock.advance('2s');
  t.equal((await get('high')).spec?.nodeName, 'n1');
});

/** An extender with its own transport. */
function extender(
  answers: Readonly<Record<string, (body: Record<string, unknown>) => unknown>>,
  calls: string[] = [],
): Transport {
  return (url, { body = '' }) => {
    const verb = url.split('/').at(-1) ?? '';
    calls.push(url);
    const answer = answers[verb]?.(JSON.parse(body) as Record<string, unknown>);
    if (answer === 'never') return new Promise(() => undefined);
    if (typeof answer === 'number') return Promise.resolve(new Response('', { status: answer }));
    return Promise.resolve(new Response(JSON.stringify(answer)));
  };
}

t.test('extenders filter, score and bind', async (t) => {
  const bound: unknown[] = [];
  const transport = extender({
    filter: ({ NodeNames }) => ({
      NodeNames: (NodeNames as string[]).filter((name) => name !== 'n1'),
      FailedNodes: { n1: 'too warm' },
    }),
    score: ({ NodeNames }) => (NodeNames as string[]).map((Host) => ({ Host, Score: Host === 'n3' ? 10 : 0 })),
    bind: (body) => {
      bound.push(body);
      return {};
    },
  });
  const extenders = [
    {
      urlPrefix: 'http://extender/api/',
      filterVerb: 'filter',
      prioritizeVerb: 'score',
      bindVerb: 'bind',
      weight: 5,
      nodeCacheCapable: true,
    },
  ];
  const { node, pod, of } = await scene(t, { extenders, extenderTransport: () => transport });
  for (const name of ['n1', 'n2', 'n3', 'n4']) await node(name);
  const { metadata } = await pod('web');
  t.match(of('scheduled'), [{ nodeName: 'n3', evaluated: 4, feasible: 3 }]);
  t.strictSame(bound, [{ PodName: 'web', PodNamespace: 'default', PodUID: metadata.uid, Node: 'n3' }]);
});

t.test('rejections by extenders are part of the message, and any event requeues the pod', async (t) => {
  let left: readonly string[] = [];
  const sent: string[] = [];
  const transport = extender({
    filter: ({ Nodes }) => {
      const { items } = Nodes as { items: Frozen<Node>[] };
      sent.push(items.map(({ metadata }) => metadata?.name).join(' '));
      return {
        nodes: { items: items.filter(({ metadata }) => left.includes(metadata?.name ?? '')) },
        failedNodes: { n1: 'too warm' },
        failedAndUnresolvableNodes: { n2: 'on fire', n1: 'on fire' },
      };
    },
  });
  const extenders = [{ urlPrefix: 'http://extender', filterVerb: 'filter' }];
  const { node, pod, condition, get, of, clock } = await scene(t, { extenders, extenderTransport: () => transport });
  await node('n1');
  await node('n2');
  await node('n3', '1');
  await pod('web', asking('2'));
  t.equal(sent[0], 'n1 n2');
  t.match(await condition('web'), /^False Unschedulable: 0\/3 nodes are available: 1 Insufficient cpu, 2 on fire\./);
  t.match(of('unschedulable'), [{ rejectors: ['Extender', 'NodeResourcesFit'] }]);
  left = ['n2'];
  await clock.advance('2s');
  await node('n4', '1');
  await clock.settled();
  t.equal((await get('web')).spec?.nodeName, 'n2');
});

t.test('a failing extender fails the attempt, unless it is ignorable or only prioritizes', async (t) => {
  const failing = (verb: string, answer: unknown): SceneOptions => ({
    extenders: [{ urlPrefix: 'http://extender', weight: 1, httpTimeout: '2s', [verb]: 'do' }],
    extenderTransport: () => extender({ do: () => answer }),
  });
  const outcome = async (t: Test, options: SceneOptions): Promise<Scene> => {
    const made = await scene(t, options);
    await made.node('n1');
    await made.node('n2');
    await made.pod('web');
    await made.clock.advance('3s');
    return made;
  };
  await t.test('a rejection', async (t) => {
    const { condition } = await outcome(t, failing('filterVerb', 503));
    t.equal(
      await condition('web'),
      'False SchedulerError: failed do with extender at URL http://extender/do, code 503',
    );
  });
  await t.test('an error', async (t) => {
    const { condition } = await outcome(t, failing('filterVerb', { Error: 'no idea' }));
    t.equal(await condition('web'), 'False SchedulerError: no idea');
  });
  await t.test('a node that was not in the request', async (t) => {
    const { condition } = await outcome(t, {
      ...failing('filterVerb', { Nodes: { items: [{ metadata: { name: 'elsewhere' } }] } }),
    });
    t.equal(
      await condition('web'),
      'False SchedulerError: extender "http://extender" claims a filtered node "elsewhere" which is not found in the input node list',
    );
  });
  await t.test('no response', async (t) => {
    const { condition } = await outcome(t, failing('filterVerb', 'never'));
    t.equal(
      await condition('web'),
      'False SchedulerError: Post "http://extender/do": context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
    );
  });
  await t.test('missing scores', async (t) => {
    const { get, of } = await outcome(t, failing('prioritizeVerb', { not: 'a list' }));
    t.not((await get('web')).spec?.nodeName, undefined);
    t.match(of('extender-failed'), [{ extender: 'http://extender' }]);
  });
  await t.test('an ignorable one', async (t) => {
    const ignorable = [{ urlPrefix: 'http://extender', filterVerb: 'do', bindVerb: 'do', ignorable: true }];
    const { get, of } = await outcome(t, { ...failing('filterVerb', 500), extenders: ignorable });
    t.not((await get('web')).spec?.nodeName, undefined);
    t.equal(of('extender-failed').length, 2);
  });
});

t.test(
  'an extender is only asked about pods that want what it manages, and the scheduler need not count that',
  async (t) => {
    const calls: string[] = [];
    const transport = extender({ filter: ({ NodeNames }) => ({ NodeNames }) }, calls);
    const extenders = [
      {
        urlPrefix: 'http://extender',
        filterVerb: 'filter',
        nodeCacheCapable: true,
        managedResources: [{ name: 'example.com/gpu', ignoredByScheduler: true }],
      },
    ];
    const { node, pod, get } = await scene(t, { extenders, extenderTransport: () => transport });
    await node('n1');
    await pod('plain');
    t.strictSame(calls, []);
    const gpu = { requests: { 'example.com/gpu': '1' }, limits: { 'example.com/gpu': '1' } };
    await pod('gpu', { containers: [{ name: 'c', image: 'i', resources: gpu }] });
    t.strictSame(calls, ['http://extender/filter']);
    t.equal((await get('gpu')).spec?.nodeName, 'n1', 'no node says that it has any');
  },
);

t.test('while extenders run the cluster does not change, and no event is lost', async (t) => {
  const gates: (() => void)[] = [];
  const transport: Transport = () =>
    new Promise((resolve) => gates.push(() => resolve(new Response(JSON.stringify({ NodeNames: ['n1'] })))));
  const extenders = [{ urlPrefix: 'http://extender', filterVerb: 'filter', nodeCacheCapable: true, httpTimeout: '1h' }];
  const { node, pod, get, clock, scheduler } = await scene(t, { extenders, extenderTransport: () => transport });
  await node('n1');
  await pod('web');
  await node('n2');
  await pod('next');
  t.equal(scheduler.parts?.cache.nodes.length, 1);
  for (let gate = gates.shift(); gate !== undefined; gate = gates.shift()) {
    gate();
    await clock.settled();
  }
  t.equal(scheduler.parts?.cache.nodes.length, 2);
  t.strictSame([(await get('web')).spec?.nodeName, (await get('next')).spec?.nodeName], ['n1', 'n1']);
});

t.test('extenders take part in selecting victims', async (t) => {
  const shown: unknown[] = [];
  let agree = false;
  const transport = extender({
    preempt: (body) => {
      const { n1, n2 } = (body.NodeNameToMetaVictims ?? {}) as Record<string, unknown>;
      shown.push(Object.keys({ n1, n2 }));
      return { NodeNameToMetaVictims: agree ? { n2 } : {} };
    },
  });
  const extenders = [{ urlPrefix: 'http://extender', preemptVerb: 'preempt', nodeCacheCapable: true }];
  const { node, pod, of, client, condition, clock, scheduler } = await scene(t, {
    extenders,
    extenderTransport: () => transport,
  });
  await client.kind('scheduling.k8s.io/v1', 'PriorityClass').create({ metadata: { name: 'high' }, value: 1000 });
  await node('n1', '1');
  await node('n2', '1');
  await pod('a');
  await pod('b');
  await pod('high', { priority: 1000, priorityClassName: 'high', ...asking('1') });
  t.match(await condition('high'), /preemption: no candidate node for preemption$/);
  t.strictSame(of('preempted'), []);
  agree = true;
  await clock.advance('6m');
  t.match(of('preempted'), [{ by: { metadata: { name: 'high' } } }]);
  t.match(of('unschedulable').at(-1), { nominatedNodeName: 'n2' });
  t.strictSame(shown[0], ['n1', 'n2']);
  t.notOk(scheduler.parts?.cache.held);
});

t.test('metrics are printed in the Prometheus text format', async (t) => {
  const { node, pod, scheduler, stop } = await scene(t);
  t.match(scheduler.metrics(), /scheduler_pending_pods\{queue="active"\} 0/);
  await node('n1');
  await pod('web');
  await pod('big', asking('9'));
  const text = scheduler.metrics();
  t.match(text, /scheduler_schedule_attempts_total\{profile="default-scheduler",result="scheduled"\} 1/);
  t.match(text, /scheduler_schedule_attempts_total\{profile="default-scheduler",result="unschedulable"\} 1/);
  t.match(text, /scheduler_pending_pods\{queue="unschedulable"\} 1/);
  t.match(text, /scheduler_unschedulable_pods\{plugin="NodeResourcesFit",profile="default-scheduler"\} 1/);
  t.match(text, /scheduler_cache_size\{type="nodes"\} 1/);
  t.match(text, /scheduler_pod_scheduling_attempts_count 1/);
  t.match(text, /scheduler_preemption_attempts_total 1/);
  t.match(
    text,
    /scheduler_scheduling_attempt_duration_seconds_bucket\{profile="default-scheduler",result="scheduled",le="0.001"\} 1/,
  );
  stop();
  t.notMatch(scheduler.metrics(), /pending_pods/, 'nothing is pending for a scheduler that does not run');
  t.match(scheduler.metrics(), /result="scheduled"\} 1/);
});

t.test('a scheduler runs once at a time, and may run again', async (t) => {
  const { scheduler, stop, node, pod, get, clock } = await scene(t);
  await t.rejects(lastValueFrom(scheduler.run(), { defaultValue: undefined }), {
    message: 'the scheduler is running already',
  });
  stop();
  await node('n1');
  await pod('web');
  t.equal((await get('web')).spec?.nodeName, undefined);
  t.equal(scheduler.parts, undefined);
  const again = observe(scheduler.run());
  await clock.settled();
  t.equal((await get('web')).spec?.nodeName, 'n1');
  again.unsubscribe();
});

/** Waits until the pod has a node. */
async function withNode(client: Client, name: string): Promise<string | undefined> {
  const bound$ = client
    .kind('v1', 'Pod')
    .in('default')
    .watch({ fieldSelector: `metadata.name=${name}` })
    .pipe(
      map((event) => ('object' in event ? event.object.spec?.nodeName : undefined)),
      filter((nodeName) => nodeName !== undefined),
      take(1),
    );
  return await lastValueFrom(bound$, { defaultValue: undefined });
}

t.test(
  'serve schedules pods, unless --scheduler=false; then a separate scheduler can',
  { timeout: 120_000 },
  async (t) => {
    for (const flags of [[], ['--scheduler=false']] as const) {
      const served = await startServer('--nodes=2', ...flags);
      const folder = mkdtempSync(join(tmpdir(), 'vivarium-scheduler-'));
      const path = join(folder, 'kubeconfig');
      writeFileSync(path, served.kubeconfig);
      const connection = connect(await loadKubeconfig({ text: served.kubeconfig }));
      const client = httpClient(connection);
      await client
        .kind('v1', 'Pod')
        .in('default')
        .create({ metadata: { name: 'web' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
      const signals = new EventEmitter();
      const printed: string[] = [];
      const print = { write: (text: string) => (printed.push(text), signals.emit('printed')) };
      const command =
        flags.length === 0
          ? undefined
          : run({
              args: ['scheduler', `--kubeconfig=${path}`, '--metrics-address=0'],
              version: 'test',
              stdout: print,
              stderr: print,
              signals,
            });
      t.match(await withNode(client, 'web'), /^node-[12]$/);
      const onServer = String(await client.read('/metrics'));
      if (command === undefined)
        t.match(
          onServer,
          /^apiserver_request_total\{[^]*^scheduler_schedule_attempts_total\{[^}]*result="scheduled"\} 1$/m,
          'one process, one page',
        );
      else t.notMatch(onServer, /^scheduler_/m);
      const page = /^metrics: (http:\/\/127\.0\.0\.1:\d+)\/metrics$/m.exec(printed.join(''))?.[1] ?? '';
      if (command !== undefined) {
        while (!printed.some((line) => line.includes('goes to'))) await once(signals, 'printed');
        const ask = async (target: string, method = 'GET'): Promise<readonly [number, string]> => {
          const response = await fetch(page + target, { method });
          return [response.status, await response.text()];
        };
        t.match(await ask('/metrics'), [200, /^scheduler_schedule_attempts_total\{[^}]*result="scheduled"\} 1$/m]);
        for (const health of ['/healthz', '/livez', '/readyz']) t.strictSame(await ask(health), [200, 'ok']);
        t.strictSame(await ask('/metrics', 'HEAD'), [200, '']);
        t.match(await ask('/metrics', 'POST'), [405, /MethodNotAllowed/]);
        t.match(await ask('/api/v1/pods'), [404]);
      }
      signals.emit('SIGTERM');
      if (command !== undefined) {
        t.equal(await command, 0);
        t.match(printed, [
          /^vivarium schedules the pods of https:/,
          /^metrics: /,
          /^schedules now/,
          /^(default\/web goes to node-|vivarium is stopping)/,
        ]);
        await t.rejects(fetch(`${page}/healthz`), 'the page is gone with the scheduler');
      }
      connection.close();
      await served.close();
      rmSync(folder, { recursive: true });
    }
  },
);

/**
 * Candidates with a short retry period. Leases are released here and never expire, so their duration is longer than any
 * test run.
 */
const quickElection = `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {leaderElect: true, leaseDuration: 120s, renewDeadline: 100s, retryPeriod: 250ms}
`;

function quickFolder(t: Test): { readonly path: (name: string) => string; readonly config: string } {
  const folder = mkdtempSync(join(tmpdir(), 'vivarium-scheduler-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const path = (name: string): string => join(folder, name);
  writeFileSync(path('config.yaml'), quickElection);
  return { path, config: path('config.yaml') };
}

const podNamed = (name: string): Frozen<Pod> => ({
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i' }] },
});

t.test('of two schedulers one leads; when it stops, the other takes over', { timeout: 120_000 }, async (t) => {
  const served = await startServer('--nodes=2', '--scheduler=false');
  const { path, config } = quickFolder(t);
  writeFileSync(path('kubeconfig'), served.kubeconfig);
  const connection = connect(await loadKubeconfig({ text: served.kubeconfig }));
  const client = httpClient(connection);
  const pods = client.kind('v1', 'Pod').in('default');
  const start = (
    ...flags: readonly string[]
  ): {
    readonly signals: EventEmitter;
    readonly printed: string[];
    readonly ended: Promise<number>;
    said(words: string): Promise<void>;
  } => {
    const signals = new EventEmitter();
    const printed: string[] = [];
    const write = (text: string): void => {
      printed.push(text.trimEnd());
      signals.emit('printed');
    };
    const said = async (words: string): Promise<void> => {
      while (!printed.some((line) => line.includes(words))) await once(signals, 'printed');
    };
    return {
      signals,
      printed,
      said,
      ended: run({
        args: ['scheduler', `--kubeconfig=${path('kubeconfig')}`, ...flags],
        version: 'test',
        stdout: { write },
        stderr: { write },
        signals,
      }),
    };
  };
  const one = start(`--config=${config}`);
  await one.said('schedules now');
  const two = start(`--config=${config}`);
  await two.said('waits: ');
  await pods.create(podNamed('first'));
  t.match(await withNode(client, 'first'), /^node-/);
  one.signals.emit('SIGTERM');
  t.equal(await one.ended, 0);
  await two.said('schedules now');
  await pods.create(podNamed('second'));
  t.match(await withNode(client, 'second'), /^node-/);
  await two.said('default/second');
  t.match(two.printed, [
    /^vivarium schedules the pods of /,
    new RegExp(`^waits: ${hostname()}_[0-9a-f-]{36} schedules$`),
    'schedules now',
    /^default\/second goes to node-/,
  ]);
  t.strictSame(
    one.printed.filter((line) => line.startsWith('scheduler:')),
    [],
  );
  two.signals.emit('SIGINT');
  t.equal(await two.ended, 0);
  const lease = await client.kind('coordination.k8s.io/v1', 'Lease').in('kube-system').get('kube-scheduler');
  t.match(lease.spec, { holderIdentity: '', leaseTransitions: 1 }, 'given back');

  writeFileSync(path('senseless.yaml'), quickElection.replace('250ms', '99s'));
  const senseless = start(`--config=${path('senseless.yaml')}`);
  t.equal(await senseless.ended, 1);
  t.strictSame(senseless.printed, [
    "vivarium: couldn't create leader elector: renewDeadline must be greater than retryPeriod*JitterFactor",
  ]);
  const alone = start(`--config=${config}`, '--leader-elect=false');
  await pods.create(podNamed('third'));
  t.match(await withNode(client, 'third'), /^node-/);
  alone.signals.emit('SIGTERM');
  t.equal(await alone.ended, 0);
  t.notMatch(alone.printed.join('\n'), /schedules now/, 'the flag beats the file');
  connection.close();
  await served.close();
});

t.test(
  'servers elect a leader where they share a store or are configured to, with the rights of their scheduler',
  { timeout: 120_000 },
  async (t) => {
    const { config } = quickFolder(t);
    const leaseOf = (client: Client): Promise<string | undefined> =>
      client
        .kind('coordination.k8s.io/v1', 'Lease')
        .in('kube-system')
        .get('kube-scheduler')
        .then(
          ({ spec }) => spec?.holderIdentity,
          () => undefined,
        );
    const scheduledBy = async (
      flags: readonly string[],
      pod: string,
    ): Promise<{
      readonly client: Client;
      readonly close: () => Promise<void>;
      readonly holder: string | undefined;
    }> => {
      const served = await startServer(...flags);
      const connection = connect(await loadKubeconfig({ text: served.kubeconfig }));
      const client = httpClient(connection);
      const close = async (): Promise<void> => {
        connection.close();
        await served.close();
      };
      await client.kind('v1', 'Pod').in('default').create(podNamed(pod));
      t.match(await withNode(client, pod), /^node-/);
      return { client, close, holder: await leaseOf(client) };
    };
    const alone = await scheduledBy(['--nodes=1'], 'web');
    t.equal(alone.holder, undefined, 'no other instance can exist');
    await alone.close();
    const configured = await scheduledBy(['--nodes=1', `--scheduler-config=${config}`], 'web');
    t.match(configured.holder, new RegExp(`^${hostname()}_`));
    await configured.close();
    if (etcdBinary === undefined) {
      t.comment(etcdMissing);
      return;
    }
    const etcd = await startEtcd();
    const one = await scheduledBy(['--nodes=1', `--storage=etcd:${etcd.endpoint}`], 'first');
    const two = await scheduledBy(
      ['--nodes=0', `--storage=etcd:${etcd.endpoint}`, `--scheduler-config=${config}`],
      'second',
    );
    t.match(one.holder, new RegExp(`^${hostname()}_`), 'servers that share a store elect by default');
    t.equal(two.holder, one.holder);
    await one.close();
    await two.client.kind('v1', 'Pod').in('default').create(podNamed('third'));
    t.match(await withNode(two.client, 'third'), /^node-/);
    t.not(await leaseOf(two.client), one.holder);
    await two.close();
    await etcd.dispose();
  },
);

t.test('the scheduler command reports errors', async (t) => {
  const complaints: string[] = [];
  const command = (...args: string[]): Promise<number> =>
    run({
      args: ['scheduler', ...args],
      version: 'test',
      stdout: { write: () => undefined },
      stderr: { write: (text) => complaints.push(text) },
      signals: new EventEmitter(),
    });
  t.equal(await command('--kubeconfig=/does/not/exist'), 1);
  t.match(complaints.splice(0), [/does\/not\/exist cannot be read/]);
  t.equal(await command('--kubeconfg=x'), 2);
  t.match(complaints.splice(0), [/unknown flag --kubeconfg/, /--help/]);
  t.equal(await command('--leader-elect=perhaps'), 2);
  t.match(complaints.splice(0), [/--leader-elect is true or false, not "perhaps"/, /--help/]);
  t.match(parseCommandLine(['scheduler', '--leader-elect=false']), { flags: { leaderElect: false } });
  t.match(usage, /vivarium scheduler \[flags\]/);
  const addressOf = (text: string): unknown => parseCommandLine(['scheduler', '--metrics-address', text]);
  t.match(addressOf('10251'), { flags: { metricsAddress: { host: '127.0.0.1', port: 10_251 } } });
  t.match(addressOf('[::1]:0'), { flags: { metricsAddress: { host: '::1', port: 0 } } });
  t.match(addressOf('node.example:80'), { flags: { metricsAddress: { host: 'node.example', port: 80 } } });
  for (const wrong of ['', 'here', ':80', '::1:80', '65536', '[::1]', 'a:b', '1:2:3'])
    t.throws(
      () => addressOf(wrong),
      { message: /--metrics-address is a port from 0 to 65535, or HOST:PORT, not "/ },
      wrong,
    );
  const line = parseCommandLine(['serve', '--scheduler=false', '--scheduler-config=c.yaml']);
  t.match(line, { flags: { scheduler: { enabled: false, config: 'c.yaml' } } });
});

t.test('the readiness page is ready after all kinds have been listed', async (t) => {
  let isReady = false;
  const page = pageHandler({ metrics: () => 'figures\n', isReady: () => isReady });
  /** Returns the response of the metrics page. */
  const ask = async (path: string): Promise<unknown> => {
    let answer: unknown;
    const client = inProcessClient(async (request) => {
      const response = await page(request);
      answer = response;
      return response;
    });
    await client.read(path).catch(() => undefined);
    return answer;
  };
  t.match(await ask('/livez'), { code: 200, content: 'ok' });
  t.match(await ask('/readyz'), {
    code: 500,
    content: /^\[\+\]ping ok\n\[-\]sched-handler-sync failed: reason withheld\nreadyz check failed\n$/,
  });
  isReady = true;
  t.match(await ask('/readyz'), { code: 200, content: 'ok' });
  t.match(await ask('/metrics'), { code: 200, content: 'figures\n', contentType: /^text\/plain; version=0\.0\.4/ });
});

t.test('throttled tasks leave turns to other work, keep their order, and none is dropped', async (t) => {
  const clock = virtualClock();
  const controller = new AbortController();
  const begun: number[] = [];
  const work = new TurnThrottle<number>({ clock, minPerTurn: 4, maxPerTurn: 4, waitingMax: 10 }, (piece) =>
    begun.push(piece),
  );
  const add = (from: number, to: number): void => {
    for (let piece = from; piece < to; piece += 1) void work.add(piece, controller.signal);
  };
  add(0, 3);
  t.strictSame(begun, [0, 1, 2], 'a few are begun at once');
  add(3, 10);
  observe(clock.timer(0), () => begun.push(-1));
  t.strictSame(begun, [0, 1, 2, 3]);
  await clock.advance(0);
  t.strictSame(
    [...begun].sort((a, b) => a - b),
    [-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
  );
  t.ok(begun.indexOf(-1) < begun.indexOf(8), 'others have their turn before the last of them');
  begun.length = 0;
  add(10, 35);
  t.equal(begun.length, 15, 'what is too much to wait is begun at once');
  await clock.advance(0);
  t.strictSame(
    begun,
    Array.from({ length: 25 }, (_, index) => 10 + index),
  );
  begun.length = 0;
  add(35, 50);
  controller.abort(new Error('enough'));
  await clock.settled();
  t.equal(clock.pending, 0, 'no timer is left');
  t.equal(begun.length, 5, 'and nothing is begun any more');
});

t.test('the throttle starts more tasks per turn while turns are short', async (t) => {
  const quick = virtualClock();
  const turns: number[] = [];
  let begun = 0;
  let othersMs = 0;
  // Other work runs between two turns and takes this long.
  const clock: Clock = {
    ...quick,
    now: () => quick.now() + turns.length * othersMs,
    timer: (delayMs) =>
      quick.timer(delayMs).pipe(
        tap(() => {
          turns.push(begun);
          begun = 0;
        }),
      ),
  };
  const work = new TurnThrottle<number>({ clock, minPerTurn: 2, maxPerTurn: 8, waitingMax: 100 }, () => (begun += 1));
  const turnsOf = async (count: number): Promise<number[]> => {
    for (let piece = 0; piece < count; piece += 1) void work.add(piece, new AbortController().signal);
    await quick.advance(0);
    return turns.splice(0);
  };
  t.strictSame(await turnsOf(30), [2, 4, 8, 8, 8]);
  othersMs = 10;
  t.strictSame(await turnsOf(15), [8, 2, 2, 2, 1], 'and as little as possible while other work waits');
});

t.test('stopping aborts everything in progress', async (t) => {
  const signals: AbortSignal[] = [];
  const endless: SchedulingPlugin = {
    name: 'Endless',
    preBind: (_, __, signal) => {
      signals.push(signal);
      return new Promise(() => undefined);
    },
  };
  const { node, pod, stop, clock, get } = await scene(t, {
    plugins: [
      endless,
      definitionOf({ name: 'Slow', permit: ({ pod: { name } }) => (name === 'held' ? { waitMs: 60_000 } : undefined) }),
    ],
  });
  await node('n1');
  await pod('web');
  await pod('held');
  stop();
  await clock.settled();
  t.strictSame(
    signals.map(({ aborted }) => aborted),
    [true],
  );
  t.equal((await get('held')).spec?.nodeName, undefined);
});
