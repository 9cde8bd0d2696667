// A ContainerRuntime over a ContainerHost: the sandboxes and containers of one node with their identifiers, states and
// events. Functions and child processes are hosts; see container-host.ts.
import { throwError } from 'rxjs';
import type { Observable } from 'rxjs';
import { Outlet } from '../../core/index.js';
import type {
  Clock,
  NodeConnectionChannels,
  NodeProcessChannels,
  ProcessCommand,
  ProcessStreams,
  Random,
  StreamEnd,
} from '../../core/index.js';
import type { ContainerConfig, ContainerResources, PodSandboxConfig, PodVolume } from '../runtime/container-config.js';
import type { ContainerRuntime, PullOptions } from '../runtime/container-runtime.js';
import { RuntimeError } from '../runtime/container-runtime.js';
import type {
  ContainerEvent,
  ContainerFilter,
  ContainerUsage,
  ExecResult,
  ImageFsUsage,
  LogEntry,
  LogSelection,
  NetworkProbe,
  NetworkProbeResult,
  PodRuntimeStatus,
  RuntimeContainer,
  RuntimeHealth,
  RuntimeImage,
  RuntimeSandbox,
  RuntimeSandboxStatus,
  SandboxFilter,
} from '../runtime/runtime-state.js';
import type { ContainerHost, HostedPod, RestoredPods } from './container-host.js';
import { HostedContainer } from './hosted-container.js';

/** Options of a hosted runtime. */
export interface HostedRuntimeOptions {
  readonly clock: Clock;
  /** Generates identifiers. */
  readonly random: Random;
  /** What an earlier run left behind. */
  readonly restored?: RestoredPods;
}

interface Sandbox {
  readonly pod: HostedPod;
  isReady: boolean;
  readonly containers: Set<HostedContainer>;
  /** Names and attempts of its containers, also of those that are being created. */
  readonly taken: Set<string>;
  /** Resolves when the sandbox was stopped. */
  stopping: Promise<void> | undefined;
}

/** Runs the containers of a host. */
export class HostedRuntime implements ContainerRuntime {
  readonly name: string;
  readonly version: string;
  readonly events$: Observable<ContainerEvent>;
  readonly #host: ContainerHost;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #events = new Outlet<ContainerEvent>();
  /** In the order of creation. */
  readonly #sandboxes = new Map<string, Sandbox>();
  readonly #containers = new Map<string, HostedContainer>();
  #closing: Promise<void> | undefined;

  constructor(host: ContainerHost, { clock, random, restored }: HostedRuntimeOptions) {
    this.name = host.name;
    this.version = host.version;
    this.events$ = this.#events.values$;
    this.#host = host;
    this.#clock = clock;
    this.#random = random;
    for (const pod of restored?.pods ?? [])
      this.#sandboxes.set(pod.id, {
        pod,
        isReady: false,
        containers: new Set(),
        taken: new Set(),
        stopping: Promise.resolve(),
      });
    for (const { log, startedAtMs, finishedAtMs, exit, ...spec } of restored?.containers ?? []) {
      const sandbox = this.#sandboxes.get(spec.pod.id);
      if (sandbox === undefined) continue;
      const container = new HostedContainer(spec, log, host, clock, () => undefined);
      container.restore(startedAtMs, finishedAtMs, exit);
      sandbox.containers.add(container);
      sandbox.taken.add(keyOf(spec.config));
      this.#containers.set(spec.id, container);
    }
  }

  health(): Promise<RuntimeHealth> {
    const isReady = this.#closing === undefined;
    const condition = { isReady, reason: isReady ? '' : 'RuntimeClosed', message: '' };
    return Promise.resolve({ runtime: condition, network: condition });
  }

  async setPodCidrs(podCidrs: readonly string[]): Promise<void> {
    await this.#host.setPodCidrs?.(podCidrs);
  }

  async runPodSandbox(config: PodSandboxConfig): Promise<string> {
    if (this.#closing !== undefined) throw new RuntimeError('Unavailable', 'the runtime is closed');
    const id = this.#newId();
    const createdAtMs = this.#clock.now();
    const ips = await this.#host.openPod(id, config, createdAtMs);
    const pod: HostedPod = { id, config, createdAtMs, ips };
    this.#sandboxes.set(id, { pod, isReady: true, containers: new Set(), taken: new Set(), stopping: undefined });
    this.#emit('created', pod);
    this.#emit('started', pod);
    return id;
  }

  async stopPodSandbox(sandboxId: string): Promise<void> {
    const sandbox = this.#sandboxes.get(sandboxId);
    if (sandbox === undefined) return;
    await (sandbox.stopping ??= this.#stopSandbox(sandbox));
  }

  async removePodSandbox(sandboxId: string): Promise<void> {
    const sandbox = this.#sandboxes.get(sandboxId);
    if (sandbox === undefined) return;
    await this.stopPodSandbox(sandboxId);
    await Promise.all([...sandbox.containers].map(({ spec }) => this.removeContainer(spec.id)));
    if (!this.#sandboxes.delete(sandboxId)) return;
    await this.#host.removePod(sandbox.pod);
    this.#emit('deleted', sandbox.pod);
  }

  listPodSandboxes(filter: SandboxFilter = {}): Promise<readonly RuntimeSandbox[]> {
    return Promise.resolve([...this.#sandboxes.values()].map(sandboxStatus).filter((each) => isSelected(each, filter)));
  }

  podStatus(podUid: string): Promise<PodRuntimeStatus> {
    const sandboxes = [...this.#sandboxes.values()].filter(({ pod }) => pod.config.uid === podUid).reverse();
    const containers = [...this.#containers.values()]
      .filter(({ spec }) => spec.pod.config.uid === podUid)
      .map((container) => container.status())
      .reverse();
    return Promise.resolve({ sandboxes: sandboxes.map(sandboxStatus), containers });
  }

  updateVolume(podUid: string, volume: PodVolume): Promise<void> {
    return this.#host.updateVolume(podUid, volume);
  }

  async removePodData(podUid: string): Promise<void> {
    if ([...this.#sandboxes.values()].some(({ pod }) => pod.config.uid === podUid))
      throw new RuntimeError('FailedPrecondition', `pod ${podUid} has sandboxes`);
    await this.#host.removePodData(podUid);
  }

  async createContainer(sandboxId: string, config: ContainerConfig): Promise<string> {
    const sandbox = this.#sandboxes.get(sandboxId);
    if (sandbox === undefined) throw unknown('pod sandbox', sandboxId);
    const { taken } = sandbox;
    if (!sandbox.isReady) throw new RuntimeError('FailedPrecondition', `pod sandbox ${sandboxId} is not ready`);
    const key = keyOf(config);
    if (taken.has(key))
      throw new RuntimeError('AlreadyExists', `container ${config.name}, attempt ${config.attempt}, already exists`);
    taken.add(key);
    try {
      return await this.#create(sandbox, config);
    } catch (error) {
      taken.delete(key);
      throw error;
    }
  }

  async #create(sandbox: Sandbox, config: ContainerConfig): Promise<string> {
    const { pod, containers } = sandbox;
    if ((await this.#host.images.find(config.imageRef === '' ? config.image : config.imageRef)) === undefined)
      throw unknown('image', config.image);
    const spec = { id: this.#newId(), pod, config, createdAtMs: this.#clock.now() };
    const log = await this.#host.createContainer(spec);
    if (!sandbox.isReady) {
      await this.#host.removeContainer(spec);
      throw new RuntimeError('FailedPrecondition', `pod sandbox ${pod.id} is not ready`);
    }
    const container = new HostedContainer(spec, log, this.#host, this.#clock, (type) => this.#emit(type, pod, spec.id));
    containers.add(container);
    this.#containers.set(spec.id, container);
    this.#emit('created', pod, spec.id);
    return spec.id;
  }

  async startContainer(containerId: string): Promise<void> {
    await this.#container(containerId).start();
  }

  async stopContainer(containerId: string, timeoutMs: number): Promise<void> {
    await this.#containers.get(containerId)?.stop(timeoutMs);
  }

  async removeContainer(containerId: string): Promise<void> {
    const container = this.#containers.get(containerId);
    if (container === undefined) return;
    await container.remove();
    const { spec } = container;
    if (!this.#containers.delete(containerId)) return;
    const sandbox = this.#sandboxes.get(spec.pod.id);
    sandbox?.containers.delete(container);
    sandbox?.taken.delete(keyOf(spec.config));
    await this.#host.removeContainer(spec);
    this.#emit('deleted', spec.pod, spec.id);
  }

  listContainers(filter: ContainerFilter = {}): Promise<readonly RuntimeContainer[]> {
    const all = [...this.#containers.values()].map((container) => container.status());
    return Promise.resolve(all.filter((each) => isSelected(each, filter)));
  }

  async updateContainerResources(containerId: string, resources: ContainerResources): Promise<void> {
    const container = await Promise.resolve(this.#container(containerId));
    if (container.state === 'exited')
      throw new RuntimeError('FailedPrecondition', `container ${containerId} has exited`);
    container.resources = resources;
  }

  listImages(): Promise<readonly RuntimeImage[]> {
    return this.#host.images.list();
  }

  imageStatus(image: string): Promise<RuntimeImage | undefined> {
    return this.#host.images.find(image);
  }

  pullImage(image: string, options?: PullOptions): Promise<string> {
    return this.#host.images.pull(image, options);
  }

  removeImage(imageId: string): Promise<void> {
    return this.#host.images.remove(imageId);
  }

  imageFsUsage(): Promise<ImageFsUsage> {
    return this.#host.images.usage();
  }

  containerLog(containerId: string, selection: LogSelection): Observable<LogEntry> {
    const container = this.#containers.get(containerId);
    return container === undefined
      ? throwError(() => unknown('container', containerId))
      : container.log.read(selection);
  }

  async execSync(containerId: string, command: readonly string[], timeoutMs: number): Promise<ExecResult> {
    return this.#container(containerId).execSync(command, timeoutMs);
  }

  async exec(containerId: string, command: ProcessCommand, channels: NodeProcessChannels): Promise<void> {
    await this.#container(containerId).exec(command, channels);
  }

  async attach(containerId: string, streams: ProcessStreams, channels: NodeProcessChannels): Promise<void> {
    await this.#container(containerId).attach(streams, channels);
  }

  portForward(sandboxId: string, port: number, channels: NodeConnectionChannels): StreamEnd {
    return this.#host.connect(this.#openPod(sandboxId), port, channels);
  }

  async probe(sandboxId: string, probe: NetworkProbe, timeoutMs: number): Promise<NetworkProbeResult> {
    return this.#host.probe(this.#openPod(sandboxId), probe, timeoutMs);
  }

  async listContainerUsage(filter: ContainerFilter = {}): Promise<readonly ContainerUsage[]> {
    const running = [...this.#containers.values()].filter(
      (container) => container.state === 'running' && isSelected(container.status(), filter),
    );
    return Promise.all(
      running.map(async ({ spec, log }) => {
        const usage = await this.#host.usage(spec);
        return {
          containerId: spec.id,
          podUid: spec.pod.config.uid,
          name: spec.config.name,
          atMs: this.#clock.now(),
          ...usage,
          storageUsedBytes: usage.storageUsedBytes + log.size(),
        };
      }),
    );
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    await Promise.all([...this.#sandboxes.keys()].map((id) => this.stopPodSandbox(id)));
    await this.#host.close();
    this.#events.complete();
  }

  async #stopSandbox(sandbox: Sandbox): Promise<void> {
    sandbox.isReady = false;
    await Promise.all([...sandbox.containers].map((container) => container.stop(0)));
    await this.#host.closePod(sandbox.pod);
    this.#emit('stopped', sandbox.pod);
  }

  #container(id: string): HostedContainer {
    const container = this.#containers.get(id);
    if (container === undefined) throw unknown('container', id);
    return container;
  }

  #openPod(sandboxId: string): HostedPod {
    const sandbox = this.#sandboxes.get(sandboxId);
    if (sandbox === undefined) throw unknown('pod sandbox', sandboxId);
    if (!sandbox.isReady) throw new RuntimeError('FailedPrecondition', `pod sandbox ${sandboxId} is not ready`);
    return sandbox.pod;
  }

  /** Identifiers look like those of containerd: 64 hexadecimal digits. */
  #newId(): string {
    return `${this.#random.uuid()}${this.#random.uuid()}`.replaceAll('-', '');
  }

  #emit(type: ContainerEvent['type'], { id, config }: HostedPod, containerId?: string): void {
    this.#events.emit({
      type,
      podUid: config.uid,
      sandboxId: id,
      ...(containerId !== undefined && { containerId }),
      atMs: this.#clock.now(),
    });
  }
}

function keyOf({ name, attempt }: ContainerConfig): string {
  return `${name}/${attempt}`;
}

function sandboxStatus({ pod, isReady }: Sandbox): RuntimeSandboxStatus {
  const { uid, name, namespace, attempt, labels, annotations, runtimeHandler } = pod.config;
  return {
    id: pod.id,
    podUid: uid,
    name,
    namespace,
    attempt,
    state: isReady ? 'ready' : 'not-ready',
    createdAtMs: pod.createdAtMs,
    labels,
    annotations,
    ips: isReady ? pod.ips : [],
    runtimeHandler,
  };
}

/** Whether all fields of a filter that are given match. */
function isSelected<T extends object>(value: T, filter: Partial<T>): boolean {
  return Object.entries(filter).every(([name, wanted]) => wanted === undefined || Reflect.get(value, name) === wanted);
}

function unknown(what: string, id: string): RuntimeError {
  return new RuntimeError('NotFound', `${what} ${JSON.stringify(id)} not found`);
}
