// The ReplicaSet controller, and the ReplicationController one, which is the same for another kind: keeps the number of
// pods that an owner's selector matches at `spec.replicas`. At most 500 pods are created or deleted in one reconcile,
// and none while the informer has not shown the last ones. As pkg/controller/replicaset and pkg/controller/replication.
import { awaitChange, controller, informers, requeueAfter, watching, withOwnWrites } from '../../client/index.js';
import type { ControllerActivity, EventFailed, EventRecorder } from '../../client/index.js';
import { namespacedName, objectKey, readable, readableSelector, selectorFromLabels } from '../../core/index.js';
import type { NamespacedName, Part } from '../../core/index.js';
import type { ReplicaSet, ReplicationController } from '../../core/types/index.js';
import type { ControllerEnvironment } from '../controller-environment.js';
import { withEvents } from '../with-events.js';
import { namespaceValues, ownersToReconcile } from '../workloads/dependent-events.js';
import { Expectations } from '../workloads/expectations.js';
import { controllerValues, podsByController } from '../workloads/owned-pods.js';
import { podControl } from '../workloads/pod-control.js';
import { reconcileReplicas } from './reconcile-replicas.js';
import type { ReplicatedKind, Run } from './reconcile-replicas.js';
import type { Replicated } from './replica-set-status.js';

/** Pods of an owner were created or deleted. */
export interface ReplicasChanged {
  readonly type: 'replicas-changed';
  readonly owner: NamespacedName;
  readonly created: number;
  readonly deleted: number;
}

/** The activities of the controllers. */
export type ReplicaSetsActivity = ControllerActivity<NamespacedName, ReplicasChanged> | EventFailed;

/** Creates the ReplicaSet controller. */
export function replicaSets(environment: ControllerEnvironment): Part<ReplicaSetsActivity> {
  return replicas<ReplicaSet>(environment, {
    name: 'replicaset-controller',
    component: 'replicaset-controller',
    kind: { apiVersion: 'apps/v1', kind: 'ReplicaSet' },
    reportsTerminating: true,
    informerOf: (shared) => shared.kind('apps/v1', 'ReplicaSet'),
    selectorOf: ({ spec }) => readableSelector(spec?.selector),
    writeStatus: (client, owner, context) => client.kind('apps/v1', 'ReplicaSet').status.update(owner, context),
    read: (client, name, { signal }) => client.kind('apps/v1', 'ReplicaSet').get(name, { signal }),
  });
}

/** Creates the ReplicationController controller. */
export function replicationControllers(environment: ControllerEnvironment): Part<ReplicaSetsActivity> {
  return replicas<ReplicationController>(environment, {
    name: 'replicationcontroller-controller',
    component: 'replication-controller',
    kind: { apiVersion: 'v1', kind: 'ReplicationController' },
    reportsTerminating: false,
    informerOf: (shared) => shared.kind('v1', 'ReplicationController'),
    selectorOf: ({ spec }) => readable(() => selectorFromLabels(spec?.selector)),
    writeStatus: (client, owner, context) => client.kind('v1', 'ReplicationController').status.update(owner, context),
    read: (client, name, { signal }) => client.kind('v1', 'ReplicationController').get(name, { signal }),
  });
}

function replicas<T extends Replicated>(
  environment: ControllerEnvironment,
  kind: ReplicatedKind<T>,
): Part<ReplicaSetsActivity> {
  const {
    client,
    clock,
    random,
    informers: shared = informers(client, { clock, random }),
    concurrency = 5,
  } = environment;
  const { name, component } = kind;
  const pods = podsByController(shared);
  const owners = kind.informerOf(shared).indexedBy({ namespace: namespaceValues, controller: controllerValues });
  const create = (recorder: EventRecorder): Part<ReplicaSetsActivity> => {
    const expectations = new Expectations(clock);
    const run: Run<T> = {
      client,
      clock,
      kind,
      pods,
      owners,
      known: withOwnWrites(owners),
      expectations,
      control: podControl({ client, recorder, kind: kind.kind }),
    };
    const events = { kind: kind.kind.kind, owners, selectorOf: kind.selectorOf, expectations };
    return controller<NamespacedName, ReplicasChanged>({
      name,
      clock,
      steps$: environment.steps$,
      concurrency,
      watches: [
        watching(owners, (event) => {
          // Another owner of the same name starts without expectations.
          const replaced = event.type !== 'deleted' && event.old?.metadata.uid !== event.object.metadata.uid;
          if (event.type === 'deleted' || replaced) expectations.forget(objectKey(event.object));
          return [namespacedName(event.object)];
        }),
        watching(pods, (event) => ownersToReconcile(event, events)),
      ],
      reconcile: async (item, { emit, signal, cause }) => {
        const outcome = await reconcileReplicas(item, run, { signal, cause });
        const { created, deleted, failure, nextMs } = outcome;
        if (created + deleted > 0) emit({ type: 'replicas-changed', owner: item, created, deleted });
        if (failure !== undefined) throw failure;
        return nextMs === undefined ? awaitChange : requeueAfter(nextMs);
      },
    });
  };
  return withEvents({ name, component, client, clock, random, create });
}
