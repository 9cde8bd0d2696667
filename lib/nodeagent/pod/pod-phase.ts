// The phase of a pod, from the statuses of its containers. As getPhase of pkg/kubelet/kubelet_pods.go.
import type { Frozen } from '../../core/index.js';
import type { ContainerStatus, Pod, PodPhase } from '../../core/types/index.js';
import { restartsAfter } from './restart-policy.js';

/** The statuses of the containers of a pod by sort. */
export interface PodContainerStatuses {
  readonly init: readonly Frozen<ContainerStatus>[];
  readonly regular: readonly Frozen<ContainerStatus>[];
}

/** Returns the phase. `isEnding`: no container is restarted any more, whatever the restart policy. */
export function podPhase(pod: Frozen<Pod>, statuses: PodContainerStatuses, isEnding: boolean): PodPhase {
  const { restartPolicy = 'Always', initContainers = [], containers = [] } = pod.spec ?? {};
  const initStatus = (name: string): Frozen<ContainerStatus> | undefined =>
    statuses.init.find((each) => each.name === name);
  const ranRegular = statuses.regular.some((each) => hasRun(each));

  let failedInit = 0;
  let pending = 0;
  let waiting = 0;
  let running = 0;
  for (const { name, restartPolicy: own } of initContainers) {
    const status = initStatus(name);
    if (own === 'Always') {
      if (status?.state?.running !== undefined) {
        running += 1;
        if (status.started !== true && !ranRegular) pending += 1;
      } else if (status?.state?.waiting !== undefined && status.lastState?.terminated === undefined) {
        waiting += 1;
        if (!ranRegular) pending += 1;
      }
    } else {
      const ended = status?.state?.terminated ?? status?.lastState?.terminated;
      if (ended === undefined || status?.state?.running !== undefined) pending += 1;
      else if (ended.exitCode !== 0) {
        failedInit += 1;
        if (own === 'Never') return 'Failed';
      }
    }
  }
  if (failedInit > 0 && (restartPolicy === 'Never' || isEnding)) return 'Failed';
  if (pending > 0) return 'Pending';

  let unknown = containers.length - statuses.regular.length;
  let stopped = 0;
  let succeeded = 0;
  let restarting = 0;
  for (const status of statuses.regular) {
    const { state, lastState } = status;
    if (state?.running !== undefined) running += 1;
    else if (state?.terminated !== undefined) {
      stopped += 1;
      if (state.terminated.exitCode === 0) succeeded += 1;
      const spec = containers.find(({ name }) => name === status.name);
      if (spec !== undefined && restartsAfter(pod, { sort: 'regular', spec }, state.terminated.exitCode))
        restarting += 1;
    } else if (state?.waiting !== undefined) {
      if (lastState?.terminated === undefined) waiting += 1;
      else {
        stopped += 1;
        restarting += 1;
      }
    } else unknown += 1;
  }
  if (waiting > 0) return 'Pending';
  if (running > 0 && unknown === 0 && !(stopped === containers.length && restarting === 0)) return 'Running';
  if (stopped === 0 || unknown > 0) return 'Pending';
  if (isEnding) return stopped === succeeded ? 'Succeeded' : 'Failed';
  if (restarting > 0) return 'Running';
  return stopped === succeeded ? 'Succeeded' : 'Failed';
}

function hasRun({ state, lastState }: Frozen<ContainerStatus>): boolean {
  return state?.running !== undefined || state?.terminated !== undefined || lastState?.terminated !== undefined;
}
