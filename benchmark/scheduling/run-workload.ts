// One workload through the real API in process: pods are created, seen by the scheduler's watch, placed, bound, and
// seen again. The measurement lasts from the first create request to the last binding; creates do not wait for each
// other. Everything shares one thread.
import { priorityAdmission } from '../../lib/admission/index.js';
import { administrator } from '../../lib/auth/index.js';
import { inProcessClient } from '../../lib/client/index.js';
import type { Client } from '../../lib/client/index.js';
import { random } from '../../lib/core/index.js';
import type { SchedulerActivity, SchedulerOptions } from '../../lib/scheduling/public.js';
import { createScheduler } from '../../lib/scheduling/public.js';
import { createServer } from '../../lib/server/index.js';
import { memoryStore } from '../../lib/storage/index.js';
import { claimDevice, nameDevices, offerDevices } from './devices.js';
import { highPods, impossiblePods, nodes, pods } from './templates.js';
import { bindVolume, limitVolumes } from './volumes.js';
import type { Batch, Workload } from './workloads.js';

/** What came of it. */
export interface WorkloadResult {
  readonly perSecond: number;
  /** The same until all Events about them are kept too, which the scheduler is in no hurry to write. */
  readonly perSecondTold: number;
  /** The scheduler's own part: from taking a pod up to having a node, in microseconds. */
  readonly microsecondsToPlace: number;
  /** What one pod costs the process in all: creating, watching, placing, binding and telling of it. */
  readonly microsecondsOfProcess: number;
}

/** Runs a workload on a server of its own. `placing` chooses how the scheduler searches nodes. */
export async function runWorkload(
  workload: Workload,
  placing: SchedulerOptions['placing'] = 'fast',
): Promise<WorkloadResult> {
  const store = memoryStore();
  const server = createServer({ store, random: random('benchmark'), admission: (tools) => [priorityAdmission(tools)] });
  const client = inProcessClient(server.handler, { user: administrator });
  const scheduler = createScheduler({ client, random: random('benchmark'), placing });
  const counts = new Counts();
  await prepare(client, workload);
  const running = scheduler.run().subscribe((attempt) => counts.add(attempt));
  try {
    for (const batch of workload.before) await createAll(client, batch);
    await counts.reached('bound', total(workload.before));
    if (workload.waiting !== undefined) {
      await createAll(client, workload.waiting);
      await counts.reached('unschedulable', workload.waiting.count);
    }
    // Pending Events of earlier pods must not slow down the measured ones.
    await eventsWritten(client, total(workload.before) + (workload.waiting?.count ?? 0));
    const placed = placingTime(scheduler.metrics());
    const bound = counts.of('bound');
    const cpu = process.cpuUsage();
    const start = performance.now();
    const churn = meanwhile(client, workload);
    await createAll(client, workload.measured);
    await counts.reached('bound', bound + workload.measured.count);
    const seconds = (performance.now() - start) / 1000;
    churn.stop();
    await eventsWritten(client, counts.of('bound') + counts.of('unschedulable') + counts.of('preempted'));
    const secondsTold = (performance.now() - start) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    const after = placingTime(scheduler.metrics());
    return {
      perSecond: workload.measured.count / seconds,
      perSecondTold: workload.measured.count / secondsTold,
      microsecondsToPlace: ((after.seconds - placed.seconds) / (after.count - placed.count)) * 1e6,
      microsecondsOfProcess: (user + system) / workload.measured.count,
    };
  } finally {
    running.unsubscribe();
    await server.close();
    await store.close();
  }
}

/** Waits until there are at least so many Events. */
async function eventsWritten(client: Client, count: number): Promise<void> {
  for (;;) {
    const { items, remainingItemCount = 0 } = await client.kind('events.k8s.io/v1', 'Event').list({ limit: 1 });
    if (items.length + remainingItemCount >= count) return;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** How often each kind of thing happened, and waiting for it. */
class Counts {
  readonly #counts = new Map<string, number>();
  readonly #waiting: { readonly type: string; readonly count: number; readonly done: () => void }[] = [];

  add(attempt: SchedulerActivity): void {
    const { type } = attempt;
    // Pods that fit nowhere may be tried again; they count once.
    if (attempt.type === 'unschedulable' && attempt.attempts > 1) return;
    this.#counts.set(type, this.of(type) + 1);
    const [first] = this.#waiting;
    if (first !== undefined && this.of(first.type) >= first.count) this.#waiting.shift()?.done();
  }

  of(type: string): number {
    return this.#counts.get(type) ?? 0;
  }

  reached(type: SchedulerActivity['type'], count: number): Promise<void> {
    if (this.of(type) >= count) return Promise.resolve();
    return new Promise((done) => this.#waiting.push({ type, count, done }));
  }
}

async function prepare(
  client: Client,
  { nodes: template, nodeCount, teams = [], service = false, volumes, devices = false, before, measured }: Workload,
): Promise<void> {
  for (const name of ['sched-0', 'sched-1']) await client.kind('v1', 'Namespace').create({ metadata: { name } });
  for (const name of teams)
    await client.kind('v1', 'Namespace').create({ metadata: { name, labels: { team: 'devops' } } });
  if (service)
    await client.kind('v1', 'Service').create({
      metadata: { name: 'foo', namespace: 'sched-1' },
      spec: { ports: [{ port: 80 }], selector: { app: 'foo' } },
    });
  await client.kind('scheduling.k8s.io/v1', 'PriorityClass').create({ metadata: { name: 'high' }, value: 10 });
  const all = client.kind('v1', 'Node');
  for (let index = 0; index < nodeCount; index += 1) {
    const node = template(index);
    await all.create(node);
    await all.status.patch(`node-${index}`, { merge: { status: node.status ?? {} } });
    if (volumes === 'csi') await limitVolumes(client, `node-${index}`);
    if (devices) await offerDevices(client, `node-${index}`);
  }
  if (devices) await nameDevices(client);
  if (volumes === undefined && !devices) return;
  for (const { template: podTemplate, count } of [...before, measured]) {
    for (let index = 0; index < count; index += 1) {
      const pod = podTemplate(index);
      if (volumes !== undefined) await bindVolume(client, pod, volumes);
      if (devices) await claimDevice(client, pod);
    }
  }
}

/** A few requests at a time, as a client with several connections. */
async function createAll(client: Client, { template, count }: Batch): Promise<void> {
  const all = client.kind('v1', 'Pod');
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await all.create(template(next++));
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}

function total(batches: readonly Batch[]): number {
  return batches.reduce((sum, { count }) => sum + count, 0);
}

/**
 * Pods that fit nowhere, or only where others leave, five a second; or a node, a pod and a Service that come and go.
 */
function meanwhile(client: Client, { meanwhile: what }: Workload): { stop(): void } {
  if (what === undefined) return { stop: () => undefined };
  const all = client.kind('v1', 'Pod');
  let count = 0;
  const churn = async (): Promise<void> => {
    const [node, pod] = [nodes()(100_000 + count), pods({ prefix: 'churn' })(count)];
    const service = {
      metadata: { name: `churn-${count}`, namespace: 'sched-1' },
      spec: { ports: [{ port: 80 }], selector: { app: 'churn' } },
    };
    count += 1;
    await Promise.all([
      client.kind('v1', 'Node').create(node),
      all.create(pod),
      client.kind('v1', 'Service').create(service),
    ]);
    const inNamespace = (name: string): { name: string; namespace: string } => ({ name, namespace: 'sched-1' });
    await Promise.all([
      client.kind('v1', 'Node').delete(node.metadata?.name ?? ''),
      all.delete(inNamespace(pod.metadata?.name ?? ''), { gracePeriodSeconds: 0 }),
      client.kind('v1', 'Service').delete(inNamespace(service.metadata.name)),
    ]);
  };
  const others = what === 'high pods' ? highPods : impossiblePods;
  const timer =
    what === 'churn' ? setInterval(() => void churn(), 1000) : setInterval(() => void all.create(others(count++)), 200);
  return { stop: () => clearInterval(timer) };
}

/** How long placing took so far, and how often. */
function placingTime(metrics: string): { readonly seconds: number; readonly count: number } {
  const read = (suffix: string): number =>
    Number(new RegExp(`^scheduler_scheduling_algorithm_duration_seconds_${suffix} (.+)$`, 'm').exec(metrics)?.[1] ?? 0);
  return { seconds: read('sum'), count: read('count') };
}
