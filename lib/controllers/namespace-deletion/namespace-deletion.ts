// The namespace controller: empties terminating namespaces and then removes the finalizer `kubernetes`, which lets the
// server remove them. It waits five seconds after each event of a namespace, so that every API server refuses new
// objects by then. As pkg/controller/namespace.
import { map, mergeMap, of } from 'rxjs';
import { awaitChange, controller, informers, requeueAfter, watching } from '../../client/index.js';
import type { ControllerActivity, Stored, Watch } from '../../client/index.js';
import { aggregateText, backoffLadders, isApiError, isTerminating, namespacedName } from '../../core/index.js';
import type { Clock, Frozen, Informer, NamespacedName, Part } from '../../core/index.js';
import type { Namespace, NamespaceCondition } from '../../core/types/index.js';
import type { ControllerEnvironment } from '../controller-environment.js';
import { ignoreError } from '../ignore-error.js';
import { deleteContent } from './delete-content.js';
import type { ContentDeletion } from './delete-content.js';
import { deletionConditions } from './deletion-conditions.js';

/** A namespace is empty, and its finalizer was removed. */
export interface NamespaceFinalized {
  readonly type: 'finalized';
  readonly namespace: string;
}

/** Creates the namespace controller. */
export function namespaceDeletion({
  client,
  clock,
  random,
  informers: shared = informers(client, { clock, random }),
  steps$,
  concurrency = 10,
}: ControllerEnvironment): Part<ControllerActivity<NamespacedName, NamespaceFinalized>> {
  const namespaces = client.kind('v1', 'Namespace');
  return controller<NamespacedName, NamespaceFinalized>({
    name: 'namespace-controller',
    clock,
    steps$,
    concurrency,
    backoff: { ...backoffLadders.workQueueItem, maxMs: 60_000 },
    watches: [terminating(shared.kind('v1', 'Namespace'), clock)],
    reconcile: async ({ name }, { emit, signal, cause }) => {
      const found = await namespaces.find(name, { signal });
      if (found === undefined || !isTerminating(found)) return awaitChange;
      const tools = { client, nowMs: clock.now(), signal, cause };
      const namespace = await markTerminating(found, tools);
      if (namespace === undefined || (namespace.spec?.finalizers ?? []).length === 0) return awaitChange;
      const outcome = await deleteContent(namespace, tools);
      const { conditions = [] } = namespace.status ?? {};
      const changed = deletionConditions(conditions, outcome, clock.now());
      // A conflict or a missing namespace does not matter: the next round decides anew.
      const written = changed === conditions ? namespace : await writeConditions(namespace, changed, tools);
      if (outcome.failures.length > 0) throw new Error(aggregateText(outcome.failures));
      if (outcome.estimateSeconds > 0) return requeueAfter((Math.floor(outcome.estimateSeconds / 2) + 1) * 1000);
      await finalize(written ?? namespace, tools);
      emit({ type: 'finalized', namespace: name });
      return awaitChange;
    },
  });
}

/** Adds terminating namespaces, each event after a pause. */
function terminating(namespaces: Informer<Stored<Namespace>>, clock: Clock): Watch<NamespacedName> {
  const { signals$ } = watching(namespaces, ({ type, object }) =>
    type !== 'deleted' && isTerminating(object) ? [namespacedName(object)] : [],
  );
  return {
    signals$: signals$.pipe(
      mergeMap((signal) => {
        if (signal.type !== 'items') return of(signal);
        const items = [...signal.items];
        return items.length === 0 ? [] : clock.timer(pauseMs).pipe(map(() => ({ type: 'items', items }) as const));
      }),
    ),
  };
}

const pauseMs = 5_000;

/** Writes the phase where the server has not. */
async function markTerminating(
  namespace: Stored<Namespace>,
  { client, signal, cause }: ContentDeletion,
): Promise<Stored<Namespace> | undefined> {
  if (namespace.status?.phase === 'Terminating') return namespace;
  const changed = { ...namespace, status: { ...namespace.status, phase: 'Terminating' as const } };
  return ignoreError('NotFound', client.kind('v1', 'Namespace').status.update(changed, { signal, cause }));
}

async function writeConditions(
  namespace: Stored<Namespace>,
  conditions: readonly Frozen<NamespaceCondition>[],
  { client, signal, cause }: ContentDeletion,
): Promise<Stored<Namespace> | undefined> {
  const changed = { ...namespace, status: { ...namespace.status, conditions } };
  const written = client.kind('v1', 'Namespace').status.update(changed, { signal, cause });
  return ignoreError('NotFound', ignoreError('Conflict', written));
}

/** Removes the finalizer `kubernetes`; finalizers of others stay. */
async function finalize(namespace: Stored<Namespace>, { client, signal, cause }: ContentDeletion): Promise<void> {
  const namespaces = client.kind('v1', 'Namespace');
  let newest: Stored<Namespace> | undefined = namespace;
  for (let tries = 1; newest?.metadata.uid === namespace.metadata.uid; tries += 1) {
    const finalizers = (newest.spec?.finalizers ?? []).filter((each) => each !== 'kubernetes').toSorted();
    const finalized = { ...newest, spec: { finalizers } };
    try {
      await namespaces.subresource<Namespace>('finalize').update(finalized, { signal, cause });
      return;
    } catch (error) {
      if (isApiError(error, 'NotFound')) return;
      if (tries === triesMax || !isApiError(error, 'Conflict')) throw error;
    }
    newest = await namespaces.find(namespace.metadata.name, { signal });
  }
}

const triesMax = 5;
