// The horizontal pod autoscaler in a cluster, with metrics that the test sets, and the requests of its default source.
import t from 'tap';
import { administrator } from '../../lib/auth/index.js';
import { inProcessClient } from '../../lib/client/index.js';
import type { Stored } from '../../lib/client/index.js';
import { podAutoscaling } from '../../lib/controllers/index.js';
import type { MetricsSource, PodAutoscalingOptions } from '../../lib/controllers/index.js';
import { apiMetrics } from '../../lib/controllers/pod-autoscaling/metrics-source.js';
import { mediaTypes, printTime } from '../../lib/core/index.js';
import type { HorizontalPodAutoscaler, HorizontalPodAutoscalerSpec, MetricSpec } from '../../lib/core/types/index.js';
import { createCluster } from '../../lib/index.js';
import { FaultyControllers } from '../support/faulty-controllers.js';
import { runs } from '../support/properties.js';

/** Metrics that a test sets. */
class TestMetrics implements MetricsSource {
  readonly usage = new Map<string, string>();
  readonly external = new Map<string, readonly string[]>();
  readonly custom = new Map<string, string>();
  readonly queries: string[] = [];
  now = 0;

  podUsage({ namespace, selector }: { namespace: string; selector: string }): ReturnType<MetricsSource['podUsage']> {
    this.queries.push(`${namespace} ${selector}`);
    const timestamp = printTime(this.now);
    return Promise.resolve(
      [...this.usage].map(([pod, cpu]) => ({
        pod,
        timestamp,
        window: '30s',
        containers: [{ name: 'c', usage: { cpu } }],
      })),
    );
  }

  customMetric({
    metric,
    kind,
    object,
    metricSelector,
  }: Parameters<MetricsSource['customMetric']>[0]): ReturnType<MetricsSource['customMetric']> {
    this.queries.push(`${metric} ${kind.kind} ${object} ${metricSelector}`);
    const timestamp = printTime(this.now);
    if (object !== '*') return Promise.resolve([{ object, timestamp, value: this.custom.get(object) ?? '0' }]);
    const ofPods = [...this.custom].filter(([name]) => name.startsWith('p'));
    return Promise.resolve(ofPods.map(([name, value]) => ({ object: name, timestamp, value })));
  }

  externalMetric({
    metric,
    selector,
  }: {
    metric: string;
    selector: string;
  }): ReturnType<MetricsSource['externalMetric']> {
    this.queries.push(`${metric} ${selector}`);
    const values = this.external.get(metric);
    return values === undefined ? Promise.reject(new Error('no such metric')) : Promise.resolve(values);
  }
}

interface World extends AsyncDisposable {
  readonly world: FaultyControllers;
  readonly metrics: TestMetrics;
  /** Waits until the next reconcile, and returns the number of replicas. */
  tick(): Promise<number>;
  autoscaler(): Promise<Stored<HorizontalPodAutoscaler>>;
}

async function startWorld(
  metricSpecs: MetricSpec[] | undefined,
  {
    pods = 2,
    replicas = pods,
    spec = {},
    options = {},
    usesApi = false,
    seed = 1,
  }: {
    pods?: number;
    replicas?: number;
    spec?: Partial<HorizontalPodAutoscalerSpec>;
    options?: Partial<PodAutoscalingOptions>;
    usesApi?: boolean;
    seed?: number;
  } = {},
): Promise<World> {
  const metrics = new TestMetrics();
  const account = 'horizontal-pod-autoscaler';
  const world = await FaultyControllers.start(
    [
      {
        account,
        create: (environment) => podAutoscaling({ ...(!usesApi && { metrics }), ...environment, ...options }),
      },
    ],
    { seed },
  );
  const { client, cluster } = world;
  const template = {
    metadata: { labels: { app: 'a' } },
    spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '100m' } } }] },
  };
  const selector = { matchLabels: { app: 'a' } };
  const sets = client.kind('apps/v1', 'ReplicaSet').in('default');
  await sets.create({ metadata: { name: 'r' }, spec: { replicas, selector, template } });
  await sets.status.patch('r', { merge: { status: { replicas } } });
  const lastTransitionTime = printTime(cluster.clock.now() - 3_600_000);
  for (let index = 0; index < pods; index += 1) {
    const name = `p${index}`;
    await client
      .kind('v1', 'Pod')
      .in('default')
      .create({ ...template, metadata: { name, labels: { app: 'a' } } });
    const conditions = [{ type: 'Ready', status: 'True' as const, lastTransitionTime }];
    const status = { phase: 'Running' as const, startTime: lastTransitionTime, conditions };
    await client.kind('v1', 'Pod').in('default').status.patch(name, { merge: { status } });
  }
  await client
    .kind('autoscaling/v2', 'HorizontalPodAutoscaler')
    .in('default')
    .create({
      metadata: { name: 'h' },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r' },
        maxReplicas: 10,
        ...(metricSpecs !== undefined && { metrics: metricSpecs }),
        ...spec,
      },
    });
  return {
    world,
    metrics,
    async tick() {
      metrics.now = cluster.clock.now() + 15_000;
      await cluster.advance(15_000);
      return (await sets.get('r')).spec?.replicas ?? 0;
    },
    autoscaler: () => client.kind('autoscaling/v2', 'HorizontalPodAutoscaler').in('default').get('h'),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

const conditionsOf = ({ status }: Stored<HorizontalPodAutoscaler>): readonly string[] =>
  (status?.conditions ?? []).map(({ type, status: value, reason }) => `${type}=${value} ${reason ?? ''}`);

const cpu = (averageUtilization: number): MetricSpec => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
});

t.test('a target is scaled 15 seconds after its autoscaler was created, and every 15 seconds', async (t) => {
  await using made = await startWorld([cpu(50)]);
  const { world, metrics } = made;
  for (const pod of ['p0', 'p1']) metrics.usage.set(pod, '90m');
  await world.cluster.advance(14_999);
  t.same(metrics.queries, []);
  await world.cluster.advance(1);
  t.same(metrics.queries, ['default app=a']);
  const { status } = await made.autoscaler();
  t.match(status, {
    currentReplicas: 2,
    desiredReplicas: 4,
    lastScaleTime: '2030-01-01T00:00:15Z',
    currentMetrics: [
      { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 90, averageValue: '90m' } } },
    ],
  });
  t.same(conditionsOf(await made.autoscaler()), [
    'AbleToScale=True SucceededRescale',
    'ScalingActive=True ValidMetricFound',
    'ScalingLimited=False DesiredWithinRange',
  ]);
  t.same(await world.events('h'), [
    'Normal SuccessfulRescale: New size: 4; reason: cpu resource utilization (percentage of request) above target',
  ]);
  t.same(world.writes, ['update replicasets/r/scale', 'update horizontalpodautoscalers/h/status']);
  for (const pod of ['p0', 'p1']) metrics.usage.set(pod, '10m');
  t.equal(await made.tick(), 4);
  t.match(conditionsOf(await made.autoscaler())[0], 'AbleToScale=True ScaleDownStabilized');
  await world.cluster.advance(285_000);
  t.equal(await made.tick(), 1, 'when the proposal of 4 is more than five minutes old');
  t.equal((await world.events('h'))[1], 'Normal SuccessfulRescale: New size: 1; reason: All metrics below target');
  t.same(world.failures, []);
});

t.test('replicas outside of the range are set without metrics, and none are left alone', async (t) => {
  await using below = await startWorld(undefined, { pods: 1, spec: { minReplicas: 3 } });
  t.equal(await below.tick(), 3);
  t.match(await below.world.events('h'), [/New size: 3; reason: Current number of replicas below Spec.MinReplicas$/]);
  t.equal((await below.autoscaler()).status?.currentMetrics, undefined);
  await using above = await startWorld(undefined, { pods: 1, replicas: 20 });
  t.equal(await above.tick(), 10);
  t.match(await above.world.events('h'), [/New size: 10; reason: Current number of replicas above Spec.MaxReplicas$/]);
  await using none = await startWorld(undefined, { pods: 0 });
  t.equal(await none.tick(), 0);
  t.same(conditionsOf(await none.autoscaler()), [
    'AbleToScale=True SucceededGetScale',
    'ScalingActive=False ScalingDisabled',
  ]);
});

t.test('the highest of several metrics counts; one that fails stops scaling down only', async (t) => {
  const queue: MetricSpec = {
    type: 'External',
    external: {
      metric: { name: 'queue', selector: { matchLabels: { q: 'a' } } },
      target: { type: 'AverageValue', averageValue: '10' },
    },
  };
  const hits: MetricSpec = {
    type: 'Object',
    object: {
      describedObject: { apiVersion: 'v1', kind: 'Service', name: 's' },
      metric: { name: 'hits' },
      target: { type: 'Value', value: '100' },
    },
  };
  const perPod: MetricSpec = {
    type: 'Pods',
    pods: { metric: { name: 'qps' }, target: { type: 'AverageValue', averageValue: '5' } },
  };
  await using made = await startWorld([queue, hits, perPod]);
  const { metrics, world } = made;
  metrics.external.set('queue', ['25', '10']);
  metrics.custom.set('s', '50');
  metrics.custom.set('p0', '5').set('p1', '5');
  t.equal(await made.tick(), 4, '35 messages, 10 per pod');
  t.same(metrics.queries, ['queue q=a', 'hits Service s ', 'qps Pod * ']);
  const { status } = await made.autoscaler();
  t.match(status?.currentMetrics, [
    { type: 'External', external: { metric: { name: 'queue' }, current: { averageValue: '17500m' } } },
    { type: 'Object', object: { describedObject: { name: 's' }, current: { value: '50' } } },
    { type: 'Pods', pods: { current: { averageValue: '5' } } },
  ]);
  const selector =
    '&LabelSelector{MatchLabels:map[string]string{q: a,},MatchExpressions:[]LabelSelectorRequirement{},}';
  t.match(await world.events('h'), [
    `Normal SuccessfulRescale: New size: 4; reason: external metric queue(${selector}) above target`,
  ]);

  metrics.external.delete('queue');
  metrics.custom.set('p0', '1').set('p1', '1').set('s', '1');
  await world.cluster.advance(600_000);
  t.equal(await made.tick(), 4, 'not scaled down');
  t.same(conditionsOf(await made.autoscaler())[1], 'ScalingActive=False FailedGetExternalMetric');
  const events = await world.events('h');
  const problem = `unable to get external metric default/queue/${selector}: unable to fetch metrics from external metrics API: no such metric`;
  t.ok(events.includes(`Warning FailedGetExternalMetric: ${problem}`), events.join('\n'));
  t.ok(
    events.includes(
      `Warning FailedComputeMetricsReplicas: invalid metrics (1 invalid out of 3), first error is: failed to get queue external metric value: failed to get queue external metric: ${problem}`,
    ),
    events.join('\n'),
  );
  metrics.custom.set('p0', '90').set('p1', '90');
  t.equal(await made.tick(), 8, 'but up');
});

t.test('a target without metrics, without a scale or of an unknown kind is reported', async (t) => {
  await using made = await startWorld([cpu(50)]);
  t.equal(await made.tick(), 2);
  t.same(conditionsOf(await made.autoscaler()), [
    'AbleToScale=True SucceededGetScale',
    'ScalingActive=False FailedGetResourceMetric',
  ]);
  t.match((await made.autoscaler()).status?.conditions?.[1], {
    message:
      'the HPA was unable to compute the replica count: failed to get cpu utilization: unable to get metrics for resource cpu: no metrics returned from resource metrics API',
  });
  const patch = async (scaleTargetRef: Record<string, string>): Promise<string> => {
    await made.world.client
      .kind('autoscaling/v2', 'HorizontalPodAutoscaler')
      .in('default')
      .patch('h', { merge: { spec: { scaleTargetRef } } });
    await made.tick();
    return (await made.autoscaler()).status?.conditions?.[0]?.message ?? '';
  };
  const prefix = "the HPA controller was unable to get the target's current scale: ";
  t.equal(await patch({ name: 'none' }), `${prefix}replicasets.apps "none" not found`);
  t.equal(await patch({ apiVersion: 'x.io/v1', kind: 'Odd' }), `${prefix}no matches for kind "Odd" in group "x.io"`);
});

t.test('without the APIs of metrics the messages are those of Kubernetes', async (t) => {
  const perPod: MetricSpec = {
    type: 'Pods',
    pods: { metric: { name: 'qps' }, target: { type: 'AverageValue', averageValue: '5' } },
  };
  const queue: MetricSpec = {
    type: 'External',
    external: { metric: { name: 'queue' }, target: { type: 'Value', value: '5' } },
  };
  await using made = await startWorld([cpu(50), perPod, queue], { usesApi: true });
  await made.tick();
  const events = await made.world.events('h');
  t.same(events.slice(0, 3), [
    'Warning FailedGetResourceMetric: failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)',
    'Warning FailedGetPodsMetric: unable to get metric qps: unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered',
    'Warning FailedGetExternalMetric: unable to get external metric default/queue/nil: unable to fetch metrics from external metrics API: the server could not find the requested resource (get queue.external.metrics.k8s.io)',
  ]);
});

t.test('whatever fails, replicas stay within the limits and end where the metrics lead', async (t) => {
  const queue: MetricSpec = {
    type: 'External',
    external: { metric: { name: 'queue' }, target: { type: 'AverageValue', averageValue: '10' } },
  };
  let crashes = 0;
  for (let seed = 1; seed <= runs(20); seed += 1) {
    await using made = await startWorld([queue], { seed, spec: { minReplicas: 2, maxReplicas: 7 } });
    const { world, metrics } = made;
    world.isFaulty = true;
    for (let round = 0; round < 12; round += 1) {
      const load = (seed * 7919 + round * 104_729) % 100;
      if (load < 15) metrics.external.delete('queue');
      else metrics.external.set('queue', [String(load)]);
      const replicas = await made.tick();
      t.ok(replicas >= 2 && replicas <= 7, String(replicas));
    }
    crashes += world.crashes;
    metrics.external.set('queue', ['35']);
    await world.heal(330_000);
    t.equal(await made.tick(), 4, `seed ${seed}`);
    t.match((await made.autoscaler()).status, { currentReplicas: 4, desiredReplicas: 4 });
  }
  t.ok(crashes > 0);
});

t.test('the default source requests the APIs of metrics as clients of Kubernetes do', async (t) => {
  const seen: string[] = [];
  const item = { timestamp: '2030-01-01T00:00:00Z', value: '1500m' };
  const answers: Record<string, unknown> = {
    'metrics.k8s.io': [
      {
        metadata: { name: 'p' },
        timestamp: item.timestamp,
        window: '30s',
        containers: [{ name: 'c', usage: { cpu: '5m', memory: 1024 } }],
      },
    ],
    'custom.metrics.k8s.io': [{ ...item, describedObject: { kind: 'Pod', name: 'p' }, windowSeconds: 30 }],
    'external.metrics.k8s.io': [{ ...item, metricName: 'queue', metricLabels: {} }],
  };
  await using cluster = await createCluster({ controllers: [], scheduler: false });
  const client = inProcessClient(
    (request) => {
      const { group, version, namespace, resource, name, subresource, verb, isResource, path } = request.info;
      if (!isResource && path === '/apis') {
        const resources = [
          { resource: 'pods', responseKind: { kind: 'MetricValueList' }, scope: 'Namespaced', verbs: [] },
        ];
        const group = { metadata: { name: 'custom.metrics.k8s.io' }, versions: [{ version: 'v1beta2', resources }] };
        return respond({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', items: [group] });
      }
      if (!isResource) return cluster.server.handler(request);
      const { labelSelector = '', parameters = {} } = request.options();
      const query = [
        labelSelector,
        ...Object.entries(parameters).map(([key, values]) => `${key}=${values.join()}`),
      ].join(' ');
      seen.push(`${verb} ${group}/${version} ${namespace} ${[resource, name, subresource].join('/')} ${query.trim()}`);
      return respond({ items: answers[group] });
    },
    { user: administrator },
  );
  const respond = (object: Record<string, unknown>): ReturnType<typeof cluster.server.handler> => ({
    type: 'object',
    code: 200,
    object: object,
    form: { mediaType: mediaTypes.json, pretty: false },
  });
  const source = apiMetrics(client);
  t.same(await source.podUsage({ namespace: 'a', selector: 'x=y' }), [
    {
      pod: 'p',
      timestamp: item.timestamp,
      window: '30s',
      containers: [{ name: 'c', usage: { cpu: '5m', memory: '1024' } }],
    },
  ]);
  const kind = { group: '', kind: 'Pod' };
  const query = { namespace: 'a', metric: 'qps', kind, object: '*', selector: 'x=y', metricSelector: 'v=w' };
  t.same(await source.customMetric(query), [{ object: 'p', ...item, windowSeconds: 30 }]);
  await source.customMetric({ ...query, kind: { group: '', kind: 'Namespace' }, object: 'a', selector: '' });
  t.same(await source.externalMetric({ namespace: 'a', metric: 'queue', selector: '' }), ['1500m']);
  t.same(seen, [
    'list metrics.k8s.io/v1beta1 a pods// x=y',
    'get custom.metrics.k8s.io/v1beta2 a pods/*/qps labelSelector=x=y metricLabelSelector=v=w',
    'get custom.metrics.k8s.io/v1beta2 a metrics/qps/ metricLabelSelector=v=w',
    'list external.metrics.k8s.io/v1beta1 a queue// ',
  ]);
});
