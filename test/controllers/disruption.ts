// The disruption controller: what a PodDisruptionBudget counts and reports, and that no budget is ever exceeded through
// the eviction subresource.
import t from 'tap';
import { assessBudget } from '../../lib/controllers/disruption/budget-status.js';
import { disruption } from '../../lib/controllers/index.js';
import { isApiError, printTime } from '../../lib/core/index.js';
import type { IntOrString } from '../../lib/core/index.js';
import type { OwnerReference, Pod, PodDisruptionBudget, PodDisruptionBudgetSpec } from '../../lib/core/types/index.js';
import { FaultyControllers } from '../support/faulty-controllers.js';
import { fc, runs } from '../support/properties.js';

const controllers = [{ account: 'disruption-controller', create: disruption }];
const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };

const start = (): Promise<FaultyControllers> => FaultyControllers.start(controllers);

/** Creates a pod that runs, and is ready unless said otherwise. */
async function runPod(
  { client, cluster }: FaultyControllers,
  name: string,
  {
    isReady = true,
    owner,
    labels = { app: 'a' },
  }: { readonly isReady?: boolean; readonly owner?: OwnerReference; readonly labels?: Record<string, string> } = {},
): Promise<void> {
  const pods = client.kind('v1', 'Pod').in('default');
  const metadata = { name, labels, ...(owner && { ownerReferences: [owner] }) };
  await pods.create({ metadata, spec: { ...template.spec, nodeName: 'n' } });
  await setReady({ client, cluster } as FaultyControllers, name, isReady);
}

async function setReady({ client, cluster }: FaultyControllers, name: string, isReady: boolean): Promise<void> {
  const lastTransitionTime = printTime(cluster.clock.now());
  const conditions = [{ type: 'Ready', status: isReady ? ('True' as const) : ('False' as const), lastTransitionTime }];
  await client
    .kind('v1', 'Pod')
    .in('default')
    .status.patch(name, { strategic: { status: { phase: 'Running', conditions } } });
}

async function createBudget({ client }: FaultyControllers, spec: PodDisruptionBudgetSpec): Promise<void> {
  await client
    .kind('policy/v1', 'PodDisruptionBudget')
    .in('default')
    .create({ metadata: { name: 'b' }, spec: { selector: { matchLabels: { app: 'a' } }, ...spec } });
}

/** `2/1 of 3, 1 allowed, True SufficientPods`: healthy and desired, expected, allowed, and the condition. */
async function budgetState({ client, cluster }: FaultyControllers): Promise<string> {
  await cluster.settled();
  const { status } = await client.kind('policy/v1', 'PodDisruptionBudget').in('default').get('b');
  const condition = status?.conditions?.[0];
  return `${status?.currentHealthy ?? '-'}/${status?.desiredHealthy ?? '-'} of ${status?.expectedPods ?? '-'}, ${status?.disruptionsAllowed ?? '-'} allowed, ${condition?.status ?? '-'} ${condition?.reason ?? '-'}`;
}

function evict({ client }: FaultyControllers, name: string): Promise<unknown> {
  return client.kind('v1', 'Pod').in('default').eviction.create(name, { metadata: { name } });
}

async function refusal(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'allowed';
  } catch (error) {
    if (!isApiError(error)) throw error;
    return `${error.status.code ?? ''} ${error.status.details?.causes?.[0]?.message ?? error.message}`;
  }
}

t.test('a whole minAvailable counts the pods that exist', async (t) => {
  await using world = await start();
  for (const name of ['x', 'y']) await runPod(world, name);
  await runPod(world, 'z', { isReady: false });
  await createBudget(world, { minAvailable: 1 });
  t.equal(await budgetState(world), '2/1 of 3, 1 allowed, True SufficientPods');
  await setReady(world, 'y', false);
  t.equal(await budgetState(world), '1/1 of 3, 0 allowed, False InsufficientPods');
  t.same(world.failures, []);
});

t.test('maxUnavailable and percentages count the scales of controllers, rounded up', async (t) => {
  await using world = await start();
  const set = await world.client
    .kind('apps/v1', 'ReplicaSet')
    .in('default')
    .create({ metadata: { name: 'r' }, spec: { replicas: 5, selector: { matchLabels: { app: 'a' } }, template } });
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r', uid: set.metadata.uid, controller: true };
  for (const name of ['x', 'y', 'z']) await runPod(world, name, { owner });
  await createBudget(world, { maxUnavailable: '30%' });
  t.equal(await budgetState(world), '3/3 of 5, 0 allowed, False InsufficientPods');
  const budgets = world.client.kind('policy/v1', 'PodDisruptionBudget').in('default');
  await budgets.patch('b', { merge: { spec: { maxUnavailable: null, minAvailable: '21%' } } });
  t.equal(await budgetState(world), '3/2 of 5, 1 allowed, True SufficientPods');
  t.equal((await budgets.get('b')).status?.observedGeneration, 2);
  await budgets.patch('b', { merge: { spec: { minAvailable: null, maxUnavailable: 9 } } });
  t.equal(await budgetState(world), '3/0 of 5, 3 allowed, True SufficientPods');
});

t.test('pods of a Deployment count as the Deployment, whichever ReplicaSet they have', async (t) => {
  await using world = await start();
  const spec = { replicas: 4, selector: { matchLabels: { app: 'a' } }, template };
  const deployment = await world.client
    .kind('apps/v1', 'Deployment')
    .in('default')
    .create({ metadata: { name: 'd' }, spec });
  for (const name of ['old', 'new']) {
    const of = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd', uid: deployment.metadata.uid, controller: true };
    const set = await world.client
      .kind('apps/v1', 'ReplicaSet')
      .in('default')
      .create({ metadata: { name, ownerReferences: [of] }, spec: { ...spec, replicas: 3 } });
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name, uid: set.metadata.uid, controller: true };
    for (const each of ['x', 'y']) await runPod(world, `${name}-${each}`, { owner });
  }
  await createBudget(world, { maxUnavailable: '50%' });
  t.equal(await budgetState(world), '4/2 of 4, 2 allowed, True SufficientPods');
});

t.test(
  'a controller of another kind is scaled through its subresource, and one without scale is a failure',
  async (t) => {
    await using world = await start();
    const job = await world.client
      .kind('batch/v1', 'Job')
      .in('default')
      .create({
        metadata: { name: 'j' },
        spec: { template: { spec: { ...template.spec, restartPolicy: 'Never' } } },
      });
    const owner = { apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: job.metadata.uid, controller: true };
    await runPod(world, 'x', { owner });
    await createBudget(world, { maxUnavailable: 1 });
    t.equal(await budgetState(world), '0/0 of 0, 0 allowed, False SyncFailed');
    t.same(await world.events('b'), [
      'Warning CalculateExpectedPodCountFailed: Failed to calculate the number of expected pods: jobs.batch does not implement the scale subresource',
    ]);
    t.match(await refusal(evict(world, 'x')), /^429 .*still being processed/);
  },
);

t.test('what is odd about a budget is recorded as Events', async (t) => {
  await using world = await start();
  await createBudget(world, { maxUnavailable: 1 });
  await world.cluster.settled();
  t.same(await world.events('b'), ['Normal NoPods: No matching pods found']);
  await runPod(world, 'x');
  t.equal(await budgetState(world), '1/0 of 0, 0 allowed, False InsufficientPods');
  t.match(
    (await world.events('b'))[1],
    /^Warning UnmanagedPods: .*\(selector: &LabelSelector\{MatchLabels:map\[string\]/,
  );
  await world.client
    .kind('policy/v1', 'PodDisruptionBudget')
    .in('default')
    .create({ metadata: { name: 'c' }, spec: { minAvailable: 0, selector: {} } });
  await setReady(world, 'x', false);
  await world.cluster.settled();
  t.same(await world.events('x'), [
    'Warning MultiplePodDisruptionBudgets: Pod "default"/"x" matches multiple PodDisruptionBudgets.  Chose "b" arbitrarily.',
  ]);
  t.match(await refusal(evict(world, 'x')), /more than one PodDisruptionBudget/);
});

t.test('an evicted pod that is not deleted counts again after two minutes', async (t) => {
  await using world = await start();
  for (const name of ['x', 'y']) await runPod(world, name);
  await createBudget(world, { minAvailable: 1 });
  await world.cluster.settled();
  const disruptedPods = { x: printTime(world.cluster.clock.now()) };
  const budgets = world.client.kind('policy/v1', 'PodDisruptionBudget').in('default');
  await budgets.status.patch('b', { merge: { status: { disruptionsAllowed: 0, disruptedPods } } });
  t.equal(await budgetState(world), '1/1 of 2, 0 allowed, False InsufficientPods');
  await world.cluster.advance('2m');
  t.equal(await budgetState(world), '1/1 of 2, 0 allowed, False InsufficientPods');
  await world.cluster.advance(1);
  t.equal(await budgetState(world), '2/1 of 2, 1 allowed, True SufficientPods');
  t.equal((await budgets.get('b')).status?.disruptedPods, undefined);
  t.same(await world.events('x'), [
    "Warning NotDeleted: Pod was expected by PDB default/default to be deleted but it wasn't",
  ]);
});

t.test('a pod that was announced to be deleted and lives on loses the announcement after two minutes', async (t) => {
  await using world = await start();
  const pods = world.client.kind('v1', 'Pod').in('default');
  const announce = (name: string, reason: string): Promise<unknown> => {
    const lastTransitionTime = printTime(world.cluster.clock.now());
    const conditions = [
      { type: 'DisruptionTarget', status: 'True' as const, reason, message: 'm', lastTransitionTime },
    ];
    return pods.status.patch(name, { strategic: { status: { conditions } } });
  };
  for (const name of ['x', 'y']) await runPod(world, name);
  await announce('x', 'PreemptionByScheduler');
  await announce('y', 'TerminationByKubelet');
  const conditionOf = async (name: string): Promise<unknown> =>
    (await pods.get(name)).status?.conditions?.find(({ type }) => type === 'DisruptionTarget');
  await world.cluster.advance(119_999);
  t.match(await conditionOf('x'), { status: 'True' });
  await world.cluster.advance(1);
  t.strictSame(await conditionOf('x'), {
    type: 'DisruptionTarget',
    status: 'False',
    observedGeneration: 1,
    lastTransitionTime: printTime(world.cluster.clock.now()),
  });
  t.match(await conditionOf('y'), { status: 'True' });
});

t.test('a cluster without budgets sets no timer', async (t) => {
  await using world = await start();
  await runPod(world, 'x');
  await world.cluster.advance('30d');
  t.same(world.writes, []);
});

t.test('a budget has the status that its pods imply, whatever it had before', (t) => {
  const pod = fc.record({
    isReady: fc.boolean(),
    isDeleted: fc.boolean(),
    evictedSecondsAgo: fc.option(fc.integer({ min: 0, max: 300 }), { nil: undefined }),
  });
  const nowMs = 1_000_000_000;
  fc.assert(
    fc.property(
      fc.array(pod, { maxLength: 8 }),
      fc.nat(8),
      fc.nat(8),
      fc.boolean(),
      (drawn, expected, desired, before) => {
        const pods = drawn.map(({ isReady, isDeleted }, index): Pod => ({
          metadata: { name: `p${index}`, ...(isDeleted && { deletionTimestamp: printTime(nowMs) }) },
          status: { conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] },
        }));
        const disrupted = drawn.flatMap(({ evictedSecondsAgo: ago }, index) =>
          ago === undefined ? [] : [[`p${index}`, printTime(nowMs - ago * 1000)] as const],
        );
        const budget: PodDisruptionBudget = {
          metadata: { name: 'b', generation: 3 },
          status: { disruptedPods: Object.fromEntries(disrupted), ...(before && { disruptionsAllowed: 5 }) },
        };
        const { status, recheckAtMs } = assessBudget(budget, { pods, expected, desiredHealthy: desired, nowMs });
        const isAwaited = ({ isDeleted, evictedSecondsAgo: ago = Infinity }: (typeof drawn)[number]): boolean =>
          !isDeleted && ago <= 120;
        const healthy = drawn.filter((each) => each.isReady && !each.isDeleted && !isAwaited(each)).length;
        const allowed = expected === 0 ? 0 : Math.max(0, healthy - desired);
        if (status?.currentHealthy !== healthy || status.disruptionsAllowed !== allowed) throw new Error('miscounted');
        if ((recheckAtMs !== undefined) !== drawn.some(isAwaited)) throw new Error('awaits nothing, or forever');
        const after = assessBudget({ ...budget, status }, { pods, expected, desiredHealthy: desired, nowMs });
        if (after.status !== undefined) throw new Error('not settled');
      },
    ),
    { numRuns: runs(2000) },
  );
  t.end();
});

t.test('no budget is exceeded through the eviction API, whatever fails and however many evict at once', async (t) => {
  const action = fc.record({
    afterMs: fc.nat(40_000),
    what: fc.constantFrom('evict', 'evict', 'evict', 'vanish', 'unready', 'ready', 'add', 'budget' as const),
    pods: fc.uniqueArray(fc.nat(5), { minLength: 1, maxLength: 4 }),
    limit: fc.constantFrom<IntOrString>(0, 1, 2, 3, '50%', '34%'),
  });
  let evicted = 0;
  let refused = 0;
  let crashes = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 4, maxLength: 14 }), fc.nat(), async (actions, seed) => {
      await using world = await FaultyControllers.start(controllers, { seed });
      const { client, cluster } = world;
      const set = await client
        .kind('apps/v1', 'ReplicaSet')
        .in('default')
        .create({ metadata: { name: 'r' }, spec: { replicas: 6, selector: { matchLabels: { app: 'a' } }, template } });
      const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r', uid: set.metadata.uid, controller: true };
      const pods = client.kind('v1', 'Pod').in('default');
      const budgets = client.kind('policy/v1', 'PodDisruptionBudget').in('default');
      for (let index = 0; index < 6; index++) await runPod(world, `p${index}`, { owner });
      await createBudget(world, { minAvailable: 3 });
      await cluster.settled();
      world.isFaulty = true;
      for (const { afterMs, what, pods: chosen, limit } of actions) {
        await cluster.advance(afterMs);
        if (what === 'evict') {
          const limitBefore = (await budgets.get('b')).spec?.minAvailable ?? 0;
          const readyBefore = await readyPods(world);
          const results = await Promise.all(chosen.map((index) => refusal(evict(world, `p${index}`))));
          const done = chosen.filter((_, index) => results[index] === 'allowed');
          evicted += done.length;
          refused += results.length - done.length;
          // Pods that were not ready may go as long as enough others are.
          const left = (await readyPods(world)).length;
          const desired = typeof limitBefore === 'number' ? limitBefore : Math.ceil((parseInt(limitBefore) * 6) / 100);
          if (left < readyBefore.length && left < desired)
            throw new Error(`${left} pods are left, ${desired} are required`);
        } else if (what === 'budget') await budgets.patch('b', { merge: { spec: { minAvailable: limit } } });
        else
          for (const index of chosen) {
            const name = `p${index}`;
            const call =
              what === 'vanish'
                ? vanish(world, name)
                : what === 'add'
                  ? runPod(world, name, { owner })
                  : setReady(world, name, what === 'ready');
            await call.catch((error: unknown) => {
              if (!isApiError(error)) throw error;
            });
          }
        // What happens to pods by itself is no eviction: a budget protects from evictions only what its status knows.
        if (what === 'unready')
          await cluster.advanceUntil(async () => {
            const { currentHealthy = 0 } = (await budgets.get('b')).status ?? {};
            return currentHealthy <= (await readyPods(world)).length;
          });
      }
      crashes += world.crashes;
      await world.heal(200_000);
      const { items } = await pods.list();
      const { spec, status } = await budgets.get('b');
      const ready = (await readyPods(world)).length;
      const minAvailable = spec?.minAvailable ?? 0;
      const expected = typeof minAvailable === 'number' ? items.length : items.length === 0 ? 0 : 6;
      const desired =
        typeof minAvailable === 'number' ? minAvailable : Math.ceil((parseInt(minAvailable) * expected) / 100);
      const allowed = expected === 0 ? 0 : Math.max(0, ready - desired);
      const found = [status?.currentHealthy, status?.desiredHealthy, status?.expectedPods, status?.disruptionsAllowed];
      if (found.join() !== [ready, desired, expected, allowed].join())
        throw new Error(`the status is ${found.join()}, not ${[ready, desired, expected, allowed].join()}`);
      if (status?.disruptedPods !== undefined) throw new Error('entries are left');
      if (world.failures.length > 0) throw new Error('a failure that was not injected', { cause: world.failures });
    }),
    { numRuns: runs(200) },
  );
  t.ok(evicted > 0 && refused > 0 && crashes > 0, `${evicted} evicted, ${refused} refused, ${crashes} crashes`);
});

/** Pods that count as healthy. */
async function readyPods({ client }: FaultyControllers): Promise<readonly string[]> {
  const { items } = await client.kind('v1', 'Pod').in('default').list();
  return items
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .filter(({ status }) => status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'))
    .map(({ metadata }) => metadata.name);
}

/** Ends a pod that is being deleted, as a kubelet would. */
async function vanish({ client }: FaultyControllers, name: string): Promise<void> {
  const pods = client.kind('v1', 'Pod').in('default');
  const pod = await pods.get(name);
  if (pod.metadata.deletionTimestamp !== undefined) await pods.delete(name, { gracePeriodSeconds: 0 });
}
