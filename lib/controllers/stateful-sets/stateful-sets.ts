// The StatefulSet controller: keeps the pods `<set>-0`, `<set>-1`, … of each set with their claims, one at a time in
// order or all at once, updates them from the highest down, and writes the history and status of the set. The decision
// is `planSet`; this file reads what it needs and performs it. As pkg/controller/statefulset/stateful_set.go.
import { awaitChange, controller, requeueAfter, watching } from '../../client/index.js';
import type { Action, ControllerActivity, EventFailed, Stored } from '../../client/index.js';
import {
  availableAtMs,
  isApiError,
  isParseError,
  matchesLabels,
  namespacedName,
  printNamespacedName,
  readableSelector,
  selectorFromStructured,
} from '../../core/index.js';
import type { NamespacedName, Part, Selector } from '../../core/index.js';
import type { ControllerRevision, Pod, StatefulSet, StatefulSetStatus } from '../../core/types/index.js';
import { informersOf } from '../controller-environment.js';
import type { ControllerEnvironment } from '../controller-environment.js';
import { withEvents } from '../with-events.js';
import { claimObjects } from '../workloads/claim-objects.js';
import { namespaceValues, ownersToReconcile } from '../workloads/dependent-events.js';
import type { DependentEvents } from '../workloads/dependent-events.js';
import { controllerValues, dependentsAndOrphans, podsByController } from '../workloads/owned-pods.js';
import { slowStartBatch } from '../workloads/pod-control.js';
import type { CallContext, EventSink } from '../workloads/pod-control.js';
import { revisionControl, revisionKind, revisionTemplate, sortRevisions } from '../workloads/revision-history.js';
import type { StoredRevision } from '../workloads/revision-history.js';
import { WriteBarrier } from '../workloads/write-barrier.js';
import { isMember, podKind, statefulSetKind } from './pod-identity.js';
import { finalStatus, planSet } from './set-plan.js';
import type { SetRound, SetStep } from './set-plan.js';
import { findRevisions, surplusRevisions } from './set-revisions.js';
import type { SetRevisions } from './set-revisions.js';
import { SetWrites } from './set-writes.js';

/** Options of the controller. */
export interface StatefulSetsOptions extends ControllerEnvironment {
  /** Whether rolling updates respect maxUnavailable: the gate MaxUnavailableStatefulSet. Default false. */
  readonly respectsMaxUnavailable?: boolean;
}

/** A step for a pod of a set was performed. */
export interface StatefulSetStepped {
  readonly type: 'stepped';
  readonly set: NamespacedName;
  readonly step: SetStep['type'];
  readonly pod: string;
}

/** The activities of the controller. */
export type StatefulSetsActivity = ControllerActivity<NamespacedName, StatefulSetStepped> | EventFailed;

/** Creates the StatefulSet controller. */
export function statefulSets(options: StatefulSetsOptions): Part<StatefulSetsActivity> {
  const create = (recorder: EventSink): Part<StatefulSetsActivity> => controllerWith(recorder, options);
  return withEvents({ ...options, name, component: name, create });
}

const name = 'statefulset-controller';
/** A reconcile that waits for its informers is woken by their events; this is for events that got lost. */
const lagRecheckMs = 1_000;
/** As client-go/util/retry, DefaultRetry. */
const conflictsMax = 5;

function controllerWith(recorder: EventSink, options: StatefulSetsOptions): Part<StatefulSetsActivity> {
  const { client, clock, concurrency = 5 } = options;
  const shared = informersOf(options);
  const sets = shared.kind('apps/v1', 'StatefulSet').indexedBy({ namespace: namespaceValues });
  const pods = podsByController(shared);
  const claims = shared.kind('v1', 'PersistentVolumeClaim');
  const revisions = shared.kind('apps/v1', 'ControllerRevision').indexedBy({ controller: controllerValues });
  const history = revisionControl(client);
  const barrier = new WriteBarrier({ sets, pods, claims });

  const dependents: DependentEvents<StatefulSet> = {
    kind: statefulSetKind.kind,
    owners: sets,
    selectorOf: ({ spec }) => readableSelector(spec?.selector),
  };

  const reconcile = async (item: NamespacedName, run: Run): Promise<Action> => {
    if (!barrier.isReached(item)) return requeueAfter(lagRecheckMs);
    const set = sets.get(printNamespacedName(item));
    if (set === undefined) {
      barrier.forget(item);
      return awaitChange;
    }
    const selector = selectorOf(set);
    if (selector === undefined) return awaitChange;
    const sorted = sortRevisions(await ownRevisions(set, selector, run));
    const own = await claimObjects<Pod>(dependentsAndOrphans(pods, set), {
      client,
      owner: set,
      ownerKind: statefulSetKind,
      kind: podKind,
      selector,
      matches: (pod) => isMember(set, pod),
      ...run.context,
    });
    let found: SetRevisions | undefined;
    let status: StatefulSetStatus;
    try {
      found = await findRevisions(set, sorted, history, run.context);
      status = await bringCloser(set, own, found, run);
    } finally {
      for (const surplus of surplusRevisions(set, sorted, own, found ?? {})) await history.delete(surplus, run.context);
    }
    return nextCheck(set, own, status, clock.now());
  };

  /** Returns the history of a set, after adopting revisions without a controller. None is released. */
  const ownRevisions = async (
    set: Stored<StatefulSet>,
    selector: Selector,
    run: Run,
  ): Promise<readonly StoredRevision[]> =>
    claimObjects<ControllerRevision>(
      dependentsAndOrphans(revisions, set).filter(({ metadata }) => matchesLabels(selector, metadata.labels)),
      { client, owner: set, ownerKind: statefulSetKind, kind: revisionKind, selector, ...run.context },
    );

  /** Performs the plan of a set and writes its status, also after a failure. */
  const bringCloser = async (
    set: Stored<StatefulSet>,
    own: readonly Stored<Pod>[],
    { current, update, collisionCount }: SetRevisions,
    run: Run,
  ): Promise<StatefulSetStatus> => {
    const { namespace = '' } = set.metadata;
    const template = set.spec?.template ?? {};
    const plan = planSet({
      set,
      pods: own,
      claim: (claim) => claims.get(`${namespace}/${claim}`),
      current: { name: current.metadata.name, template: revisionTemplate(current) ?? template },
      update: { name: update.metadata.name, template: revisionTemplate(update) ?? template },
      collisionCount,
      nowMs: clock.now(),
      respectsMaxUnavailable: options.respectsMaxUnavailable ?? false,
    });
    const writes = new SetWrites(set, { client, recorder, pods, claims, barrier }, run.context);
    const perform = async (step: SetStep): Promise<void> => {
      await writes.perform(step);
      run.stepped(step);
    };
    let deletions = 0;
    const failures: unknown[] = [];
    for (const round of plan.rounds) {
      const { performed, failure } = await performRound(round, perform);
      if (round.isUpdate) deletions += performed;
      if (failure === undefined) continue;
      failures.push(failure);
      break;
    }
    const status = finalStatus({ set, status: plan.status, deletions });
    try {
      await writeStatus(set, status, run.context);
    } catch (error) {
      failures.push(error);
    }
    if (failures.length > 0) throw failures[0];
    return status;
  };

  const writeStatus = async (
    set: Stored<StatefulSet>,
    status: StatefulSetStatus,
    { signal, cause }: CallContext,
  ): Promise<void> => {
    if (isSameStatus(set.status, status)) return;
    const all = client.kind('apps/v1', 'StatefulSet');
    for (let tries = 1, observed = set; ; tries += 1) {
      try {
        barrier.wrote(namespacedName(set), 'sets', await all.status.update({ ...observed, status }, { signal, cause }));
        return;
      } catch (error) {
        if (!isApiError(error, 'Conflict') || tries === conflictsMax) throw error;
      }
      observed = await all.get(namespacedName(set), { signal });
      if (observed.metadata.uid !== set.metadata.uid) return;
    }
  };

  return controller<NamespacedName, StatefulSetStepped>({
    name,
    clock,
    steps$: options.steps$,
    concurrency,
    watches: [
      watching(sets, ({ object }) => [namespacedName(object)]),
      watching(pods, (event) => ownersToReconcile(event, dependents)),
      watching(claims, () => barrier.released()),
      watching(revisions),
    ],
    reconcile: (item, { emit, signal, cause }) =>
      reconcile(item, {
        context: { signal, cause },
        stepped: ({ type, pod }) => emit({ type: 'stepped', set: item, step: type, pod: pod.metadata?.name ?? '' }),
      }),
  });
}

/** What one reconcile passes to its parts. */
interface Run {
  readonly context: CallContext;
  readonly stepped: (step: SetStep) => void;
}

/** Performs the tasks of a round. Resolves with the number of tasks performed, and the first failure. */
async function performRound(
  { tasks, inBatches }: SetRound,
  perform: (step: SetStep) => Promise<void>,
): Promise<{ readonly performed: number; readonly failure?: unknown }> {
  let performed = 0;
  const performTask = async (index: number): Promise<void> => {
    for (const step of tasks[index] ?? []) {
      await perform(step);
      performed += 1;
    }
  };
  if (inBatches) {
    const { failure } = await slowStartBatch(tasks.length, performTask);
    return { performed, failure };
  }
  try {
    for (const index of tasks.keys()) await performTask(index);
    return { performed };
  } catch (failure) {
    return { performed, failure };
  }
}

/** Pods that are ready become available by time alone. */
function nextCheck(
  { spec }: Stored<StatefulSet>,
  own: readonly Stored<Pod>[],
  { readyReplicas, availableReplicas }: StatefulSetStatus,
  nowMs: number,
): Action {
  const minReadySeconds = spec?.minReadySeconds ?? 0;
  if (minReadySeconds === 0 || readyReplicas === availableReplicas) return awaitChange;
  const times = own.map((pod) => availableAtMs(pod, minReadySeconds)).filter((atMs) => atMs > nowMs);
  return requeueAfter(Math.min(minReadySeconds * 1000, ...times.map((atMs) => atMs - nowMs)));
}

/** The collision count alone is not written. */
function isSameStatus(old: Stored<StatefulSet>['status'], status: StatefulSetStatus): boolean {
  return (
    (status.observedGeneration ?? 0) <= (old?.observedGeneration ?? 0) &&
    (old?.currentRevision ?? '') === status.currentRevision &&
    (old?.updateRevision ?? '') === status.updateRevision &&
    counts.every((count) => (old?.[count] ?? 0) === status[count])
  );
}

const counts = ['replicas', 'readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'] as const;

function selectorOf({ spec }: Stored<StatefulSet>): Selector | undefined {
  try {
    return selectorFromStructured(spec?.selector);
  } catch (error) {
    if (isParseError(error)) return undefined;
    throw error;
  }
}
