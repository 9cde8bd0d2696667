// The status of a pod as its node publishes it: phase, conditions, addresses and containers. As generateAPIPodStatus of
// pkg/kubelet/kubelet_pods.go and pkg/kubelet/status/generate.go.
//
// Invariants: a terminal phase is never left, and is not published while a container may still run. A condition keeps
// its transition time while its status does not change. Conditions of other writers are not part of it.
import { printTime } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { ContainerStatus, PodCondition, PodPhase, PodStatus } from '../../core/types/index.js';
import { containerStatuses } from './container-states.js';
import { podPhase } from './pod-phase.js';
import { readySandbox } from './pod-knowledge.js';
import type { PodKnowledge } from './pod-knowledge.js';

/** The status of a pod, and the phase that it has once nothing runs any more. */
export interface ComputedStatus {
  readonly status: PodStatus;
  /** Succeeded or Failed as soon as the containers are done, also before the sandbox is stopped. */
  readonly phase: PodPhase;
}

/** Computes the status of a pod. `previous`: the status that was computed before, for transition times. */
export function podStatusOf(
  work: PodKnowledge,
  previous: Frozen<PodStatus> | undefined,
  nowMs: number,
): ComputedStatus {
  const { pod, ending } = work;
  const before = previous ?? pod.status ?? {};
  const init = containerStatuses(work, 'init');
  const regular = containerStatuses(work, 'regular');
  const ephemeral = containerStatuses(work, 'ephemeral');
  const phase = phaseOf(work, before.phase, { init, regular });
  const isTerminal = phase === 'Succeeded' || phase === 'Failed';
  const shown = isTerminal && work.state !== 'terminated' ? shownPhase(before.phase) : phase;
  const sandbox = readySandbox(work.observed);
  const ips =
    sandbox === undefined || sandbox.ips.length === 0 ? (before.podIPs ?? []).map(({ ip }) => ip) : sandbox.ips;
  const { generation } = pod.metadata ?? {};
  const isReadyToStart = (sandbox?.ips.length ?? 0) > 0;
  const transitions = conditionsOf({ work, phase, init, regular, isReadyToStart });
  const conditions = transitions.map((condition) => withTimes(condition, before.conditions ?? [], generation, nowMs));
  const isShowingEnd = ending !== undefined && (shown === 'Failed' || shown === 'Succeeded');
  const status: PodStatus = {
    phase: shown,
    ...(generation !== undefined && { observedGeneration: generation }),
    conditions,
    ...(isShowingEnd && { reason: ending.reason, message: ending.message }),
    ...(!isShowingEnd && before.reason !== undefined && isTerminal && { reason: before.reason }),
    ...(!isShowingEnd && before.message !== undefined && isTerminal && { message: before.message }),
    ...(work.hostIps[0] !== undefined && { hostIP: work.hostIps[0], hostIPs: work.hostIps.map((ip) => ({ ip })) }),
    ...(ips[0] !== undefined && { podIP: ips[0], podIPs: ips.map((ip) => ({ ip })) }),
    startTime: before.startTime ?? work.startTime,
    ...(init.length > 0 && { initContainerStatuses: [...init] }),
    ...(ending?.isRejected !== true && { containerStatuses: [...regular] }),
    ...(ephemeral.length > 0 && { ephemeralContainerStatuses: [...ephemeral] }),
    ...(before.qosClass !== undefined && { qosClass: before.qosClass }),
  };
  return { status: ending?.isRejected === true ? rejected(status) : status, phase };
}

/** The status of a pod that its node refused: nothing but phase, reason and message. As rejectPod. */
function rejected({
  phase = 'Failed',
  reason,
  message,
  startTime,
  qosClass,
  observedGeneration,
}: PodStatus): PodStatus {
  return {
    ...(observedGeneration !== undefined && { observedGeneration }),
    phase,
    ...(reason !== undefined && { reason }),
    ...(message !== undefined && { message }),
    ...(startTime !== undefined && { startTime }),
    ...(qosClass !== undefined && { qosClass }),
  };
}

interface Statuses {
  readonly init: readonly ContainerStatus[];
  readonly regular: readonly ContainerStatus[];
}

function phaseOf(work: PodKnowledge, before: PodPhase | undefined, statuses: Statuses): PodPhase {
  if (before === 'Succeeded' || before === 'Failed') return before;
  if (work.ending !== undefined) return 'Failed';
  return podPhase(work.pod, statuses, work.state === 'terminated' && !work.isStatic);
}

/** The phase that is shown while the containers of a finished pod are stopped. */
function shownPhase(before: PodPhase | undefined): PodPhase {
  return before ?? 'Pending';
}

interface ConditionInput extends Statuses {
  readonly work: PodKnowledge;
  readonly phase: PodPhase;
  readonly isReadyToStart: boolean;
}

type Verdict = Pick<PodCondition, 'type' | 'status' | 'reason' | 'message'>;

function conditionsOf(input: ConditionInput): readonly Verdict[] {
  const { work, isReadyToStart } = input;
  const containersReady = containersReadyOf(input);
  const { disruption } = work.ending ?? {};
  return [
    ...(disruption === undefined ? [] : [{ type: 'DisruptionTarget', status: 'True' as const, ...disruption }]),
    { type: 'PodReadyToStartContainers', status: isReadyToStart ? 'True' : 'False' },
    initializedOf(input),
    readyOf(input, containersReady),
    containersReady,
    { type: 'PodScheduled', status: 'True' },
  ];
}

function initializedOf({ work, phase, init, regular }: ConditionInput): Verdict {
  const type = 'Initialized';
  const isIncomplete = (status: ContainerStatus): boolean =>
    isSidecarName(work, status.name) ? status.started !== true : !status.ready;
  const incomplete = init.filter(isIncomplete).map(({ name }) => name);
  if (phase === 'Succeeded') return { type, status: 'True', reason: 'PodCompleted' };
  const ran = regular.some(
    ({ state, lastState }) => state?.waiting === undefined || lastState?.terminated !== undefined,
  );
  if (incomplete.length === 0 || (ran && init.length > 0)) return { type, status: 'True' };
  const message = `containers with incomplete status: [${incomplete.join(' ')}]`;
  return { type, status: 'False', reason: 'ContainersNotInitialized', message };
}

function containersReadyOf({ work, phase, init, regular }: ConditionInput): Verdict {
  const type = 'ContainersReady';
  if (phase === 'Succeeded') return { type, status: 'False', reason: 'PodCompleted' };
  if (phase === 'Failed') return { type, status: 'False', reason: 'PodFailed' };
  const sidecars = init.filter(({ name }) => isSidecarName(work, name));
  const unready = [...sidecars, ...regular].filter(({ ready }) => !ready).map(({ name }) => name);
  if (unready.length === 0) return { type, status: 'True' };
  const message = `containers with unready status: [${unready.join(' ')}]`;
  return { type, status: 'False', reason: 'ContainersNotReady', message };
}

function readyOf({ work }: ConditionInput, containersReady: Verdict): Verdict {
  const type = 'Ready';
  if (containersReady.status !== 'True') return { ...containersReady, type };
  const conditions = work.pod.status?.conditions ?? [];
  const messages = (work.pod.spec?.readinessGates ?? []).flatMap(({ conditionType }) => {
    const found = conditions.find((each) => each.type === conditionType);
    if (found === undefined)
      return [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`];
    if (found.status === 'True') return [];
    return [`the status of pod readiness gate "${conditionType}" is not "True", but ${found.status}`];
  });
  if (messages.length === 0) return { type, status: 'True' };
  return { type, status: 'False', reason: 'ReadinessGatesNotReady', message: messages.join(', ') };
}

function isSidecarName({ pod }: PodKnowledge, name: string): boolean {
  return pod.spec?.initContainers?.find((each) => each.name === name)?.restartPolicy === 'Always';
}

function withTimes(
  { type, status, reason, message }: Verdict,
  before: readonly Frozen<PodCondition>[],
  generation: number | undefined,
  nowMs: number,
): PodCondition {
  const old = before.find((each) => each.type === type);
  const isSame = old?.status === status && old.lastTransitionTime !== undefined;
  return {
    type,
    ...(generation !== undefined && { observedGeneration: generation }),
    status,
    lastTransitionTime: isSame ? (old.lastTransitionTime ?? '') : printTime(nowMs),
    ...(reason !== undefined && { reason }),
    ...(message !== undefined && { message }),
  };
}
