// The nodes of `createCluster({ nodes: 3 })` and `vivarium serve --nodes 3`: agents with simulated runtimes, or nodes
// that run nothing. Existing nodes of the store are kept.
import type { ObservableInput } from 'rxjs';
import { checkOptions } from '../core/index.js';
import type { Clock, OptionTable, Random } from '../core/index.js';
import type { Client, Informers } from '../client/index.js';
import {
  nodeAddressOf,
  nodeAgents,
  nodeConnector,
  podCidrOf,
  simulatedRuntime,
  statsConnector,
} from '../nodeagent/index.js';
import type {
  BehaviourRule,
  ContainerRuntime,
  HeartbeatTimes,
  KubeletOptions,
  NodeAgents,
  NodeOptions,
  VolumeDriver,
} from '../nodeagent/index.js';
import type { Frozen } from '../core/index.js';
import type { Pod, UserInfo } from '../core/types/index.js';
import { gitVersion, resourceMetricsKinds } from '../server/index.js';
import type { ApiServer } from '../server/index.js';

/** The nodes of a cluster. */
export interface ClusterNodesOptions {
  /** How many nodes `node-1`, `node-2`, … are registered. Default 1. */
  readonly count?: number;
  /**
   * What runs the pods: `simulated` (default), `none` for nodes that run nothing, or a function that returns the
   * runtime of a node.
   */
  readonly runtime?: 'simulated' | 'none' | ((node: ClusterNode) => ContainerRuntime);
  /** How simulated containers behave; the first rule that returns a behaviour counts. */
  readonly behaviour?: readonly BehaviourRule[];
  /** Labels, capacity and more of each node, by its number from 1. */
  readonly template?: (number: number) => Partial<NodeOptions>;
  /** Default: as kubelet's, a Lease of 40 s that is renewed every 10 s. False: none, so that no timer is left. */
  readonly heartbeat?: Partial<HeartbeatTimes> | false;
  /**
   * Returns the static pods of a node, which it runs from manifests of its own; each value is the whole set. `[[pod]]`
   * for pods that do not change. Default: none.
   */
  readonly staticPods?: (node: NodeOptions) => ObservableInput<readonly Frozen<Pod>[]>;
  /** Storage drivers of each node, in the shape of CSI's node service. Default: none. */
  readonly volumeDrivers?: (node: NodeOptions) => readonly VolumeDriver[];
  /**
   * Eviction under pressure, garbage collection of images and containers, and shutdown, by the names of
   * KubeletConfiguration; `{}` for the defaults of a kubelet. Default: none of them, so that no timer is left.
   */
  readonly kubelet?: KubeletOptions;
  /** False: no Events about pods are recorded. Default true. */
  readonly recordsEvents?: boolean;
  /** Whether the server serves metrics.k8s.io, for `kubectl top` and the autoscaler. Default true. */
  readonly metrics?: boolean;
}

/** A node for which a runtime is created. */
export interface ClusterNode {
  readonly name: string;
  readonly hostIps: readonly string[];
  readonly podCidr: string;
  readonly clock: Clock;
  readonly random: Random;
}

const optionTable: OptionTable<keyof ClusterNodesOptions> = {
  count: { types: ['number'] },
  runtime: { types: ['string', 'function'] },
  behaviour: { types: ['array'] },
  template: { types: ['function'] },
  heartbeat: { types: ['object', 'boolean'] },
  staticPods: { types: ['function'] },
  volumeDrivers: { types: ['function'] },
  kubelet: { types: ['object'] },
  recordsEvents: { types: ['boolean'] },
  metrics: { types: ['boolean'] },
};

const runtimeNames: ReadonlySet<string> = new Set(['simulated', 'none']);

/** The maximum number of nodes; more is assumed to be a mistake. */
const nodesMax = 100_000;

/** Validates the nodes of a cluster. Throws RangeError. */
export function completeNodes(nodes: number | ClusterNodesOptions): ClusterNodesOptions & { readonly count: number } {
  const options = typeof nodes === 'number' ? { count: nodes } : nodes;
  checkOptions('nodes', options, optionTable);
  const { count = 1, runtime = 'simulated' } = options;
  if (!Number.isSafeInteger(count) || count < 0 || count > nodesMax)
    throw new RangeError(`nodes is a whole number from 0 to ${nodesMax}, not ${count}`);
  if (typeof runtime === 'string' && !runtimeNames.has(runtime))
    throw new RangeError(`nodes.runtime is simulated, none or a function, not ${JSON.stringify(runtime)}`);
  return { ...options, count };
}

/**
 * Removes the taint that admission gives to new nodes until a controller has seen that they are ready: these are ready
 * from the start, and a pod that is created next must not wait for that controller.
 */
export async function removeStartupTaint(client: Client, name: string): Promise<void> {
  const nodes = client.kind('v1', 'Node');
  const taints = (await nodes.get(name)).spec?.taints ?? [];
  const kept = taints.filter(({ key, effect }) => key !== 'node.kubernetes.io/not-ready' || effect !== 'NoSchedule');
  if (kept.length === taints.length) return;
  await nodes.patch(name, { merge: { spec: { taints: kept.length === 0 ? null : kept } } });
}

/** The dependencies of the nodes. */
export interface ClusterNodesTools {
  clientOf(user: Frozen<UserInfo>): Client;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly random: Random;
  readonly server: ApiServer;
}

/** Creates the agents of the nodes and registers their connector with the server. */
export function clusterNodes(
  options: ClusterNodesOptions & { readonly count: number },
  tools: ClusterNodesTools,
): NodeAgents {
  const { clock, random, informers, server } = tools;
  const { runtime = 'simulated', behaviour = [], template, heartbeat, recordsEvents } = options;
  const nodes = Array.from({ length: options.count }, (_, index): NodeOptions => {
    const nodeInfo = { kubeletVersion: gitVersion };
    return { name: `node-${index + 1}`, hostIps: [nodeAddressOf(index)], nodeInfo, ...template?.(index + 1) };
  });
  const runtimes = random.stream('runtimes');
  const runtimeOf = ({ name, hostIps = [] }: NodeOptions, index: number): ContainerRuntime => {
    const podCidr = podCidrOf(index);
    if (typeof runtime === 'function') return runtime({ name, hostIps, podCidr, clock, random: runtimes.stream(name) });
    return simulatedRuntime({ clock, random: runtimes, rules: behaviour, podCidr, hostIps });
  };
  const agents = nodeAgents({
    name: 'nodes',
    clientOf: (user) => tools.clientOf(user),
    informers,
    clock,
    random,
    nodes,
    runtime: runtime === 'none' ? undefined : runtimeOf,
    ...(heartbeat !== undefined && { heartbeat }),
    ...(options.staticPods !== undefined && { staticPods: options.staticPods }),
    ...(options.volumeDrivers !== undefined && { volumeDrivers: options.volumeDrivers }),
    ...(options.kubelet !== undefined && { kubelet: options.kubelet }),
    ...(recordsEvents !== undefined && { recordsEvents }),
  });
  if (runtime !== 'none') {
    const connector = {
      ...nodeConnector({ node: (name) => agents.node(name), clock }),
      ...statsConnector({ runtime: (name) => agents.node(name)?.runtime, clock }),
    };
    const hasMetrics = server.kinds.current.group('metrics.k8s.io') !== undefined;
    if (options.metrics !== false && !hasMetrics) server.kinds.add(...resourceMetricsKinds());
    for (const { name } of nodes) server.nodes.register(connector, { node: name });
  }
  return agents;
}
