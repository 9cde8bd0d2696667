// Keeps a node from running out of memory and space: takes the step of eviction every 10 s, removes dead containers
// every minute and unused images every 5 minutes. The decisions are pure functions of this folder; this is their driver
// on the alarms of the agent. As the loops of pkg/kubelet/eviction and StartGarbageCollection of pkg/kubelet.
import { errorText, integerValue } from '../../core/index.js';
import type { Clock, Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import { Alarm } from '../alarms.js';
import type { Alarms } from '../alarms.js';
import { imagesToRemove, observeImages } from '../images/image-collector.js';
import type { ImageUse } from '../images/image-collector.js';
import type { KubeletSettings } from '../node/kubelet-settings.js';
import { containersToRemove } from '../pod/container-collector.js';
import type { ContainerRuntime } from '../runtime/container-runtime.js';
import type { ContainerUsage, RuntimeContainer, RuntimeImage } from '../runtime/runtime-state.js';
import { noPressure, stepEviction } from './eviction-step.js';
import type { EvictionMemory, EvictionStep, PodToEvict } from './eviction-step.js';
import type { PodFigures } from './rank-pods.js';
import type { EvictionSignal, PressureCondition, SignalObservation } from './thresholds.js';

/** The dependencies of a reclaimer. */
export interface ReclaimerOptions {
  readonly settings: KubeletSettings;
  readonly runtime: ContainerRuntime;
  readonly capacity: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly alarms: Alarms;
  readonly signal: AbortSignal;
  /** The pods of the node that have not ended. */
  readonly activePods: () => readonly Frozen<Pod>[];
  /** Whether the agent works on the pod. */
  readonly isKnown: (podUid: string) => boolean;
  readonly evict: (eviction: PodToEvict) => void;
  /** Records an Event about the node. */
  readonly recordNode: (type: 'Normal' | 'Warning', reason: string, message: string) => void;
  /** Called when the conditions changed. */
  readonly onConditions: () => void;
  readonly onFailed: (error: unknown) => void;
}

const evictionMs = 10_000;
const containersMs = 60_000;
const imagesMs = 300_000;

/** The reclaimer of one node. */
export class Reclaimer {
  readonly #options: ReclaimerOptions;
  readonly #alarms: readonly [Alarm, number][];
  #memory: EvictionMemory = noPressure;
  #uses: ReadonlyMap<string, ImageUse> = new Map();

  constructor(options: ReclaimerOptions) {
    this.#options = options;
    const every = (ms: number, work: () => Promise<void>): [Alarm, number] => {
      const alarm = new Alarm(() => void this.#guarded(work, alarm, ms));
      return [alarm, ms];
    };
    this.#alarms = [
      every(evictionMs, () => this.checkPressure()),
      every(containersMs, () => this.removeContainers()),
      every(imagesMs, () => this.removeImages(false)),
    ];
  }

  /** The conditions of pressure that the node has. */
  get conditions(): readonly PressureCondition[] {
    return this.#memory.conditions;
  }

  /** Begins the rounds. */
  start(): void {
    const { clock, alarms } = this.#options;
    for (const [alarm, ms] of this.#alarms) alarms.set(alarm, clock.now() + ms);
  }

  /** Takes one step of eviction. */
  async checkPressure(): Promise<void> {
    const before = this.#memory.conditions.join();
    let step = await this.#step(false);
    if (step.reclaims !== undefined)
      this.#options.recordNode('Warning', 'EvictionThresholdMet', `Attempting to reclaim ${step.reclaims}`);
    if (step.freesDisk) {
      await this.removeContainers();
      await this.removeImages(true);
      step = await this.#step(true);
    }
    for (const eviction of step.evictions) this.#options.evict(eviction);
    if (this.#memory.conditions.join() !== before) this.#options.onConditions();
  }

  /** Removes dead containers and sandboxes that are of no use. */
  async removeContainers(): Promise<void> {
    const { runtime, isKnown } = this.#options;
    const [containers, sandboxes] = await Promise.all([runtime.listContainers(), runtime.listPodSandboxes()]);
    const removal = containersToRemove(containers, sandboxes, isKnown);
    for (const id of removal.containers) await runtime.removeContainer(id);
    for (const id of removal.sandboxes) {
      await runtime.stopPodSandbox(id);
      await runtime.removePodSandbox(id);
    }
    for (const uid of removal.pods) await runtime.removePodData(uid);
  }

  /** Removes unused images, as far as space requires it; all of them under disk pressure. */
  async removeImages(all: boolean): Promise<void> {
    const { runtime, clock, settings, recordNode } = this.#options;
    const [images, containers, space] = await Promise.all([
      runtime.listImages(),
      runtime.listContainers(),
      runtime.imageFsUsage(),
    ]);
    const nowMs = clock.now();
    this.#uses = observeImages(this.#uses, images, (image) => isUsedBy(image, containers), nowMs);
    const { remove, wantedBytes, freedBytes } = imagesToRemove(images, this.#uses, settings.images, {
      ...space,
      nowMs,
      all,
    });
    for (const { id } of remove) await runtime.removeImage(id);
    if (remove.length > 0) this.#options.onConditions();
    if (freedBytes >= wantedBytes) return;
    const message = `Failed to garbage collect required amount of images. Attempted to free ${wantedBytes} bytes, but only found ${freedBytes} bytes eligible to free.`;
    recordNode('Warning', 'FreeDiskSpaceFailed', message);
  }

  async #step(hasReclaimed: boolean): Promise<EvictionStep> {
    const { settings, clock } = this.#options;
    const { observations, pods } = await this.#observe();
    const input = { nowMs: clock.now(), observations, pods, hasReclaimed };
    const step = stepEviction(this.#memory, settings.eviction, input);
    this.#memory = step.memory;
    return step;
  }

  async #observe(): Promise<{ observations: Map<EvictionSignal, SignalObservation>; pods: readonly PodFigures[] }> {
    const { runtime, capacity, activePods } = this.#options;
    const [usages, imagefs, machine] = await Promise.all([
      runtime.listContainerUsage(),
      runtime.imageFsUsage(),
      runtime.machineUsage?.(),
    ]);
    const observations = new Map<EvictionSignal, SignalObservation>();
    const observe = (signal: EvictionSignal, observation: SignalObservation | undefined): void => {
      if (observation !== undefined && observation.capacity > 0) observations.set(signal, observation);
    };
    const sum = (value: (usage: ContainerUsage) => number): number =>
      usages.reduce((all, each) => all + value(each), 0);
    const rest = (resource: string, used: number): SignalObservation | undefined => {
      const total = capacity[resource];
      if (total === undefined) return undefined;
      return { capacity: integerValue(total), available: Math.max(0, integerValue(total) - used) };
    };
    const memoryUsed = sum(({ memoryWorkingSetBytes }) => memoryWorkingSetBytes);
    const storageUsed = sum(({ storageUsedBytes }) => storageUsedBytes);
    observe('memory.available', machine?.memory ?? rest('memory', memoryUsed));
    observe('nodefs.available', machine?.nodefs ?? rest('ephemeral-storage', storageUsed));
    observe('nodefs.inodesFree', machine?.nodefsInodes);
    observe('imagefs.available', { capacity: imagefs.capacityBytes, available: imagefs.availableBytes });
    observe('imagefs.inodesFree', machine?.imagefsInodes);
    observe('pid.available', machine?.pids);
    const byPod = new Map<string, ContainerUsage[]>();
    for (const usage of usages) byPod.set(usage.podUid, [...(byPod.get(usage.podUid) ?? []), usage]);
    const pods: PodFigures[] = [];
    for (const pod of activePods()) {
      const uid = pod.metadata?.uid ?? '';
      const containers = (byPod.get(uid) ?? []).map(({ name, memoryWorkingSetBytes, storageUsedBytes }) => ({
        name,
        memoryBytes: memoryWorkingSetBytes,
        storageBytes: storageUsedBytes,
      }));
      const volumes = (await runtime.volumeUsage?.(uid)) ?? new Map<string, number>();
      pods.push({ pod, containers, volumes, processes: containers.length });
    }
    return { observations, pods };
  }

  async #guarded(work: () => Promise<void>, alarm: Alarm, ms: number): Promise<void> {
    const { clock, alarms, signal, onFailed } = this.#options;
    try {
      await work();
    } catch (error) {
      if (signal.aborted) return;
      onFailed(new Error(`reclaiming failed: ${errorText(error)}`, { cause: error }));
    }
    if (!signal.aborted) alarms.set(alarm, clock.now() + ms);
  }
}

function isUsedBy({ id, repoTags, repoDigests }: RuntimeImage, containers: readonly RuntimeContainer[]): boolean {
  return containers.some(
    ({ image, imageRef }) => imageRef === id || repoTags.includes(image) || repoDigests.includes(image),
  );
}
