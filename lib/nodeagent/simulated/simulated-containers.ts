// The sandboxes and containers of one simulated node, and their lives: created, running, exited. A container that runs
// until it is stopped holds no timer.
import type { Observable } from 'rxjs';
import { Outlet, parseTime, pause } from '../../core/index.js';
import type { Clock, Frozen, Random } from '../../core/index.js';
import type { ContainerStatus, Pod } from '../../core/types/index.js';
import { containerResources } from '../pod/pod-step.js';
import type { ContainerConfig, PodSandboxConfig } from '../runtime/container-config.js';
import { RuntimeError } from '../runtime/container-runtime.js';
import type {
  ContainerEvent,
  ContainerFilter,
  RuntimeContainerStatus,
  RuntimeSandboxStatus,
} from '../runtime/runtime-state.js';
import type { PodAddressPool } from './address-pool.js';
import { behaviourOf, msOf } from './behaviour.js';
import type { BehaviourRule, ContainerBehaviour, ExitBehaviour } from './behaviour.js';

/** A simulated sandbox. */
export interface SimulatedSandbox {
  status: RuntimeSandboxStatus;
  readonly pod: Frozen<Pod>;
  readonly containers: Map<string, ContainerInstance>;
}

/** One instance of a simulated container. */
export interface ContainerInstance {
  status: RuntimeContainerStatus;
  readonly behaviour: ContainerBehaviour;
  /** Aborted when the instance exits. */
  exit: AbortController | undefined;
}

/** What the containers of a node need. */
export interface SimulatedContainersOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly rules: readonly BehaviourRule[];
  readonly addresses: PodAddressPool;
  readonly hostIps: readonly string[];
}

/** The sandboxes and containers of a node. */
export class SimulatedContainers {
  readonly events$: Observable<ContainerEvent>;
  /** Aborted when the runtime is closed. */
  readonly closing: AbortController = new AbortController();
  readonly #options: SimulatedContainersOptions;
  readonly #events = new Outlet<ContainerEvent>();
  /** By pod UID, newest first. */
  readonly #pods = new Map<string, readonly SimulatedSandbox[]>();
  readonly #sandboxes = new Map<string, SimulatedSandbox>();
  readonly #containers = new Map<string, ContainerInstance>();

  constructor(options: SimulatedContainersOptions) {
    this.#options = options;
    this.events$ = this.#events.values$;
  }

  /** Returns the sandboxes of a pod, newest first. */
  ofPod(podUid: string): readonly SimulatedSandbox[] {
    return this.#pods.get(podUid) ?? [];
  }

  /** Returns all sandboxes, oldest first. */
  sandboxes(): readonly SimulatedSandbox[] {
    return [...this.#sandboxes.values()];
  }

  /** Returns a sandbox. Throws RuntimeError NotFound. */
  sandbox(id: string): SimulatedSandbox {
    const found = this.#sandboxes.get(id);
    if (found === undefined) throw new RuntimeError('NotFound', `sandbox ${id} not found`);
    return found;
  }

  /** Returns a container. Throws RuntimeError NotFound. */
  container(id: string): ContainerInstance {
    const found = this.#containers.get(id);
    if (found === undefined) throw new RuntimeError('NotFound', `container ${id} not found`);
    return found;
  }

  /** Returns a running container. Throws RuntimeError NotFound or FailedPrecondition. */
  running(id: string): ContainerInstance {
    const found = this.container(id);
    if (found.status.state !== 'running')
      throw new RuntimeError('FailedPrecondition', `container ${id} is ${found.status.state}`);
    return found;
  }

  /** Returns the containers that a filter selects, oldest first. */
  select({ id, podUid, sandboxId, state }: ContainerFilter): readonly ContainerInstance[] {
    return [...this.#containers.values()].filter(
      ({ status }) =>
        (id === undefined || status.id === id) &&
        (podUid === undefined || status.podUid === podUid) &&
        (sandboxId === undefined || status.sandboxId === sandboxId) &&
        (state === undefined || status.state === state),
    );
  }

  /** Takes up the containers of a pod as its status shows them. */
  restore(pod: Frozen<Pod>): void {
    const { status } = pod;
    const { uid = '', name = '', namespace = '' } = pod.metadata ?? {};
    const shown = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
    if (this.#pods.has(uid) || !shown.some(({ containerID }) => containerID !== undefined)) return;
    const isLive = shown.some(({ state }) => state?.running !== undefined);
    const ips = isLive ? (status?.podIPs ?? []).map(({ ip }) => ip) : [];
    for (const ip of ips) this.#options.addresses.reserve(ip);
    const identity = { uid, name, namespace, attempt: 0, labels: {}, annotations: {}, runtimeHandler: '', pod };
    const sandbox = this.#addSandbox(identity, ips, isLive ? 'ready' : 'not-ready');
    for (const each of shown) this.#restoreContainer(sandbox, each);
  }

  #restoreContainer(
    { pod, status: { id: sandboxId, podUid }, containers }: SimulatedSandbox,
    shown: Frozen<ContainerStatus>,
  ): void {
    const { name, image, imageID, restartCount, state } = shown;
    const id = shown.containerID?.replace(/^.*:\/\//, '');
    const all = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];
    const spec = all.find((each) => each.name === name);
    if (id === undefined || spec === undefined) return;
    const { running, terminated } = state ?? {};
    const timeOf = (text: string | undefined): number => (text === undefined ? 0 : parseTime(text));
    const startedAtMs = timeOf(running?.startedAt ?? terminated?.startedAt);
    const instance: ContainerInstance = {
      status: {
        id,
        sandboxId,
        podUid,
        name,
        attempt: restartCount,
        image,
        imageRef: imageID,
        state: running === undefined ? 'exited' : 'running',
        createdAtMs: startedAtMs,
        labels: {},
        annotations: {},
        startedAtMs,
        finishedAtMs: timeOf(terminated?.finishedAt),
        exitCode: terminated?.exitCode ?? 0,
        reason: terminated?.reason ?? '',
        message: terminated?.message ?? '',
        resources: containerResources({ sort: 'regular', spec }),
      },
      behaviour: behaviourOf({ pod, name, image }, this.#options.rules),
      exit: undefined,
    };
    containers.set(id, instance);
    this.#containers.set(id, instance);
    if (running !== undefined) this.#planExit(instance);
  }

  /** Creates a sandbox. Throws Error if the addresses are used up. */
  runSandbox(config: PodSandboxConfig): string {
    const ips = config.isHostNetwork ? this.#options.hostIps : [this.#options.addresses.allocate()];
    const { status } = this.#addSandbox(config, ips, 'ready');
    this.#emit('created', status);
    this.#emit('started', status);
    return status.id;
  }

  #addSandbox(config: SandboxIdentity, ips: readonly string[], state: RuntimeSandboxStatus['state']): SimulatedSandbox {
    const { uid, name, namespace, attempt, labels, annotations, runtimeHandler, pod } = config;
    const id = this.#newId();
    const createdAtMs = this.#options.clock.now();
    const status = {
      id,
      podUid: uid,
      name,
      namespace,
      attempt,
      state,
      createdAtMs,
      labels,
      annotations,
      ips,
      runtimeHandler,
    };
    const sandbox: SimulatedSandbox = { status, pod, containers: new Map() };
    this.#sandboxes.set(id, sandbox);
    this.#pods.set(uid, [sandbox, ...this.ofPod(uid)]);
    return sandbox;
  }

  /** Stops a sandbox and kills its containers. */
  stopSandbox(sandboxId: string): void {
    const sandbox = this.#sandboxes.get(sandboxId);
    if (sandbox?.status.state !== 'ready') return;
    for (const instance of sandbox.containers.values()) this.kill(instance);
    if (sandbox.pod.spec?.hostNetwork !== true)
      for (const ip of sandbox.status.ips) this.#options.addresses.release(ip);
    sandbox.status = { ...sandbox.status, state: 'not-ready', ips: [] };
    this.#emit('stopped', sandbox.status);
  }

  /** Removes a sandbox with its containers. */
  removeSandbox(sandboxId: string): void {
    this.stopSandbox(sandboxId);
    const sandbox = this.#sandboxes.get(sandboxId);
    if (sandbox === undefined) return;
    for (const id of [...sandbox.containers.keys()]) this.remove(id);
    this.#sandboxes.delete(sandboxId);
    const { podUid } = sandbox.status;
    const left = this.ofPod(podUid).filter((each) => each !== sandbox);
    if (left.length === 0) this.#pods.delete(podUid);
    else this.#pods.set(podUid, left);
    this.#emit('deleted', sandbox.status);
  }

  /** Creates a container. Throws RuntimeError. */
  create(sandboxId: string, config: ContainerConfig): string {
    const sandbox = this.sandbox(sandboxId);
    if (sandbox.status.state !== 'ready')
      throw new RuntimeError('FailedPrecondition', `sandbox ${sandboxId} is not ready`);
    const { name, attempt, image, imageRef, labels, annotations, resources } = config;
    for (const { status } of sandbox.containers.values())
      if (status.name === name && status.attempt === attempt)
        throw new RuntimeError('AlreadyExists', `container ${name} (${attempt}) exists`);
    const { podUid } = sandbox.status;
    const id = this.#newId();
    const createdAtMs = this.#options.clock.now();
    const life = {
      state: 'created',
      createdAtMs,
      startedAtMs: 0,
      finishedAtMs: 0,
      exitCode: 0,
      reason: '',
      message: '',
    } as const;
    const instance: ContainerInstance = {
      status: { id, sandboxId, podUid, name, attempt, image, imageRef, labels, annotations, resources, ...life },
      behaviour: behaviourOf({ pod: sandbox.pod, name, image }, this.#options.rules),
      exit: undefined,
    };
    sandbox.containers.set(id, instance);
    this.#containers.set(id, instance);
    this.#emit('created', instance.status, id);
    return id;
  }

  /** Starts a created container. Rejects with RuntimeError. */
  async start(id: string): Promise<void> {
    const instance = this.container(id);
    const { behaviour } = instance;
    const check = (): void => {
      const { state } = instance.status;
      if (state !== 'created') throw new RuntimeError('FailedPrecondition', `container ${id} is ${state}`);
    };
    check();
    const delayMs = msOf(behaviour.startDelay, 0);
    if (delayMs > 0) {
      await pause(this.#options.clock, delayMs, this.closing.signal);
      check();
    }
    const startedAtMs = this.#options.clock.now();
    if (behaviour.startError !== undefined) {
      const end = { finishedAtMs: startedAtMs, exitCode: 128, reason: 'StartError', message: behaviour.startError };
      instance.status = { ...instance.status, state: 'exited', startedAtMs, ...end };
      this.#emit('stopped', instance.status, id);
      throw new RuntimeError('StartError', behaviour.startError);
    }
    instance.status = { ...instance.status, state: 'running', startedAtMs };
    this.#emit('started', instance.status, id);
    this.#planExit(instance);
  }

  /** Sends the stop signal, and SIGKILL after the time. Resolves when the container has exited. */
  async stop(id: string, timeoutMs: number): Promise<void> {
    const instance = this.#containers.get(id);
    if (instance === undefined) return;
    if (instance.status.state === 'created') this.kill(instance);
    const { delay, code = 0 } = instance.behaviour.stop ?? {};
    const delayMs = msOf(delay, 0);
    const waitMs = Math.min(delayMs, timeoutMs);
    if (instance.status.state === 'running' && waitMs > 0) {
      const exit = (instance.exit ??= new AbortController());
      const signal = AbortSignal.any([exit.signal, this.closing.signal]);
      await pause(this.#options.clock, waitMs, signal).catch(() => undefined);
    }
    if (delayMs > timeoutMs) this.kill(instance);
    else this.#exit(instance, { after: 0, code });
  }

  /** Kills a container that has not exited. */
  kill(instance: ContainerInstance): void {
    this.#exit(instance, { after: 0, code: 137 });
  }

  /** Removes a container; a running one is killed. */
  remove(id: string): void {
    const instance = this.#containers.get(id);
    if (instance === undefined) return;
    this.kill(instance);
    this.#containers.delete(id);
    this.#sandboxes.get(instance.status.sandboxId)?.containers.delete(id);
    this.#emit('deleted', instance.status, id);
  }

  /** Ends all timers and the events. */
  close(): void {
    this.closing.abort();
    this.#events.complete();
  }

  #planExit(instance: ContainerInstance): void {
    const { exits = [] } = instance.behaviour;
    const { attempt, startedAtMs } = instance.status;
    const planned = exits[Math.min(attempt, exits.length - 1)];
    const afterMs = msOf(planned?.after, Infinity);
    if (planned === undefined || afterMs === Infinity) return;
    const exit = (instance.exit ??= new AbortController());
    const signal = AbortSignal.any([exit.signal, this.closing.signal]);
    const leftMs = startedAtMs + afterMs - this.#options.clock.now();
    void pause(this.#options.clock, leftMs, signal).then(
      () => this.#exit(instance, planned),
      () => undefined,
    );
  }

  #exit(instance: ContainerInstance, { code, reason, message = '' }: ExitBehaviour): void {
    const { id, state } = instance.status;
    if (state === 'exited') return;
    const exitCode = code ?? (reason === 'OOMKilled' ? 137 : 0);
    const why = reason ?? (exitCode === 0 ? 'Completed' : 'Error');
    const finishedAtMs = this.#options.clock.now();
    instance.status = {
      ...instance.status,
      state: 'exited',
      finishedAtMs,
      exitCode,
      reason: why,
      message: message.slice(0, 4096),
    };
    instance.exit?.abort();
    this.#emit('stopped', instance.status, id);
  }

  #newId(): string {
    return this.#options.random.string('0123456789abcdef', 64);
  }

  #emit(
    type: ContainerEvent['type'],
    { podUid, ...of }: { readonly podUid: string; readonly id: string; readonly sandboxId?: string },
    containerId?: string,
  ): void {
    const atMs = this.#options.clock.now();
    const sandboxId = of.sandboxId ?? of.id;
    this.#events.emit({ type, podUid, sandboxId, ...(containerId !== undefined && { containerId }), atMs });
  }
}

type SandboxIdentity = Pick<
  PodSandboxConfig,
  'uid' | 'name' | 'namespace' | 'attempt' | 'labels' | 'annotations' | 'runtimeHandler' | 'pod'
>;
