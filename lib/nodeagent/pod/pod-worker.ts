// The driver of one pod on one node. It takes step after step (`stepPod`): reads the runtime, publishes the status,
// performs the next effect, until a step has none; then it waits for a change or for the time that the step named. One
// effect runs at a time. Deletion and eviction abort an effect that is under way. Probes run beside the steps.
import type { KindClient } from '../../client/index.js';
import { isApiError, isOlderVersion, isTerminating, objectKey, onAbort, printTime } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import { Alarm } from '../alarms.js';
import type { NodeTools } from '../node-tools.js';
import { EffectAbort } from './effect-abort.js';
import { runProbe } from './hooks.js';
import { graceMsOf } from './kill-container.js';
import { PodEffects, podRecord, retryMs } from './pod-effects.js';
import type { PodRecord } from './pod-effects.js';
import { PodProbes, hasProbes } from './pod-probes.js';
import type { DueProbe } from './pod-probes.js';
import { podStatusOf } from './pod-status.js';
import { stepPod } from './pod-step.js';
import type { PodEffect } from './pod-step.js';
import { memoryOf, newestInstance, podContainers } from './pod-knowledge.js';
import type { PodEnding, PodKnowledge } from './pod-knowledge.js';
import { StatusPublisher } from './status-writer.js';

/** Options of a worker. */
export interface PodWorkerOptions {
  readonly tools: NodeTools;
  readonly pods: KindClient<'v1', 'Pod'>;
  readonly pod: Frozen<Pod>;
  /** What the node can give to pods. */
  readonly allocatable: Readonly<Record<string, string>>;
  /** Set where the node refuses the pod. */
  readonly rejection?: PodEnding;
  readonly isStatic?: boolean;
  /** Called when nothing of the pod runs any more. */
  onTerminated(): void;
  /** Called when nothing is left of a pod that is gone from its source. */
  onRemoved(): void;
}

/** Works on one pod. */
export class PodWorker {
  readonly #options: PodWorkerOptions;
  readonly #tools: NodeTools;
  readonly #alarm: Alarm;
  readonly #writer: StatusPublisher;
  readonly #record: PodRecord;
  readonly #effects: PodEffects;
  #probes: PodProbes | undefined;
  /** Whether the runtime has to be read before the next step. */
  #isStale = true;
  #isStepping = false;
  /** How often something changed since the step that is being taken began. */
  #changes = 0;
  #isRemoved = false;
  #isDeleted = false;
  #running: EffectAbort | undefined;
  /** Callers that wait for the end of the pod. */
  readonly #waiting: (() => void)[] = [];

  constructor(options: PodWorkerOptions) {
    const { tools, pod, pods, rejection, allocatable, isStatic = false } = options;
    const nowMs = tools.clock.now();
    this.#options = options;
    this.#tools = tools;
    this.#record = podRecord(pod, {
      runtimeName: tools.runtime.name,
      hostIps: tools.hostIps,
      startTime: printTime(nowMs),
      isStatic,
      ending: rejection,
      allocatable,
    });
    this.#effects = new PodEffects(tools, this.#record);
    this.#alarm = new Alarm(() => this.wake());
    if (hasProbes({ pod })) this.#probes = new PodProbes(nowMs);
    this.#writer = new StatusPublisher(isStatic ? undefined : pod, {
      pods,
      onWritten: (phase) =>
        tools.emit({ type: 'pod-status-written', node: tools.node, pod: objectKey(this.pod), phase }),
      onFailed: (error) => {
        this.#failed(error);
        tools.alarms.set(this.#alarm, tools.clock.now() + retryMs);
      },
    });
  }

  /** The newest pod. */
  get pod(): Frozen<Pod> {
    return this.#record.pod;
  }

  /** What is known about the pod. */
  get work(): PodKnowledge {
    return this.#record;
  }

  /** Takes a newer version of the pod. */
  update(pod: Frozen<Pod>): void {
    const { pod: old, ending } = this.#record;
    if (isOlderVersion(pod, old)) return;
    this.#record.pod = pod;
    if (this.#options.isStatic !== true) this.setMirror(pod);
    if (this.#probes === undefined && hasProbes({ pod })) this.#probes = new PodProbes(this.#tools.clock.now());
    const isEnding = isTerminating(pod);
    const shortens = isEnding && graceMsOf({ pod, ending }) < graceMsOf({ pod: old, ending });
    if ((isEnding && !isTerminating(old)) || shortens) this.#running?.abort();
    // A version that only shows the status that was written needs no step.
    const isSame = old.metadata?.generation === pod.metadata?.generation && isEnding === isTerminating(old);
    if (!isSame || shortens || this.#hasGateChange(old)) this.wake();
  }

  /** Sets the object whose status is written: the pod itself, or the mirror of a static pod. */
  setMirror(pod: Frozen<Pod> | undefined): void {
    if (this.#isRemoved) return;
    this.#writer.setTarget(pod);
    if (this.#writer.hasDrifted()) this.#writer.rewrite();
    else this.#writer.write();
  }

  /** Ends the pod by decision of the node. */
  end(ending: PodEnding): void {
    if (this.#record.ending !== undefined || this.#record.state !== 'syncing') return;
    this.#record.ending = ending;
    this.#running?.abort();
    this.wake();
  }

  /** The pod is gone from its source: what runs is stopped, and everything is removed. */
  remove(): void {
    if (this.#isRemoved) return;
    this.#isRemoved = true;
    this.#writer.abandon();
    this.#record.ending ??= { reason: '', message: '' };
    if (this.#record.state === 'syncing') this.#running?.abort();
    this.wake();
  }

  /** The runtime changed something of the pod. */
  runtimeChanged(): void {
    this.#isStale = true;
    this.wake();
  }

  /** Resolves when nothing of the pod runs any more and its final status is written, or the agent stops. */
  settled(): Promise<void> {
    if (this.#record.state === 'terminated' && !this.#isStepping) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Takes steps until there is nothing left to do for now. */
  wake(): void {
    this.#changes += 1;
    if (this.#isStepping || this.#tools.signal.aborted) return;
    this.#isStepping = true;
    void this.#steps();
  }

  /** Readiness gates depend on conditions of other writers. */
  #hasGateChange(old: Frozen<Pod>): boolean {
    const { spec, status } = this.pod;
    return (spec?.readinessGates ?? []).length > 0 && old.status?.conditions !== status?.conditions;
  }

  async #steps(): Promise<void> {
    const { clock, alarms, signal } = this.#tools;
    let wakeAtMs = Infinity;
    try {
      do {
        this.#changes = 0;
        wakeAtMs = await this.#step();
      } while (!signal.aborted && (this.#changes > 0 || wakeAtMs <= clock.now()));
    } catch (error) {
      this.#failed(error);
      this.#isStale = true;
      wakeAtMs = clock.now() + retryMs;
    }
    this.#isStepping = false;
    if (this.#record.state === 'terminated' || signal.aborted) for (const resolve of this.#waiting.splice(0)) resolve();
    if (!signal.aborted) alarms.set(this.#alarm, wakeAtMs);
  }

  /** Takes one step. Returns when the next one is due: at once after an effect or a transition. */
  async #step(): Promise<number> {
    const record = this.#record;
    if (record.state === 'terminated') return this.#settle();
    if (this.#isStale) await this.#observe();
    const nowMs = this.#tools.clock.now();
    const { status, phase } = podStatusOf(record, this.#writer.latest, nowMs);
    const step = stepPod(record, phase, nowMs);
    if (step.ending !== undefined) {
      record.ending = step.ending;
      const { reason, message } = step.ending;
      this.#tools.record({ pod: this.pod, type: 'Normal', reason, message });
    }
    if (step.state !== record.state) {
      record.state = step.state;
      if (step.state === 'terminated') this.#options.onTerminated();
      return nowMs;
    }
    this.#writer.set(status);
    if (step.effect !== undefined) {
      await this.#perform(step.effect);
      if (step.effect.type !== 'mount-volumes') this.#isStale = true;
      return nowMs;
    }
    if (record.refreshAtMs <= nowMs) await this.#effects.refreshVolumes();
    return Math.min(step.wakeAtMs, record.refreshAtMs, this.#startProbes(nowMs));
  }

  /** Reads the runtime and adopts instances that the worker does not know, as after a restart of the agent. */
  async #observe(): Promise<void> {
    const record = this.#record;
    this.#isStale = false;
    record.observed = await this.#tools.runtime.podStatus(this.pod.metadata?.uid ?? '');
    for (const container of podContainers(this.pod)) {
      const { name } = container.spec;
      const newest = newestInstance(record.observed, name);
      if (newest?.state !== 'running') continue;
      const { containerId, waiting: _waiting, failedProbe: _failed, ...kept } = memoryOf(record, name);
      if (containerId === newest.id) continue;
      const readiness = this.#effects.firstReadiness(container, newest.id);
      record.containers.set(name, { ...kept, containerId: newest.id, ...readiness });
    }
  }

  /** Performs an effect until it is done, or until the pod is to end or the agent stops. */
  async #perform(effect: PodEffect): Promise<void> {
    const abort = new EffectAbort();
    // Volumes and sandboxes are quick, and waiting for an abort costs more than the rest of such an effect.
    if (effect.type === 'mount-volumes' || effect.type === 'create-sandbox' || effect.type === 'back-off') {
      await this.#effects.perform(effect, abort);
      return;
    }
    const leave = onAbort(this.#tools.signal, () => abort.abort());
    this.#running = abort;
    try {
      await abort.guard(this.#effects.perform(effect, abort));
    } catch (error) {
      if (!abort.isAborted) throw error;
    } finally {
      leave();
      this.#running = undefined;
    }
  }

  /** Publishes the final status, deletes the pod from the API if that was requested, and removes what is left of it. */
  async #settle(): Promise<number> {
    const { clock, node, runtime } = this.#tools;
    const record = this.#record;
    const { name = '', namespace = '', uid = '' } = this.pod.metadata ?? {};
    if (!this.#isRemoved) this.#writer.set(podStatusOf(record, this.#writer.latest, clock.now()).status);
    this.#writer.write();
    if (!(await this.#writer.flushed())) return clock.now() + retryMs;
    await this.#tools.mounts.release(uid);
    if (isTerminating(this.pod) && !this.#isDeleted && !this.#isRemoved && this.#options.isStatic !== true) {
      this.#isDeleted = true;
      try {
        await this.#options.pods.delete({ namespace, name }, { gracePeriodSeconds: 0, preconditions: { uid } });
        this.#tools.emit({ type: 'pod-deleted', node, pod: objectKey(this.pod) });
      } catch (error) {
        if (isApiError(error, 'NotFound') || isApiError(error, 'Conflict')) return Infinity;
        this.#isDeleted = false;
        throw error;
      }
    }
    if (!this.#isRemoved) return Infinity;
    for (const { id } of record.observed.sandboxes) await runtime.removePodSandbox(id);
    await runtime.removePodData(uid);
    this.#options.onRemoved();
    return Infinity;
  }

  /** Starts the probes that are due. Returns when the next one is. */
  #startProbes(nowMs: number): number {
    if (this.#probes === undefined) return Infinity;
    const { probes, nextAtMs } = this.#probes.due(this.#record, nowMs);
    for (const probe of probes) void this.#runProbe(probe);
    return nextAtMs;
  }

  async #runProbe(due: DueProbe): Promise<void> {
    const { runtime, clock, signal } = this.#tools;
    const record = this.#record;
    const { kind, container, containerId, sandboxId } = due;
    const { name } = container.spec;
    const outcome = await runProbe({ runtime, clock, container, containerId, sandboxId }, due.probe);
    if (signal.aborted || newestInstance(record.observed, name)?.id !== containerId) return;
    if (!outcome.isSuccess) {
      const message = `${kind.charAt(0).toUpperCase()}${kind.slice(1)} probe failed: ${outcome.output}`;
      const about = { pod: this.pod, container: { sort: container.sort, name } };
      this.#tools.record({ ...about, type: 'Warning', reason: 'Unhealthy', message });
    }
    const changed = this.#probes?.finish(due, outcome.isSuccess, memoryOf(record, name));
    if (changed !== undefined) {
      record.containers.set(name, changed);
      // Readiness is shown at once, also while an effect is under way.
      if (record.state !== 'terminated') this.#writer.set(podStatusOf(record, this.#writer.latest, clock.now()).status);
    }
    this.wake();
  }

  #failed(error: unknown): void {
    const { node, signal } = this.#tools;
    if (!signal.aborted) this.#tools.emit({ type: 'pod-work-failed', node, pod: objectKey(this.pod), error });
  }
}
