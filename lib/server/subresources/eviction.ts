// eviction: a deletion that asks the pod's disruption budget first. As pkg/registry/core/pod/storage/eviction.go.
import {
  badRequest,
  groupVersionKindOf,
  isApiError,
  matchesLabels,
  notFound,
  printTime,
  selectorFromStructured,
  successStatus,
  unclassifiedError,
} from '../../core/index.js';
import type { ApiObject, Frozen } from '../../core/index.js';
import type { Eviction, Pod, PodDisruptionBudget } from '../../core/types/index.js';
import type { ApiResponse } from '../../client/index.js';
import { checkCreateOptions, checkDeleteOptions, fieldValidationOf } from '../requests/check-options.js';
import { decodeBody } from '../requests/decode-body.js';
import type { Exchange } from '../requests/exchange.js';
import { objectOffer } from '../requests/form.js';
import type { Endpoint } from '../registry/endpoint.js';
import type { Stored } from '../registry/stored-kind.js';
import type { Deletion } from '../requests/deletion.js';
import { checkPreconditions, deleteObject } from '../verbs/delete.js';
import { guaranteedUpdate } from '../writes/guaranteed-update.js';
import { draftOf } from '../writes/metadata.js';
import type { WriteTools } from '../writes/write.js';
import { Write } from '../writes/write.js';
import { withCondition } from './binding.js';
import { sparesUnhealthy, spend, stillProcessed } from './disruption-budget.js';

/** Evicts the pod that the path names. */
export async function evict(
  pods: Endpoint,
  budgets: Endpoint,
  exchange: Exchange,
  tools: WriteTools,
): Promise<ApiResponse> {
  const { request } = exchange;
  const form = request.negotiate(objectOffer);
  const body = await request.body();
  const options = request.options();
  checkCreateOptions(options);
  const gvk = { group: 'policy', version: 'v1', kind: 'Eviction' };
  const accepts = ({ group, kind, version }: { group: string; kind: string; version: string }): boolean =>
    group === 'policy' && kind === 'Eviction' && version === 'v1beta1';
  const { object, warnings } = await decodeBody(body, {
    scheme: pods.scheme,
    gvk,
    validation: fieldValidationOf(options),
    accepts,
  });
  for (const warning of warnings) exchange.warn(warning);
  exchange.recorder?.object(object);
  const asked = new Write(pods, exchange, options, tools, { gvk: groupVersionKindOf(object), fromHub: (same) => same });
  const eviction = (await asked.mutate('CREATE', object)) as Eviction;
  if ((eviction.metadata?.name ?? '') !== request.info.name)
    throw badRequest('name in URL does not match name in Eviction object');
  const deletion = deletionOf(eviction, options.dryRun ?? []);
  checkDeleteOptions(deletion);
  const write = new Write(pods, exchange, deletion, tools);
  await asked.admit('CREATE', eviction);
  const { preconditions, budgetName } = await permitted(write, budgets, deletion);
  await removePod(write, { ...deletion, ...(preconditions && { preconditions }) }, budgetName);
  return { type: 'object', code: 201, object: successStatus(undefined, 201), form };
}

/** Dry run may be said in either place, but not differently. */
function deletionOf({ deleteOptions = {} }: Eviction, dryRun: readonly string[]): Deletion {
  const inBody = deleteOptions.dryRun ?? [];
  if (inBody.length > 0 && dryRun.length > 0 && inBody.join() !== dryRun.join()) {
    throw unclassifiedError(
      `Non-matching dry-run options in request and content: [${dryRun.join(' ')}] and [${inBody.join(' ')}]`,
    );
  }
  return { ...deleteOptions, dryRun: inBody.length > 0 ? inBody : dryRun };
}

/** What the deletion may count on, and the budget that allowed it. */
interface Permission {
  readonly preconditions?: Deletion['preconditions'];
  readonly budgetName?: string;
}

/** Asks the budget. Throws ApiError 429 where it refuses. */
async function permitted(write: Write, budgets: Endpoint, deletion: Deletion): Promise<Permission> {
  const { name, namespace } = write.exchange.request.info;
  const { object } = await write.stored.cacher.get(write.stored.keyOf(namespace, name));
  if (object === undefined) throw notFound({ group: '', resource: 'pods', name });
  const pod = object as Frozen<Pod>;
  const { phase = '' } = pod.status ?? {};
  const isOver = phase === 'Succeeded' || phase === 'Failed' || pod.metadata?.deletionTimestamp !== undefined;
  const asIs = {
    preconditions: {
      ...deletion.preconditions,
      resourceVersion: deletion.preconditions?.resourceVersion ?? pod.metadata?.resourceVersion ?? '',
    },
  };
  if (isOver) return {};
  // Not running yet, it disrupts nothing; but it must not begin to run meanwhile.
  if (phase === 'Pending') return asIs;
  const [budget, ...others] = await budgetsOf(budgets, pod);
  if (budget === undefined) return {};
  if (others.length > 0)
    throw unclassifiedError(
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  const budgetName = budget.metadata?.name ?? '';
  if (!isReady(pod) && sparesUnhealthy(budget)) return { ...asIs, budgetName };
  const own = new Write(budgets, write.exchange, write.options, write.tools);
  await guaranteedUpdate(own, budgets.stored.keyOf(namespace, budgetName), (old) => {
    if (old === undefined) throw notFound({ group: 'policy', resource: 'poddisruptionbudgets', name: budgetName });
    const next = spend(old as Frozen<PodDisruptionBudget>, name, write.context.now);
    return Promise.resolve(
      write.context.dryRun ? { keep: old } : { put: { ...next, metadata: { ...next.metadata } } as ApiObject },
    );
  });
  return {};
}

async function budgetsOf({ stored }: Endpoint, pod: Frozen<Pod>): Promise<readonly Frozen<PodDisruptionBudget>[]> {
  const namespace = pod.metadata?.namespace ?? '';
  const { items } = await stored.cacher.list({ namespace });
  return (items as readonly Frozen<PodDisruptionBudget>[]).filter(({ spec }) =>
    matchesLabels(selectorFromStructured(spec?.selector), pod.metadata?.labels),
  );
}

function isReady({ status }: Frozen<Pod>): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;
}

/** Notes in the pod why it goes, then deletes it. */
async function removePod(write: Write, deletion: Deletion, budgetName: string | undefined): Promise<void> {
  const { name, namespace } = write.exchange.request.info;
  try {
    const noted = write.context.dryRun ? undefined : await noteEviction(write, deletion, namespace, name);
    const preconditions =
      deletion.preconditions?.resourceVersion === undefined || noted === undefined
        ? deletion.preconditions
        : { ...deletion.preconditions, resourceVersion: noted.metadata?.resourceVersion ?? '' };
    await deleteObject(write, { ...deletion, ...(preconditions && { preconditions }) }, namespace, name, false);
  } catch (error) {
    // The pod changed while its budget was asked: the client shall ask again.
    throw budgetName !== undefined && isApiError(error, 'Conflict') ? stillProcessed(budgetName) : error;
  }
}

async function noteEviction(
  write: Write,
  { preconditions }: Deletion,
  namespace: string,
  name: string,
): Promise<Stored> {
  const { stored, context } = write;
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
    lastTransitionTime: printTime(context.now),
  } as const;
  const { object } = await guaranteedUpdate(write, stored.keyOf(namespace, name), (old) => {
    if (old === undefined) throw notFound({ group: '', resource: 'pods', name });
    checkPreconditions(stored.definition, preconditions === undefined ? {} : { preconditions }, old, name);
    const pod = old as Frozen<Pod>;
    const status = { ...pod.status, conditions: withCondition(pod.status?.conditions ?? [], condition) };
    return Promise.resolve({ put: { ...draftOf(old), status } as ApiObject });
  });
  return object;
}
