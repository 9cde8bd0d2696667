// What `kubectl get pods` shows: how many containers are ready, why a pod is as it is, how often containers started
// over. As pkg/printers/internalversion/printers.go, printPod.
import type { Frozen } from '../../objects/meta.js';
import { parseTime } from '../../objects/time.js';
import type { ContainerStatus, Pod, PodCondition, PodStatus } from '../../types/core-v1.generated.js';
import type { KindTable, TableRowCondition } from '../kind-table.js';
import { age, ageColumn, nameColumn, textColumn, timeSince } from '../table-cells.js';
import { isSidecar, regularContainers } from './pod-containers.js';
import { podSpecOf } from './pod-validation.js';

/** The table of pods. */
export const podTable: KindTable<Pod> = {
  columns: [
    nameColumn,
    textColumn('Ready', 'How many containers are ready, of how many.'),
    textColumn('Status', 'What the pod does, or why it does not.'),
    textColumn('Restarts', 'How often containers started over, and when the last one did.'),
    ageColumn,
    textColumn('IP', 'The first address of the pod.', 1),
    textColumn('Node', 'The node the pod is on.', 1),
    textColumn('Nominated Node', 'The node that is kept free for the pod.', 1),
    textColumn('Readiness Gates', 'How many of its gates are open, of how many.', 1),
  ],
  row(pod, now) {
    const spec = podSpecOf(pod);
    const status = pod.status ?? {};
    const { ready, total, reason, restarts, lastRestart } = summary(pod);
    return {
      cells: [
        pod.metadata?.name ?? '',
        `${ready}/${total}`,
        reason,
        restarts !== 0 && lastRestart !== undefined
          ? `${restarts} (${timeSince(lastRestart, now)} ago)`
          : `${restarts}`,
        age(pod, now),
        orNone(status.podIPs?.[0]?.ip),
        orNone(spec.nodeName),
        orNone(status.nominatedNodeName),
        readinessGates(pod),
      ],
      ...(status.phase === 'Succeeded' && { conditions: [succeeded] }),
      ...(status.phase === 'Failed' && { conditions: [failed] }),
    };
  },
};

const succeeded: TableRowCondition = {
  type: 'Completed',
  status: 'True',
  reason: 'Succeeded',
  message: 'The pod has completed successfully.',
};
const failed: TableRowCondition = { type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.' };

interface Summary {
  readonly ready: number;
  readonly total: number;
  readonly reason: string;
  readonly restarts: number;
  readonly lastRestart: string | undefined;
}

function summary(pod: Frozen<Pod>): Summary {
  const spec = podSpecOf(pod);
  const status = pod.status ?? {};
  const total = regularContainers(spec).length + (spec.initContainers ?? []).filter(isSidecar).length;
  const init = initSummary(pod, reasonOfPod(status));
  const initialized = !init.initializing || hasCondition(status.conditions, 'Initialized');
  const running = initialized ? runningSummary(status, init.reason) : undefined;
  return {
    total,
    ready: init.ready + (running?.ready ?? 0),
    reason: reasonOfEnd(pod) ?? running?.reason ?? init.reason,
    restarts: running === undefined ? init.restarts : init.sidecarRestarts + running.restarts,
    lastRestart: running === undefined ? init.lastRestart : later(init.lastSidecarRestart, running.lastRestart),
  };
}

function reasonOfPod({ reason = '', phase, conditions = [] }: Frozen<PodStatus>): string {
  const gated = conditions.some(
    (condition) => condition.type === 'PodScheduled' && condition.reason === 'SchedulingGated',
  );
  if (gated) return 'SchedulingGated';
  return reason === '' ? (phase ?? '') : reason;
}

/** A pod that is being deleted says so, whatever its containers do. */
function reasonOfEnd({ metadata, status }: Frozen<Pod>): string | undefined {
  if (metadata?.deletionTimestamp === undefined) return undefined;
  if (status?.reason === 'NodeLost') return 'Unknown';
  return status?.phase === 'Succeeded' || status?.phase === 'Failed' ? undefined : 'Terminating';
}

interface InitSummary {
  readonly initializing: boolean;
  readonly reason: string;
  readonly ready: number;
  readonly restarts: number;
  readonly sidecarRestarts: number;
  readonly lastRestart: string | undefined;
  readonly lastSidecarRestart: string | undefined;
}

/** Init containers up to the first that is not done; sidecars are done once they started. */
function initSummary(pod: Frozen<Pod>, reason: string): InitSummary {
  const containers = podSpecOf(pod).initContainers ?? [];
  const sidecars = new Set(containers.filter(isSidecar).map(({ name }) => name));
  let found = { ready: 0, restarts: 0, sidecarRestarts: 0 };
  let lastRestart: string | undefined;
  let lastSidecarRestart: string | undefined;
  for (const [index, container] of (pod.status?.initContainerStatuses ?? []).entries()) {
    const sidecar = sidecars.has(container.name);
    const { restartCount, state, lastState } = container;
    found = {
      ...found,
      restarts: found.restarts + restartCount,
      sidecarRestarts: found.sidecarRestarts + (sidecar ? restartCount : 0),
    };
    lastRestart = later(lastRestart, lastState?.terminated?.finishedAt);
    if (sidecar) lastSidecarRestart = later(lastSidecarRestart, lastState?.terminated?.finishedAt);
    if (state?.terminated?.exitCode === 0) continue;
    if (sidecar && container.started === true) {
      if (container.ready) found.ready += 1;
      continue;
    }
    return {
      ...found,
      lastRestart,
      lastSidecarRestart,
      initializing: true,
      reason: initReason(container, index, containers.length),
    };
  }
  return { ...found, lastRestart, lastSidecarRestart, initializing: false, reason };
}

function initReason({ state }: Frozen<ContainerStatus>, index: number, count: number): string {
  if (state?.terminated !== undefined) return `Init:${endReason(state.terminated)}`;
  const { reason = '' } = state?.waiting ?? {};
  return reason !== '' && reason !== 'PodInitializing' ? `Init:${reason}` : `Init:${index}/${count}`;
}

/** The first container decides; one that completed hides neither one that runs nor one that failed. */
function runningSummary(status: Frozen<PodStatus>, before: string): Omit<Summary, 'total'> {
  let reason = before;
  let errorReason = '';
  let ready = 0;
  let restarts = 0;
  let lastRestart: string | undefined;
  for (const container of (status.containerStatuses ?? []).toReversed()) {
    const { state, lastState } = container;
    restarts += container.restartCount;
    lastRestart = later(lastRestart, lastState?.terminated?.finishedAt);
    if ((state?.waiting?.reason ?? '') !== '') reason = state?.waiting?.reason ?? '';
    else if (state?.terminated !== undefined) {
      reason = endReason(state.terminated);
      if (state.terminated.exitCode !== 0) errorReason = reason;
    } else if (container.ready && state?.running !== undefined) ready += 1;
  }
  if (reason === 'Completed') {
    if (ready > 0 && hasCondition(status.conditions, 'Ready')) reason = 'Running';
    else if (errorReason !== '') reason = errorReason;
    else if (ready > 0) reason = 'NotReady';
  }
  return { reason, ready, restarts, lastRestart };
}

function endReason({
  reason = '',
  signal = 0,
  exitCode,
}: {
  readonly reason?: string;
  readonly signal?: number;
  readonly exitCode: number;
}): string {
  if (reason !== '') return reason;
  return signal === 0 ? `ExitCode:${exitCode}` : `Signal:${signal}`;
}

function readinessGates({ spec, status }: Frozen<Pod>): string {
  const gates = spec?.readinessGates ?? [];
  if (gates.length === 0) return '<none>';
  const open = gates.filter(
    ({ conditionType }) => status?.conditions?.find(({ type }) => type === conditionType)?.status === 'True',
  );
  return `${open.length}/${gates.length}`;
}

function hasCondition(conditions: readonly Frozen<PodCondition>[] | undefined, type: string): boolean {
  return (conditions ?? []).some((condition) => condition.type === type && condition.status === 'True');
}

function later(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return parseTime(one) < parseTime(other) ? other : one;
}

function orNone(text: string | undefined): string {
  return text === undefined || text === '' ? '<none>' : text;
}
