// eviction: a deletion of a pod that first consumes a disruption of its budget. As
// pkg/registry/core/pod/storage/eviction.go.
import {
  badRequest,
  isApiError,
  isPodActive,
  isPodReady,
  matchesLabels,
  notFound,
  printTime,
  selectorFromStructured,
  successStatus,
  unclassifiedError,
} from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Eviction, Pod, PodDisruptionBudget } from '../../core/types/index.js';
import { checkDeleteOptions } from '../requests/open-write.js';
import type { Deletion } from '../requests/open-write.js';
import type { ResourceEndpoint } from '../registry/endpoint.js';
import type { StoredObject } from '../registry/stored-kind.js';
import { checkPreconditions } from '../writes/deletion.js';
import { Write } from '../writes/write.js';
import { changeObject, deleteObject } from '../writes/write-pipeline.js';
import { withCondition } from './binding.js';
import { allowsUnhealthyEviction, consumeDisruption, budgetStillProcessed } from './disruption-budget.js';
import type { ActionSubresource } from './action.js';

/** Evicts the pod that the path names. `budgets` returns the endpoint of PodDisruptionBudgets. */
export function evictionSubresource(budgets: () => ResourceEndpoint): ActionSubresource<Eviction> {
  return {
    kind: { group: 'policy', version: 'v1', kind: 'Eviction' },
    accepts: ({ group, kind, version }) => group === 'policy' && kind === 'Eviction' && version === 'v1beta1',
    complete(eviction, { exchange, options }) {
      if ((eviction.metadata?.name ?? '') !== exchange.request.info.name)
        throw badRequest('name in URL does not match name in Eviction object');
      checkDeleteOptions(deletionOf(eviction, options.dryRun ?? []));
      return eviction;
    },
    async perform(eviction, { endpoint, exchange, options, tools }) {
      const deletion = deletionOf(eviction, options.dryRun ?? []);
      const { fieldManager } = options;
      const deleting = { ...deletion, ...(fieldManager !== undefined && { fieldManager }) };
      const write = new Write(endpoint, exchange, deleting, tools);
      const { preconditions, budgetName } = await consumeBudget(write, budgets(), deletion);
      await deletePod(write, { ...deletion, ...(preconditions && { preconditions }) }, budgetName);
      return successStatus(undefined, 201);
    },
  };
}

/** The options of the deletion. Query and body must not disagree about a dry run. Throws ApiError 500 where they do. */
function deletionOf({ deleteOptions = {} }: Eviction, dryRun: readonly string[]): Deletion {
  const inBody = deleteOptions.dryRun ?? [];
  if (inBody.length > 0 && dryRun.length > 0 && inBody.join() !== dryRun.join()) {
    throw unclassifiedError(
      `Non-matching dry-run options in request and content: [${dryRun.join(' ')}] and [${inBody.join(' ')}]`,
    );
  }
  return { ...deleteOptions, dryRun: inBody.length > 0 ? inBody : dryRun };
}

/** Preconditions of the deletion, and the budget that allowed it. */
interface Permission {
  readonly preconditions?: Deletion['preconditions'];
  readonly budgetName?: string;
}

/** Consumes one disruption of the pod's budget, if it has one. Rejects with ApiError 429 where none is left. */
async function consumeBudget(write: Write, budgets: ResourceEndpoint, deletion: Deletion): Promise<Permission> {
  const { name, namespace } = write.exchange.request.info;
  const { object } = await write.stored.cacher.get(write.stored.keyOf(namespace, name));
  if (object === undefined) throw notFound({ group: '', resource: 'pods', name });
  const pod = object as Frozen<Pod>;
  const { phase = '' } = pod.status ?? {};
  const asIs = {
    preconditions: {
      ...deletion.preconditions,
      resourceVersion: deletion.preconditions?.resourceVersion ?? pod.metadata?.resourceVersion ?? '',
    },
  };
  if (!isPodActive(pod)) return {};
  // A pending pod disrupts nothing, but it must not start meanwhile: its resourceVersion is a precondition.
  if (phase === 'Pending') return asIs;
  const [budget, ...others] = await budgetsOf(budgets, pod);
  if (budget === undefined) return {};
  if (others.length > 0)
    throw unclassifiedError(
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  const budgetName = budget.metadata?.name ?? '';
  if (!isPodReady(pod) && allowsUnhealthyEviction(budget)) return { ...asIs, budgetName };
  const own = new Write(budgets, write.exchange, write.options, write.tools);
  await changeObject(own, budgets.stored.keyOf(namespace, budgetName), (old) => {
    if (old === undefined) throw notFound({ group: 'policy', resource: 'poddisruptionbudgets', name: budgetName });
    const next = consumeDisruption(old as Frozen<PodDisruptionBudget>, name, write.context.now);
    return write.context.dryRun ? old : next;
  });
  return {};
}

async function budgetsOf(
  { stored }: ResourceEndpoint,
  pod: Frozen<Pod>,
): Promise<readonly Frozen<PodDisruptionBudget>[]> {
  const namespace = pod.metadata?.namespace ?? '';
  const { items } = await stored.cacher.list({ namespace });
  return (items as readonly Frozen<PodDisruptionBudget>[]).filter(({ spec }) =>
    matchesLabels(selectorFromStructured(spec?.selector), pod.metadata?.labels),
  );
}

/** Sets the condition DisruptionTarget, then deletes the pod. */
async function deletePod(write: Write, deletion: Deletion, budgetName: string | undefined): Promise<void> {
  const { name, namespace } = write.exchange.request.info;
  try {
    const marked = write.context.dryRun ? undefined : await markEvicted(write, deletion, namespace, name);
    const preconditions =
      deletion.preconditions?.resourceVersion === undefined || marked === undefined
        ? deletion.preconditions
        : { ...deletion.preconditions, resourceVersion: marked.metadata?.resourceVersion ?? '' };
    await deleteObject(write, { ...deletion, ...(preconditions && { preconditions }) }, { namespace, name }, false);
  } catch (error) {
    // The pod changed while its budget was consulted: the client should retry.
    throw budgetName !== undefined && isApiError(error, 'Conflict') ? budgetStillProcessed(budgetName) : error;
  }
}

async function markEvicted(
  write: Write,
  { preconditions }: Deletion,
  namespace: string,
  name: string,
): Promise<StoredObject> {
  const { stored, context } = write;
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
    lastTransitionTime: printTime(context.now),
  } as const;
  const { object } = await changeObject(write, stored.keyOf(namespace, name), (old) => {
    if (old === undefined) throw notFound({ group: '', resource: 'pods', name });
    checkPreconditions(stored.definition, preconditions === undefined ? {} : { preconditions }, old, name);
    const pod = old as Frozen<Pod>;
    const conditions = withCondition(pod.status?.conditions ?? [], condition);
    return { ...pod, status: { ...pod.status, conditions } };
  });
  return object;
}
