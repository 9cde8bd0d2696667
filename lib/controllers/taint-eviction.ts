// Evicts pods from nodes with NoExecute taints. A pod that tolerates all of them for a while is deleted after the
// shortest `tolerationSeconds` of the tolerations that it needs; one that does not is deleted at once. A timer that
// runs is kept when taints change, and cancelled when the pod tolerates them without limit. Timers are memory of one
// run: a controller that starts anew measures from its start. As pkg/controller/tainteviction.
import { awaitChange, controller, requeueAfter, watching } from '../client/index.js';
import type { Action, ControllerActivity, EventFailed, EventRecorder, ObjectEvent, Stored } from '../client/index.js';
import { deepEqual, namespacedName, printNamespacedName, toleratesTaint } from '../core/index.js';
import type { Frozen, NamespacedName, Part } from '../core/index.js';
import type { Node, Pod, Taint, Toleration } from '../core/types/index.js';
import { informersOf } from './controller-environment.js';
import type { ControllerEnvironment } from './controller-environment.js';
import { evictPod } from './evict-pod.js';
import { nodeNamesOf } from './node-lifecycle/node-lifecycle.js';
import { withEvents } from './with-events.js';

/** A pod was deleted because of taints, or its deletion was cancelled. */
export interface PodEvicted {
  readonly type: 'evicted' | 'cancelled';
  readonly pod: NamespacedName;
}

/** The activities of the controller. */
export type TaintEvictionActivity = ControllerActivity<NamespacedName, PodEvicted> | EventFailed;

/** The eviction that a pod waits for. */
export interface ScheduledEviction {
  readonly uid: string;
  readonly atMs: number;
}

/** Creates the controller. */
export function taintEviction(environment: ControllerEnvironment): Part<TaintEvictionActivity> {
  const name = 'taint-eviction-controller';
  const { client, clock, concurrency = 8 } = environment;
  const shared = informersOf(environment);
  const nodes = shared.kind('v1', 'Node');
  const pods = shared.kind('v1', 'Pod').indexedBy({ node: nodeNamesOf });
  const create = (recorder: EventRecorder): Part<TaintEvictionActivity> => {
    const scheduled = new Map<string, ScheduledEviction>();
    const record = (pod: NamespacedName, action: string): void =>
      recorder.record({
        regarding: { apiVersion: 'v1', kind: 'Pod', ...pod },
        type: 'Normal',
        reason: 'TaintManagerEviction',
        message: `${action} Pod ${printNamespacedName(pod)}`,
      });
    return controller<NamespacedName, PodEvicted>({
      name,
      clock,
      steps$: environment.steps$,
      concurrency,
      watches: [
        watching(nodes, (event) =>
          changesEvictions(event) ? pods.by('node', event.object.metadata.name).map(namespacedName) : [],
        ),
        watching(pods, (event) => (changesTolerations(event) ? [namespacedName(event.object)] : [])),
      ],
      reconcile: async (item, { emit, signal, cause }): Promise<Action> => {
        const key = printNamespacedName(item);
        const pod = pods.get(key);
        const before = scheduled.get(key);
        const known = before?.uid === pod?.metadata.uid ? before : undefined;
        const node = nodes.get(pod?.spec?.nodeName ?? '');
        const next = pod && scheduleEviction(pod, node, known, clock.now());
        if (before !== undefined && next?.atMs !== before.atMs) {
          record(item, 'Cancelling deletion of');
          emit({ type: 'cancelled', pod: item });
        }
        if (next === undefined) {
          scheduled.delete(key);
          return awaitChange;
        }
        scheduled.set(key, next);
        if (next.atMs > clock.now()) return requeueAfter(next.atMs - clock.now());
        record(item, 'Marking for deletion');
        await evictPod(item, disruptionTarget, { client, nowMs: clock.now(), signal, cause });
        scheduled.delete(key);
        emit({ type: 'evicted', pod: item });
        return awaitChange;
      },
    });
  };
  return withEvents({ ...environment, name, component: name, create });
}

/** Returns when a pod is to be evicted from its node; undefined if it is not. */
export function scheduleEviction(
  { metadata: { uid }, spec }: Stored<Pod>,
  node: Frozen<Node> | undefined,
  known: ScheduledEviction | undefined,
  nowMs: number,
): ScheduledEviction | undefined {
  // Pods of a deleted node keep their timer; the pod garbage collector is usually first.
  if (node === undefined) return known;
  const taints = evictingTaints(node);
  if (taints.length === 0) return undefined;
  const { tolerations = [] } = spec ?? {};
  const used = taints.map((taint) => tolerations.find((each) => toleratesTaint(each, taint)));
  if (used.includes(undefined)) return { uid, atMs: Math.min(nowMs, known?.atMs ?? nowMs) };
  const tolerationMs = 1000 * Math.min(...used.map(tolerationSeconds));
  if (tolerationMs === Infinity) return undefined;
  return known ?? { uid, atMs: nowMs + tolerationMs };
}

function tolerationSeconds(toleration: Frozen<Toleration> | undefined): number {
  return Math.max(0, toleration?.tolerationSeconds ?? Infinity);
}

function evictingTaints({ spec }: Frozen<Node>): readonly Frozen<Taint>[] {
  return (spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute');
}

function changesEvictions(event: ObjectEvent<Stored<Node>>): boolean {
  if (event.type === 'deleted') return false;
  const before = 'old' in event ? evictingTaints(event.old) : [];
  return !deepEqual(before, evictingTaints(event.object));
}

function changesTolerations(event: ObjectEvent<Stored<Pod>>): boolean {
  if (event.type === 'deleted' || !('old' in event)) return true;
  const { old, object } = event;
  if (old.metadata.uid !== object.metadata.uid) return true;
  return (
    old.spec?.nodeName !== object.spec?.nodeName ||
    !deepEqual(old.spec?.tolerations ?? [], object.spec?.tolerations ?? [])
  );
}

const disruptionTarget = {
  reason: 'DeletionByTaintManager',
  message: 'Taint manager: deleting due to NoExecute taint',
} as const;
