// Simulates the placement of pods: they are placed one after another on a copy of the cluster, each seeing those before
// it. Pods that are on a node are first removed from it. Nodes and pods can be added or removed hypothetically. Nothing
// is written, nothing is preempted, and scheduling gates are ignored.
import { errorText } from '../../core/index.js';
import type { Client } from '../../client/index.js';
import type { Frozen } from '../../core/index.js';
import type { Node, Pod } from '../../core/types/index.js';
import { untold } from '../bounded-log.js';
import { createClusterCache } from '../cluster/cluster-cache.js';
import type { ClusterCache } from '../cluster/cluster-cache.js';
import { fitErrorText } from '../fit-error.js';
import { CycleState } from '../framework/cycle-state.js';
import type { Cycle } from '../framework/cycle-state.js';
import type { Framework, SharedTools } from '../framework/framework.js';
import { nodeRotation } from '../framework/node-sampling.js';
import { isPlaced } from '../framework/placement.js';
import { clusterColumns } from '../fast-path/cluster-columns.js';
import { fastPlacer } from '../fast-path/fast-placer.js';
import { podFacts } from '../pod/pod-facts.js';
import { runPermit, runReserve, runUnreserve } from '../scheduler/reserve-and-permit.js';
import { withoutNode } from './without-pod.js';

/** The hypothetical changes of a simulation. */
export interface WhatIf {
  /** Nodes to add, or to replace by name. */
  readonly nodes?: readonly Frozen<Node>[];
  /** Names of nodes to remove, with all pods on them. */
  readonly withoutNodes?: readonly string[];
  /** Selects pods to remove. */
  readonly withoutPods?: (pod: Frozen<Pod>) => boolean;
}

/** The node of a simulated pod, or the message if none is feasible. */
export type SimulatedPlacement =
  { readonly pod: Frozen<Pod>; readonly nodeName: string } | { readonly pod: Frozen<Pod>; readonly message: string };

/** The dependencies of a simulation. */
export interface SimulationParts {
  readonly cache: ClusterCache;
  readonly random: SharedTools['random'];
  readonly clock: SharedTools['clock'];
  /** Creates new plugin instances, so that state of plugins does not leak into the running scheduler. */
  readonly createFrameworks: (tools: SharedTools) => ReadonlyMap<string, Framework>;
}

/** Simulates the placement of pods. */
export function simulatePods(
  pods: readonly Frozen<Pod>[],
  whatIf: WhatIf,
  { cache, random, clock, createFrameworks }: SimulationParts,
): readonly SimulatedPlacement[] {
  const moved = new Set(pods.map(uidOf).filter((uid) => cache.placed(uid) !== undefined));
  const cluster = copyOf(cache, moved, whatIf);
  const byName = createFrameworks({
    client: simulationClient,
    clock,
    random,
    cluster,
    waitingPods: { get: () => undefined, list: () => [], stop: () => false },
    currentPod: (pod) => pod,
    activate: ignore,
    nominate: ignore,
    recordEvent: ignore,
    extenders: [],
    recordActivity: ignore,
    runInBackground: ignore,
  });
  const columns = clusterColumns(cluster);
  const rotation = nodeRotation();
  const placers = new Map(
    Array.from(byName, ([name, framework]) => {
      const { percentageOfNodesToScore } = framework.profile;
      return [
        name,
        {
          framework,
          placer: fastPlacer({
            framework,
            columns,
            search: { percentageOfNodesToScore, rotation, random: random.stream(name) },
          }),
        },
      ] as const;
    }),
  );

  return pods.map((given, index): SimulatedPlacement => {
    const pod = moved.has(uidOf(given)) ? withoutNode(given) : identified(given, index);
    const facts = podFacts(pod);
    const profile = placers.get(facts.schedulerName);
    if (profile === undefined) return { pod: given, message: `no profile is called ${facts.schedulerName}` };
    if (cluster.nodes.length === 0) return { pod: given, message: 'no nodes available to schedule pods' };
    try {
      const cycle: Cycle = { pod: facts, cluster, state: new CycleState() };
      const outcome = profile.placer.place(cycle);
      if (!isPlaced(outcome)) return { pod: given, message: fitErrorText(outcome.diagnosis) };
      return reserveNode(cycle, profile.framework, outcome.node.name, cluster, given);
    } catch (error) {
      return { pod: given, message: errorText(error) };
    }
  });
}

function reserveNode(
  cycle: Cycle,
  { plugins }: Framework,
  nodeName: string,
  cluster: ClusterCache,
  pod: Frozen<Pod>,
): SimulatedPlacement {
  cluster.assume(cycle.pod, nodeName);
  const refused = runReserve(cycle, plugins, nodeName);
  const permit = refused === undefined ? runPermit(cycle, plugins, nodeName) : { rejected: refused };
  if (permit === undefined || !('rejected' in permit)) return { pod, nodeName };
  runUnreserve(cycle, plugins, nodeName);
  cluster.forget(cycle.pod.uid);
  return {
    pod,
    message: fitErrorText({ nodeCount: 1, reasons: new Map(permit.rejected.reasons.map((reason) => [reason, 1])) }),
  };
}

/** Returns a copy of the cache. Nodes and pods are shared values, so only the lists are copied. */
function copyOf(
  cache: ClusterCache,
  moved: ReadonlySet<string>,
  { nodes = [], withoutNodes = [], withoutPods = () => false }: WhatIf,
): ClusterCache {
  const copy: ClusterCache = createClusterCache({
    objects: cache.objects,
    nominations: { nominatedTo, nominatedNodes: () => cache.nominatedNodes(), nominationOf, nominationChanges: untold },
  });
  /** A pod that was placed in the simulation is no longer nominated. */
  function nominatedTo(name: string): readonly Frozen<Pod>[] {
    return cache
      .nominatedTo(name)
      .filter(({ uid }) => copy.placed(uid) === undefined)
      .map(({ object }) => object);
  }
  function nominationOf(uid: string): string | undefined {
    return copy.placed(uid) === undefined ? cache.nominationOf(uid) : undefined;
  }
  const gone = new Set(withoutNodes);
  const others = new Set(nodes.map(({ metadata }) => metadata?.name ?? ''));
  for (const { name, object } of cache.nodes) if (!gone.has(name) && !others.has(name)) copy.setNode(object);
  for (const node of nodes) copy.setNode(node);
  for (const node of cache.nodes) {
    if (gone.has(node.name)) continue;
    for (const pod of node.pods) if (!moved.has(pod.uid) && !withoutPods(pod.object)) copy.assume(pod, node.name);
  }
  return copy;
}

function uidOf({ metadata }: Frozen<Pod>): string {
  return metadata?.uid ?? '';
}

/** Gives a pod without uid one, to distinguish it from others. */
function identified(pod: Frozen<Pod>, index: number): Frozen<Pod> {
  return uidOf(pod) === '' ? { ...pod, metadata: { ...pod.metadata, uid: `simulated-${index}` } } : pod;
}

function ignore(): void {
  // Requests of plugins to the scheduler are ignored.
}

/** Client used for simulation: every access throws. */
const simulationClient: Client = new Proxy({} as Client, {
  get: () => {
    throw new Error('nothing is written while placements are only simulated');
  },
});
