// The function runtime: image names stand for functions of this process. For pods as code in a test or an orchestrator.
// Everything is in memory and follows the clock that was passed in.
import { systemClock, systemRandom } from '../../core/index.js';
import type { Clock, NodeConnectionChannels, Random, StreamEnd } from '../../core/index.js';
import type {
  ContainerHost,
  HostedImages,
  HostedPod,
  HostedProcess,
  HostedSpec,
  HostedUsage,
  ProcessRequest,
} from '../hosted/container-host.js';
import { fullImageName } from '../hosted/container-host.js';
import type { ContainerLog } from '../hosted/container-host.js';
import { HostedRuntime } from '../hosted/hosted-runtime.js';
import { MemoryLog } from '../hosted/memory-log.js';
import { PodAddresses } from '../hosted/pod-addresses.js';
import type { PodSandboxConfig, PodVolume } from '../runtime/container-config.js';
import { RuntimeError } from '../runtime/container-runtime.js';
import type { ContainerRuntime } from '../runtime/container-runtime.js';
import type { NetworkProbe, NetworkProbeResult, RuntimeImage } from '../runtime/runtime-state.js';
import type { ContainerFunction, FunctionImage, FunctionUsage } from './container-function.js';
import { startFunction } from './function-process.js';
import { MemoryVolumes } from './memory-volumes.js';
import { PodPorts } from './pod-ports.js';

/** Options of the function runtime. */
export interface FunctionRuntimeOptions {
  /**
   * Functions by image name. `web` stands for `web`, `web:latest` and `docker.io/library/web:latest`. All images are on
   * the node; a removed one is pulled again.
   */
  readonly images: Readonly<Record<string, ContainerFunction | FunctionImage>>;
  /** Default: the system's. */
  readonly clock?: Clock;
  readonly random?: Random;
  /** The range of pod addresses until the node has its own. Default `10.88.0.0/16`. */
  readonly podCidr?: string;
  /** The address of pods that use the node's network. Default `127.0.0.1`. */
  readonly nodeIp?: string;
  /** The maximum size of a container's log in bytes. Default 1 MiB. */
  readonly logBytesMax?: number;
}

/** Creates a runtime whose containers are functions. */
export function functionRuntime(options: FunctionRuntimeOptions): ContainerRuntime {
  const { clock = systemClock(), random = systemRandom() } = options;
  return new HostedRuntime(new FunctionHost(options, clock), { clock, random });
}

class FunctionHost implements ContainerHost {
  readonly name = 'function';
  readonly version = '1.0.0';
  readonly images: HostedImages;
  readonly #images: FunctionImages;
  readonly #clock: Clock;
  readonly #logBytesMax: number;
  readonly #addresses: PodAddresses;
  readonly #volumes = new MemoryVolumes();
  readonly #ports = new Map<string, PodPorts>();
  readonly #usage = new Map<string, UsageMeter>();

  constructor(options: FunctionRuntimeOptions, clock: Clock) {
    const { images, podCidr = '10.88.0.0/16', nodeIp = '127.0.0.1', logBytesMax = 1024 * 1024 } = options;
    this.#clock = clock;
    this.#logBytesMax = logBytesMax;
    this.#images = new FunctionImages(images);
    this.images = this.#images;
    this.#addresses = new PodAddresses(podCidr, nodeIp);
  }

  setPodCidrs(podCidrs: readonly string[]): Promise<void> {
    const [first] = podCidrs;
    if (first !== undefined) this.#addresses.setCidr(first);
    return Promise.resolve();
  }

  async openPod(id: string, config: PodSandboxConfig): Promise<readonly string[]> {
    await Promise.resolve();
    this.#volumes.open(config.uid, config.volumes);
    this.#ports.set(id, new PodPorts());
    return this.#addresses.allocate(id, config.isHostNetwork);
  }

  closePod({ id }: HostedPod): Promise<void> {
    this.#addresses.release(id);
    this.#ports.delete(id);
    return Promise.resolve();
  }

  removePod(): Promise<void> {
    return Promise.resolve();
  }

  async updateVolume(podUid: string, volume: PodVolume): Promise<void> {
    await Promise.resolve();
    this.#volumes.update(podUid, volume);
  }

  removePodData(podUid: string): Promise<void> {
    this.#volumes.remove(podUid);
    return Promise.resolve();
  }

  createContainer(): Promise<ContainerLog> {
    return Promise.resolve(new MemoryLog({ clock: this.#clock, bytesMax: this.#logBytesMax }));
  }

  async start({ container, command, stdin, output }: ProcessRequest): Promise<HostedProcess> {
    const { id, pod, config } = container;
    const image = await Promise.resolve(this.#images.function(config.image));
    const args = command ?? [...config.command, ...config.args];
    const run = command === undefined ? image.run : commandOf(image, command);
    const meter = this.#usage.get(id) ?? new UsageMeter(this.#clock);
    if (command === undefined) this.#usage.set(id, meter);
    return startFunction({
      run,
      pod: pod.config.pod,
      container: config.name,
      podIps: pod.ips,
      args,
      env: { ...image.env, ...Object.fromEntries(config.env.map(({ name, value }) => [name, value])) },
      mounts: this.#volumes.mounts(pod.config.uid, config.mounts),
      clock: this.#clock,
      stdin,
      output,
      listen: (port, service) => this.#portsOf(pod).listen(port, service),
      reportUsage: (usage) => meter.report(usage),
    });
  }

  removeContainer({ id }: HostedSpec): Promise<void> {
    this.#usage.delete(id);
    return Promise.resolve();
  }

  usage({ id }: HostedSpec): Promise<HostedUsage> {
    return Promise.resolve((this.#usage.get(id) ?? new UsageMeter(this.#clock)).read());
  }

  connect(pod: HostedPod, port: number, channels: NodeConnectionChannels): StreamEnd {
    return this.#portsOf(pod).connect(port, channels);
  }

  async probe(pod: HostedPod, probe: NetworkProbe, timeoutMs: number): Promise<NetworkProbeResult> {
    return this.#portsOf(pod).probe(probe, pod.ips[0] ?? '127.0.0.1', timeoutMs, this.#clock);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #portsOf({ id }: HostedPod): PodPorts {
    return this.#ports.get(id) ?? new PodPorts();
  }
}

/** Returns the function of a command; one that fails as a missing program does if the image has none. */
function commandOf({ commands = {} }: FunctionImage, [name = '']: readonly string[]): ContainerFunction {
  const found = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (found !== undefined) return found;
  return ({ stderr }) => {
    void stderr(`exec: ${JSON.stringify(name)}: executable file not found in $PATH\n`);
    return 127;
  };
}

/** Processor time from a rate that changes over time. */
class UsageMeter {
  readonly #clock: Clock;
  #cpuMilli = 0;
  #memoryBytes = 0;
  #nanoseconds = 0;
  #atMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#atMs = clock.now();
  }

  report({ cpuMilli = this.#cpuMilli, memoryBytes = this.#memoryBytes }: FunctionUsage): void {
    this.#settle();
    this.#cpuMilli = cpuMilli;
    this.#memoryBytes = memoryBytes;
  }

  read(): HostedUsage {
    this.#settle();
    return {
      cpuCoreNanoseconds: this.#nanoseconds,
      memoryWorkingSetBytes: this.#memoryBytes,
      storageUsedBytes: 0,
    };
  }

  #settle(): void {
    const now = this.#clock.now();
    // One thousandth of a core uses a microsecond of processor time per millisecond.
    this.#nanoseconds += Math.max(0, now - this.#atMs) * this.#cpuMilli * 1000;
    this.#atMs = now;
  }
}

class FunctionImages implements HostedImages {
  readonly #images: ReadonlyMap<string, FunctionImage>;
  readonly #removed = new Set<string>();

  constructor(images: FunctionRuntimeOptions['images']) {
    this.#images = new Map(
      Object.entries(images).map(([name, image]) => [
        fullImageName(name),
        typeof image === 'function' ? { run: image } : image,
      ]),
    );
  }

  /** Returns the image of a container that exists. */
  function(image: string): FunctionImage {
    const found = this.#images.get(fullImageName(image));
    if (found === undefined) throw new RuntimeError('NotFound', `image ${JSON.stringify(image)} not found`);
    return found;
  }

  list(): Promise<readonly RuntimeImage[]> {
    return Promise.resolve([...this.#images].filter(([name]) => !this.#removed.has(name)).map(imageStatus));
  }

  async find(image: string): Promise<RuntimeImage | undefined> {
    const name = fullImageName(image);
    return (await this.list()).find(({ id, repoTags }) => id === image || repoTags.includes(name));
  }

  async pull(image: string): Promise<string> {
    const name = fullImageName(image);
    const found = await Promise.resolve(this.#images.get(name));
    if (found === undefined)
      throw new RuntimeError(
        'ErrImagePull',
        `failed to pull and unpack image ${JSON.stringify(name)}: failed to resolve reference ${JSON.stringify(name)}: ${name}: not found`,
      );
    this.#removed.delete(name);
    return imageStatus([name, found]).id;
  }

  remove(id: string): Promise<void> {
    for (const entry of this.#images) if (imageStatus(entry).id === id) this.#removed.add(entry[0]);
    return Promise.resolve();
  }

  async usage(): Promise<{ capacityBytes: number; availableBytes: number; usedBytes: number }> {
    const usedBytes = (await this.list()).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    return { capacityBytes: capacityBytes + usedBytes, availableBytes: capacityBytes, usedBytes };
  }
}

const capacityBytes = 100 * 1024 ** 3;

function imageStatus([name, { sizeBytes = 0 }]: readonly [string, FunctionImage]): RuntimeImage {
  return { id: `function://${name}`, repoTags: [name], repoDigests: [], sizeBytes, isPinned: false };
}
