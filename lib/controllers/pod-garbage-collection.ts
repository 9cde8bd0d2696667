// The pod garbage collector: deletes, without grace, pods that no node will delete: terminated ones beyond a limit,
// those of nodes that no longer exist, terminating ones of nodes that are out of service, and terminating ones that
// were never scheduled. It looks every 20 seconds, but only while there may be something to collect. A node must be
// absent for 40 seconds, and is then read from the server, since the informer may be behind. As pkg/controller/podgc.
import { defer } from 'rxjs';
import { awaitChange, controller, informers, requeueAfter, watchingDelayed } from '../client/index.js';
import type { Client, ControllerActivity, DelayedItem, ObjectEvent, Stored } from '../client/index.js';
import { isPodTerminal, isTerminating, namespacedName, objectKey, parseTime, withPodCondition } from '../core/index.js';
import type { Clock, Frozen, Informer, NamespacedName, Part, Snapshot } from '../core/index.js';
import type { Node, Pod } from '../core/types/index.js';
import type { ControllerEnvironment } from './controller-environment.js';
import { isNodeReady } from './endpoints/zone-allocation.js';
import { ignoreError } from './ignore-error.js';
import type { CallContext } from './workloads/pod-control.js';

/** Options of the pod garbage collector. */
export interface PodGarbageCollectionOptions extends ControllerEnvironment {
  /** How many terminated pods are kept, `--terminated-pod-gc-threshold`. 0: all. Default 12,500. */
  readonly terminatedMax?: number;
}

/** The reason for collecting a pod. */
export type PodCollectionReason = 'terminated' | 'out-of-service' | 'orphaned' | 'unscheduled';

/** A pod was deleted. */
export interface PodCollected {
  readonly type: 'collected';
  readonly pod: NamespacedName;
  readonly reason: PodCollectionReason;
}

/** The only item: all pods. */
export interface PodSweep {
  readonly name: 'sweep';
}

/** Creates the pod garbage collector. */
export function podGarbageCollection(
  options: PodGarbageCollectionOptions,
): Part<ControllerActivity<PodSweep, PodCollected>> {
  return { name, run: () => defer(() => create(options).run()) };
}

const name = 'pod-garbage-collector-controller';
const sweep: PodSweep = { name: 'sweep' };
const periodMs = 20_000;
const quarantineMs = 40_000;
const concurrentDeletionsMax = 100;

function create({
  client,
  clock,
  random,
  informers: shared = informers(client, { clock, random }),
  steps$,
  terminatedMax = 12_500,
}: PodGarbageCollectionOptions): Part<ControllerActivity<PodSweep, PodCollected>> {
  const pods = shared.kind('v1', 'Pod').indexedBy({ node: nodeOfPod, end: endOfPod });
  const nodes = shared.kind('v1', 'Node');
  const startMs = clock.now();
  const untilTickMs = (): number => periodMs - ((clock.now() - startMs) % periodMs);
  const absentNodes = new AbsentNodes(pods, nodes, clock);
  /** The first sweep is that of all that was listed. */
  const sweepAfter = (type: ObjectEvent<unknown>['type'], mayCollect: boolean): readonly DelayedItem<PodSweep>[] => {
    if (type === 'listed') return [{ item: sweep, afterMs: 0 }];
    return mayCollect ? [{ item: sweep, afterMs: untilTickMs() }] : [];
  };
  return controller<PodSweep, PodCollected>({
    name,
    clock,
    steps$,
    keyOf: (item) => item.name,
    backoff: { baseMs: periodMs, maxMs: periodMs, factor: 1, jitter: 0, resetAfterMs: Infinity, attemptsMax: Infinity },
    watches: [
      watchingDelayed(pods, (event) => {
        const { type, object: pod } = event;
        if (type === 'deleted') return [];
        const isOrphan = absentNodes.observe(pod.spec?.nodeName);
        const hasEnded = terminatedMax > 0 && isPodTerminal(pod);
        return sweepAfter(type, isOrphan || hasEnded || isLeftTerminating(pod, nodes));
      }),
      watchingDelayed(nodes, (event) => {
        const { type, object: node } = event;
        if (type === 'deleted') return sweepAfter(type, absentNodes.observe(node.metadata.name));
        return sweepAfter(type, isOutOfService(node) && pods.by('node', node.metadata.name).some(isTerminating));
      }),
    ],
    reconcile: async (_, { emit, signal, cause }) => {
      const failures: unknown[] = [];
      const deletedNodes = await absentNodes.confirmDeleted(
        (node) => client.kind('v1', 'Node').find(node, { signal }),
        (error) => failures.push(error),
      );
      const plan = planCollection({ pods, nodes, deletedNodes, terminatedMax });
      for (let start = 0; start < plan.length; start += concurrentDeletionsMax) {
        const batch = plan.slice(start, start + concurrentDeletionsMax).map(async ({ pod, reason }) => {
          try {
            await collect(pod, reason, client, { signal, cause }, clock.now());
            emit({ type: 'collected', pod: namespacedName(pod), reason });
          } catch (error) {
            failures.push(error);
          }
        });
        await Promise.all(batch);
      }
      if (failures.length > 0) throw failures[0];
      return plan.length > 0 || absentNodes.size > 0 ? requeueAfter(untilTickMs()) : awaitChange;
    },
  });
}

/** The objects of a sweep. */
export interface PodCollectionView {
  readonly pods: Pick<Snapshot<Stored<Pod>, 'node' | 'end'>, 'by'>;
  readonly nodes: Pick<Snapshot<Stored<Node>>, 'get'>;
  /** The names of nodes that are known not to exist. */
  readonly deletedNodes: ReadonlySet<string>;
  readonly terminatedMax: number;
}

/** Returns the pods that are to be deleted, each once. */
export function planCollection({
  pods,
  nodes,
  deletedNodes,
  terminatedMax,
}: PodCollectionView): readonly { readonly pod: Stored<Pod>; readonly reason: PodCollectionReason }[] {
  const terminated = terminatedMax > 0 ? pods.by('end', 'terminated') : [];
  const terminating = pods.by('end', 'terminating');
  const isOn = (matches: (node: Stored<Node>) => boolean) => (pod: Stored<Pod>) => {
    const node = nodes.get(pod.spec?.nodeName ?? '');
    return node !== undefined && matches(node);
  };
  const tooMany = Math.max(0, terminated.length - terminatedMax);
  const plan: readonly (readonly [PodCollectionReason, readonly Stored<Pod>[]])[] = [
    ['terminated', tooMany > 0 ? terminated.toSorted(byEvictionAndAge).slice(0, tooMany) : []],
    ['out-of-service', terminating.filter(isOn(isOutOfService)).sort(byEvictionAndAge)],
    ['orphaned', [...deletedNodes].flatMap((node) => pods.by('node', node))],
    ['unscheduled', terminating.filter(({ spec }) => spec?.nodeName === undefined)],
  ];
  const seen = new Set<string>();
  return plan.flatMap(([reason, found]) =>
    found.filter(({ metadata }) => !seen.has(metadata.uid) && seen.add(metadata.uid)).map((pod) => ({ pod, reason })),
  );
}

/** The nodes that pods name and that the informer does not have, each with the time until which it is given. */
class AbsentNodes {
  readonly #pods: Informer<Stored<Pod>, 'node' | 'end'>;
  readonly #nodes: Informer<Stored<Node>>;
  readonly #clock: Clock;
  /** Infinity until the first sweep that finds it absent. */
  readonly #quarantine = new Map<string, number>();

  constructor(pods: Informer<Stored<Pod>, 'node' | 'end'>, nodes: Informer<Stored<Node>>, clock: Clock) {
    this.#pods = pods;
    this.#nodes = nodes;
    this.#clock = clock;
  }

  get size(): number {
    return this.#quarantine.size;
  }

  /** Returns whether a node is absent, and remembers it. */
  observe(node: string | undefined): boolean {
    if (node === undefined || this.#nodes.get(node) !== undefined) return false;
    if (!this.#quarantine.has(node)) this.#quarantine.set(node, Infinity);
    return true;
  }

  /** Returns the nodes that were absent for long enough and do not exist on the server either. */
  async confirmDeleted(
    find: (node: string) => Promise<Stored<Node> | undefined>,
    failed: (error: unknown) => void,
  ): Promise<ReadonlySet<string>> {
    const nowMs = this.#clock.now();
    const confirmed = new Set<string>();
    for (const [node, untilMs] of this.#quarantine) {
      if (this.#nodes.get(node) !== undefined || this.#pods.by('node', node).length === 0)
        this.#quarantine.delete(node);
      else if (untilMs === Infinity) this.#quarantine.set(node, nowMs + quarantineMs);
      else if (untilMs <= nowMs) {
        // Pods that are left, because something failed, wait once more.
        this.#quarantine.set(node, Infinity);
        try {
          if ((await find(node)) === undefined) confirmed.add(node);
        } catch (error) {
          failed(error);
        }
      }
    }
    return confirmed;
  }
}

/** Deletes a pod. It fails first if it has not ended, so that its controller counts it. */
async function collect(
  pod: Stored<Pod>,
  reason: PodCollectionReason,
  client: Client,
  context: CallContext,
  nowMs: number,
): Promise<void> {
  const writable = client.kind('v1', 'Pod').in(pod.metadata.namespace ?? '');
  const { name: podName, uid, generation } = pod.metadata;
  if (!isPodTerminal(pod)) {
    const content = { type: 'DisruptionTarget', status: 'True', reason: 'DeletionByPodGC' } as const;
    const disrupted = { ...content, message: 'PodGC: node no longer exists' };
    const conditions = reason === 'orphaned' ? withPodCondition(pod, disrupted, nowMs) : [];
    const condition = conditions.find(({ type }) => type === disrupted.type);
    const status = {
      phase: 'Failed' as const,
      ...(generation !== undefined && { observedGeneration: generation }),
      ...(condition !== undefined && { conditions: [condition] }),
    };
    const patch = { strategic: { metadata: { uid }, status } };
    if ((await ignoreError('NotFound', writable.status.patch(podName, patch, context))) === undefined) return;
  }
  const deletion = writable.delete(podName, { gracePeriodSeconds: 0, preconditions: { uid }, ...context });
  await ignoreError('NotFound', deletion);
}

/** Returns whether a pod is terminating and no kubelet will finish that. */
function isLeftTerminating(pod: Stored<Pod>, nodes: Informer<Stored<Node>>): boolean {
  if (!isTerminating(pod)) return false;
  const { nodeName } = pod.spec ?? {};
  if (nodeName === undefined) return true;
  const node = nodes.get(nodeName);
  return node !== undefined && isOutOfService(node);
}

function isOutOfService(node: Frozen<Node>): boolean {
  const isTainted = (node.spec?.taints ?? []).some(({ key }) => key === 'node.kubernetes.io/out-of-service');
  return isTainted && !isNodeReady(node);
}

/** Evicted pods first, then the oldest. */
function byEvictionAndAge(one: Stored<Pod>, other: Stored<Pod>): number {
  const [isEvicted, isOtherEvicted] = [isEvictedByKubelet(one), isEvictedByKubelet(other)];
  if (isEvicted !== isOtherEvicted) return isEvicted ? -1 : 1;
  const ageDifference = createdMs(one) - createdMs(other);
  if (ageDifference !== 0) return ageDifference;
  return objectKey(one) < objectKey(other) ? -1 : 1;
}

function isEvictedByKubelet({ status }: Stored<Pod>): boolean {
  return status?.phase === 'Failed' && status.reason === 'Evicted';
}

function createdMs({ metadata }: Stored<Pod>): number {
  return parseTime(metadata.creationTimestamp);
}

function nodeOfPod({ spec }: Stored<Pod>): readonly string[] {
  return spec?.nodeName === undefined ? [] : [spec.nodeName];
}

function endOfPod(pod: Stored<Pod>): readonly string[] {
  return [...(isPodTerminal(pod) ? ['terminated'] : []), ...(isTerminating(pod) ? ['terminating'] : [])];
}
