// The container statuses of a pod, from what the runtime reports, what the agent remembers and what the API had. As
// convertToAPIContainerStatuses of pkg/kubelet/kubelet_pods.go.
import { printTime } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type {
  ContainerState,
  ContainerStateWaiting,
  ContainerStatus,
  VolumeMountStatus,
} from '../../core/types/index.js';
import type { RuntimeContainerStatus } from '../runtime/runtime-state.js';
import { isSidecarContainer, memoryOf, podContainers } from './pod-knowledge.js';
import type { ContainerSort, PodContainer, PodKnowledge, WaitingReason } from './pod-knowledge.js';
import { shouldStart } from './restart-policy.js';

/** Returns the statuses of the containers of one sort, in the order of the pod. */
export function containerStatuses(work: PodKnowledge, sort: ContainerSort): readonly ContainerStatus[] {
  return podContainers(work.pod)
    .filter((container) => container.sort === sort)
    .map((container) => containerStatus(work, container));
}

function containerStatus(work: PodKnowledge, container: PodContainer): ContainerStatus {
  const { name, image = '' } = container.spec;
  const instances = work.observed.containers.filter((each) => each.name === name);
  const memory = memoryOf(work, name);
  const [newest, previous] = instances;
  const old = oldStatus(work, container);
  const known = newest !== undefined && newest.state !== 'created' && memory.isInPostStart !== true;
  let state = known ? stateOf(work, newest) : waitingByDefault(work);
  let lastState = previous?.state === 'exited' ? stateOf(work, previous) : undefined;
  if (!known && newest !== undefined) lastState ??= old?.lastState && copyState(old.lastState);
  if (newest === undefined && old !== undefined) {
    // The runtime does not know it (yet, or any more): what the API has is the best that is known.
    if (old.state?.terminated !== undefined || old.state?.running !== undefined) {
      if (work.state === 'syncing' && old.state.terminated === undefined) lastState = lostState(old);
      else if (old.state.terminated !== undefined) state = copyState(old.state);
    }
    lastState ??= old.lastState && copyState(old.lastState);
  }
  if (memory.waiting !== undefined && shouldStart(work.pod, container, newest) && newest?.state !== 'running') {
    if (state.terminated !== undefined) lastState = state;
    state = { waiting: stripped(memory.waiting) };
  }
  if (work.state === 'terminated') state = finalState(work, container, state);
  const isRunning = state.running !== undefined;
  const isStarted = isRunning && memory.isStarted === true;
  const doneInit = container.sort === 'init' && state.terminated?.exitCode === 0;
  return {
    ...(known && { containerID: `${work.runtimeName}://${newest.id}` }),
    ...(!known && newest === undefined && old?.containerID !== undefined && { containerID: old.containerID }),
    image: newest?.image ?? image,
    imageID: newest?.imageRef ?? old?.imageID ?? '',
    lastState: lastState ?? {},
    name,
    ready: isSidecarContainer(container) || container.sort !== 'init' ? isStarted && memory.isReady === true : doneInit,
    restartCount: newest?.attempt ?? old?.restartCount ?? 0,
    started: isStarted,
    state,
    ...(known && container.sort !== 'ephemeral' && resourcesOf(container)),
    ...(known && mountsOf(container)),
  };
}

function oldStatus(
  { pod: { status } }: PodKnowledge,
  { sort, spec }: PodContainer,
): Frozen<ContainerStatus> | undefined {
  const { initContainerStatuses, containerStatuses: regular, ephemeralContainerStatuses } = status ?? {};
  const list = { init: initContainerStatuses, regular, ephemeral: ephemeralContainerStatuses }[sort] ?? [];
  return list.find(({ name }) => name === spec.name);
}

function waitingByDefault({ pod }: PodKnowledge): ContainerState {
  const hasInit = (pod.spec?.initContainers ?? []).length > 0;
  return { waiting: { reason: hasInit ? 'PodInitializing' : 'ContainerCreating' } };
}

function stateOf({ runtimeName }: PodKnowledge, status: RuntimeContainerStatus): ContainerState {
  const startedAt = status.startedAtMs === 0 ? {} : { startedAt: printTime(status.startedAtMs) };
  if (status.state === 'running') return { running: startedAt };
  const finishedAt = status.finishedAtMs === 0 ? {} : { finishedAt: printTime(status.finishedAtMs) };
  return {
    terminated: {
      containerID: `${runtimeName}://${status.id}`,
      exitCode: status.exitCode,
      ...finishedAt,
      ...(status.message !== '' && { message: status.message }),
      ...(status.reason !== '' && { reason: status.reason }),
      ...startedAt,
    },
  };
}

/** A container that the API shows as running and that the runtime lost, as after a reboot of the node. */
function lostState(old: Frozen<ContainerStatus>): ContainerState {
  return {
    terminated: {
      exitCode: 137,
      reason: 'ContainerStatusUnknown',
      message: 'The container could not be located when the pod was deleted.  The container used to be Running',
      ...(old.containerID !== undefined && { containerID: old.containerID }),
    },
  };
}

/** As TerminatePod of pkg/kubelet/status: after the end of a pod no container of an initialized pod is left waiting. */
function finalState(work: PodKnowledge, container: PodContainer, state: ContainerState): ContainerState {
  if (state.terminated !== undefined || !isInitialized(work, container)) return state;
  return {
    terminated: {
      exitCode: 137,
      reason: 'ContainerStatusUnknown',
      message: 'The container could not be located when the pod was terminated',
    },
  };
}

/** Regular containers count once all init containers are done; an init container counts once a later one started. */
function isInitialized({ pod, observed }: PodKnowledge, { sort, spec }: PodContainer): boolean {
  if (sort === 'ephemeral') return false;
  const init = pod.spec?.initContainers ?? [];
  const seen = (name: string): boolean => observed.containers.some((each) => each.name === name);
  if (sort === 'init')
    return init.slice(init.findIndex(({ name }) => name === spec.name)).some(({ name }) => seen(name));
  return init.every((each) => {
    const newest = observed.containers.find(({ name }) => name === each.name);
    return newest !== undefined && (each.restartPolicy === 'Always' || newest.exitCode === 0);
  });
}

function stripped({ reason, message }: WaitingReason): ContainerStateWaiting {
  return message === '' ? { reason } : { reason, message };
}

function copyState({ waiting, running, terminated }: Frozen<ContainerState>): ContainerState {
  return {
    ...(waiting && { waiting: { ...waiting } }),
    ...(running && { running: { ...running } }),
    ...(terminated && { terminated: { ...terminated } }),
  };
}

function resourcesOf({ spec: { resources } }: PodContainer): Pick<ContainerStatus, 'resources' | 'allocatedResources'> {
  const { requests, limits } = resources ?? {};
  const shown: NonNullable<ContainerStatus['resources']> = {};
  if (limits !== undefined) shown.limits = { ...limits };
  if (requests === undefined) return { resources: shown };
  shown.requests = { ...requests };
  return { resources: shown, allocatedResources: { ...requests } };
}

function mountsOf({ spec: { volumeMounts = [] } }: PodContainer): Pick<ContainerStatus, 'volumeMounts'> {
  if (volumeMounts.length === 0) return {};
  const statusOf = ({ name, mountPath, readOnly }: (typeof volumeMounts)[number]): VolumeMountStatus => ({
    mountPath,
    name,
    ...(readOnly === true && { readOnly, recursiveReadOnly: 'Disabled' }),
  });
  return { volumeMounts: volumeMounts.map(statusOf) };
}
