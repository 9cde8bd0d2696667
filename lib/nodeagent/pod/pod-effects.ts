// Performs the effects of a pod's steps against the runtime, and writes down in the pod's record what came of them.
import { errorText } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Pod, Volume } from '../../core/types/index.js';
import type { NodeTools } from '../node-tools.js';
import type { PodVolume } from '../runtime/container-config.js';
import type { PodRuntimeStatus } from '../runtime/runtime-state.js';
import type { DownwardContext } from '../volumes/downward-api.js';
import { claimedVolume } from '../volumes/claimed-volumes.js';
import { resolveVolumes } from '../volumes/pod-volumes.js';
import type { EffectAbort } from './effect-abort.js';
import { graceMsOf, killContainer, killPod } from './kill-container.js';
import type { PodEffect } from './pod-step.js';
import { memoryOf, newestInstance, podText, readySandbox } from './pod-knowledge.js';
import type { ContainerMemory, PodContainer, PodEnding, PodKnowledge, PodWorkState } from './pod-knowledge.js';
import { nextBackoff } from './restart-policy.js';
import { sandboxConfig } from './sandbox-config.js';
import { startContainer } from './start-container.js';
import { StartFailure } from './start-failure.js';

/** The delay before a failed effect is tried again. */
export const retryMs = 10_000;
/** The delays of failed mounts double from the first to the last. */
const mountRetryMs = { first: 500, last: 122_000 };

/** All that a worker knows about its pod. The worker and the effects write it; steps read it as PodKnowledge. */
export interface PodRecord extends PodKnowledge {
  state: PodWorkState;
  pod: Frozen<Pod>;
  observed: PodRuntimeStatus;
  readonly containers: Map<string, ContainerMemory>;
  areVolumesReady: boolean;
  volumes: readonly PodVolume[];
  /** When tokens in volumes have to be renewed. */
  refreshAtMs: number;
  retryAtMs: number;
  mountDelayMs: number;
  ending: PodEnding | undefined;
  isKilled: boolean;
  /** What the node can give to pods. */
  readonly allocatable: Readonly<Record<string, string>>;
}

/** Creates the record of a pod. */
export function podRecord(
  pod: Frozen<Pod>,
  fixed: Pick<PodKnowledge, 'runtimeName' | 'hostIps' | 'startTime' | 'isStatic' | 'ending'> &
    Pick<PodRecord, 'allocatable'>,
): PodRecord {
  return {
    state: 'syncing',
    pod,
    ...fixed,
    observed: { sandboxes: [], containers: [] },
    containers: new Map(),
    areVolumesReady: false,
    volumes: [],
    refreshAtMs: Infinity,
    retryAtMs: 0,
    mountDelayMs: mountRetryMs.first,
    isKilled: false,
  };
}

/** Performs effects for one pod. */
export class PodEffects {
  readonly #tools: NodeTools;
  readonly #record: PodRecord;

  constructor(tools: NodeTools, record: PodRecord) {
    this.#tools = tools;
    this.#record = record;
  }

  /** Performs an effect. Rejects if it failed unexpectedly; expected failures are written to the record. */
  perform(effect: PodEffect, abort: EffectAbort): Promise<void> {
    switch (effect.type) {
      case 'mount-volumes':
        return this.#mountVolumes();
      case 'create-sandbox':
        return this.#createSandbox(effect.attempt);
      case 'kill-container':
        return this.#killContainer(effect, abort.signal);
      case 'start-container':
        return this.#startContainer(effect, abort);
      case 'back-off':
        return this.#backOff(effect.container, effect.delayMs);
      case 'resize-container':
        return this.#tools.runtime.updateContainerResources(effect.id, effect.resources);
      case 'kill-pod':
        return this.#killPod(abort.signal);
    }
  }

  async #mountVolumes(): Promise<void> {
    try {
      await this.refreshVolumes();
      this.#record.mountDelayMs = mountRetryMs.first;
    } catch (error) {
      this.#event('Warning', 'FailedMount', errorText(error));
      this.#record.retryAtMs = this.#tools.clock.now() + this.#record.mountDelayMs;
      this.#record.mountDelayMs = Math.min(this.#record.mountDelayMs * 2, mountRetryMs.last);
    }
  }

  /** Resolves the volumes anew and passes changed files to the runtime. Rejects with MountFailure. */
  async refreshVolumes(): Promise<void> {
    const { runtime, objects, node, mounts, attached } = this.#tools;
    const needsContent = runtime.ignoresContent !== true;
    const context = {
      objects,
      downward: this.#downward(),
      needsContent,
      claimed: (pod: Frozen<Pod>, volume: Frozen<Volume>) =>
        claimedVolume(pod, volume, { node, objects, mounts, needsContent, attached }),
    };
    const { volumes, refreshAtMs } = await resolveVolumes(this.#record.pod, context);
    if (this.#record.areVolumesReady)
      for (const volume of volumes)
        if (volume.source.type === 'files') await runtime.updateVolume(this.#record.pod.metadata?.uid ?? '', volume);
    this.#record.volumes = volumes;
    this.#record.areVolumesReady = true;
    this.#record.refreshAtMs = refreshAtMs;
  }

  #downward(): DownwardContext {
    const podIps = readySandbox(this.#record.observed)?.ips ?? [];
    return { hostIps: this.#tools.hostIps, podIps, allocatable: this.#record.allocatable };
  }

  async #createSandbox(attempt: number): Promise<void> {
    const { runtime, clock } = this.#tools;
    if (attempt > 0) this.#event('Normal', 'SandboxChanged', 'Pod sandbox changed, it will be killed and re-created.');
    try {
      for (const { id } of this.#record.observed.sandboxes) await runtime.stopPodSandbox(id);
      await runtime.runPodSandbox(sandboxConfig(this.#record.pod, attempt, this.#record.volumes));
    } catch (error) {
      this.#event('Warning', 'FailedCreatePodSandBox', `Failed to create pod sandbox: ${errorText(error)}`);
      this.#record.retryAtMs = clock.now() + retryMs;
    }
  }

  async #startContainer(
    { container, sandbox }: Extract<PodEffect, { type: 'start-container' }>,
    abort: EffectAbort,
  ): Promise<void> {
    const { runtime, clock } = this.#tools;
    const { name } = container.spec;
    const memory = memoryOf(this.#record, name);
    const newest = newestInstance(this.#record.observed, name);
    const { restartBackoff, pullBackoff, ...rest } = memory;
    const restart =
      newest?.state === 'exited' ? nextBackoff(restartBackoff, newest.finishedAtMs, clock.now()) : restartBackoff;
    const remember = (more: ContainerMemory): void => {
      this.#record.containers.set(name, {
        ...rest,
        ...(restart && { restartBackoff: restart }),
        ...(pullBackoff && { pullBackoff }),
        ...more,
      });
    };
    remember({});
    const attempt = newest === undefined ? this.#lostAttempts(container) : newest.attempt + 1;
    try {
      await startContainer(this.#tools, {
        pod: this.#record.pod,
        container,
        sandbox,
        attempt,
        pullBackoff,
        downward: this.#downward(),
        abort,
        onCreated: (id, isInPostStart) => {
          const readiness = this.firstReadiness(container, id);
          this.#record.containers.set(name, {
            ...(restart && { restartBackoff: restart }),
            containerId: id,
            ...readiness,
            isInPostStart,
          });
        },
      });
      const old = this.#record.observed.containers.filter((each) => each.name === name && each.attempt < attempt - 1);
      for (const { id } of old) await runtime.removeContainer(id);
    } catch (error) {
      if (!(error instanceof StartFailure)) throw error;
      const { reason, message } = error;
      // The restart counts only if the container was started.
      this.#record.containers.set(name, {
        ...(restartBackoff && { restartBackoff }),
        ...((error.pullBackoff ?? pullBackoff) && { pullBackoff: error.pullBackoff ?? pullBackoff }),
        waiting: { reason, message: this.#pullMessage(reason, message, memory) },
        retryAtMs: error.retryAtMs ?? clock.now() + retryMs,
      });
    }
  }

  /** The waiting message of a pull that backs off keeps why the pull failed. */
  #pullMessage(reason: string, message: string, { waiting }: ContainerMemory): string {
    if (reason !== 'ImagePullBackOff' || waiting === undefined) return message;
    return waiting.reason === reason ? waiting.message : `${message}: ${waiting.reason}: ${waiting.message}`;
  }

  /** The restart count goes on where the API knows of instances that the runtime lost. */
  #lostAttempts({ sort, spec }: PodContainer): number {
    const { initContainerStatuses, containerStatuses } = this.#record.pod.status ?? {};
    const old = (sort === 'init' ? initContainerStatuses : containerStatuses)?.find(({ name }) => name === spec.name);
    return old?.containerID === undefined ? 0 : old.restartCount + 1;
  }

  async #killContainer(
    { container, id, kill }: Extract<PodEffect, { type: 'kill-container' }>,
    signal: AbortSignal,
  ): Promise<void> {
    const { name, livenessProbe, startupProbe } = container.spec;
    const probe = kill.probe === 'liveness' ? livenessProbe : kill.probe === 'startup' ? startupProbe : undefined;
    const own = probe?.terminationGracePeriodSeconds;
    const graceMs = own === undefined ? graceMsOf({ pod: this.#record.pod, ending: undefined }) : own * 1000;
    const sandboxId = newestInstance(this.#record.observed, name)?.sandboxId ?? '';
    await killContainer(this.#tools, {
      pod: this.#record.pod,
      container,
      id,
      sandboxId,
      graceMs,
      message: kill.message,
      signal,
    });
    const { failedProbe: _failed, ...memory } = memoryOf(this.#record, name);
    this.#record.containers.set(name, memory);
  }

  #backOff(container: PodContainer, delayMs: number): Promise<void> {
    const { name } = container.spec;
    const pod = podText(this.#record.pod);
    const message = `back-off ${goDuration(delayMs)} restarting failed container=${name} pod=${pod}`;
    this.#record.containers.set(name, {
      ...memoryOf(this.#record, name),
      waiting: { reason: 'CrashLoopBackOff', message },
    });
    const about = { pod: this.#record.pod, container: { sort: container.sort, name } };
    const text = `Back-off restarting failed container ${name} in pod ${pod}`;
    this.#tools.record({ ...about, type: 'Warning', reason: 'BackOff', message: text });
    return Promise.resolve();
  }

  async #killPod(signal: AbortSignal): Promise<void> {
    await killPod(this.#tools, this.#record, this.#record.observed, signal);
    this.#record.observed = await this.#tools.runtime.podStatus(this.#record.pod.metadata?.uid ?? '');
    this.#record.isKilled = !this.#record.observed.containers.some(({ state }) => state === 'running');
  }

  /** The readiness of a new instance; that of an adopted one is as the API shows it. */
  firstReadiness({ sort, spec }: PodContainer, id: string): Pick<ContainerMemory, 'isStarted' | 'isReady'> {
    const { status = {} } = this.#record.pod;
    const list = sort === 'init' ? status.initContainerStatuses : status.containerStatuses;
    const old = list?.find(({ name }) => name === spec.name);
    if (old?.containerID?.endsWith(`://${id}`) === true) return { isStarted: old.started ?? false, isReady: old.ready };
    const isStarted = spec.startupProbe === undefined;
    return { isStarted, isReady: isStarted && spec.readinessProbe === undefined };
  }

  #event(type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#tools.record({ pod: this.#record.pod, type, reason, message });
  }
}

function goDuration(ms: number): string {
  const seconds = ms / 1000;
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
