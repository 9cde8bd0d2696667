// Containers as child processes of this process. There is no isolation: a process sees the machine with the rights of
// this user (or of `runAsUser`, if this process may change it). What a container gets instead of a filesystem of its
// own is a root folder, its working directory, in which its volumes are links at the paths of their mounts.
import { lstat, mkdir, readFile, statfs, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import process from 'node:process';
import type { Clock, NodeConnectionChannels } from '../../core/index.js';
import type {
  ContainerHost,
  ContainerLog,
  HostedImages,
  HostedPod,
  HostedProcess,
  HostedSpec,
  HostedUsage,
  ProcessExit,
  ProcessRequest,
  RestoredContainer,
  RestoredPods,
} from '../hosted/container-host.js';
import { fullImageName } from '../hosted/container-host.js';
import { PodAddresses } from '../hosted/pod-addresses.js';
import type { PodSandboxConfig, PodVolume } from '../runtime/container-config.js';
import { RuntimeError } from '../runtime/container-runtime.js';
import type { ImageFsUsage, NetworkProbe, NetworkProbeResult, RuntimeImage } from '../runtime/runtime-state.js';
import { kill, startChild } from './child-process.js';
import type { StartedChild } from './child-process.js';
import { createFileLog, openFileLog } from './file-log.js';
import type { FileLogOptions } from './file-log.js';
import { PodFolder, pathSegments } from './pod-folder.js';
import { forwardConnection, probeAddress } from './pod-network.js';
import { ProcessRecords } from './process-records.js';
import type { ContainerRecord } from './process-records.js';
import { containerVariable, killMarked, markOf, readProcess, readProcessTable } from './process-table.js';
import type { ProcessEntry } from './process-table.js';
import { startWatchdog } from './watchdog.js';
import type { Watchdog } from './watchdog.js';

/** A program of this machine as an image. */
export interface ProcessImage {
  /** The program and its arguments. Empty: the container names a command. */
  readonly command?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The folder of this machine in which it runs. Default: the root folder of the container. */
  readonly folder?: string;
}

/** Options of the host, complete. */
export interface ProcessHostOptions extends Omit<FileLogOptions, 'clock'> {
  readonly folder: string;
  readonly clock: Clock;
  readonly images: Readonly<Record<string, ProcessImage>>;
  readonly allowsAnyImage: boolean;
  readonly podCidr: string;
  readonly nodeIp: string;
}

/** How long a reading of the process table is used, in milliseconds. */
const tableMs = 200;

/** Runs containers as child processes. */
export class ProcessHost implements ContainerHost {
  readonly name = 'process';
  readonly version = '1.0.0';
  readonly images: HostedImages;
  readonly #options: ProcessHostOptions;
  readonly #images: ProcessImages;
  readonly #addresses: PodAddresses;
  readonly #records: ProcessRecords;
  readonly #watchdog: Watchdog;
  readonly #running = new Map<string, StartedChild>();
  readonly #saved = new Map<string, ContainerRecord>();
  /** The processor time that was reported last, which must not go back when a process ends. */
  readonly #cpu = new Map<string, number>();
  #table: { readonly atMs: number; readonly entries: Promise<readonly ProcessEntry[]> } | undefined;

  constructor(options: ProcessHostOptions) {
    this.#options = options;
    this.#images = new ProcessImages(options);
    this.images = this.#images;
    this.#addresses = new PodAddresses(options.podCidr, options.nodeIp);
    this.#records = new ProcessRecords(options.folder);
    this.#watchdog = startWatchdog();
  }

  /** Takes the folder, ends what an earlier run left behind, and resolves with what it knows of it. */
  async open(): Promise<RestoredPods> {
    await this.#records.open();
    const pods = await this.#records.sandboxes();
    const byId = new Map(pods.map((pod) => [pod.id, pod]));
    const records = await this.#records.containers();
    await this.#killOrphans(records);
    const containers: RestoredContainer[] = [];
    for (const record of records) {
      const pod = byId.get(record.sandboxId);
      if (pod === undefined) await this.#records.removeContainer(record.id);
      else containers.push(await this.#restore(record, pod));
    }
    return { pods, containers };
  }

  setPodCidrs([first]: readonly string[]): Promise<void> {
    if (first !== undefined) this.#addresses.setCidr(first);
    return Promise.resolve();
  }

  async openPod(id: string, config: PodSandboxConfig, createdAtMs: number): Promise<readonly string[]> {
    await this.#folder(config.uid).openVolumes(config.volumes);
    const ips = this.#addresses.allocate(id, config.isHostNetwork);
    await this.#records.saveSandbox({ id, config, createdAtMs, ips });
    return ips;
  }

  closePod({ id }: HostedPod): Promise<void> {
    this.#addresses.release(id);
    return Promise.resolve();
  }

  async removePod({ id }: HostedPod): Promise<void> {
    await this.#records.removeSandbox(id);
  }

  async updateVolume(podUid: string, volume: PodVolume): Promise<void> {
    await this.#folder(podUid).updateVolume(volume);
  }

  async removePodData(podUid: string): Promise<void> {
    await this.#folder(podUid).remove();
  }

  async createContainer(container: HostedSpec): Promise<ContainerLog> {
    const { id, pod, config, createdAtMs } = container;
    const folder = this.#folder(pod.config.uid);
    const root = await folder.createRoot(config.name, config.attempt, config.mounts);
    const message = messagePath(root, container);
    if (message !== undefined) {
      await mkdir(dirname(message), { recursive: true });
      await writeFile(message, '', { mode: 0o666, flag: 'a' }).catch(() => undefined);
    }
    await this.#save({ id, config, createdAtMs, sandboxId: pod.id });
    return createFileLog(folder.logPath(config.name, config.attempt), this.#options);
  }

  async start(request: ProcessRequest): Promise<HostedProcess> {
    const { container, stdin, tty, output } = request;
    const { id, pod, config } = container;
    const image = this.#images.program(config.image);
    const root = this.#folder(pod.config.uid).rootPath(config.name, config.attempt);
    const isMain = request.command === undefined;
    const child = await startChild({
      command: request.command ?? commandOf(image, container),
      cwd: await workingFolder(root, image, container),
      env: environmentOf(root, image, container),
      stdin,
      tty,
      security: config.security,
      output,
      clock: this.#options.clock,
      sweep: async (group) => {
        kill(-group, 'SIGKILL');
        this.#watchdog.remove(group);
        if (!isMain) return;
        this.#running.delete(id);
        // Those that left the group; they may start others while they are looked for.
        for (let rounds = 0; rounds < 3 && (await killMarked(new Set([id]))) > 0; rounds++);
      },
      ...(isMain && { finish: () => readMessage(root, container) }),
    });
    this.#watchdog.add(child.pid);
    if (isMain) this.#running.set(id, child);
    return child;
  }

  async started({ id }: HostedSpec, atMs: number): Promise<void> {
    const child = this.#running.get(id);
    const entry = child && (await readProcess(child.pid));
    await this.#update(id, {
      startedAtMs: atMs,
      ...(entry !== undefined && { process: { pid: entry.pid, startTicks: entry.startTicks } }),
    });
  }

  async exited({ id }: HostedSpec, exit: ProcessExit, atMs: number): Promise<void> {
    this.#cpu.delete(id);
    try {
      await this.#update(id, { exit, finishedAtMs: atMs });
    } catch {
      // The record says that it runs; after a restart it is reported as killed. That must not end the host.
    }
  }

  async removeContainer({ id, pod, config }: HostedSpec): Promise<void> {
    this.#saved.delete(id);
    await this.#records.removeContainer(id);
    await this.#folder(pod.config.uid).removeRoot(config.name, config.attempt);
  }

  async usage({ id }: HostedSpec): Promise<HostedUsage> {
    const child = this.#running.get(id);
    const all = await this.#processTable();
    const own = child === undefined ? [] : all.filter(({ group }) => group === child.pid);
    const sum = own.reduce((total, { cpuNanoseconds }) => total + cpuNanoseconds, 0);
    const cpuCoreNanoseconds = Math.max(sum, this.#cpu.get(id) ?? 0);
    this.#cpu.set(id, cpuCoreNanoseconds);
    const memoryWorkingSetBytes = own.reduce((total, { residentBytes }) => total + residentBytes, 0);
    return { cpuCoreNanoseconds, memoryWorkingSetBytes, storageUsedBytes: 0 };
  }

  connect(pod: HostedPod, port: number, channels: NodeConnectionChannels): Promise<void> {
    return forwardConnection(listenAddress(pod), port, channels);
  }

  probe(pod: HostedPod, probe: NetworkProbe, timeoutMs: number): Promise<NetworkProbeResult> {
    return probeAddress(listenAddress(pod), probe, timeoutMs, this.#options.clock);
  }

  async close(): Promise<void> {
    this.#watchdog.close();
    await this.#records.close();
  }

  #folder(uid: string): PodFolder {
    return new PodFolder(join(this.#options.folder, 'pods'), uid);
  }

  async #save(record: ContainerRecord): Promise<void> {
    this.#saved.set(record.id, record);
    await this.#records.saveContainer(record);
  }

  async #update(id: string, change: Partial<ContainerRecord>): Promise<void> {
    const record = this.#saved.get(id);
    if (record !== undefined) await this.#save({ ...record, ...change });
  }

  /** Kills processes of an earlier run: groups whose leader is still the same process, and what carries a mark. */
  async #killOrphans(records: readonly ContainerRecord[]): Promise<void> {
    const open = records.filter(({ exit }) => exit === undefined);
    for (const { id, process: known } of open) {
      if (known === undefined) continue;
      const entry = await readProcess(known.pid);
      if (entry?.startTicks === known.startTicks && (await markOf(known.pid)) === id) kill(-known.pid, 'SIGKILL');
    }
    const ids = new Set(open.map(({ id }) => id));
    for (let rounds = 0; rounds < 10 && (await killMarked(ids)) > 0; rounds++);
  }

  async #restore(record: ContainerRecord, pod: HostedPod): Promise<RestoredContainer> {
    const { id, config, createdAtMs, startedAtMs = 0 } = record;
    const exit = record.exit ?? { exitCode: 137, reason: 'Error' };
    const finishedAtMs = record.finishedAtMs ?? this.#options.clock.now();
    await this.#save({ ...record, exit, finishedAtMs });
    const path = this.#folder(pod.config.uid).logPath(config.name, config.attempt);
    const log = await openFileLog(path, this.#options);
    return { id, pod, config, createdAtMs, log, startedAtMs, finishedAtMs, exit };
  }

  #processTable(): Promise<readonly ProcessEntry[]> {
    const now = this.#options.clock.now();
    if (this.#table === undefined || now - this.#table.atMs > tableMs)
      this.#table = { atMs: now, entries: readProcessTable() };
    return this.#table.entries;
  }
}

/**
 * The address of this machine on which the processes of a pod listen: that of the pod with 127 as its first number. The
 * address of the pod itself is in the API only, where addresses of the loopback range cannot be endpoints of Services.
 * Elsewhere than on Linux the machine has only 127.0.0.1.
 */
function listenAddress({ ips: [ip = ''], config }: HostedPod): string {
  if (config.isHostNetwork || process.platform !== 'linux') return '127.0.0.1';
  return ip.replace(/^\d+\./, '127.');
}

function commandOf({ command: own = [] }: ProcessImage, { config }: HostedSpec): readonly string[] {
  const { command, args } = config;
  if (command.length > 0) return [...command, ...args];
  // Arguments replace those of the image, not its program.
  return args.length > 0 ? [...own.slice(0, 1), ...args] : own;
}

async function workingFolder(root: string, { folder }: ProcessImage, { config }: HostedSpec): Promise<string> {
  if (config.workingDir === '') return folder ?? root;
  const path = join(root, ...pathSegments(config.workingDir));
  await mkdir(path, { recursive: true });
  return path;
}

/** Nothing of the environment of this process reaches a container, except for where programs are. */
function environmentOf(
  root: string,
  { env = {} }: ProcessImage,
  { id, pod, config }: HostedSpec,
): Readonly<Record<string, string>> {
  return {
    PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: root,
    HOSTNAME: pod.config.hostname,
    ...env,
    ...Object.fromEntries(config.env.map(({ name, value }) => [name, value])),
    VIVARIUM_ROOT: root,
    VIVARIUM_POD_IP: listenAddress(pod),
    [containerVariable]: id,
  };
}

/** The file of the termination message; undefined where its path is invalid. */
function messagePath(root: string, { config }: HostedSpec): string | undefined {
  try {
    return join(root, ...pathSegments(config.terminationMessagePath));
  } catch {
    return undefined;
  }
}

const messageBytesMax = 64 * 1024;

async function readMessage(root: string, container: HostedSpec): Promise<Partial<ProcessExit>> {
  const path = messagePath(root, container);
  const found = path && (await lstat(path).catch(() => undefined));
  // Not a link: it could lead anywhere.
  if (path === undefined || !found || !found.isFile() || found.size === 0 || found.size > messageBytesMax) return {};
  return { message: await readFile(path, 'utf8').catch(() => '') };
}

class ProcessImages implements HostedImages {
  readonly #options: ProcessHostOptions;
  readonly #images: ReadonlyMap<string, ProcessImage>;
  /** Names of images that are on the node. */
  readonly #present: Set<string>;

  constructor(options: ProcessHostOptions) {
    this.#options = options;
    this.#images = new Map(
      Object.entries({ host: {}, ...options.images }).map(([name, image]) => [fullImageName(name), image]),
    );
    this.#present = new Set(this.#images.keys());
  }

  /** Returns the program of an image. */
  program(image: string): ProcessImage {
    return this.#images.get(fullImageName(image)) ?? {};
  }

  list(): Promise<readonly RuntimeImage[]> {
    return Promise.resolve([...this.#present].map(imageStatus));
  }

  async find(image: string): Promise<RuntimeImage | undefined> {
    const name = fullImageName(image);
    return (await this.list()).find(({ id, repoTags }) => id === image || repoTags.includes(name));
  }

  async pull(image: string): Promise<string> {
    const name = await Promise.resolve(fullImageName(image));
    if (!this.#images.has(name) && !this.#options.allowsAnyImage)
      throw new RuntimeError(
        'ErrImagePull',
        `failed to pull and unpack image ${JSON.stringify(name)}: ${name}: not found`,
      );
    if (this.#present.size >= imagesMax) throw new RuntimeError('ErrImagePull', `the node has ${imagesMax} images`);
    this.#present.add(name);
    return imageStatus(name).id;
  }

  remove(id: string): Promise<void> {
    for (const name of this.#present) if (imageStatus(name).id === id) this.#present.delete(name);
    return Promise.resolve();
  }

  async usage(): Promise<ImageFsUsage> {
    const { bsize, blocks, bavail, bfree } = await statfs(this.#options.folder);
    return { capacityBytes: blocks * bsize, availableBytes: bavail * bsize, usedBytes: (blocks - bfree) * bsize };
  }
}

const imagesMax = 1_000;

function imageStatus(name: string): RuntimeImage {
  return { id: `process://${name}`, repoTags: [name], repoDigests: [], sizeBytes: 0, isPinned: true };
}
