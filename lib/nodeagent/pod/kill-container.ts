// Stops containers: preStop hook, stop signal and SIGKILL within one grace period; and all containers of a pod in their
// order. As killContainer of pkg/kubelet/kuberuntime and its termination order of sidecars.
import { errorText, isTerminating, pause } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import type { NodeTools } from '../node-tools.js';
import type { PodRuntimeStatus, RuntimeContainerStatus } from '../runtime/runtime-state.js';
import { runHook } from './hooks.js';
import { isSidecarContainer, podContainers } from './pod-knowledge.js';
import type { PodContainer, PodKnowledge } from './pod-knowledge.js';

/** A running container to stop. */
export interface ContainerToKill {
  readonly pod: Frozen<Pod>;
  readonly container: PodContainer;
  readonly id: string;
  readonly sandboxId: string;
  readonly graceMs: number;
  /** The text of the Event. */
  readonly message: string;
  /** Resolves when it is this container's turn to get the signal. Default: at once. */
  readonly turn?: Promise<void>;
  readonly signal: AbortSignal;
}

/** The least time that a runtime waits between the stop signal and SIGKILL. */
const stopMsMin = 2_000;

/** Stops a container. Resolves when it has exited. */
export async function killContainer(tools: NodeTools, kill: ContainerToKill): Promise<void> {
  const { runtime, clock } = tools;
  const { pod, container, id, graceMs, signal } = kill;
  const { name, lifecycle } = container.spec;
  const deadlineMs = clock.now() + graceMs;
  const about = { pod, container: { sort: container.sort, name } };
  tools.record({ ...about, type: 'Normal', reason: 'Killing', message: kill.message });
  const left = (): number => Math.max(0, deadlineMs - clock.now());
  if (lifecycle?.preStop !== undefined && graceMs > 0) {
    const target = { runtime, clock, container, containerId: id, sandboxId: kill.sandboxId };
    await within(tools, left(), signal, (hookSignal) => runHook(target, lifecycle.preStop ?? {}, hookSignal)).catch(
      (error: unknown) => {
        signal.throwIfAborted();
        tools.record({
          ...about,
          type: 'Warning',
          reason: 'FailedPreStopHook',
          message: `PreStopHook failed: ${errorText(error)}`,
        });
      },
    );
  }
  const { turn } = kill;
  if (turn !== undefined) await within(tools, left(), signal, () => turn);
  signal.throwIfAborted();
  await runtime.stopContainer(id, Math.max(stopMsMin, left()));
}

/** Runs work until it ends or the time is over. Rejects if it fails in time or the signal is aborted. */
async function within(
  { clock }: NodeTools,
  ms: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const over = new AbortController();
  const combined = AbortSignal.any([over.signal, signal]);
  const done = work(combined);
  try {
    await Promise.race([done, pause(clock, ms, combined)]);
  } finally {
    over.abort();
    // It was abandoned: its failure is of no interest.
    done.catch(() => undefined);
  }
}

/** Returns the grace period of a pod that ends. */
export function graceMsOf({ pod, ending }: Pick<PodKnowledge, 'pod' | 'ending'>): number {
  if (ending?.graceMs !== undefined) return ending.graceMs;
  const { deletionGracePeriodSeconds } = pod.metadata ?? {};
  const seconds = isTerminating(pod) ? deletionGracePeriodSeconds : pod.spec?.terminationGracePeriodSeconds;
  return (seconds ?? 30) * 1000;
}

/**
 * Stops all containers of a pod, then its sandboxes. Regular containers are stopped at once; a sidecar gets its signal
 * after all regular containers and all sidecars that the pod lists after it have exited, within the same grace period.
 */
export async function killPod(
  tools: NodeTools,
  work: Pick<PodKnowledge, 'pod' | 'ending'>,
  observed: PodRuntimeStatus,
  signal: AbortSignal,
): Promise<void> {
  const graceMs = graceMsOf(work);
  const { pod } = work;
  const running = podContainers(pod).flatMap((container) => {
    const instance = observed.containers.find(({ name, state }) => name === container.spec.name && state === 'running');
    return instance === undefined ? [] : [{ container, instance }];
  });
  const kill = (container: PodContainer, instance: RuntimeContainerStatus, turn?: Promise<void>): Promise<void> =>
    killContainer(tools, {
      pod,
      container,
      id: instance.id,
      sandboxId: instance.sandboxId,
      graceMs,
      message: `Stopping container ${container.spec.name}`,
      ...(turn !== undefined && { turn }),
      signal,
    });
  const first = running.filter(({ container }) => !isSidecarContainer(container));
  const kills = first.map(({ container, instance }) => kill(container, instance));
  let before: Promise<void> = settled(kills);
  for (const { container, instance } of running.filter((each) => isSidecarContainer(each.container)).reverse()) {
    const killed = kill(container, instance, before);
    kills.push(killed);
    before = settled([before, killed]);
  }
  await Promise.all(kills);
  for (const { id, state } of observed.sandboxes) if (state === 'ready') await tools.runtime.stopPodSandbox(id);
}

async function settled(promises: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(promises);
}
