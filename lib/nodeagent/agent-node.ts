// One node of an agent or a fleet: its heartbeat and the workers of its pods.
import type { Client } from '../client/index.js';
import { isMirrorPod, isPodTerminal, isTerminating, onAbort } from '../core/index.js';
import type { Clock, Frozen, Random } from '../core/index.js';
import type { Node, Pod } from '../core/types/index.js';
import type { Alarms } from './alarms.js';
import { imagePuller } from './images/image-puller.js';
import { Reclaimer } from './eviction/reclaimer.js';
import { Heartbeat } from './node/heartbeat.js';
import { shutdownGroups, shutdownRefusal, stopGroups } from './node/node-shutdown.js';
import type { HeartbeatTimes } from './node/heartbeat.js';
import type { KubeletSettings } from './node/kubelet-settings.js';
import { usedHostPorts, requestAmounts, refusalOf, pressureRefusalOf } from './node/node-admission.js';
import type { RequestAmounts } from './node/node-admission.js';
import { healthyNode } from './node/node-object.js';
import type { AgentHealth } from './node/node-object.js';
import type { NodeSettings } from './node/node-settings.js';
import type { NodeActivity, NodeTools, NodePodEvent } from './node-tools.js';
import { PodWorker } from './pod/pod-worker.js';
import type { PodEnding } from './pod/pod-knowledge.js';
import type { ContainerRuntime } from './runtime/container-runtime.js';
import type { ContainerEvent } from './runtime/runtime-state.js';
import { StaticPods } from './static/static-pods.js';
import { MountedVolumes } from './volumes/mounted-volumes.js';
import { podObjects } from './volumes/pod-objects.js';
import type { VolumeDriver } from './volumes/volume-driver.js';

/** The dependencies of a node. */
export interface AgentNodeOptions {
  readonly settings: NodeSettings;
  /** Undefined: the node runs nothing. */
  readonly runtime: ContainerRuntime | undefined;
  /** Undefined: neither eviction nor garbage collection. */
  readonly kubelet: KubeletSettings | undefined;
  /** Undefined: no heartbeat. */
  readonly times: HeartbeatTimes | undefined;
  /** Acts as the node. */
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly alarms: Alarms;
  readonly signal: AbortSignal;
  /** The storage drivers of the node. */
  readonly volumeDrivers: readonly VolumeDriver[];
  readonly record: (event: NodePodEvent) => void;
  /** Records an Event about the node. */
  readonly recordNode: (type: 'Normal' | 'Warning', reason: string, message: string) => void;
  readonly emit: (activity: NodeActivity) => void;
  /** Returns the newest Node object; undefined before it is known. */
  nodeObject(): Frozen<Node> | undefined;
}

/** A pod on the node, and what it takes of it. */
interface RunningPod {
  readonly worker: PodWorker;
  readonly requests: RequestAmounts;
  readonly ports: readonly string[];
  readonly isStatic: boolean;
  isCounted: boolean;
}

/** A node that runs pods. */
export class AgentNode {
  readonly heartbeat: Heartbeat;
  readonly #options: AgentNodeOptions;
  readonly #tools: NodeTools | undefined;
  readonly #reclaimer: Reclaimer | undefined;
  readonly #statics: StaticPods;
  readonly #pods = new Map<string, RunningPod>();
  readonly #requests = new Map<string, number>();
  readonly #ports = new Set<string>();
  #counted = 0;
  #isShuttingDown = false;
  /** Aborted when the agent stops or the node is switched off. */
  readonly #off = new AbortController();
  #problems: readonly string[] = [];

  constructor(options: AgentNodeOptions) {
    this.#options = options;
    const { settings, runtime, client, clock, alarms, record, emit } = options;
    const { signal } = this.#off;
    onAbort(options.signal, () => this.#off.abort());
    this.heartbeat = new Heartbeat({ ...options, signal, observe: () => this.#observe() });
    this.#statics = new StaticPods({
      node: settings.name,
      pods: client.kind('v1', 'Pod'),
      clock,
      alarms,
      signal,
      nodeObject: () => this.#options.nodeObject() ?? this.heartbeat.node,
      start: (pod) => this.#start(pod, true),
      onFailed: (pod, error) => emit({ type: 'pod-work-failed', node: settings.name, pod, error }),
    });
    if (runtime === undefined) return;
    const objects = podObjects(client);
    const onPulled = (): void => this.heartbeat.changed();
    const images = imagePuller({ runtime, clock, objects, record, onPulled });
    const { name: node, hostIps } = settings;
    this.#reclaimer = this.#createReclaimer(runtime);
    this.#reclaimer?.start();
    const mounts = new MountedVolumes(options.volumeDrivers);
    const attached = (): readonly string[] =>
      (this.#options.nodeObject()?.status?.volumesAttached ?? []).map((volume) => volume.name);
    const made = { node, hostIps, runtime, clock, client, objects, images, mounts, attached, alarms, signal };
    this.#tools = { ...made, record, emit };
  }

  get name(): string {
    return this.#options.settings.name;
  }

  /** The runtime; undefined for a node that runs nothing. */
  get runtime(): ContainerRuntime | undefined {
    return this.#options.runtime;
  }

  /** Returns the worker of a pod. */
  worker(podUid: string): PodWorker | undefined {
    return this.#pods.get(podUid)?.worker;
  }

  /** Returns the workers of all pods. */
  workers(): readonly PodWorker[] {
    return Array.from(this.#pods.values(), ({ worker }) => worker);
  }

  /** Takes a pod that is bound to the node, or a newer version of it. */
  apply(pod: Frozen<Pod>): void {
    if (this.#off.signal.aborted) return;
    if (isMirrorPod(pod)) {
      if (this.#tools !== undefined) this.#statics.applyMirror(pod);
      return;
    }
    const { uid = '' } = pod.metadata ?? {};
    const known = this.#pods.get(uid);
    if (known !== undefined) {
      known.worker.update(pod);
      return;
    }
    // A pod that ended before the agent started has nothing left to do, unless it is to be deleted.
    if (!isPodTerminal(pod) || isTerminating(pod)) this.#start(pod, false);
  }

  /** Sets the static pods of the node: those of its source, all of them. */
  setStaticPods(manifests: readonly Frozen<Pod>[]): void {
    if (!this.#off.signal.aborted) this.#statics.set(manifests, 'file');
  }

  /** The node exists in the API. */
  registered(): void {
    this.#statics.nodeRegistered();
  }

  #start(pod: Frozen<Pod>, isStatic: boolean): PodWorker | undefined {
    const tools = this.#tools;
    if (tools === undefined) return undefined;
    const { uid = '' } = pod.metadata ?? {};
    const isKnownToApi = (pod.status?.containerStatuses ?? []).some(({ containerID }) => containerID !== undefined);
    tools.runtime.restore?.(pod);
    const refusal = isKnownToApi || isTerminating(pod) ? undefined : this.#refusalOf(pod);
    if (refusal !== undefined) {
      const message = refusal.message.replace(/^Pod was rejected: /, '');
      tools.record({ pod, type: 'Warning', reason: refusal.reason, message });
    }
    const worker = new PodWorker({
      tools,
      pods: tools.client.kind('v1', 'Pod'),
      pod,
      allocatable: this.#options.settings.allocatable,
      ...(refusal !== undefined && { rejection: refusal }),
      isStatic,
      onTerminated: () => this.#release(uid),
      onRemoved: () => {
        this.#pods.delete(uid);
        if (isStatic) this.#statics.workerRemoved(uid);
      },
    });
    const ports = usedHostPorts(pod);
    this.#pods.set(uid, { worker, requests: requestAmounts(pod), ports, isStatic, isCounted: false });
    if (refusal === undefined) this.#reserve(uid);
    worker.wake();
    return worker;
  }

  /** The pod is gone from the API. */
  remove(podUid: string): void {
    if (this.#off.signal.aborted) return;
    if (this.#statics.removeMirror(podUid)) return;
    this.#pods.get(podUid)?.worker.remove();
  }

  /** Removes the pods whose UIDs are not among these: they were deleted while the watch was interrupted. */
  retain(podUids: ReadonlySet<string>): void {
    this.#statics.retainMirrors(podUids);
    for (const [uid, { isStatic }] of [...this.#pods]) if (!isStatic && !podUids.has(uid)) this.remove(uid);
  }

  /** The runtime changed a pod. */
  handle({ podUid }: ContainerEvent): void {
    this.#pods.get(podUid)?.worker.runtimeChanged();
  }

  /** Sets why the node is not ready; empty if it is. */
  setProblems(problems: readonly string[]): void {
    if (problems.join() === this.#problems.join()) return;
    this.#problems = problems;
    this.heartbeat.changed();
  }

  /** Ends a pod with a reason, as the eviction of a node does. */
  evict(podUid: string, ending: PodEnding): void {
    this.#pods.get(podUid)?.worker.end(ending);
  }

  /**
   * Shuts the node down as a machine that is switched off in order: pods that come are refused, the others are stopped
   * in groups within `shutdownGracePeriod`, then the node is off. Resolves then.
   */
  async shutDown(): Promise<void> {
    if (this.#isShuttingDown) return;
    const { kubelet = { shutdownMs: 0, criticalShutdownMs: 0 }, clock } = this.#options;
    this.#isShuttingDown = true;
    await this.heartbeat.publish();
    const groups = kubelet.shutdownMs === 0 ? [] : shutdownGroups(this.#activePods(), kubelet);
    await stopGroups(groups, clock, (pod, ending) => {
      const worker = this.worker(pod.metadata?.uid ?? '');
      worker?.end(ending);
      return worker?.settled() ?? Promise.resolve();
    });
    this.powerOff();
  }

  /** Switches the node off at once, as a crash: no heartbeat, no work on pods; the API keeps what it shows. */
  powerOff(): void {
    this.#off.abort();
    this.heartbeat.stop();
    void this.runtime?.close?.();
  }

  #createReclaimer(runtime: ContainerRuntime): Reclaimer | undefined {
    const { kubelet, settings, clock, alarms, recordNode, emit } = this.#options;
    const { signal } = this.#off;
    if (kubelet === undefined) return undefined;
    return new Reclaimer({
      settings: kubelet,
      runtime,
      capacity: settings.capacity,
      clock,
      alarms,
      signal,
      activePods: () => this.#activePods(),
      isKnown: (uid) => this.#pods.has(uid),
      evict: ({ pod, ending }) => {
        this.#options.record({ pod, type: 'Warning', reason: ending.reason, message: ending.message });
        this.evict(pod.metadata?.uid ?? '', ending);
      },
      recordNode,
      onConditions: () => this.heartbeat.changed(),
      onFailed: (error) => emit({ type: 'heartbeat-failed', node: this.name, error }),
    });
  }

  /** The pods that run or are to run. */
  #activePods(): readonly Frozen<Pod>[] {
    return this.workers().flatMap(({ pod, work }) =>
      work.state === 'syncing' && work.ending === undefined && !isTerminating(pod) ? [pod] : [],
    );
  }

  async #observe(): Promise<{ health: AgentHealth; images: Awaited<ReturnType<ContainerRuntime['listImages']>> }> {
    const { runtime } = this.#options;
    if (runtime === undefined) return { health: healthyNode, images: [] };
    const { runtime: own, network } = await runtime.health();
    const problems = [
      ...this.#problems,
      ...(this.#isShuttingDown ? ['node is shutting down'] : []),
      ...(own.isReady ? [] : [`container runtime is not ready: ${own.message}`]),
      ...(network.isReady
        ? []
        : [
            `container runtime network not ready: NetworkReady=false reason:${network.reason} message:${network.message}`,
          ]),
    ];
    const pressure = this.#reclaimer?.conditions ?? [];
    const health = {
      problems,
      hasMemoryPressure: pressure.includes('MemoryPressure'),
      hasDiskPressure: pressure.includes('DiskPressure'),
      hasPidPressure: pressure.includes('PIDPressure'),
    };
    return { health, images: await runtime.listImages() };
  }

  #refusalOf(pod: Frozen<Pod>): PodEnding | undefined {
    const { settings } = this.#options;
    if (this.#isShuttingDown) return shutdownRefusal;
    const pressure = pressureRefusalOf(pod, this.#reclaimer?.conditions ?? []);
    if (pressure !== undefined) return pressure;
    const object = this.#options.nodeObject() ?? this.heartbeat.node;
    const usage = { requests: this.#requests, pods: this.#counted, usedHostPorts: this.#ports };
    return refusalOf(pod, { name: settings.name, allocatable: settings.allocatable, object }, usage);
  }

  #reserve(uid: string): void {
    const pod = this.#pods.get(uid);
    if (pod === undefined) return;
    pod.isCounted = true;
    this.#counted += 1;
    for (const [name, amount] of pod.requests) this.#requests.set(name, (this.#requests.get(name) ?? 0) + amount);
    for (const port of pod.ports) this.#ports.add(port);
  }

  #release(uid: string): void {
    const pod = this.#pods.get(uid);
    if (pod?.isCounted !== true) return;
    pod.isCounted = false;
    this.#counted -= 1;
    for (const [name, amount] of pod.requests) this.#requests.set(name, (this.#requests.get(name) ?? 0) - amount);
    for (const port of pod.ports) this.#ports.delete(port);
  }
}
