// Random histories of workloads: whatever fails meanwhile, limits hold at every revision and the end is what the specs
// demand, twice the same. Those of the garbage collector are in garbage-histories.ts; disruption, endpoints,
// namespaces and volumes have theirs in their own files.
import t from 'tap';
import type { Stored } from '../../lib/client/index.js';
import {
  daemonSets,
  deployments,
  jobs,
  persistentVolumes,
  replicaSets,
  statefulSets,
} from '../../lib/controllers/index.js';
import { maxSurge, maxUnavailable } from '../../lib/controllers/deployments/rolling-update.js';
import { controllerOf, isPodActive, isPodReady, isTerminating } from '../../lib/core/index.js';
import type { Job, Pod, PodTemplateSpec } from '../../lib/core/types/index.js';
import { testHistories } from '../support/controller-histories.js';
import type { Family, History, Plot } from '../support/controller-histories.js';
import { neverReady } from '../support/simulated-kubelet.js';

const images = ['a', 'b', 'c'] as const;

/** A template; the image `bad` never becomes ready. */
function template(app: string, image: string): PodTemplateSpec {
  const annotations = image === 'bad' ? { annotations: { [neverReady]: 'true' } } : {};
  return {
    metadata: { labels: { app }, ...annotations },
    spec: { containers: [{ name: 'c', image }], terminationGracePeriodSeconds: 1 },
  };
}

function imageOf({
  spec,
}: {
  readonly spec?: { readonly containers: readonly { readonly image?: string }[] };
}): string {
  return spec?.containers[0]?.image ?? '';
}

/** Replaces the image of a workload, and with it the annotation. */
function imagePatch(image: string) {
  const metadata = { annotations: { [neverReady]: image === 'bad' ? 'true' : null } };
  return { merge: { spec: { template: { metadata, spec: { containers: [{ name: 'c', image }] } } } } };
}

/** A pod that failed, as a kubelet reports it. */
const failedStatus = {
  merge: { status: { phase: 'Failed', conditions: [{ type: 'Ready', status: 'False' }] } },
} as const;

const isOwnedBy = (pod: Stored<Pod>, { metadata }: { readonly metadata: { readonly uid: string } }): boolean =>
  controllerOf(pod)?.uid === metadata.uid;
const isServing = (pod: Stored<Pod>): boolean => isPodReady(pod) && isPodActive(pod);

/** Deployments. A calm history has rollouts only: then pods stay within the limits at every revision. */
function deploymentPlot({ client, random, objects, anyName, world }: History): Plot {
  const isCalm = random.integer(2) === 0;
  const surge = random.integer(3);
  const rollingUpdate = { maxSurge: surge, maxUnavailable: surge === 0 ? 1 : random.integer(3) };
  const web = client.kind('apps/v1', 'Deployment').in('default');
  const podClient = client.kind('v1', 'Pod').in('default');
  const deploymentNow = () => objects('Deployment')[0];
  const pods = () => objects('Pod');
  const sets = () => objects('ReplicaSet');
  let wasComplete = false;
  const actions = [
    () => web.patch('web', imagePatch(random.pick([...images, 'bad']))),
    () => web.patch('web', imagePatch(random.pick(images))),
    () => web.patch('web', { merge: { spec: { paused: random.integer(3) === 0 } } }),
    () => web.patch('web', { merge: { spec: { replicas: random.integer(7) } } }),
    () => podClient.delete(anyName('Pod')),
    () => podClient.status.patch(anyName('Pod'), failedStatus),
    () =>
      client
        .kind('apps/v1', 'ReplicaSet')
        .in('default')
        .patch(anyName('ReplicaSet'), { merge: { spec: { replicas: random.integer(6) } } }),
  ];
  return {
    begin: async () => {
      const selector = { matchLabels: { app: 'web' } };
      const strategy = { type: 'RollingUpdate' as const, rollingUpdate };
      const spec = { replicas: 1 + random.integer(5), selector, strategy, revisionHistoryLimit: 2 };
      await web.create({ metadata: { name: 'web' }, spec: { ...spec, template: template('web', 'a') } });
      if (isCalm) await world.cluster.advance('1m');
    },
    act: async () => {
      await random.pick(isCalm ? actions.slice(0, 3) : actions)();
    },
    check: ({ kind, before, now }) => {
      const deployment = deploymentNow();
      if (deployment === undefined) return undefined;
      if (kind === 'Pod' && before === undefined && now !== undefined) {
        const set = sets().find(({ metadata }) => controllerOf(now)?.uid === metadata.uid);
        const active = set === undefined ? 0 : pods().filter((pod) => isOwnedBy(pod, set) && isPodActive(pod)).length;
        const isObserved = set?.status?.observedGeneration === set?.metadata.generation;
        if (isObserved && active > (set?.spec?.replicas ?? 0))
          return `${active} pods of ${set?.metadata.name}, which demands ${set?.spec?.replicas}`;
      }
      const replicas = deployment.spec?.replicas ?? 0;
      wasComplete ||= deployment.status?.availableReplicas === replicas;
      if (!isCalm || !wasComplete) return undefined;
      // Kubernetes counts what ReplicaSets demand: a set that was reduced may still have the pods that it is to delete.
      const demanded = sets().reduce((sum, { spec }) => sum + (spec?.replicas ?? 0), 0);
      const serving = pods().filter(isServing).length;
      const [most, least] = [replicas + maxSurge(deployment), replicas - maxUnavailable(deployment)];
      if (demanded > most) return `${demanded} pods are demanded, more than ${most}`;
      return serving < least ? `${serving} pods serve, fewer than ${least}` : undefined;
    },
    end: async () => {
      await web.patch('web', { merge: { spec: { paused: false } } });
      await web.patch('web', imagePatch('c'));
      await world.cluster.advance('10m');
      const { spec, status, metadata } = await web.get('web');
      const replicas = spec?.replicas ?? 0;
      const current = sets().filter((set) => (set.spec?.replicas ?? 0) > 0);
      return [
        ...demand('ReplicaSets with replicas', current.length, Math.min(1, replicas)),
        ...demand('serving pods', pods().filter((pod) => isServing(pod) && imageOf(pod) === 'c').length, replicas),
        ...demand('active pods', pods().filter(isPodActive).length, replicas),
        ...demand('updatedReplicas', status?.updatedReplicas ?? 0, replicas),
        ...demand('availableReplicas', status?.availableReplicas ?? 0, replicas),
        ...demand('observedGeneration', status?.observedGeneration, metadata.generation),
        ...(sets().length > 4 ? [`${sets().length} ReplicaSets are kept`] : []),
      ];
    },
  };
}

/** How long a disturbance by the history itself may explain what a controller does, in milliseconds. */
const disturbedMs = 120_000;

/** StatefulSets. With OrderedReady a pod is created after those before it, and one at a time goes. */
function statefulSetPlot({ client, random, objects, anyName, elapsedMs, world }: History): Plot {
  const isOrdered = random.integer(2) === 0;
  const hasClaims = random.integer(2) === 0;
  const set = client.kind('apps/v1', 'StatefulSet').in('default');
  const podClient = client.kind('v1', 'Pod').in('default');
  const pods = () => objects('Pod');
  const ordinalOf = ({ metadata }: { readonly metadata: { readonly name: string } }): number =>
    Number(metadata.name.split('-').at(-1));
  let disturbedAtMs = -Infinity;
  const disturbed = new Set<string>();
  const disturb = async (act: (name: string) => Promise<unknown>): Promise<void> => {
    const name = anyName('Pod');
    disturbedAtMs = elapsedMs();
    disturbed.add(name);
    await act(name);
  };
  const actions: (() => Promise<unknown>)[] = [
    () => set.patch('set', imagePatch(random.pick(images))),
    () => set.patch('set', { merge: { spec: { replicas: random.integer(6) } } }),
    () =>
      set.patch('set', { merge: { spec: { updateStrategy: { rollingUpdate: { partition: random.integer(4) } } } } }),
    () => disturb((name) => podClient.delete(name)),
    () => disturb((name) => podClient.status.patch(name, failedStatus)),
  ];
  return {
    begin: async () => {
      await set.create({
        metadata: { name: 'set' },
        spec: {
          serviceName: 's',
          replicas: 1 + random.integer(4),
          selector: { matchLabels: { app: 'set' } },
          podManagementPolicy: isOrdered ? 'OrderedReady' : 'Parallel',
          template: template('set', 'a'),
          ...(hasClaims && {
            volumeClaimTemplates: [
              {
                metadata: { name: 'data' },
                spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
              },
            ],
          }),
        },
      });
      for (let number = 0; hasClaims && number < 6; number += 1)
        await client.kind('v1', 'PersistentVolume').create({
          metadata: { name: `volume-${number}` },
          spec: {
            capacity: { storage: '1Gi' },
            accessModes: ['ReadWriteOnce'],
            hostPath: { path: '/tmp/data' },
            persistentVolumeReclaimPolicy: 'Retain',
          },
        });
    },
    act: async () => {
      await random.pick(actions)();
    },
    check: ({ kind, before, now }) => {
      if (kind !== 'Pod' || now === undefined) return undefined;
      const ordinals = pods().map(ordinalOf);
      if (new Set(ordinals).size !== ordinals.length) return `two pods have one ordinal: ${ordinals.join()}`;
      const isDisturbed = elapsedMs() - disturbedAtMs < disturbedMs;
      if (before === undefined) {
        const claims = objects('PersistentVolumeClaim').map(({ metadata }) => metadata.name);
        if (hasClaims && !claims.includes(`data-${now.metadata.name}`)) return `${now.metadata.name} has no claim`;
        const lower = pods().filter((pod) => ordinalOf(pod) < ordinalOf(now));
        if (isOrdered && !isDisturbed && (lower.length !== ordinalOf(now) || !lower.every(isServing)))
          return `${now.metadata.name} is created before the ones below it serve`;
      } else if (isOrdered && !isDisturbed) {
        const going = pods().filter((pod) => isTerminating(pod) && !disturbed.has(pod.metadata.name));
        if (going.length > 1) return `${going.length} pods are being deleted at once`;
      }
      return undefined;
    },
    end: async () => {
      await set.patch('set', { merge: { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } } });
      await set.patch('set', imagePatch('c'));
      await world.cluster.advance('20m');
      const { spec, status, metadata } = await set.get('set');
      const replicas = spec?.replicas ?? 0;
      const names = Array.from({ length: replicas }, (_, ordinal) => `set-${ordinal}`);
      const serving = pods().filter((pod) => isServing(pod) && imageOf(pod) === 'c');
      return [
        ...demand(
          'pods',
          pods()
            .map((pod) => pod.metadata.name)
            .toSorted()
            .join(),
          names.join(),
        ),
        ...demand('serving pods', serving.length, replicas),
        ...demand('updatedReplicas', status?.updatedReplicas ?? 0, replicas),
        ...demand('readyReplicas', status?.readyReplicas ?? 0, replicas),
        ...demand('currentRevision', status?.currentRevision, status?.updateRevision),
        ...demand('observedGeneration', status?.observedGeneration, metadata.generation),
      ];
    },
  };
}

/** DaemonSets. A node never has two pods beyond the surge; a calm history stays within maxUnavailable. */
function daemonSetPlot({ client, random, objects, anyName, world }: History): Plot {
  const isCalm = random.integer(2) === 0;
  const surge = random.integer(3);
  const limit = 1 + random.integer(2);
  const rollingUpdate = surge > 0 ? { maxSurge: surge, maxUnavailable: 0 } : { maxUnavailable: limit };
  const daemon = client.kind('apps/v1', 'DaemonSet').in('default');
  const podClient = client.kind('v1', 'Pod').in('default');
  const pods = () => objects('Pod');
  const nodes = () => objects('Node');
  const eligible = () => nodes().filter(({ metadata }) => metadata.labels?.tier !== 'other');
  let wasComplete = false;
  const actions: (() => Promise<unknown>)[] = [
    () => daemon.patch('daemon', imagePatch(random.pick(images))),
    () => daemon.patch('daemon', imagePatch(random.pick(images))),
    () => daemon.patch('daemon', { merge: { metadata: { labels: { note: random.pick(['x', 'y']) } } } }),
    () => daemon.patch('daemon', imagePatch('bad')),
    () =>
      client
        .kind('v1', 'Node')
        .patch(anyName('Node'), { merge: { metadata: { labels: { tier: random.pick(['other', 'here']) } } } }),
    () => podClient.delete(anyName('Pod')),
    () => podClient.status.patch(anyName('Pod'), failedStatus),
  ];
  return {
    begin: async () => {
      const tier = { key: 'tier', operator: 'NotIn' as const, values: ['other'] };
      const nodeAffinity = {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [tier] }] },
      };
      const { metadata, spec } = template('daemon', 'a');
      await daemon.create({
        metadata: { name: 'daemon' },
        spec: {
          selector: { matchLabels: { app: 'daemon' } },
          updateStrategy: { type: 'RollingUpdate', rollingUpdate },
          template: { metadata: metadata ?? {}, spec: { containers: [], ...spec, affinity: { nodeAffinity } } },
        },
      });
      if (isCalm) await world.cluster.advance('1m');
    },
    act: async () => {
      await random.pick(isCalm ? actions.slice(0, 3) : actions)();
    },
    check: ({ kind, before, now }) => {
      if (kind !== 'Pod') return undefined;
      if (before === undefined && now !== undefined) {
        const node = nodeOf(now as Stored<Pod>);
        const here = pods().filter((pod) => nodeOf(pod) === node && isPodActive(pod));
        if (here.length > (surge > 0 ? 2 : 1)) return `${here.length} pods are on ${node}`;
      }
      const served = new Set(pods().filter(isServing).map(nodeOf));
      wasComplete ||= served.size === nodes().length;
      const missing = nodes().length - served.size;
      if (isCalm && wasComplete && missing > (surge > 0 ? 0 : limit)) return `${missing} nodes have no pod that serves`;
      return undefined;
    },
    end: async () => {
      await daemon.patch('daemon', imagePatch('c'));
      await world.cluster.advance('40m');
      const names = eligible().map(({ metadata }) => metadata.name);
      const serving = pods().filter((pod) => isServing(pod) && imageOf(pod) === 'c');
      const { status, metadata } = await daemon.get('daemon');
      return [
        ...demand('nodes that are served', serving.map(nodeOf).toSorted().join(), names.toSorted().join()),
        ...demand('active pods', pods().filter(isPodActive).length, names.length),
        ...demand('numberAvailable', status?.numberAvailable ?? 0, names.length),
        ...demand('updatedNumberScheduled', status?.updatedNumberScheduled ?? 0, names.length),
        ...demand('observedGeneration', status?.observedGeneration, metadata.generation),
      ];
    },
  };
}

/** The node that a pod of a DaemonSet is for. */
function nodeOf({ spec }: Stored<Pod>): string {
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return spec?.nodeName ?? terms[0]?.matchFields?.[0]?.values?.[0] ?? '';
}

/** Jobs. Each pod is counted once, and counters never fall. */
function jobPlot({ client, random, objects, anyName, world }: History): Plot {
  const isIndexed = random.integer(2) === 0;
  const completions = 2 + random.integer(5);
  const job = client.kind('batch/v1', 'Job').in('default');
  const podClient = client.kind('v1', 'Pod').in('default');
  const pods = () => objects('Pod');
  const succeeded = new Set<string>();
  const ended = new Set<string>();
  let parallelismMax = 0;
  const endPod = (name: string, phase: 'Failed' | 'Succeeded'): Promise<unknown> => {
    const state = { terminated: { exitCode: phase === 'Failed' ? 1 : 0 } };
    const container = { name: 'c', image: 'a', imageID: '', ready: false, restartCount: 0, state };
    return podClient.status.patch(name, {
      merge: { status: { phase, containerStatuses: [container], conditions: [] } },
    });
  };
  const endActive = async (): Promise<void> => {
    for (const { metadata } of pods().filter(isPodActive)) await endPod(metadata.name, 'Succeeded');
  };
  const endAny = async (phase: 'Failed' | 'Succeeded'): Promise<void> => {
    const name = anyName('Pod');
    const pod = pods().find(({ metadata }) => metadata.name === name);
    if (pod !== undefined && isPodActive(pod)) await endPod(name, phase);
  };
  const parallelismOf = (): number => {
    const parallelism = 1 + random.integer(3);
    parallelismMax = Math.max(parallelismMax, parallelism);
    return parallelism;
  };
  const actions: (() => Promise<unknown>)[] = [
    () => endAny('Succeeded'),
    () => endAny('Succeeded'),
    () => endAny('Failed'),
    () => podClient.delete(anyName('Pod')),
    () => job.patch('job', { merge: { spec: { suspend: random.integer(2) === 0 } } }),
    () => job.patch('job', { merge: { spec: { parallelism: parallelismOf() } } }),
  ];
  return {
    begin: async () => {
      const { metadata, spec } = template('job', 'a');
      await job.create({
        metadata: { name: 'job' },
        spec: {
          completions,
          parallelism: parallelismOf(),
          backoffLimit: 2 + random.integer(10),
          completionMode: isIndexed ? 'Indexed' : 'NonIndexed',
          template: { metadata: metadata ?? {}, spec: { containers: [], ...spec, restartPolicy: 'Never' } },
        },
      });
    },
    act: async () => {
      await random.pick(actions)();
    },
    check: ({ kind, before, now }) => {
      if (kind === 'Pod') {
        const pod = (now ?? before) as Stored<Pod>;
        // The finalizer of a pod that is to be deleted is removed first: it is no longer counted.
        const isTracked = (pod.metadata.finalizers ?? []).length > 0;
        if (pod.status?.phase === 'Succeeded' && isTracked) succeeded.add(pod.metadata.uid);
        if (!isPodActive(pod)) ended.add(pod.metadata.uid);
        const active = pods().filter(isPodActive).length;
        if (before === undefined && active > parallelismMax) return `${active} pods run, at most ${parallelismMax} may`;
      }
      if (kind !== 'Job' || now === undefined) return undefined;
      const [was, is] = [(before as Stored<Job> | undefined)?.status ?? {}, (now as Stored<Job>).status ?? {}];
      if ((is.succeeded ?? 0) < (was.succeeded ?? 0) || (is.failed ?? 0) < (was.failed ?? 0)) return 'a counter falls';
      const { succeeded: uncountedSucceeded = [], failed: uncountedFailed = [] } = is.uncountedTerminatedPods ?? {};
      const counted = (is.succeeded ?? 0) + (isIndexed ? 0 : uncountedSucceeded.length);
      if (counted > succeeded.size) return `${counted} pods are counted, ${succeeded.size} succeeded`;
      const all = counted + (is.failed ?? 0) + uncountedFailed.length;
      return all > ended.size ? `${all} pods are counted, ${ended.size} ended` : undefined;
    },
    end: async () => {
      await job.patch('job', { merge: { spec: { suspend: false } } });
      const isFinished = ({ status }: Stored<Job>): boolean =>
        (status?.conditions ?? []).some(
          ({ type, status: is }) => is === 'True' && (type === 'Complete' || type === 'Failed'),
        );
      for (let round = 0; round < 40 && !isFinished(await job.get('job')); round += 1) {
        await world.cluster.advance('12m');
        await endActive();
      }
      await world.cluster.advance('1h');
      const finished = await job.get('job');
      const { status } = finished;
      const isComplete = (status?.conditions ?? []).some(({ type }) => type === 'Complete');
      const withFinalizer = pods().filter(({ metadata }) => (metadata.finalizers ?? []).length > 0);
      return [
        ...demand('finished', isFinished(finished), true),
        ...demand('pods with a finalizer', withFinalizer.length, 0),
        ...demand('active pods', pods().filter(isPodActive).length, 0),
        ...(isComplete ? demand('succeeded', status?.succeeded, completions) : []),
        ...(isComplete && !isIndexed ? demand('pods that succeeded', succeeded.size, completions) : []),
        ...demand('uncounted', JSON.stringify(status?.uncountedTerminatedPods ?? {}), '{}'),
      ];
    },
  };
}

function demand(what: string, found: unknown, demanded: unknown): readonly string[] {
  return found === demanded ? [] : [`${what}: ${String(found)}, not ${String(demanded)}`];
}

const deploymentFamily: Family = {
  controllers: [
    { account: 'deployment-controller', create: deployments },
    { account: 'replicaset-controller', create: replicaSets },
  ],
  nodes: 3,
  plot: deploymentPlot,
};
const statefulSetFamily: Family = {
  controllers: [
    { account: 'statefulset-controller', create: statefulSets },
    { account: 'persistent-volume-binder', create: persistentVolumes },
  ],
  nodes: 2,
  plot: statefulSetPlot,
};
const daemonSetFamily: Family = {
  controllers: [{ account: 'daemon-set-controller', create: daemonSets }],
  nodes: 4,
  plot: daemonSetPlot,
};
const jobFamily: Family = {
  controllers: [{ account: 'job-controller', create: jobs }],
  nodes: 2,
  actions: 16,
  plot: jobPlot,
};

testHistories(t, 'Deployments and ReplicaSets', deploymentFamily);
testHistories(t, 'StatefulSets', statefulSetFamily);
testHistories(t, 'DaemonSets', daemonSetFamily);
testHistories(t, 'Jobs', jobFamily);
