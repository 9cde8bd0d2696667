// Whether an exited container starts again, and how long it waits before that. As shouldRestartOnFailure and doBackOff
// of pkg/kubelet/kuberuntime and client-go/util/flowcontrol/backoff.go.
import { backoffLadders, isTerminating } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import type { RuntimeContainerStatus } from '../runtime/runtime-state.js';
import { isSidecarContainer } from './pod-knowledge.js';
import type { BackoffEntry, PodContainer } from './pod-knowledge.js';

/** Returns whether the container is to be started, given its newest instance. */
export function shouldStart(
  pod: Frozen<Pod>,
  container: PodContainer,
  newest: RuntimeContainerStatus | undefined,
): boolean {
  if (isTerminating(pod)) return false;
  if (newest === undefined || newest.state === 'created' || newest.state === 'unknown') return true;
  if (newest.state === 'running') return false;
  return restartsAfter(pod, container, newest.exitCode);
}

/** Returns whether a container is restarted after it exited with that code. */
export function restartsAfter(pod: Frozen<Pod>, container: PodContainer, exitCode: number): boolean {
  if (container.sort === 'ephemeral') return false;
  if (isSidecarContainer(container)) return true;
  for (const { action, exitCodes } of container.spec.restartPolicyRules ?? []) {
    const isListed = exitCodes?.values?.includes(exitCode) ?? false;
    const matches = exitCodes?.operator === 'In' ? isListed : exitCodes?.operator === 'NotIn' && !isListed;
    if (matches && (action === 'Restart' || action === 'RestartAllContainers')) return true;
  }
  const policy = container.spec.restartPolicy ?? pod.spec?.restartPolicy ?? 'Always';
  // An init container that succeeded is done, also where the pod restarts always.
  if (policy === 'Always') return container.sort === 'regular' || exitCode !== 0;
  return policy === 'OnFailure' && exitCode !== 0;
}

/** Returns until when a restart waits; undefined if it does not. */
export function backoffUntilMs(entry: BackoffEntry | undefined, exitedAtMs: number): number | undefined {
  if (entry === undefined || exitedAtMs - entry.updatedAtMs > crashLoop.resetAfterMs) return undefined;
  return exitedAtMs + entry.delayMs;
}

/** Returns the entry after a restart at that time of a container that exited at `exitedAtMs`. */
export function nextBackoff(entry: BackoffEntry | undefined, exitedAtMs: number, nowMs: number): BackoffEntry {
  const isExpired = entry === undefined || exitedAtMs - entry.updatedAtMs > crashLoop.resetAfterMs;
  const delayMs = isExpired ? crashLoop.baseMs : Math.min(entry.delayMs * crashLoop.factor, crashLoop.maxMs);
  return { delayMs, updatedAtMs: nowMs };
}

const { crashLoop } = backoffLadders;
