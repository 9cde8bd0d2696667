// A cluster with the controllers of Jobs on a virtual clock and without nodes: pods run, succeed and fail when a test
// says so.
import type { Client, Stored } from '../../lib/client/index.js';
import { isPodActive, printTime, random, virtualClock } from '../../lib/core/index.js';
import type { VirtualClock } from '../../lib/core/index.js';
import type { ContainerStatus, Job, JobSpec, Pod, PodCondition, PodStatus } from '../../lib/core/types/index.js';
import { createCluster } from '../../lib/index.js';
import type { Cluster } from '../../lib/index.js';

/** The pod template of Jobs. */
export const template = {
  spec: { restartPolicy: 'Never' as const, containers: [{ name: 'c', image: 'i' }] },
};

/** Creates the cluster. */
export async function jobCluster(controllers = ['job-controller']): Promise<Cluster<VirtualClock>> {
  return await createCluster({
    clock: virtualClock(),
    random: random(1),
    scheduler: false,
    controllers: ['serviceaccount-controller', ...controllers],
  });
}

/** Creates a Job; what is not given is that of the template. */
export async function createJob(client: Client, name: string, spec: Partial<JobSpec> = {}): Promise<Stored<Job>> {
  return await client
    .kind('batch/v1', 'Job')
    .in('default')
    .create({ metadata: { name }, spec: { template, ...spec } });
}

/** The pods of a Job, oldest first; those that have ended too. */
export async function podsOf(client: Client, job: string): Promise<readonly Stored<Pod>[]> {
  const { items } = await client
    .kind('v1', 'Pod')
    .in('default')
    .list({ labelSelector: `batch.kubernetes.io/job-name=${job}` });
  return items.toSorted((one, other) => Number(one.metadata.resourceVersion) - Number(other.metadata.resourceVersion));
}

/** The pods that run. */
export async function activePodsOf(client: Client, job: string): Promise<readonly Stored<Pod>[]> {
  return (await podsOf(client, job)).filter(isPodActive);
}

/** What a pod becomes. */
export interface PodEnd {
  readonly phase: NonNullable<PodStatus['phase']>;
  readonly exitCode?: number;
  readonly conditions?: readonly PodCondition[];
  readonly isReady?: boolean;
}

/** Writes the status of a pod as a kubelet does. */
export async function setPod(
  client: Client,
  { metadata }: Stored<Pod>,
  nowMs: number,
  { phase, exitCode = phase === 'Succeeded' ? 0 : 1, conditions = [], isReady = false }: PodEnd,
): Promise<void> {
  const now = printTime(nowMs);
  const state: ContainerStatus['state'] =
    phase === 'Running' ? { running: { startedAt: now } } : { terminated: { exitCode, finishedAt: now } };
  const container = { name: 'c', image: 'i', imageID: '', ready: isReady, restartCount: 0, state };
  const ready: PodCondition = { type: 'Ready', status: isReady ? 'True' : 'False', lastTransitionTime: now };
  await client
    .kind('v1', 'Pod')
    .in('default')
    .status.patch(metadata.name, {
      merge: { status: { phase, containerStatuses: [container], conditions: [...conditions, ready] } },
    });
}

/** `Complete=True CompletionsReached`: the conditions of a Job in a line. */
export function conditionsOf({ status }: Stored<Job>): string {
  return (status?.conditions ?? []).map((each) => `${each.type}=${each.status} ${each.reason ?? ''}`).join(', ');
}

/** `Normal Completed: Job completed`: the Events about an object, oldest first. */
export async function eventsOf(client: Client, name: string): Promise<readonly string[]> {
  const { items } = await client
    .kind('v1', 'Event')
    .in('default')
    .list({ fieldSelector: `involvedObject.name=${name}` });
  return items
    .toSorted((one, other) => Number(one.metadata.resourceVersion) - Number(other.metadata.resourceVersion))
    .map(({ type, reason, message }) => `${type ?? ''} ${reason ?? ''}: ${message ?? ''}`);
}
