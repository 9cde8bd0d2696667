// The disruption controller: keeps the status of PodDisruptionBudgets, which the eviction subresource consults and
// charges. An eviction adds its pod to `disruptedPods` and takes one of `disruptionsAllowed`; this controller frees the
// entry when the pod is being deleted, or two minutes later if it is not. If a budget cannot be assessed it allows
// nothing.
//
// It also resets the condition DisruptionTarget of pods that were announced to be deleted two minutes ago and were not.
// As pkg/controller/disruption.
import { awaitChange, controller, requeueAfter, watching } from '../../client/index.js';
import type {
  Action,
  Client,
  ControllerActivity,
  EventDetails,
  EventFailed,
  EventRecorder,
  ObjectEvent,
  Stored,
} from '../../client/index.js';
import {
  deepEqual,
  errorText,
  isApiError,
  isParseError,
  isPodTerminal,
  matchesLabels,
  namespacedName,
  objectReference,
  parseTime,
  podCondition,
  printNamespacedName,
  printStructuredSelector,
  quote,
  readableSelector,
  selectorFromStructured,
  withPodCondition,
} from '../../core/index.js';
import type { Frozen, Informer, Labels, NamespacedName, Part, RequestCause } from '../../core/index.js';
import type { Pod, PodDisruptionBudget } from '../../core/types/index.js';
import { informersOf } from '../controller-environment.js';
import type { ControllerEnvironment } from '../controller-environment.js';
import { withEvents } from '../with-events.js';
import { assessBudget, failedStatus } from './budget-status.js';
import type { BudgetAssessment } from './budget-status.js';
import { expectedPods } from './expected-pods.js';
import type { ScaleSources } from './expected-pods.js';

/** A budget to assess, or a pod whose condition DisruptionTarget may be stale. */
export interface DisruptionItem extends NamespacedName {
  readonly kind: 'PodDisruptionBudget' | 'Pod';
}

/** The status of a budget was written, or a stale condition of a pod was reset. */
export interface DisruptionWritten {
  readonly type: 'assessed' | 'reset';
  readonly object: NamespacedName;
}

/** The activities of the controller. */
export type DisruptionActivity = ControllerActivity<DisruptionItem, DisruptionWritten> | EventFailed;

/** Creates the controller. */
export function disruption(environment: ControllerEnvironment): Part<DisruptionActivity> {
  const name = 'disruption-controller';
  const { client, clock } = environment;
  const shared = informersOf(environment);
  const budgets = shared.kind('policy/v1', 'PodDisruptionBudget').indexedBy({ namespace: namespaceOf });
  const pods = shared.kind('v1', 'Pod').indexedBy({ namespace: namespaceOf });
  const scales = {
    client,
    replicationControllers: shared.kind('v1', 'ReplicationController'),
    replicaSets: shared.kind('apps/v1', 'ReplicaSet'),
    deployments: shared.kind('apps/v1', 'Deployment'),
    statefulSets: shared.kind('apps/v1', 'StatefulSet'),
  };
  const create = (recorder: EventRecorder): Part<DisruptionActivity> => {
    const record: Known['record'] = (details) => recorder.record(details);
    const known: Known = { client, budgets, pods, scales, record, now: () => clock.now() };
    return controller<DisruptionItem, DisruptionWritten>({
      name,
      clock,
      steps$: environment.steps$,
      keyOf: ({ kind, ...item }) => `${kind} ${printNamespacedName(item)}`,
      watches: [
        watching(budgets, ({ object }) => [itemOf('PodDisruptionBudget', object)]),
        watching(pods, (event) => itemsOfPod(event, known)),
        watching<unknown, DisruptionItem>(scales.replicationControllers),
        watching<unknown, DisruptionItem>(scales.replicaSets),
        watching<unknown, DisruptionItem>(scales.deployments),
        watching<unknown, DisruptionItem>(scales.statefulSets),
      ],
      reconcile: (item, { emit, signal, cause }) => {
        const wrote = (type: DisruptionWritten['type']): void => {
          const { namespace, name: written } = item;
          emit({ type, object: { namespace, name: written } });
        };
        const context: SyncContext = { ...known, signal, cause, wrote };
        return item.kind === 'Pod' ? resetStaleCondition(item, context) : syncBudget(item, context);
      },
    });
  };
  return withEvents({ ...environment, name, component: 'controllermanager', create });
}

interface Known {
  readonly client: Client;
  readonly budgets: Informer<Stored<PodDisruptionBudget>, 'namespace'>;
  readonly pods: Informer<Stored<Pod>, 'namespace'>;
  readonly scales: ScaleSources;
  readonly record: (details: EventDetails) => void;
  readonly now: () => number;
}

interface SyncContext extends Known {
  readonly signal: AbortSignal;
  readonly cause: RequestCause;
  readonly wrote: (type: DisruptionWritten['type']) => void;
}

/** The budgets of a pod, by its labels now and before, and the pod itself if it was announced to be deleted. */
function itemsOfPod(event: ObjectEvent<Stored<Pod>>, { budgets, record }: Known): readonly DisruptionItem[] {
  const pod = event.object;
  const { namespace = '', name, labels } = pod.metadata;
  const inNamespace = budgets.by('namespace', namespace);
  const selecting = (selected: Frozen<Labels> | undefined): readonly Stored<PodDisruptionBudget>[] =>
    inNamespace.filter(({ spec }) => matchesLabels(readableSelector(spec?.selector), selected));
  const matching = selecting(labels);
  const [first, second] = matching;
  if (first !== undefined && second !== undefined)
    record({
      regarding: objectReference({ apiVersion: 'v1', kind: 'Pod' }, pod),
      type: 'Warning',
      reason: 'MultiplePodDisruptionBudgets',
      message: `Pod ${quote(namespace)}/${quote(name)} matches multiple PodDisruptionBudgets.  Chose ${quote(first.metadata.name)} arbitrarily.`,
    });
  const before = 'old' in event ? event.old.metadata.labels : undefined;
  const formerly = before === undefined || deepEqual(before, labels) ? [] : selecting(before);
  const budgetItems = [...new Set([...matching, ...formerly])].map((each) => itemOf('PodDisruptionBudget', each));
  const isAnnounced = event.type !== 'deleted' && staleAtMs(pod) !== undefined;
  return isAnnounced ? [...budgetItems, itemOf('Pod', pod)] : budgetItems;
}

async function syncBudget(item: DisruptionItem, context: SyncContext): Promise<Action> {
  const budget = context.budgets.get(printNamespacedName(item));
  if (budget === undefined) return awaitChange;
  let assessment: BudgetAssessment;
  try {
    assessment = await assess(budget, context);
  } catch (error) {
    if (context.signal.aborted) throw error;
    await write(budget, failedStatus(budget, errorText(error), context.now()), context);
    return awaitChange;
  }
  await write(budget, assessment.status, context);
  const { recheckAtMs } = assessment;
  return recheckAtMs === undefined ? awaitChange : requeueAfter(Math.max(0, recheckAtMs - context.now()));
}

/** Assesses a budget and records what is odd about it. Rejects if its pods cannot be counted. */
async function assess(budget: Stored<PodDisruptionBudget>, context: SyncContext): Promise<BudgetAssessment> {
  const record = (type: 'Normal' | 'Warning', reason: string, message: string): void =>
    context.record({ regarding: objectReference(budgetKind, budget), type, reason, message });
  const pods = selectPods(budget, context, (problem) => record('Warning', 'NoPods', `Failed to get pods: ${problem}`));
  if (pods.length === 0) record('Normal', 'NoPods', 'No matching pods found');
  const counted = await expectedPods(budget, pods, context.scales, context.signal).catch((error: unknown) => {
    if (!context.signal.aborted)
      record(
        'Warning',
        'CalculateExpectedPodCountFailed',
        `Failed to calculate the number of expected pods: ${errorText(error)}`,
      );
    throw error;
  });
  if (counted.hasUnmanaged)
    record(
      'Warning',
      'UnmanagedPods',
      `Pods selected by this PodDisruptionBudget (selector: ${printStructuredSelector(budget.spec?.selector ?? {})}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`,
    );
  const assessment = assessBudget(budget, { ...counted, pods, nowMs: context.now() });
  const { namespace = '' } = budget.metadata;
  for (const pod of assessment.notDeleted)
    context.record({
      regarding: objectReference({ apiVersion: 'v1', kind: 'Pod' }, pod),
      type: 'Warning',
      reason: 'NotDeleted',
      // Kubernetes prints the namespace twice.
      message: `Pod was expected by PDB ${namespace}/${namespace} to be deleted but it wasn't`,
    });
  return assessment;
}

function selectPods(
  { metadata, spec }: Stored<PodDisruptionBudget>,
  { pods }: Known,
  failed: (problem: string) => void,
): readonly Stored<Pod>[] {
  try {
    const selector = selectorFromStructured(spec?.selector);
    return pods.by('namespace', metadata.namespace ?? '').filter((pod) => matchesLabels(selector, pod.metadata.labels));
  } catch (error) {
    if (isParseError(error)) failed(error.message);
    throw error;
  }
}

async function write(
  budget: Stored<PodDisruptionBudget>,
  status: BudgetAssessment['status'],
  { client, signal, cause, wrote }: SyncContext,
): Promise<void> {
  if (status === undefined) return;
  const { namespace = '' } = budget.metadata;
  try {
    await client
      .kind('policy/v1', 'PodDisruptionBudget')
      .in(namespace)
      .status.update({ ...budget, status }, { signal, cause });
  } catch (error) {
    // It was deleted; a conflict is retried, since an eviction may have charged the budget.
    if (!isApiError(error, 'NotFound')) throw error;
    return;
  }
  wrote('assessed');
}

/** Sets the condition DisruptionTarget to False if the pod is not being deleted two minutes after it was set. */
async function resetStaleCondition(item: DisruptionItem, context: SyncContext): Promise<Action> {
  const { client, pods, signal, cause, now, wrote } = context;
  const pod = pods.get(printNamespacedName(item));
  const atMs = pod && staleAtMs(pod);
  if (pod === undefined || atMs === undefined) return awaitChange;
  if (atMs > now()) return requeueAfter(atMs - now());
  const conditions = withPodCondition(pod, { type: disruptionTarget, status: 'False' }, now());
  const next = { ...pod, status: { ...pod.status, conditions } };
  await client.kind('v1', 'Pod').in(item.namespace).status.update(next, { signal, cause });
  wrote('reset');
  return awaitChange;
}

/** When the condition DisruptionTarget of a pod is stale; undefined if it has none that can become so. */
function staleAtMs(pod: Frozen<Pod>): number | undefined {
  const condition = podCondition(pod, disruptionTarget);
  if (condition?.status !== 'True' || condition.reason === 'TerminationByKubelet') return undefined;
  if (pod.metadata?.deletionTimestamp !== undefined || isPodTerminal(pod)) return undefined;
  return parseTime(condition.lastTransitionTime ?? '1970-01-01T00:00:00Z') + staleAfterMs;
}

const disruptionTarget = 'DisruptionTarget';
const staleAfterMs = 2 * 60_000;
const budgetKind = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' };

function itemOf(kind: DisruptionItem['kind'], object: Stored): DisruptionItem {
  return { kind, ...namespacedName(object) };
}

function namespaceOf({ metadata }: Stored): readonly string[] {
  return [metadata.namespace ?? ''];
}
