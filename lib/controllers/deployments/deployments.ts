// The Deployment controller: rolls pods over to a new template through ReplicaSets, one for each template. What to do
// is decided by deployment-plan.ts; this file observes, carries out the writes and records Events. As
// pkg/controller/deployment.
import { awaitChange, controller, informers, requeueAfter, watching, withOwnWrites } from '../../client/index.js';
import type { Client, ControllerActivity, EventFailed, EventRecorder, OwnWrites, Stored } from '../../client/index.js';
import {
  errorText,
  isApiError,
  isControlledBy,
  isPodTerminal,
  namespacedName,
  objectKey,
  objectReference,
  printNamespacedName,
  readableSelector,
} from '../../core/index.js';
import type { Clock, Frozen, Informer, NamespacedName, Part } from '../../core/index.js';
import type { Deployment, Pod, ReplicaSet } from '../../core/types/index.js';
import type { ControllerEnvironment } from '../controller-environment.js';
import { withEvents } from '../with-events.js';
import { claimObjects } from '../workloads/claim-objects.js';
import { namespaceValues, ownersToReconcile } from '../workloads/dependent-events.js';
import {
  controllerValues,
  dependentsAndOrphans,
  dependentsOf,
  ownerOf,
  podsByController,
} from '../workloads/owned-pods.js';
import type { ControllerIndex } from '../workloads/owned-pods.js';
import { isNamespaceTerminating } from '../workloads/pod-control.js';
import type { CallContext } from '../workloads/pod-control.js';
import { planDeployment } from './deployment-plan.js';
import type { DeploymentPlan, PlannedEvent, PlannedWrite } from './deployment-plan.js';
import { hasDeadline, newCondition, withDeploymentCondition } from './deployment-status.js';
import { deploymentKind, isSameTemplate } from './revisions.js';

/** A ReplicaSet was created, changed or deleted for a Deployment. */
export interface DeploymentChanged {
  readonly type: 'deployment-changed';
  readonly deployment: NamespacedName;
  readonly writes: readonly PlannedWrite['type'][];
}

/** The activities of the controller. */
export type DeploymentsActivity = ControllerActivity<NamespacedName, DeploymentChanged> | EventFailed;

/** Creates the Deployment controller. */
export function deployments({
  client,
  clock,
  random,
  informers: shared = informers(client, { clock, random }),
  steps$,
  concurrency = 5,
}: ControllerEnvironment): Part<DeploymentsActivity> {
  const name = 'deployment-controller';
  const pods = podsByController(shared);
  const sets = shared.kind('apps/v1', 'ReplicaSet').indexedBy({ controller: controllerValues });
  const owners = shared.kind('apps/v1', 'Deployment').indexedBy({ namespace: namespaceValues });
  const events = {
    kind: deploymentKind.kind,
    owners,
    selectorOf: ({ spec }: Stored<Deployment>) => readableSelector(spec?.selector),
  };
  const create = (recorder: EventRecorder): Part<DeploymentsActivity> => {
    const run = { client, clock, pods, sets, recorder, owners: withOwnWrites(owners), ownSets: withOwnWrites(sets) };
    return controller<NamespacedName, DeploymentChanged>({
      name,
      clock,
      steps$,
      concurrency,
      failuresMax: 15,
      watches: [
        watching(owners, ({ object }) => [namespacedName(object)]),
        watching(sets, (event) => ownersToReconcile<Deployment>(event, events)),
        watching(pods, ({ type, object }) => (type === 'deleted' ? recreatedBy(object, { pods, sets, owners }) : [])),
      ],
      reconcile: async (item, { emit, signal, cause }) => {
        const plan = await reconcileDeployment(item, run, { signal, cause });
        if (plan === undefined) return awaitChange;
        const { writes, requeueAfterMs } = plan;
        if (writes.length > 0)
          emit({ type: 'deployment-changed', deployment: item, writes: writes.map(({ type }) => type) });
        return requeueAfterMs === undefined ? awaitChange : requeueAfter(requeueAfterMs);
      },
    });
  };
  return withEvents({ name, component: name, client, clock, random, create });
}

/** One run of the controller. */
interface Run {
  readonly client: Client;
  readonly clock: Clock;
  readonly pods: Informer<Stored<Pod>, ControllerIndex>;
  readonly sets: Informer<Stored<ReplicaSet>, ControllerIndex>;
  readonly recorder: EventRecorder;
  /** The Deployments and ReplicaSets, as they were last written. */
  readonly owners: OwnWrites<Stored<Deployment>>;
  readonly ownSets: OwnWrites<Stored<ReplicaSet>>;
}

/** Returns the Deployment to reconcile when the last pod of a Recreate one is gone. */
function recreatedBy(
  pod: Stored<Pod>,
  { pods, sets, owners }: Pick<Run, 'pods' | 'sets'> & { readonly owners: Informer<Stored<Deployment>, 'namespace'> },
): readonly NamespacedName[] {
  const set = ownerOf<ReplicaSet>(pod, 'ReplicaSet', sets);
  const owner = set && ownerOf<Deployment>(set, deploymentKind.kind, owners);
  if (owner?.spec?.strategy?.type !== 'Recreate') return [];
  const isEmpty = dependentsOf(sets, owner).every((each) => dependentsOf(pods, each).length === 0);
  return isEmpty ? [namespacedName(owner)] : [];
}

async function reconcileDeployment(
  item: NamespacedName,
  run: Run,
  context: CallContext,
): Promise<DeploymentPlan | undefined> {
  const { client, clock, pods, sets, owners, ownSets } = run;
  const deployment = owners.get(printNamespacedName(item));
  if (deployment === undefined) return undefined;
  const known = dependentsAndOrphans(sets, deployment).map((set) => ownSets.get(objectKey(set)) ?? set);
  const claimed = await claimObjects<ReplicaSet>(known, {
    ...context,
    client,
    owner: deployment,
    ownerKind: deploymentKind,
    kind: { apiVersion: 'apps/v1', kind: 'ReplicaSet' },
    selector: readableSelector(deployment.spec?.selector),
  });
  const plan = planDeployment({
    deployment,
    sets: claimed,
    runsPods: (set) => dependentsOf(pods, set).some((pod) => !isPodTerminal(pod)),
    nowMs: clock.now(),
  });
  try {
    for (const write of plan.writes) await carryOut(write, deployment, run, context);
  } catch (error) {
    // Every creation would fail: there is nothing to do but wait for the end of the namespace.
    if (isNamespaceTerminating(error)) return undefined;
    throw error;
  }
  if (plan.status !== undefined)
    owners.wrote(await client.kind('apps/v1', 'Deployment').status.update(plan.status, context));
  return plan;
}

async function carryOut(
  write: PlannedWrite,
  deployment: Stored<Deployment>,
  run: Run,
  context: CallContext,
): Promise<void> {
  const { client, owners, ownSets } = run;
  const replicaSets = client.kind('apps/v1', 'ReplicaSet');
  switch (write.type) {
    case 'create':
      if (!(await createSet(write.set, deployment, run, context))) return;
      break;
    case 'update':
      ownSets.wrote(await replicaSets.update(write.set, context));
      break;
    case 'delete':
      await deleteSet(write.set, run, context);
      break;
    case 'roll-back':
      owners.wrote(await client.kind('apps/v1', 'Deployment').update(write.deployment, context));
      break;
  }
  if (write.event !== undefined) record(run, deployment, write.event);
}

async function deleteSet(set: Stored<ReplicaSet>, { client }: Run, context: CallContext): Promise<void> {
  try {
    await client.kind('apps/v1', 'ReplicaSet').delete(namespacedName(set), context);
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
  }
}

/** Returns whether it was created; false if this Deployment had created it before. */
async function createSet(
  set: Frozen<ReplicaSet>,
  deployment: Stored<Deployment>,
  run: Run,
  context: CallContext,
): Promise<boolean> {
  const { namespace = '' } = deployment.metadata;
  const { name = '' } = set.metadata ?? {};
  const replicaSets = run.client.kind('apps/v1', 'ReplicaSet').in(namespace);
  try {
    await replicaSets.create(set, context);
    return true;
  } catch (error) {
    if (isNamespaceTerminating(error)) throw error;
    if (!isApiError(error, 'AlreadyExists')) {
      await reportFailure(deployment, `Failed to create new replica set "${name}": ${errorText(error)}`, run, context);
      throw error;
    }
    const existing = await replicaSets.get(name, { signal: context.signal });
    if (isControlledBy(existing, deployment) && isSameTemplate(existing.spec?.template, set.spec?.template))
      return false;
    // Another template has the same hash, or the name is taken: the next attempt uses another name.
    const { status } = deployment;
    const collided = { ...deployment, status: { ...status, collisionCount: (status?.collisionCount ?? 0) + 1 } };
    run.owners.wrote(await run.client.kind('apps/v1', 'Deployment').status.update(collided, context));
    throw error;
  }
}

/** The failure of the creation is more interesting than one of this write. */
async function reportFailure(
  deployment: Stored<Deployment>,
  message: string,
  run: Run,
  context: CallContext,
): Promise<void> {
  const reason = 'ReplicaSetCreateError';
  if (hasDeadline(deployment)) {
    const failed = newCondition('Progressing', 'False', { reason, message, nowMs: run.clock.now() });
    const conditions = withDeploymentCondition(deployment.status?.conditions ?? [], failed);
    const changed = { ...deployment, status: { ...deployment.status, conditions } };
    await run.client
      .kind('apps/v1', 'Deployment')
      .status.update(changed, context)
      .then(
        (written) => run.owners.wrote(written),
        () => undefined,
      );
  }
  record(run, deployment, { type: 'Warning', reason, message });
}

function record({ recorder }: Run, deployment: Stored<Deployment>, event: PlannedEvent): void {
  recorder.record({ regarding: objectReference(deploymentKind, deployment), ...event });
}
