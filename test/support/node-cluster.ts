// A cluster with simulated nodes on a virtual clock, and the history of its pods: one line per change that a watch
// shows, without what repeats.
import { tap } from 'rxjs';
import { createCluster, random, virtualClock } from '../../lib/index.js';
import type { Cluster, ClusterOptions, VirtualClock } from '../../lib/index.js';
import type { ClusterNodesOptions } from '../../lib/cluster/index.js';
import type { Frozen } from '../../lib/core/index.js';
import type { Container, ContainerStatus, Pod, PodSpec } from '../../lib/core/types/index.js';
import { behaviourAnnotation } from '../../lib/nodeagent/index.js';
import type { ContainerBehaviour } from '../../lib/nodeagent/index.js';

/** Creates a cluster with one node, without controllers that pods do not need. */
export async function nodeCluster(
  nodes: ClusterNodesOptions = {},
  options: ClusterOptions<VirtualClock> = {},
): Promise<Cluster<VirtualClock>> {
  const cluster = await createCluster({
    clock: virtualClock(),
    random: random(1),
    nodes: { count: 1, heartbeat: false, ...nodes },
    controllers: ['serviceaccount-controller'],
    ...options,
  });
  await cluster.settled();
  return cluster;
}

/** Returns a pod with one container `main` of that behaviour. */
export function podOf(
  name: string,
  behaviour: ContainerBehaviour = {},
  spec: Partial<PodSpec> & { readonly main?: Partial<Container> } = {},
): Pod {
  const { main, ...rest } = spec;
  return {
    metadata: {
      name,
      annotations: {
        [behaviourAnnotation]: JSON.stringify(behaviour, (_key, value: unknown) =>
          value === Infinity ? 'Infinity' : value,
        ),
      },
    },
    spec: { containers: [{ name: 'main', image: 'app:1', ...main }], ...rest },
  };
}

/** Records the changes of all pods of the namespace `default`. */
export function podHistory(cluster: Cluster<VirtualClock>): { readonly lines: string[]; stop(): void } {
  const lines: string[] = [];
  const start = cluster.clock.now();
  const last = new Map<string, string>();
  const subscription = cluster.client
    .kind('v1', 'Pod')
    .in('default')
    .watch()
    .pipe(
      tap((event) => {
        if (event.type !== 'ADDED' && event.type !== 'MODIFIED' && event.type !== 'DELETED') return;
        const { type, object } = event;
        const text = type === 'DELETED' ? 'deleted' : describePod(object);
        const { name } = object.metadata;
        if (last.get(name) === text) return;
        last.set(name, text);
        lines.push(`${seconds(cluster.clock.now() - start)} ${name}: ${text}`);
      }),
    )
    .subscribe();
  return { lines, stop: () => subscription.unsubscribe() };
}

/** Describes the status of a pod in one line. */
export function describePod({ metadata, spec, status }: Frozen<Pod>): string {
  const conditions = (status?.conditions ?? [])
    .filter((each) => each.status === 'True')
    .map(({ type }) => short[type] ?? type);
  const states = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].map(
    describeContainer,
  );
  return [
    status?.phase ?? '',
    ...(status?.reason === undefined ? [] : [status.reason]),
    ...(spec?.nodeName === undefined ? [] : ['bound']),
    ...(status?.podIP === undefined ? [] : ['ip']),
    ...(metadata?.deletionTimestamp === undefined ? [] : ['terminating']),
    `[${conditions.join(' ')}]`,
    ...states,
  ].join(' ');
}

const short: Readonly<Record<string, string>> = {
  PodScheduled: 'S',
  PodReadyToStartContainers: 'N',
  Initialized: 'I',
  ContainersReady: 'C',
  Ready: 'R',
};

function describeContainer({ name, state, ready, restartCount }: Frozen<ContainerStatus>): string {
  const { waiting, running, terminated } = state ?? {};
  const text = running
    ? 'running'
    : waiting
      ? (waiting.reason ?? 'waiting')
      : `${terminated?.reason}(${terminated?.exitCode})`;
  return `${name}=${text}${ready ? '+' : ''}${restartCount > 0 ? `#${restartCount}` : ''}`;
}

function seconds(ms: number): string {
  return `${ms / 1000}s`;
}

/** Returns the Events of a component about pods, as `reason: message`, with counts, in the order of their first. */
export async function podEvents(cluster: Cluster<VirtualClock>, component = 'kubelet'): Promise<readonly string[]> {
  const { items } = await cluster.client.kind('v1', 'Event').in('default').list();
  return items
    .filter(({ source }) => source?.component === component)
    .sort((one, other) => one.metadata.name.localeCompare(other.metadata.name))
    .map(({ reason, message, count = 1 }) => `${reason}: ${message}${count > 1 ? ` (x${count})` : ''}`);
}
