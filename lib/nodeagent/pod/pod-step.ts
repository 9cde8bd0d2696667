// The pure step of a pod worker: from all that is known about a pod to the state of the work, the next effect and the
// time of the next step without a change. The worker performs the effect, reads the runtime again and takes the next
// step; so every decision rests on what is, never on what was meant to be. As computePodActions of
// pkg/kubelet/kuberuntime and the states of pkg/kubelet/pod_workers.go.
//
// Order of effects of a syncing pod: volumes, sandbox, kills, ephemeral containers, init containers one at a time,
// regular containers in the order of the pod. One container that cannot start does not hold up the others, except an
// init container.
import { integerValue, isTerminating, milliValue, parseTime } from '../../core/index.js';
import type { PodPhase } from '../../core/types/index.js';
import type { ContainerResources } from '../runtime/container-config.js';
import type { RuntimeContainerStatus, RuntimeSandboxStatus } from '../runtime/runtime-state.js';
import { isSidecarContainer, memoryOf, newestInstance, podContainers, readySandbox } from './pod-knowledge.js';
import type { PodContainer, PodEnding, PodKnowledge, PodWorkState } from './pod-knowledge.js';
import { backoffUntilMs, restartsAfter, shouldStart } from './restart-policy.js';

/** What the worker does next. */
export type PodEffect =
  | { readonly type: 'mount-volumes' }
  /** Stops what is left of older sandboxes and creates one. */
  | { readonly type: 'create-sandbox'; readonly attempt: number }
  | {
      readonly type: 'kill-container';
      readonly container: PodContainer;
      readonly id: string;
      readonly kill: ContainerKill;
    }
  | { readonly type: 'start-container'; readonly container: PodContainer; readonly sandbox: RuntimeSandboxStatus }
  /** The restart of an exited container waits: it is shown as CrashLoopBackOff. */
  | { readonly type: 'back-off'; readonly container: PodContainer; readonly delayMs: number }
  | {
      readonly type: 'resize-container';
      readonly container: PodContainer;
      readonly id: string;
      readonly resources: ContainerResources;
    }
  /** Stops all containers and sandboxes of a terminating pod. */
  | { readonly type: 'kill-pod' };

/** Why a running container is stopped. */
export interface ContainerKill {
  readonly message: string;
  readonly probe?: 'liveness' | 'startup';
}

/** The outcome of a step. */
export interface PodStep {
  readonly state: PodWorkState;
  /** Set with the transition to terminating by the deadline. */
  readonly ending?: PodEnding;
  readonly effect?: PodEffect;
  /** When to take the next step if nothing changes; Infinity for never. */
  readonly wakeAtMs: number;
}

/** The time that a terminated container is shown as such before CrashLoopBackOff: one relist of the runtime. */
export const relistMs = 1_000;

/** Decides what happens next. `phase`: the phase of the pod, computed from the same work. */
export function stepPod(work: PodKnowledge, phase: PodPhase, nowMs: number): PodStep {
  switch (work.state) {
    case 'terminated':
      return { state: 'terminated', wakeAtMs: Infinity };
    case 'terminating':
      if (!work.isKilled) return { state: 'terminating', effect: { type: 'kill-pod' }, wakeAtMs: Infinity };
      return { state: 'terminated', wakeAtMs: Infinity };
    case 'syncing':
      return stepSyncing(work, phase, nowMs);
  }
}

function stepSyncing(work: PodKnowledge, phase: PodPhase, nowMs: number): PodStep {
  const { pod } = work;
  if (isTerminating(pod) || work.ending !== undefined || phase === 'Succeeded' || phase === 'Failed')
    return { state: 'terminating', wakeAtMs: nowMs };
  const deadlineAtMs = deadlineOf(work);
  if (deadlineAtMs <= nowMs) return { state: 'terminating', ending: deadlineExceeded, wakeAtMs: nowMs };
  const next = nextEffect(work, nowMs);
  return {
    state: 'syncing',
    ...(next.effect !== undefined && { effect: next.effect }),
    wakeAtMs: Math.min(next.wakeAtMs, deadlineAtMs),
  };
}

const deadlineExceeded: PodEnding = {
  reason: 'DeadlineExceeded',
  message: 'Pod was active on the node longer than the specified deadline',
};

function deadlineOf({ pod, startTime }: PodKnowledge): number {
  const seconds = pod.spec?.activeDeadlineSeconds;
  if (seconds === undefined) return Infinity;
  return parseTime(pod.status?.startTime ?? startTime) + seconds * 1000;
}

interface Next {
  readonly effect?: PodEffect;
  readonly wakeAtMs: number;
}

const idle: Next = { wakeAtMs: Infinity };

function nextEffect(work: PodKnowledge, nowMs: number): Next {
  if (!work.areVolumesReady) return retry({ type: 'mount-volumes' }, work.retryAtMs, nowMs);
  const sandbox = readySandbox(work.observed);
  if (sandbox === undefined) {
    const attempt = (work.observed.sandboxes[0]?.attempt ?? -1) + 1;
    return retry({ type: 'create-sandbox', attempt }, work.retryAtMs, nowMs);
  }
  const containers = podContainers(work.pod);
  let wakeAtMs = Infinity;
  /** The first effect of these containers; the others' times are kept. */
  const firstOf = (candidates: readonly PodContainer[]): PodEffect | undefined => {
    for (const container of candidates) {
      const next = nextOfContainer(work, container, sandbox, nowMs);
      if (next.effect !== undefined) return next.effect;
      wakeAtMs = Math.min(wakeAtMs, next.wakeAtMs);
    }
    return undefined;
  };
  const ephemeral = firstOf(containers.filter(({ sort }) => sort === 'ephemeral'));
  if (ephemeral !== undefined) return { effect: ephemeral, wakeAtMs };

  const hasRun = containers.some(
    ({ sort, spec }) => sort === 'regular' && newestInstance(work.observed, spec.name, sandbox.id) !== undefined,
  );
  for (const container of containers.filter(({ sort }) => sort === 'init')) {
    // Once regular containers ran, only sidecars matter.
    if (hasRun && !isSidecarContainer(container)) continue;
    const effect = firstOf([container]);
    if (effect !== undefined) return { effect, wakeAtMs };
    if (!hasRun && !isPassed(work, container, sandbox)) return { wakeAtMs };
  }
  const regular = firstOf(containers.filter(({ sort }) => sort === 'regular'));
  return regular === undefined ? { wakeAtMs } : { effect: regular, wakeAtMs };
}

function retry(effect: PodEffect, atMs: number, nowMs: number): Next {
  return atMs <= nowMs ? { effect, wakeAtMs: Infinity } : { wakeAtMs: atMs };
}

/** Whether the next init container may start. */
function isPassed(work: PodKnowledge, container: PodContainer, { id }: RuntimeSandboxStatus): boolean {
  const newest = newestInstance(work.observed, container.spec.name, id);
  if (newest === undefined) return false;
  if (!isSidecarContainer(container)) return newest.state === 'exited' && newest.exitCode === 0;
  return newest.state === 'running' && memoryOf(work, container.spec.name).isStarted === true;
}

function nextOfContainer(
  work: PodKnowledge,
  container: PodContainer,
  sandbox: RuntimeSandboxStatus,
  nowMs: number,
): Next {
  const { name } = container.spec;
  // An init container runs again in a new sandbox; a regular one that succeeded for good does not.
  const newest = newestInstance(work.observed, name, container.sort === 'init' ? sandbox.id : undefined);
  if (newest?.state === 'running' && newest.sandboxId === sandbox.id) return nextOfRunning(work, container, newest);
  if (!shouldStart(work.pod, container, newest)) return idle;
  const memory = memoryOf(work, name);
  if (newest?.state === 'exited') {
    const untilMs = backoffUntilMs(memory.restartBackoff, newest.finishedAtMs);
    if (untilMs !== undefined && nowMs < untilMs) {
      if (memory.waiting?.reason === 'CrashLoopBackOff') return { wakeAtMs: untilMs };
      const shownAtMs = newest.finishedAtMs + relistMs;
      if (nowMs < shownAtMs) return { wakeAtMs: shownAtMs };
      const delayMs = memory.restartBackoff?.delayMs ?? 0;
      return { effect: { type: 'back-off', container, delayMs }, wakeAtMs: untilMs };
    }
  }
  return retry({ type: 'start-container', container, sandbox }, memory.retryAtMs ?? 0, nowMs);
}

function nextOfRunning(work: PodKnowledge, container: PodContainer, running: RuntimeContainerStatus): Next {
  const { name, image = '' } = container.spec;
  const { id } = running;
  const memory = memoryOf(work, name);
  const restarts = restartsAfter(work.pod, container, 1);
  const kill = (why: string, probe?: 'liveness' | 'startup'): Next => {
    const message = `Container ${name} ${why}${restarts ? ', will be restarted' : ''}`;
    return {
      effect: { type: 'kill-container', container, id, kill: { message, ...(probe && { probe }) } },
      wakeAtMs: Infinity,
    };
  };
  if (container.sort !== 'ephemeral' && running.image !== image) return kill('definition changed');
  if (memory.failedProbe !== undefined && memory.containerId === id)
    return kill(`failed ${memory.failedProbe} probe`, memory.failedProbe);
  if (container.sort === 'ephemeral') return idle;
  const resources = containerResources(container);
  if (sameResources(resources, running.resources)) return idle;
  if (needsRestart(container, resources, running.resources)) return kill('resize requires restart');
  return { effect: { type: 'resize-container', container, id, resources }, wakeAtMs: Infinity };
}

function needsRestart({ spec }: PodContainer, wanted: ContainerResources, actual: ContainerResources): boolean {
  const changed = new Set<string>();
  if (wanted.cpuLimitMilli !== actual.cpuLimitMilli || wanted.cpuRequestMilli !== actual.cpuRequestMilli)
    changed.add('cpu');
  if (wanted.memoryLimitBytes !== actual.memoryLimitBytes || wanted.memoryRequestBytes !== actual.memoryRequestBytes)
    changed.add('memory');
  return (spec.resizePolicy ?? []).some(
    ({ resourceName, restartPolicy }) => restartPolicy === 'RestartContainer' && changed.has(resourceName),
  );
}

function sameResources(one: ContainerResources, other: ContainerResources): boolean {
  return (
    one.cpuLimitMilli === other.cpuLimitMilli &&
    one.cpuRequestMilli === other.cpuRequestMilli &&
    one.memoryLimitBytes === other.memoryLimitBytes &&
    one.memoryRequestBytes === other.memoryRequestBytes
  );
}

/** Returns the resources of a container in the units of the runtime. */
export function containerResources({ spec }: PodContainer): ContainerResources {
  const { requests = {}, limits = {} } = spec.resources ?? {};
  return {
    cpuRequestMilli: milliOf(requests.cpu),
    cpuLimitMilli: milliOf(limits.cpu),
    memoryRequestBytes: bytesOf(requests.memory),
    memoryLimitBytes: bytesOf(limits.memory),
    ephemeralStorageLimitBytes: bytesOf(limits['ephemeral-storage']),
  };
}

function milliOf(text: string | undefined): number {
  return text === undefined ? 0 : milliValue(text);
}

function bytesOf(text: string | undefined): number {
  return text === undefined ? 0 : integerValue(text);
}
