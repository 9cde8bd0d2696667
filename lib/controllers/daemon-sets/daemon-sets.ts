// The DaemonSet controller: keeps a pod of each set on every node that it belongs on, which the scheduler binds, and
// replaces pods of old revisions within maxUnavailable or maxSurge. The decisions are in `daemon-plan.ts`; this file
// reads what they need and performs them. A change of a node reconciles only the sets for which it makes a difference.
// As pkg/controller/daemon/daemon_controller.go.
import { awaitChange, controller, requeueAfter, watching } from '../../client/index.js';
import type { Action, ControllerActivity, EventFailed, ObjectEvent, Stored } from '../../client/index.js';
import {
  availableAtMs,
  controllerOf,
  deepEqual,
  isApiError,
  isTerminating,
  matchesLabels,
  namespacedName,
  objectKey,
  objectReference,
  printNamespacedName,
  readableSelector,
} from '../../core/index.js';
import type { Frozen, NamespacedName, Part, Selector } from '../../core/index.js';
import type { ControllerRevision, DaemonSet, DaemonSetStatus, Node, Pod } from '../../core/types/index.js';
import { informersOf } from '../controller-environment.js';
import type { ControllerEnvironment } from '../controller-environment.js';
import { withEvents } from '../with-events.js';
import { claimObjects } from '../workloads/claim-objects.js';
import { namespaceValues, ownersToReconcile } from '../workloads/dependent-events.js';
import type { DependentEvents } from '../workloads/dependent-events.js';
import { Expectations } from '../workloads/expectations.js';
import { controllerValues, dependentsAndOrphans, dependentsOf } from '../workloads/owned-pods.js';
import type { CallContext, EventSink } from '../workloads/pod-control.js';
import { revisionKind } from '../workloads/revision-history.js';
import { WriteBarrier } from '../workloads/write-barrier.js';
import { currentHistory, trimHistory } from './daemon-history.js';
import { daemonPlacement, daemonSetKind, hashLabel } from './daemon-pods.js';
import type { DaemonPlacement } from './daemon-pods.js';
import { daemonStatus, planNodes, planUpdate } from './daemon-plan.js';
import type { DaemonPlan, ObservedDaemons } from './daemon-plan.js';
import { DaemonWrites } from './daemon-writes.js';

/** Pods of a set were created or deleted. */
export interface DaemonsChanged {
  readonly type: 'daemons-changed';
  readonly set: NamespacedName;
  readonly created: number;
  readonly deleted: number;
}

/** The activities of the controller. */
export type DaemonSetsActivity = ControllerActivity<NamespacedName, DaemonsChanged> | EventFailed;

/** Creates the DaemonSet controller. */
export function daemonSets(environment: ControllerEnvironment): Part<DaemonSetsActivity> {
  const create = (recorder: EventSink): Part<DaemonSetsActivity> => controllerWith(recorder, environment);
  return withEvents({ ...environment, name, component: name, create });
}

const name = 'daemonset-controller';
/** A reconcile that waits for its informers is woken by their events; this is for events that got lost. */
const lagRecheckMs = 1_000;

function controllerWith(recorder: EventSink, environment: ControllerEnvironment): Part<DaemonSetsActivity> {
  const { client, clock, concurrency = 2 } = environment;
  const shared = informersOf(environment);
  const sets = shared.kind('apps/v1', 'DaemonSet').indexedBy({ namespace: namespaceValues });
  const nodes = shared.kind('v1', 'Node');
  const pods = shared.kind('v1', 'Pod').indexedBy({ controller: controllerValues, node: nodeValues });
  const revisions = shared.kind('apps/v1', 'ControllerRevision').indexedBy({ controller: controllerValues });
  const expectations = new Expectations(clock);
  const barrier = new WriteBarrier({ sets, pods });
  const writes = new DaemonWrites({ client, recorder, clock, expectations, barrier });
  const placements = new WeakMap<Stored<DaemonSet>, DaemonPlacement>();
  const placementOf = (set: Stored<DaemonSet>): DaemonPlacement => {
    const placement = placements.get(set) ?? daemonPlacement(set);
    placements.set(set, placement);
    return placement;
  };
  const dependents: DependentEvents<DaemonSet> = {
    kind: daemonSetKind.kind,
    owners: sets,
    selectorOf: ({ spec }) => readableSelector(spec?.selector),
  };
  const podEvents: DependentEvents<DaemonSet> = { ...dependents, expectations };

  const reconcile = async (item: NamespacedName, run: Run): Promise<Action> => {
    const key = printNamespacedName(item);
    if (!barrier.isReached(item)) return requeueAfter(lagRecheckMs);
    const set = sets.get(key);
    if (set === undefined) {
      expectations.forget(key);
      barrier.forget(item);
      writes.forget(key);
      return awaitChange;
    }
    const selector = readableSelector(set.spec?.selector);
    if (deepEqual(set.spec?.selector, {})) {
      const message = 'This daemon set is selecting all pods. A non-empty selector is required.';
      recorder.record({
        regarding: objectReference(daemonSetKind, set),
        type: 'Warning',
        reason: 'SelectingAll',
        message,
      });
      return awaitChange;
    }
    // Its history may be gone already, so its status cannot be computed.
    if (isTerminating(set)) return awaitChange;
    const owner = { client, owner: set, ownerKind: daemonSetKind, selector, ...run.context };
    const claimed = await claimObjects<Pod>(dependentsAndOrphans(pods, set), { ...owner, kind: podKind });
    const owned = await claimObjects<ControllerRevision>(dependentsAndOrphans(revisions, set), {
      ...owner,
      kind: revisionKind,
    });
    const history = { client, set, context: run.context };
    const { current, old } = await currentHistory(owned, claimed, history);
    const hash = current.metadata.labels?.[hashLabel] ?? '';
    if (!expectations.isSatisfied(key)) return writeStatus(set, observe(set, hash, selector), run, false);
    let action: Action = awaitChange;
    let failure: Error | undefined;
    try {
      action = await bringCloser(set, { hash, selector, claimed }, run);
      await trimHistory(old, ownPods(set, selector), history);
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
    }
    const statusAction = await writeStatus(set, observe(set, hash, selector), run, true);
    if (failure !== undefined) throw failure;
    return sooner(action, statusAction);
  };

  const perform = async (set: Stored<DaemonSet>, hash: string, plan: DaemonPlan, run: Run): Promise<void> => {
    const { created, deleted, failure } = await writes.perform(set, hash, plan, run.context);
    if (created + deleted > 0) run.emit({ type: 'daemons-changed', set: namespacedName(set), created, deleted });
    if (failure !== undefined) throw failure;
  };

  /** Returns the pods that the set has now. */
  const ownPods = (set: Stored<DaemonSet>, selector: Selector): readonly Stored<Pod>[] =>
    dependentsOf(pods, set).filter(({ metadata }) => matchesLabels(selector, metadata.labels));

  const observe = (set: Stored<DaemonSet>, hash: string, selector: Selector): ObservedDaemons => ({
    set,
    placement: placementOf(set),
    nodes: nodes.list(),
    pods: ownPods(set, selector),
    hash,
    nowMs: clock.now(),
  });

  /** Gives every node its pod and, if that is done, goes on with an update. */
  const bringCloser = async (
    set: Stored<DaemonSet>,
    {
      hash,
      selector,
      claimed,
    }: { readonly hash: string; readonly selector: Selector; readonly claimed: readonly Stored<Pod>[] },
    run: Run,
  ): Promise<Action> => {
    const plan = planNodes({ ...observe(set, hash, selector), pods: claimed });
    const { deletable, retryInMs } = writes.removeStopped(set, plan.stopped);
    await perform(set, hash, { create: plan.create, delete: [...deletable, ...plan.delete] }, run);
    if (expectations.isSatisfied(objectKey(set)))
      await perform(set, hash, planUpdate(observe(set, hash, selector)), run);
    return retryInMs === undefined ? awaitChange : requeueAfter(retryInMs);
  };

  const writeStatus = async (
    set: Stored<DaemonSet>,
    observed: ObservedDaemons,
    { context }: Run,
    isActedUpon: boolean,
  ): Promise<Action> => {
    const status = daemonStatus(observed, isActedUpon);
    const all = client.kind('apps/v1', 'DaemonSet');
    if (!isSameStatus(set, status)) {
      let written: Stored<DaemonSet>;
      try {
        written = await all.status.update({ ...set, status }, context);
      } catch (error) {
        if (!isApiError(error, 'Conflict')) throw error;
        const live = await all.get(namespacedName(set), { signal: context.signal });
        const { collisionCount } = live.status ?? {};
        const merged = { ...status, ...(collisionCount !== undefined && { collisionCount }) };
        written = await all.status.update({ ...live, status: merged }, context);
      }
      barrier.wrote(namespacedName(set), 'sets', written);
    }
    return nextCheck(set, observed);
  };

  /** Returns the sets for which a change of a node makes a difference. */
  const setsOfNode = (event: ObjectEvent<Stored<Node>>): readonly NamespacedName[] => {
    const { object: node } = event;
    if (event.type !== 'deleted' && event.old !== undefined && isSameForDaemons(event.old, node)) return [];
    const there = pods.by('node', node.metadata.name);
    const concerned = sets.list().filter((set) => {
      const isScheduled = there.some((pod) => controllerOf(pod)?.uid === set.metadata.uid);
      const placement = placementOf(set);
      // Kubernetes waits for the deletion of the pods of a node that is gone.
      if (event.type === 'deleted') return isScheduled || placement.shouldRun(node);
      if (!isScheduled) return placement.shouldRun(node) || (event.old !== undefined && placement.shouldRun(event.old));
      return !placement.mayContinue(node) || (set.status?.numberMisscheduled ?? 0) > 0;
    });
    return concerned.map(namespacedName);
  };

  return controller<NamespacedName, DaemonsChanged>({
    name,
    clock,
    steps$: environment.steps$,
    concurrency,
    watches: [
      watching(sets, (event) => {
        const isNew =
          event.type === 'deleted' || (event.old !== undefined && event.old.metadata.uid !== event.object.metadata.uid);
        // Another set of the same name starts without expectations.
        if (isNew) expectations.forget(objectKey(event.object));
        return [namespacedName(event.object)];
      }),
      watching(pods, (event) => ownersToReconcile(event, podEvents)),
      watching(revisions, (event) => ownersToReconcile(event, dependents)),
      watching(nodes, setsOfNode),
    ],
    reconcile: (item, { emit, signal, cause }) => reconcile(item, { context: { signal, cause }, emit }),
  });
}

/** What one reconcile passes to its parts. */
interface Run {
  readonly context: CallContext;
  readonly emit: (activity: DaemonsChanged) => void;
}

const podKind = { apiVersion: 'v1', kind: 'Pod' };

/** An index function: the node on which a pod runs. */
function nodeValues({ spec }: Stored<Pod>): readonly string[] {
  return spec?.nodeName === undefined ? [] : [spec.nodeName];
}

function isSameForDaemons(old: Stored<Node>, node: Stored<Node>): boolean {
  return deepEqual(old.metadata.labels, node.metadata.labels) && deepEqual(old.spec?.taints, node.spec?.taints);
}

/** Pods that are ready become available by time alone. */
function nextCheck({ spec }: Stored<DaemonSet>, { pods, nowMs }: ObservedDaemons): Action {
  const minReadySeconds = spec?.minReadySeconds ?? 0;
  if (minReadySeconds === 0) return awaitChange;
  const times = pods.map((pod) => availableAtMs(pod, minReadySeconds)).filter((atMs) => atMs > nowMs);
  const nextMs = Math.min(...times);
  return nextMs === Infinity ? awaitChange : requeueAfter(nextMs - nowMs);
}

function sooner(one: Action, other: Action): Action {
  return (one.requeueAfterMs ?? Infinity) < (other.requeueAfterMs ?? Infinity) ? one : other;
}

function isSameStatus({ status: old, metadata }: Stored<DaemonSet>, status: Frozen<DaemonSetStatus>): boolean {
  return (
    (old?.observedGeneration ?? 0) >= (metadata.generation ?? 0) &&
    counts.every((count) => (old?.[count] ?? 0) === (status[count] ?? 0))
  );
}

const counts = [
  'desiredNumberScheduled',
  'currentNumberScheduled',
  'numberMisscheduled',
  'numberReady',
  'updatedNumberScheduled',
  'numberAvailable',
  'numberUnavailable',
] as const;
