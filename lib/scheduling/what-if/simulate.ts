// Where pods would go, without anything being written: a copy of the cluster, on which they are placed one after the
// other as the scheduler would place them, each seeing those before it. Those that have a node already are taken off it
// first. Nodes and pods may be thought to be there or to be gone. Nobody is made to leave for them, and gates are not
// asked about.
import { errorText } from '../../core/index.js';
import type { Client } from '../../client/index.js';
import type { Frozen } from '../../core/index.js';
import type { Node, Pod } from '../../core/types/index.js';
import { untold } from '../bounded-log.js';
import { createClusterCache } from '../cluster/cluster-cache.js';
import type { ClusterCache } from '../cluster/cluster-cache.js';
import { fitErrorText } from '../fit-error.js';
import { CycleMemory } from '../framework/cycle.js';
import type { Cycle } from '../framework/cycle.js';
import type { Framework, SharedTools } from '../framework/framework.js';
import { nodeRotation } from '../framework/node-sampling.js';
import { isPlaced } from '../framework/placement.js';
import { clusterColumns } from '../columns/cluster-columns.js';
import { columnPlacer } from '../columns/column-placer.js';
import { podFacts } from '../pod/pod-facts.js';
import { runPermit, runReserve, runUnreserve } from '../scheduler/placement-points.js';
import { withoutItsNode } from './without-pod.js';

/** What is thought to be different from what is. */
export interface WhatIf {
  /** Nodes that are there as well, or in place of those of the same name. */
  readonly nodes?: readonly Frozen<Node>[];
  /** Names of nodes that are gone, and all pods on them with them. */
  readonly withoutNodes?: readonly string[];
  /** Pods that are gone. */
  readonly withoutPods?: (pod: Frozen<Pod>) => boolean;
}

/** Where a pod would go, or why nowhere. */
export type Simulated =
  { readonly pod: Frozen<Pod>; readonly nodeName: string } | { readonly pod: Frozen<Pod>; readonly message: string };

/** What a simulation is made with. */
export interface SimulationParts {
  readonly cache: ClusterCache;
  readonly random: SharedTools['random'];
  readonly clock: SharedTools['clock'];
  /** Makes the frameworks of all profiles anew, so that what plugins keep in mind is only thought too. */
  readonly frameworksWith: (tools: SharedTools) => ReadonlyMap<string, Framework>;
}

/** Places pods in thought. */
export function simulatePods(
  pods: readonly Frozen<Pod>[],
  whatIf: WhatIf,
  { cache, random, clock, frameworksWith }: SimulationParts,
): readonly Simulated[] {
  const moved = new Set(pods.map(uidOf).filter((uid) => cache.placed(uid) !== undefined));
  const cluster = copyOf(cache, moved, whatIf);
  const byName = frameworksWith({
    client: readOnly,
    clock,
    random,
    cluster,
    waiting: { get: () => undefined, list: () => [], stop: () => false },
    podNow: (pod) => pod,
    activate: nothing,
    nominate: nothing,
    note: nothing,
    extenders: [],
    tell: nothing,
    background: nothing,
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
          placer: columnPlacer({
            framework,
            columns,
            search: { percentageOfNodesToScore, rotation, random: random.stream(name) },
          }),
        },
      ] as const;
    }),
  );

  return pods.map((given, index): Simulated => {
    const pod = moved.has(uidOf(given)) ? withoutItsNode(given) : identified(given, index);
    const facts = podFacts(pod);
    const profile = placers.get(facts.schedulerName);
    if (profile === undefined) return { pod: given, message: `no profile is called ${facts.schedulerName}` };
    if (cluster.nodes.length === 0) return { pod: given, message: 'no nodes available to schedule pods' };
    try {
      const cycle: Cycle = { pod: facts, cluster, memory: new CycleMemory() };
      const outcome = profile.placer.place(cycle);
      if (!isPlaced(outcome)) return { pod: given, message: fitErrorText(outcome.diagnosis) };
      return taken(cycle, profile.framework, outcome.node.name, cluster, given);
    } catch (error) {
      return { pod: given, message: errorText(error) };
    }
  });
}

function taken(
  cycle: Cycle,
  { plugins }: Framework,
  nodeName: string,
  cluster: ClusterCache,
  pod: Frozen<Pod>,
): Simulated {
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

/**
 * A cache of its own over the same objects. Nodes and pods are shared values, so the copy costs what its lists cost.
 */
function copyOf(
  cache: ClusterCache,
  moved: ReadonlySet<string>,
  { nodes = [], withoutNodes = [], withoutPods = () => false }: WhatIf,
): ClusterCache {
  const copy: ClusterCache = createClusterCache({
    objects: cache.objects,
    nominations: { nominatedTo, nominatedNodes: () => cache.nominatedNodes(), nominationOf, nominationChanges: untold },
  });
  /** Who has a place in thought is not to come any more. */
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

/** A pod that the API has not seen has no identity yet, and needs one to be told from others. */
function identified(pod: Frozen<Pod>, index: number): Frozen<Pod> {
  return uidOf(pod) === '' ? { ...pod, metadata: { ...pod.metadata, uid: `simulated-${index}` } } : pod;
}

function nothing(): void {
  // What plugins would have the scheduler do is not done.
}

/** Whoever writes in thought is mistaken. */
const readOnly: Client = new Proxy({} as Client, {
  get: () => {
    throw new Error('nothing is written while placements are only simulated');
  },
});
