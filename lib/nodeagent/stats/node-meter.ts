// What a node and its pods use, from the cumulative figures of its runtime. The rate of a container is that since the
// previous reading, if it is at least a second old, otherwise that since its start: so the first reading already has a
// rate. As pkg/kubelet/stats, which takes it from cAdvisor.
import type { Clock, ContainerStats, NodeStats, PodStats, UsageStats } from '../../core/index.js';
import type { ContainerRuntime } from '../runtime/container-runtime.js';
import type { ContainerUsage, RuntimeContainerStatus } from '../runtime/runtime-state.js';

/** The shortest time over which a rate is measured, in milliseconds. */
const windowMsMin = 1_000;

/** A reading of a container. */
interface Reading {
  readonly atMs: number;
  readonly cpuCoreNanoseconds: number;
}

/** Measures one node. */
export class NodeMeter {
  readonly #name: string;
  readonly #runtime: ContainerRuntime;
  readonly #clock: Clock;
  readonly #startedAtMs: number;
  /** The previous reading of each container that runs. */
  #readings: ReadonlyMap<string, Reading> = new Map();

  constructor(name: string, runtime: ContainerRuntime, clock: Clock) {
    this.#name = name;
    this.#runtime = runtime;
    this.#clock = clock;
    this.#startedAtMs = clock.now();
  }

  /** Reads the usage of the running containers. */
  async read(): Promise<NodeStats> {
    const [usages, sandboxes] = await Promise.all([
      this.#runtime.listContainerUsage(),
      this.#runtime.listPodSandboxes({ state: 'ready' }),
    ]);
    const byPod = new Map<string, ContainerUsage[]>();
    for (const usage of usages) byPod.set(usage.podUid, [...(byPod.get(usage.podUid) ?? []), usage]);
    const readings = new Map<string, Reading>();
    const pods: PodStats[] = [];
    for (const { podUid, name, namespace, createdAtMs } of sandboxes) {
      const { containers: known } = await this.#runtime.podStatus(podUid);
      const containers = (byPod.get(podUid) ?? []).map((usage) => this.#containerStats(usage, known, readings));
      pods.push({ ...this.#sum(containers), uid: podUid, name, namespace, startedAtMs: createdAtMs, containers });
    }
    this.#readings = readings;
    return { ...this.#sum(pods), name: this.#name, startedAtMs: this.#startedAtMs, pods };
  }

  #containerStats(
    usage: ContainerUsage,
    known: readonly RuntimeContainerStatus[],
    readings: Map<string, Reading>,
  ): ContainerStats {
    const { containerId, name, atMs, cpuCoreNanoseconds, memoryWorkingSetBytes, storageUsedBytes } = usage;
    const startedAtMs = known.find(({ id }) => id === containerId)?.startedAtMs ?? atMs;
    const previous = this.#readings.get(containerId);
    const isOldEnough = previous !== undefined && atMs - previous.atMs >= windowMsMin;
    const from = isOldEnough ? previous : { atMs: startedAtMs, cpuCoreNanoseconds: 0 };
    // A reading that is too young stays the one that the next is compared to.
    readings.set(containerId, previous === undefined || isOldEnough ? { atMs, cpuCoreNanoseconds } : previous);
    const windowMs = Math.max(1, atMs - from.atMs);
    const rate = Math.max(0, Math.round(((cpuCoreNanoseconds - from.cpuCoreNanoseconds) * 1000) / windowMs));
    return {
      name,
      atMs,
      windowMs,
      startedAtMs,
      cpuNanoCores: usage.cpuNanoCores ?? rate,
      cpuCoreNanoseconds,
      memoryWorkingSetBytes,
      storageUsedBytes,
    };
  }

  #sum(parts: readonly UsageStats[]): UsageStats {
    const total = (value: (stats: UsageStats) => number): number => parts.reduce((sum, each) => sum + value(each), 0);
    return {
      atMs: this.#clock.now(),
      windowMs: Math.max(1, ...parts.map(({ windowMs }) => windowMs)),
      cpuNanoCores: total(({ cpuNanoCores }) => cpuNanoCores),
      cpuCoreNanoseconds: total(({ cpuCoreNanoseconds }) => cpuCoreNanoseconds),
      memoryWorkingSetBytes: total(({ memoryWorkingSetBytes }) => memoryWorkingSetBytes),
    };
  }
}
