// The work of an agent on one pod, as a value. `pod-step.ts` decides from it, without effects, what happens next;
// `pod-worker.ts` performs that and writes down here what came of it.
//
//   syncing ── deleted, evicted, deadline, or all containers are done ─► terminating ── nothing runs ─► terminated
//
// A state is left only in this direction. As pkg/kubelet/pod_workers.go.
import type { Frozen } from '../../core/index.js';
import type { Container, EphemeralContainer, Pod } from '../../core/types/index.js';
import type { PodRuntimeStatus, RuntimeContainerStatus, RuntimeSandboxStatus } from '../runtime/runtime-state.js';

/** The state of the work on a pod. */
export type PodWorkState = 'syncing' | 'terminating' | 'terminated';

/** All that is known about a pod on its node. */
export interface PodKnowledge {
  readonly state: PodWorkState;
  /** The newest pod of the API, or the static pod. */
  readonly pod: Frozen<Pod>;
  /** The newest state of the runtime. */
  readonly observed: PodRuntimeStatus;
  /** By container name. */
  readonly containers: ReadonlyMap<string, ContainerMemory>;
  /** The prefix of container IDs: the name of the runtime. */
  readonly runtimeName: string;
  readonly hostIps: readonly string[];
  /** When the agent first saw the pod. */
  readonly startTime: string;
  /** Whether the volumes are mounted. */
  readonly areVolumesReady: boolean;
  /** No attempt to mount volumes or to create the sandbox before this time. */
  readonly retryAtMs: number;
  /** Why the pod ends other than by deletion or by the exit of its containers. */
  readonly ending: PodEnding | undefined;
  /** Whether the containers of a terminating pod have been stopped. */
  readonly isKilled: boolean;
  readonly isStatic: boolean;
}

/** The end of a pod by decision of its node. */
export interface PodEnding {
  readonly reason: string;
  readonly message: string;
  /** Overrides the grace period of the pod. */
  readonly graceMs?: number;
  /** The condition DisruptionTarget, where the node took the pod's place. */
  readonly disruption?: { readonly reason: string; readonly message: string };
  /** Whether the pod was refused before it started. */
  readonly isRejected?: boolean;
}

/** What the agent remembers about a container beyond what the runtime reports. */
export interface ContainerMemory {
  /** Why it is not started, as its waiting state shows. */
  readonly waiting?: WaitingReason;
  /** The delay before the next restart. */
  readonly restartBackoff?: BackoffEntry;
  readonly pullBackoff?: BackoffEntry;
  /** No attempt to start it before this time. */
  readonly retryAtMs?: number;
  /** The instance that the following fields are about. */
  readonly containerId?: string;
  /** Whether the startup probe succeeded, or there is none. */
  readonly isStarted?: boolean;
  /** Whether the readiness probe succeeded, or there is none. */
  readonly isReady?: boolean;
  /** The probe whose failure requires a restart. */
  readonly failedProbe?: 'liveness' | 'startup';
  /** Whether the instance runs its postStart hook; it does not count as running yet. */
  readonly isInPostStart?: boolean;
}

/** Why a container waits. */
export interface WaitingReason {
  readonly reason: string;
  readonly message: string;
}

/** The back-off of one container or image. */
export interface BackoffEntry {
  readonly delayMs: number;
  readonly updatedAtMs: number;
}

/** The sort of a container: the list of the pod that it stands in. */
export type ContainerSort = 'init' | 'regular' | 'ephemeral';

/** A container of a pod with its sort. */
export interface PodContainer {
  readonly sort: ContainerSort;
  readonly spec: Frozen<Container | EphemeralContainer>;
}

/** Returns the containers of a pod: init, regular, ephemeral. */
export function podContainers({ spec }: Frozen<Pod>): readonly PodContainer[] {
  return [
    ...(spec?.initContainers ?? []).map((each): PodContainer => ({ sort: 'init', spec: each })),
    ...(spec?.containers ?? []).map((each): PodContainer => ({ sort: 'regular', spec: each })),
    ...(spec?.ephemeralContainers ?? []).map((each): PodContainer => ({ sort: 'ephemeral', spec: each })),
  ];
}

/** Returns the container of that name. */
export function podContainer(pod: Frozen<Pod>, name: string): PodContainer | undefined {
  return podContainers(pod).find(({ spec }) => spec.name === name);
}

/** Returns whether a container is an init container that keeps running beside the regular ones. */
export function isSidecarContainer({ sort, spec }: PodContainer): boolean {
  return sort === 'init' && spec.restartPolicy === 'Always';
}

/** Returns the newest instance of a container; of the given sandbox only, where one is given. */
export function newestInstance(
  { containers }: PodRuntimeStatus,
  name: string,
  sandboxId?: string,
): RuntimeContainerStatus | undefined {
  return containers.find((each) => each.name === name && (sandboxId === undefined || each.sandboxId === sandboxId));
}

/** Returns the sandbox that the containers of a pod run in; undefined if none is ready. */
export function readySandbox({ sandboxes }: PodRuntimeStatus): RuntimeSandboxStatus | undefined {
  const [newest] = sandboxes;
  return newest?.state === 'ready' ? newest : undefined;
}

/** Returns the memory of a container; that of another instance is not used for probes. */
export function memoryOf({ containers }: PodKnowledge, name: string): ContainerMemory {
  return containers.get(name) ?? nothing;
}

const nothing: ContainerMemory = {};

/** Returns a text that names a pod in messages, as pkg/kubelet/util/format. */
export function podText({ metadata }: Frozen<Pod>): string {
  return `${metadata?.name ?? ''}_${metadata?.namespace ?? ''}(${metadata?.uid ?? ''})`;
}
