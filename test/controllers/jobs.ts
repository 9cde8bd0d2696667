// The Job controller: the rules that it is made of, and what it does in a cluster.
import t from 'tap';
import type { Stored } from '../../lib/client/index.js';
import { byDeletionOrder } from '../../lib/controllers/jobs/active-pods.js';
import {
  indexCount,
  firstMissingIndexes,
  hasIndex,
  mergeIndexSets,
  metSuccessRule,
  parseIndexSet,
  printIndexSet,
  withIndexes,
} from '../../lib/controllers/jobs/completion-indexes.js';
import { extendStreak, finishedAtMs, noFailures, remainingBackoffMs } from '../../lib/controllers/jobs/pod-backoff.js';
import { judgeFailure } from '../../lib/controllers/jobs/pod-failure-policy.js';
import { printTime } from '../../lib/core/index.js';
import type { VirtualClock } from '../../lib/core/index.js';
import type { Job, JobSpec, Pod, PodFailurePolicy, PodStatus } from '../../lib/core/types/index.js';
import type { Cluster } from '../../lib/index.js';
import {
  activePodsOf,
  conditionsOf,
  createJob,
  eventsOf,
  jobCluster,
  podsOf,
  setPod,
  template,
} from '../support/job-cluster.js';
import type { PodEnd } from '../support/job-cluster.js';
import { fc, runs } from '../support/properties.js';

const indexArray = fc.uniqueArray(fc.nat(40), { maxLength: 30 });

t.test('sets of indexes behave as sets of numbers', async (t) => {
  fc.assert(
    fc.property(indexArray, indexArray, fc.nat(45), (one, other, completions) => {
      const set = withIndexes([], one);
      const merged = mergeIndexSets(set, withIndexes([], other));
      const expected = [...new Set([...one, ...other])].sort((a, b) => a - b);
      t.equal(indexCount(merged), expected.length);
      for (let index = 0; index < 45; index += 1) t.equal(hasIndex(merged, index), expected.includes(index));
      t.same(parseIndexSet(printIndexSet(merged), 45), merged);
      const inRange = expected.filter((index) => index < completions);
      t.same(parseIndexSet(printIndexSet(merged), completions), withIndexes([], inRange));
      const missing = Array.from({ length: completions }, (_, index) => index).filter(
        (index) => !inRange.includes(index),
      );
      t.same(firstMissingIndexes(merged, 5, completions), missing.slice(0, 5));
    }),
    { numRuns: runs(2000) },
  );
});

t.test('runs of three and more are written as ranges, and text that is no number is left out', async (t) => {
  t.equal(printIndexSet(withIndexes([], [0, 1, 3, 5, 6, 7])), '0,1,3,5-7');
  t.same(parseIndexSet('1,x,3-z,5-6,9', 8), [
    { first: 1, last: 1 },
    { first: 5, last: 6 },
  ]);
  t.same(parseIndexSet('2-9', 4), [{ first: 2, last: 3 }]);
  t.same(parseIndexSet('', 4), []);
});

t.test('a success policy is met by the first rule whose indexes or number succeeded', async (t) => {
  fc.assert(
    fc.property(indexArray, indexArray, fc.option(fc.integer({ min: 1, max: 20 })), (succeeded, required, count) => {
      const rule = {
        ...(required.length > 0 && { succeededIndexes: printIndexSet(withIndexes([], required)) }),
        ...(count !== null && { succeededCount: count }),
      };
      const common = required.filter((index) => succeeded.includes(index)).length;
      const isMet =
        succeeded.length > 0 &&
        (required.length === 0
          ? count !== null && succeeded.length >= count
          : common === required.length || (count !== null && common >= count));
      const policy = { rules: [{ succeededCount: 1000 }, rule] };
      t.equal(metSuccessRule(policy, withIndexes([], succeeded), 41), isMet ? 1 : undefined);
    }),
    { numRuns: runs(2000) },
  );
  t.equal(metSuccessRule(undefined, withIndexes([], [1]), 3), undefined);
});

const pod = (status: Partial<PodStatus>, metadata: Pod['metadata'] = {}): Pod => ({
  metadata: { name: 'p', namespace: 'default', ...metadata },
  status,
});
const exited = (exitCode: number, finishedAt?: string): Partial<PodStatus> => ({
  containerStatuses: [
    {
      name: 'main',
      image: 'i',
      imageID: '',
      ready: false,
      restartCount: 0,
      state: { terminated: { exitCode, ...(finishedAt && { finishedAt }) } },
    },
  ],
});

t.test('the first rule of a failure policy that matches decides', async (t) => {
  const policy: PodFailurePolicy = {
    rules: [
      { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
      { action: 'Count', onExitCodes: { containerName: 'other', operator: 'NotIn', values: [7] } },
      { action: 'FailIndex', onExitCodes: { containerName: 'main', operator: 'In', values: [3, 4] } },
      { action: 'FailJob', onExitCodes: { operator: 'In', values: [42] } },
      { action: 'FailJob', onPodConditions: [{ type: 'ConfigIssue', status: 'True' }] },
    ],
  };
  const disrupted = { ...exited(42), conditions: [{ type: 'DisruptionTarget', status: 'True' as const }] };
  t.same(judgeFailure(policy, pod(disrupted)), { action: 'Ignore', isCounted: false });
  t.same(judgeFailure(policy, pod(exited(3))), { action: 'FailIndex', isCounted: true });
  t.same(judgeFailure(policy, pod(exited(42))), {
    action: 'FailJob',
    isCounted: true,
    failJobMessage: 'Container main for pod default/p failed with exit code 42 matching FailJob rule at index 3',
  });
  t.same(judgeFailure(policy, pod({ conditions: [{ type: 'ConfigIssue', status: 'True' }] })), {
    action: 'FailJob',
    isCounted: true,
    failJobMessage: 'Pod default/p has condition ConfigIssue matching FailJob rule at index 4',
  });
  t.same(judgeFailure(policy, pod(exited(0))), { isCounted: true });
  t.same(judgeFailure(policy, pod({})), { isCounted: true });
  t.same(judgeFailure(undefined, pod(exited(42))), { isCounted: true });
  const init = { initContainerStatuses: exited(42).containerStatuses ?? [] };
  t.match(judgeFailure(policy, pod(init)).failJobMessage, 'Container main for pod');
});

t.test('failures in a row since the last success delay replacements, 10 s doubling to 10 min', async (t) => {
  const at = (seconds: number): Pod => pod(exited(1, printTime(seconds * 1000)));
  let streak = extendStreak(noFailures, [], [at(5), at(3)]);
  t.same(streak, { failures: 2, lastAtMs: 5000 });
  t.equal(remainingBackoffMs(streak, 6000), 19_000);
  t.equal(remainingBackoffMs(streak, 25_000), 0);
  t.equal(extendStreak(streak, [], []), streak);
  streak = extendStreak(streak, [at(10)], [at(9), at(11), at(12)]);
  t.same(streak, { failures: 2, lastAtMs: 12_000 });
  t.equal(extendStreak(streak, [at(13)], []), noFailures);
  t.equal(remainingBackoffMs({ failures: 7, lastAtMs: 0 }, 0), 600_000);
  t.equal(remainingBackoffMs({ failures: 2 ** 31, lastAtMs: 0 }, 0), 600_000);
  t.equal(remainingBackoffMs(noFailures, 0), 0);
});

t.test('a pod ended with its last container, or when it was no longer ready, or was deleted', async (t) => {
  const [main] = exited(1, printTime(7000)).containerStatuses ?? [];
  t.ok(main);
  const side = { ...main, name: 'side', state: { terminated: { exitCode: 0, finishedAt: printTime(9000) } } };
  const withSide: Pod = {
    spec: { containers: [], initContainers: [{ name: 'side', image: 'i', restartPolicy: 'Always' }] },
    status: {
      containerStatuses: main ? [main] : [],
      initContainerStatuses: [side] as PodStatus['initContainerStatuses'] & object,
    },
  };
  t.equal(finishedAtMs(withSide), 9000);
  const notReady = { type: 'Ready', status: 'False' as const, lastTransitionTime: printTime(4000) };
  t.equal(
    finishedAtMs(
      pod({
        containerStatuses: [{ ...side, state: {} }] as NonNullable<PodStatus['containerStatuses']>,
        conditions: [notReady],
      }),
    ),
    4000,
  );
  const deletion = { deletionTimestamp: printTime(40_000), deletionGracePeriodSeconds: 30 };
  t.equal(finishedAtMs(pod({}, deletion)), 10_000);
  t.equal(finishedAtMs(pod({}, { creationTimestamp: printTime(2000) })), 2000);
});

t.test('pods that did the least are deleted first', async (t) => {
  const ready = (seconds: number): PodStatus => ({
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: printTime(seconds * 1000) }],
  });
  const named = (name: string, status: PodStatus, nodeName = 'n', seconds = 1): Pod => ({
    metadata: { name, creationTimestamp: printTime(seconds * 1000) },
    spec: { containers: [], nodeName },
    status,
  });
  const restarted = {
    ...ready(1),
    containerStatuses: [{ name: 'c', image: 'i', imageID: '', ready: true, restartCount: 3 }],
  };
  const expected = [
    named('unassigned', { phase: 'Pending' }, ''),
    named('pending', { phase: 'Pending' }),
    named('unknown', { phase: 'Unknown' }),
    named('not ready', { phase: 'Running' }),
    named('ready later', ready(2)),
    named('restarted', restarted),
    named('newer', ready(1), 'n', 5),
    named('older', ready(1), 'n', 4),
  ];
  fc.assert(
    fc.property(fc.shuffledSubarray(expected, { minLength: expected.length }), (shuffled) => {
      t.same(
        shuffled.sort(byDeletionOrder).map(({ metadata }) => metadata?.name),
        expected.map(({ metadata }) => metadata?.name),
      );
    }),
    { numRuns: runs(200) },
  );
});

/** A cluster with a Job. */
class JobRun {
  readonly cluster: Cluster<VirtualClock>;
  constructor(cluster: Cluster<VirtualClock>) {
    this.cluster = cluster;
  }

  static async create(spec: Partial<JobSpec>): Promise<JobRun> {
    const cluster = await jobCluster();
    await createJob(cluster.client, 'j', spec);
    await cluster.settled();
    return new JobRun(cluster);
  }

  async job(): Promise<Stored<Job>> {
    return this.cluster.client.kind('batch/v1', 'Job').in('default').get('j');
  }

  async pods(): Promise<readonly Stored<Pod>[]> {
    return podsOf(this.cluster.client, 'j');
  }

  async active(): Promise<readonly Stored<Pod>[]> {
    return activePodsOf(this.cluster.client, 'j');
  }

  /** Ends active pods, and lets the batch time pass. */
  async end(how: PodEnd, count = Infinity): Promise<void> {
    const { client, clock } = this.cluster;
    for (const each of (await this.active()).slice(0, count)) await setPod(client, each, clock.now(), how);
    await this.cluster.advance(1000);
  }

  async change(spec: object): Promise<void> {
    await this.cluster.client.kind('batch/v1', 'Job').in('default').patch('j', { merge: { spec } });
    await this.cluster.settled();
  }

  events(): Promise<readonly string[]> {
    return eventsOf(this.cluster.client, 'j');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cluster.close();
  }
}

const succeeded: PodEnd = { phase: 'Succeeded' };
const failed: PodEnd = { phase: 'Failed' };

t.test('a Job runs as many pods at once as its parallelism, until its completions are reached', async (t) => {
  await using run = await JobRun.create({ completions: 3, parallelism: 2 });
  t.equal((await run.active()).length, 2);
  await run.cluster.advance(1000);
  t.match((await run.job()).status, { active: 2, ready: 0, terminating: 0, uncountedTerminatedPods: {} });
  await run.end({ phase: 'Running', isReady: true }, 1);
  t.match((await run.job()).status, { active: 2, ready: 1 });
  await run.end(succeeded, 1);
  await run.cluster.advance(1000);
  t.match((await run.job()).status, { active: 2, succeeded: 1 });
  await run.end(succeeded, 1);
  await run.cluster.advance(1000);
  t.equal((await run.active()).length, 1, 'no more pods than completions are missing');
  await run.end(succeeded);
  await run.cluster.advance(1000);
  const job = await run.job();
  t.equal(conditionsOf(job), 'SuccessCriteriaMet=True CompletionsReached, Complete=True CompletionsReached');
  t.equal(job.status?.conditions?.[0]?.message, 'Reached expected number of succeeded pods');
  t.match(job.status, { succeeded: 3, ready: 0, terminating: 0, uncountedTerminatedPods: {}, completionTime: /Z$/ });
  t.notOk(job.status?.active);
  t.ok((await run.pods()).every(({ metadata }) => metadata.finalizers === undefined));
  t.match(await run.events(), [
    /Created pod: j-/,
    /Created pod: j-/,
    /Created pod: j-/,
    'Normal Completed: Job completed',
  ]);
});

t.test('failed pods are replaced after 10 s, 20 s, … until the back-off limit is exceeded', async (t) => {
  await using run = await JobRun.create({ backoffLimit: 2 });
  const seconds: number[] = [];
  for (let failures = 0; failures < 3; failures += 1) {
    const since = run.cluster.clock.now();
    await run.cluster.advanceUntil(async () => (await run.active()).length > 0, '5m');
    seconds.push(Math.round((run.cluster.clock.now() - since) / 1000));
    await run.end(failed);
  }
  t.same(seconds, [0, 9, 19], 'one second after the failure the Job was synced');
  await run.cluster.advance('10m');
  const job = await run.job();
  t.equal(conditionsOf(job), 'FailureTarget=True BackoffLimitExceeded, Failed=True BackoffLimitExceeded');
  t.match(job.status, { failed: 3 });
  t.equal(job.status?.completionTime, undefined);
  t.equal((await run.events()).at(-1), 'Warning BackoffLimitExceeded: Job has reached the specified backoff limit');
});

t.test('a deadline ends a Job, deletes its pods and counts them as failed', async (t) => {
  await using run = await JobRun.create({ parallelism: 2, completions: 2, activeDeadlineSeconds: 30 });
  await run.cluster.advance(29_000);
  t.equal((await run.active()).length, 2);
  await run.cluster.advance(2000);
  t.equal((await run.active()).length, 0);
  await run.cluster.advance(2000);
  t.match((await run.job()).status, { failed: 2, terminating: 0 });
  t.equal(conditionsOf(await run.job()), 'FailureTarget=True DeadlineExceeded, Failed=True DeadlineExceeded');
});

t.test('a suspended Job has no pods, and its deadline starts when it is resumed', async (t) => {
  await using run = await JobRun.create({ parallelism: 2, activeDeadlineSeconds: 60 });
  await run.cluster.advance(50_000);
  await run.change({ suspend: true });
  await run.cluster.advance(2000);
  t.equal((await run.pods()).length, 0);
  const suspended = await run.job();
  t.equal(conditionsOf(suspended), 'Suspended=True JobSuspended');
  t.equal(suspended.status?.startTime, undefined);
  t.notOk(suspended.status?.failed, 'pods that were deleted for it do not count as failed');
  await run.cluster.advance('10m');
  await run.change({ suspend: false });
  await run.cluster.advance(50_000);
  t.equal((await run.active()).length, 2);
  t.equal(conditionsOf(await run.job()), 'Suspended=False JobResumed');
  t.same(
    (await run.events()).filter((event) => /Suspended|Resumed/.test(event)),
    ['Normal Suspended: Job suspended', 'Normal Resumed: Job resumed'],
  );
  await run.cluster.advance(12_000);
  t.match(conditionsOf(await run.job()), /Failed=True DeadlineExceeded/);
});

t.test('pods of an Indexed Job have their index, and completed indexes are listed', async (t) => {
  await using run = await JobRun.create({ completions: 4, parallelism: 3, completionMode: 'Indexed' });
  const [first] = await run.active();
  t.match(first, {
    metadata: {
      name: /^j-0-.{5}$/,
      annotations: { 'batch.kubernetes.io/job-completion-index': '0' },
      labels: { 'batch.kubernetes.io/job-completion-index': '0' },
      finalizers: ['batch.kubernetes.io/job-tracking'],
    },
    spec: {
      hostname: 'j-0',
      containers: [
        {
          env: [
            {
              name: 'JOB_COMPLETION_INDEX',
              valueFrom: { fieldRef: { fieldPath: "metadata.labels['batch.kubernetes.io/job-completion-index']" } },
            },
          ],
        },
      ],
    },
  });
  await run.end(succeeded, 2);
  await run.cluster.advance(1000);
  t.match((await run.job()).status, { completedIndexes: '0,1', succeeded: 2, active: 2 });
  await run.change({ completions: 2, parallelism: 2 });
  await run.cluster.advance(3000);
  t.match((await run.job()).status, { completedIndexes: '0,1', succeeded: 2 });
  t.match(conditionsOf(await run.job()), /Complete=True/);
});

t.test('each index has its own back-off limit, and enough failed indexes fail the Job', async (t) => {
  await using run = await JobRun.create({
    completions: 3,
    parallelism: 3,
    completionMode: 'Indexed',
    backoffLimitPerIndex: 1,
    maxFailedIndexes: 1,
  });
  const failAll = async (index: number): Promise<void> => {
    const { client, clock } = run.cluster;
    for (const each of await run.active())
      if (each.metadata.labels?.['batch.kubernetes.io/job-completion-index'] === `${index}`)
        await setPod(client, each, clock.now(), failed);
    await run.cluster.advance(1000);
  };
  await failAll(1);
  await run.cluster.advance(12_000);
  const replacement = (await run.active()).find(({ metadata }) => metadata.name.startsWith('j-1-'));
  t.equal(replacement?.metadata.annotations?.['batch.kubernetes.io/job-index-failure-count'], '1');
  await failAll(1);
  t.match((await run.job()).status, { failedIndexes: '1', failed: 2 });
  t.equal((await run.active()).length, 2, 'a failed index is not replaced');
  await failAll(0);
  await run.cluster.advance(12_000);
  await failAll(0);
  await run.cluster.advance(3000);
  t.match((await run.job()).status, { failedIndexes: '0,1' });
  t.match(conditionsOf(await run.job()), /Failed=True MaxFailedIndexesExceeded/);
});

t.test('a failure policy fails the Job at once, or ignores the failure', async (t) => {
  await using run = await JobRun.create({
    backoffLimit: 0,
    podFailurePolicy: {
      rules: [
        { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
        { action: 'FailJob', onExitCodes: { operator: 'In', values: [42] } },
      ],
    },
  });
  await run.end({ ...failed, conditions: [{ type: 'DisruptionTarget', status: 'True' }] });
  await run.cluster.advance(12_000);
  t.notOk((await run.job()).status?.failed);
  t.equal((await run.active()).length, 1);
  await run.end({ ...failed, exitCode: 42 });
  await run.cluster.advance(2000);
  t.match(conditionsOf(await run.job()), /Failed=True PodFailurePolicy/);
});

t.test('replacements wait for the end of terminating pods only if the policy says so', async (t) => {
  for (const podReplacementPolicy of ['Failed', 'TerminatingOrFailed'] as const) {
    await using run = await JobRun.create({ podReplacementPolicy });
    const { client } = run.cluster;
    const [victim] = await run.active();
    t.ok(victim);
    await client
      .kind('v1', 'Pod')
      .in('default')
      .delete(victim?.metadata.name ?? '');
    await run.cluster.advance(30_000);
    t.equal((await run.active()).length, podReplacementPolicy === 'Failed' ? 0 : 1);
  }
});

t.test('a Job of another controller is left alone', async (t) => {
  await using run = await JobRun.create({ managedBy: 'example.com/other' });
  await run.cluster.advance(10_000);
  t.equal((await run.pods()).length, 0);
  t.same((await run.job()).status, {});
});

t.test('pods that no Job will count lose their finalizer', async (t) => {
  await using run = await JobRun.create({});
  const { client } = run.cluster;
  const [member] = await run.pods();
  const { name = '' } = member?.metadata ?? {};
  await client.kind('batch/v1', 'Job').in('default').delete('j', { propagationPolicy: 'Orphan' });
  await client
    .kind('batch/v1', 'Job')
    .in('default')
    .patch('j', { merge: { metadata: { finalizers: null } } });
  await run.cluster.advance(2000);
  t.same((await client.kind('v1', 'Pod').in('default').get(name)).metadata.finalizers, undefined);
  const created = await client
    .kind('v1', 'Pod')
    .in('default')
    .create({
      metadata: { name: 'alone', finalizers: ['batch.kubernetes.io/job-tracking', 'example.com/mine'] },
      spec: template.spec,
    });
  await run.cluster.advance(2000);
  t.same((await client.kind('v1', 'Pod').in('default').get(created.metadata.name)).metadata.finalizers, [
    'example.com/mine',
  ]);
});

t.test('restarts in place count towards the back-off limit', async (t) => {
  await using run = await JobRun.create({
    backoffLimit: 2,
    template: { spec: { ...template.spec, restartPolicy: 'OnFailure' } },
  });
  const { client } = run.cluster;
  const [member] = await run.active();
  const restarts = async (restartCount: number): Promise<void> => {
    const container = { name: 'c', image: 'i', imageID: '', ready: false, restartCount };
    const status = { phase: 'Running' as const, containerStatuses: [container] };
    await client
      .kind('v1', 'Pod')
      .in('default')
      .status.patch(member?.metadata.name ?? '', { merge: { status } });
    await run.cluster.advance(2000);
  };
  await restarts(1);
  t.equal(conditionsOf(await run.job()), '');
  await restarts(2);
  t.match(conditionsOf(await run.job()), /BackoffLimitExceeded/);
});
