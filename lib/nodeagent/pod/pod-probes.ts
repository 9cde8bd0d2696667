// The probes of one pod: which are due, and what their results change. The worker runs them; created only for pods that
// have probes.
import type { Frozen } from '../../core/index.js';
import type { Probe } from '../../core/types/index.js';
import { afterOutcome, firstProgress } from './probe-schedule.js';
import type { ProbeKind, ProbeProgress } from './probe-schedule.js';
import type { ContainerMemory, PodContainer, PodKnowledge } from './pod-knowledge.js';
import { memoryOf, newestInstance, podContainers } from './pod-knowledge.js';

/** A probe that is due. */
export interface DueProbe {
  readonly kind: ProbeKind;
  readonly probe: Frozen<Probe>;
  readonly container: PodContainer;
  readonly containerId: string;
  readonly sandboxId: string;
}

interface ProbeState {
  readonly containerId: string;
  progress: ProbeProgress;
  isRunning: boolean;
}

/** Returns whether a pod has probes at all. */
export function hasProbes({ pod }: Pick<PodKnowledge, 'pod'>): boolean {
  return podContainers(pod).some(
    ({ spec }) => (spec.livenessProbe ?? spec.readinessProbe ?? spec.startupProbe) !== undefined,
  );
}

/** The probes of a pod. */
export class PodProbes {
  readonly #baseMs: number;
  readonly #states = new Map<string, ProbeState>();

  /** `baseMs`: when the pod was first synced. */
  constructor(baseMs: number) {
    this.#baseMs = baseMs;
  }

  /** Returns the probes that are due and marks them as running; and when the next one is due. */
  due(work: PodKnowledge, nowMs: number): { readonly probes: readonly DueProbe[]; readonly nextAtMs: number } {
    const probes: DueProbe[] = [];
    let nextAtMs = Infinity;
    for (const container of podContainers(work.pod)) {
      const { name } = container.spec;
      const running = newestInstance(work.observed, name);
      if (running?.state !== 'running' || memoryOf(work, name).isInPostStart === true) continue;
      for (const [kind, probe] of probesOf(container)) {
        if (!isActive(work, name, kind)) continue;
        const state = this.#stateOf(name, kind, running.id, () =>
          firstProgress(kind, probe, { baseMs: this.#baseMs, containerStartedAtMs: running.startedAtMs, nowMs }),
        );
        if (state.isRunning) continue;
        if (state.progress.nextAtMs > nowMs) nextAtMs = Math.min(nextAtMs, state.progress.nextAtMs);
        else {
          state.isRunning = true;
          probes.push({ kind, probe, container, containerId: running.id, sandboxId: running.sandboxId });
        }
      }
    }
    return { probes, nextAtMs };
  }

  /** Returns the memory of the container after an outcome; undefined if nothing changed. */
  finish(
    { kind, probe, container, containerId }: DueProbe,
    isSuccess: boolean,
    memory: ContainerMemory,
  ): ContainerMemory | undefined {
    const { name } = container.spec;
    const state = this.#states.get(`${name}/${kind}`);
    if (state?.containerId !== containerId || memory.containerId !== containerId) return undefined;
    state.isRunning = false;
    const before = state.progress.result;
    state.progress = afterOutcome(kind, probe, state.progress, isSuccess);
    const { result } = state.progress;
    if (kind === 'readiness') {
      return (memory.isReady ?? false) === (result ?? false) ? undefined : { ...memory, isReady: result ?? false };
    }
    if (result === before || result === undefined) return undefined;
    if (!result) return { ...memory, failedProbe: kind };
    if (kind !== 'startup') return undefined;
    return { ...memory, isStarted: true, isReady: container.spec.readinessProbe === undefined };
  }

  #stateOf(name: string, kind: ProbeKind, containerId: string, first: () => ProbeProgress): ProbeState {
    const key = `${name}/${kind}`;
    const known = this.#states.get(key);
    if (known?.containerId === containerId) return known;
    const fresh: ProbeState = { containerId, progress: first(), isRunning: false };
    this.#states.set(key, fresh);
    return fresh;
  }
}

function probesOf({ spec }: PodContainer): readonly (readonly [ProbeKind, Frozen<Probe>])[] {
  const { startupProbe, readinessProbe, livenessProbe } = spec;
  return [
    ...(startupProbe === undefined ? [] : [['startup', startupProbe] as const]),
    ...(readinessProbe === undefined ? [] : [['readiness', readinessProbe] as const]),
    ...(livenessProbe === undefined ? [] : [['liveness', livenessProbe] as const]),
  ];
}

/** The startup probe gates the other two. While a pod terminates only readiness is probed. */
function isActive(work: PodKnowledge, name: string, kind: ProbeKind): boolean {
  const { isStarted = false, failedProbe } = memoryOf(work, name);
  if (failedProbe !== undefined) return false;
  if (work.state !== 'syncing' && kind !== 'readiness') return false;
  return kind === 'startup' ? !isStarted : isStarted;
}
