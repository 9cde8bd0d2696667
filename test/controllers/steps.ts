// Built-in controllers one reconcile at a time: `steps$` permits each reconcile, so that a test sees the state of the
// cluster between any two of them.
import { EMPTY, Subject } from 'rxjs';
import type { Observable } from 'rxjs';
import t from 'tap';
import { completeControllerSettings, controllerDefinitions, controllerNames } from '../../lib/cluster/index.js';
import type { ControllerName } from '../../lib/cluster/index.js';
import { createCredentials } from '../../lib/cluster/node/index.js';
import { deployments } from '../../lib/controllers/index.js';
import { random, virtualClock } from '../../lib/core/index.js';
import type { VirtualClock } from '../../lib/core/index.js';
import { createCluster } from '../../lib/index.js';
import type { Cluster } from '../../lib/index.js';
import { observe } from '../support/observe.js';

const start = Date.UTC(2026, 10, 18);
const labels = { app: 'web' };
const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'a' }] } };
const deployment = { metadata: { name: 'web' }, spec: { replicas: 2, selector: { matchLabels: labels }, template } };

t.test('a rollout advances with the steps of the Deployment controller', async (t) => {
  const steps$ = new Subject<void>();
  await using cluster = await createCluster({
    clock: virtualClock({ start }),
    random: random(1),
    scheduler: false,
    controllers: ['replicaset-controller'],
    parts: [({ client, informers, clock, random }) => deployments({ client, informers, clock, random, steps$ })],
  });
  const { client } = cluster;
  const counts = async (): Promise<readonly (number | undefined)[]> => {
    await cluster.settled();
    const sets = await client.kind('apps/v1', 'ReplicaSet').in('default').list();
    const pods = await client.kind('v1', 'Pod').in('default').list();
    const { status } = await client.kind('apps/v1', 'Deployment').in('default').get('web');
    return [sets.items.length, pods.items.length, status?.replicas];
  };
  await client.kind('apps/v1', 'Deployment').in('default').create(deployment);
  await cluster.advance('1h');
  t.same(await counts(), [0, 0, undefined], 'nothing happens without a step');
  steps$.next();
  t.same(await counts(), [1, 2, undefined], 'one reconcile creates the ReplicaSet; its controller has no steps');
  steps$.next();
  t.same(await counts(), [1, 2, 2], 'the next one reads its status');
});

/** Objects that are work for most controllers. */
async function causeWork({ client }: Cluster<VirtualClock>): Promise<void> {
  const here = 'default';
  const selector = { matchLabels: labels };
  const named = { metadata: { name: 'web' } };
  await client.kind('apps/v1', 'Deployment').in(here).create(deployment);
  await client
    .kind('apps/v1', 'ReplicaSet')
    .in(here)
    .create({ ...named, spec: { selector, template } });
  await client
    .kind('apps/v1', 'StatefulSet')
    .in(here)
    .create({ ...named, spec: { selector, serviceName: 's', template } });
  await client
    .kind('apps/v1', 'DaemonSet')
    .in(here)
    .create({ ...named, spec: { selector, template } });
  await client
    .kind('v1', 'ReplicationController')
    .in(here)
    .create({ ...named, spec: { selector: labels, template } });
  const podSpec = { ...template.spec, restartPolicy: 'Never' as const };
  await client
    .kind('batch/v1', 'Job')
    .in(here)
    .create({ ...named, spec: { template: { spec: podSpec } } });
  const jobTemplate = { spec: { template: { spec: podSpec } } };
  await client
    .kind('batch/v1', 'CronJob')
    .in(here)
    .create({ ...named, spec: { schedule: '* * * * *', jobTemplate } });
  await client
    .kind('v1', 'Service')
    .in(here)
    .create({ ...named, spec: { selector: labels, ports: [{ port: 80 }] } });
  await client
    .kind('policy/v1', 'PodDisruptionBudget')
    .in(here)
    .create({ ...named, spec: { selector } });
  await client
    .kind('v1', 'ResourceQuota')
    .in(here)
    .create({ ...named, spec: { hard: { pods: '5' } } });
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
  await client
    .kind('autoscaling/v2', 'HorizontalPodAutoscaler')
    .in(here)
    .create({ ...named, spec: { scaleTargetRef, maxReplicas: 3 } });
  await client
    .kind('v1', 'Pod')
    .in(here)
    .create({ metadata: { name: 'pod', labels }, spec: template.spec });
  await client.kind('v1', 'Namespace').create({ metadata: { name: 'gone' } });
  await client.kind('v1', 'Namespace').delete('gone');
}

/** Runs all controllers for a while; returns the names of those that reconciled. */
async function reconciling(steps$: Observable<unknown> | undefined): Promise<ReadonlySet<ControllerName>> {
  const clock = virtualClock({ start });
  await using cluster = await createCluster({
    clock,
    random: random(1),
    controllers: [],
    scheduler: false,
    nodes: { count: 1, runtime: 'none', heartbeat: false },
  });
  await causeWork(cluster);
  const credentials = createCredentials({ clock });
  const tools = {
    as: () => cluster.client,
    informers: cluster.informers,
    clock,
    random: random(1),
    credentials: { load: () => Promise.resolve(credentials), loaded: Promise.resolve(credentials) },
    settings: completeControllerSettings({ allocateNodeCidrs: true, clusterCidr: '10.8.0.0/16' }),
  };
  const reconciled = new Set<ControllerName>();
  const running = controllerNames.map((name) => {
    const { client, informers } = cluster;
    const part = controllerDefinitions[name].create({ client, informers, clock, random: random(name), steps$ }, tools);
    return observe(part.run(), ({ type }) => {
      if (type === 'reconciled' || type === 'failed') reconciled.add(name);
    });
  });
  await cluster.advance('2m');
  for (const each of running) each.unsubscribe();
  return reconciled;
}

t.test('no built-in controller reconciles without a step', async (t) => {
  t.same([...(await reconciling(EMPTY))], []);
  const free = await reconciling(undefined);
  t.ok(free.size > controllerNames.length / 2, `${free.size} of ${controllerNames.length} have work`);
});
