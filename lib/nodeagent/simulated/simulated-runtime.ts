// A container runtime without containers: what runs is a value, and what happens to it follows from its behaviour and
// the clock. It stores no logs, files or usage, so a fleet of thousands of nodes fits into one process.
//
// After a restart, or in a fork, `restore` takes up the containers that the status of a pod shows, at their age.
import { concatMap, defer, filter, from, map, take } from 'rxjs';
import type { Observable } from 'rxjs';
import { exitStatus, integerValue, milliValue, pause } from '../../core/index.js';
import type { Clock, NodeConnectionChannels, NodeProcessChannels, Random, StreamEnd } from '../../core/index.js';
import type { ContainerConfig, ContainerResources, PodSandboxConfig } from '../runtime/container-config.js';
import type { ContainerRuntime } from '../runtime/container-runtime.js';
import { RuntimeError } from '../runtime/container-runtime.js';
import type {
  ContainerFilter,
  ContainerUsage,
  ExecResult,
  LogEntry,
  NetworkProbe,
  NetworkProbeResult,
  SandboxFilter,
} from '../runtime/runtime-state.js';
import { PodAddressPool } from './address-pool.js';
import { behaviourOf, defaultRules, msOf } from './behaviour.js';
import type { BehaviourRule, CommandBehaviour, PullBehaviour } from './behaviour.js';
import { SimulatedContainers } from './simulated-containers.js';
import type { ContainerInstance } from './simulated-containers.js';
import { SimulatedImages } from './simulated-images.js';
import { simulatedLog } from './simulated-log.js';

/** Options of a simulated runtime. */
export interface SimulatedRuntimeOptions {
  readonly clock: Clock;
  /** Identifiers. */
  readonly random: Random;
  /** Decide how containers behave; the first that returns a behaviour counts. They precede the default rules. */
  readonly rules?: readonly BehaviourRule[];
  /** Default 10.244.0.0/24. */
  readonly podCidr?: string;
  /** The addresses of pods with the host's network. */
  readonly hostIps?: readonly string[];
}

const sizeBytesDefault = 10_000_000;
const fsCapacityBytes = 100 * 2 ** 30;
const encoder = new TextEncoder();

/** Creates a simulated runtime. */
export function simulatedRuntime(options: SimulatedRuntimeOptions): ContainerRuntime {
  const { clock, random, podCidr = '10.244.0.0/24', hostIps = [] } = options;
  const rules = [...(options.rules ?? []), ...defaultRules];
  const addresses = new PodAddressPool(podCidr);
  const containers = new SimulatedContainers({ clock, random, rules, addresses, hostIps });
  const images = new SimulatedImages();
  const { events$ } = containers;
  const { signal } = containers.closing;

  /** The behaviour of the first container of the pod with that image. */
  const pullBehaviour = (image: string, podUid: string): PullBehaviour => {
    const pod = containers.ofPod(podUid)[0]?.pod ?? {};
    const { initContainers = [], containers: regular = [], ephemeralContainers = [] } = pod.spec ?? {};
    const found = [...initContainers, ...regular, ...ephemeralContainers].find((each) => each.image === image);
    return behaviourOf({ pod, name: found?.name ?? '', image }, rules).pull ?? {};
  };
  const failureOf = (instance: ContainerInstance, path: string | undefined): number | undefined => {
    const ageMs = clock.now() - instance.status.startedAtMs;
    for (const { path: only, from: first, until, statusCode = 503 } of instance.behaviour.health ?? [])
      if ((only === undefined || only === path) && (ageMs < msOf(first, 0) || ageMs >= msOf(until, Infinity)))
        return statusCode;
    return undefined;
  };
  const commandOf = (instance: ContainerInstance, command: readonly string[]): CommandBehaviour => {
    const { commands = {} } = instance.behaviour;
    const found = commands[command.join(' ')] ?? commands['*'];
    return found ?? (failureOf(instance, undefined) === undefined ? {} : { exitCode: 1 });
  };
  const execSync = async (id: string, command: readonly string[], timeoutMs: number): Promise<ExecResult> => {
    const { exitCode = 0, stdout = '', stderr = '', delay } = commandOf(containers.running(id), command);
    const delayMs = msOf(delay, 0);
    if (delayMs > 0) await pause(clock, timeoutMs === 0 ? delayMs : Math.min(delayMs, timeoutMs), signal);
    if (timeoutMs > 0 && delayMs > timeoutMs)
      throw new RuntimeError(
        'DeadlineExceeded',
        `command timed out: "${command.join(' ')}" timed out after ${timeoutMs / 1000}s`,
      );
    return { exitCode, stdout: encoder.encode(stdout), stderr: encoder.encode(stderr) };
  };
  const logOf = (id: string, follow: boolean, tailLines?: number, sinceMs?: number): Observable<LogEntry> => {
    const instance = containers.container(id);
    const exit$ = events$.pipe(
      filter(({ type, containerId }) => containerId === id && (type === 'stopped' || type === 'deleted')),
      take(1),
    );
    const life = (): { startedAtMs: number; finishedAtMs: number } => {
      const { startedAtMs, finishedAtMs, state } = instance.status;
      return { startedAtMs, finishedAtMs: state === 'exited' ? finishedAtMs : Infinity };
    };
    const selection = {
      follow,
      ...(tailLines !== undefined && { tailLines }),
      ...(sinceMs !== undefined && { sinceMs }),
    };
    return simulatedLog(instance.behaviour.logs ?? [], life, selection, { clock, exit$ });
  };

  return {
    name: 'simulated',
    version: '1.0.0',
    ignoresContent: true,
    events$,
    health: () => {
      const ready = { isReady: true, reason: '', message: '' };
      return Promise.resolve({ runtime: ready, network: ready });
    },
    setPodCidrs: promised(([first]: readonly string[]) => {
      if (first !== undefined) addresses.setCidr(first);
    }),
    restore: (pod) => {
      containers.restore(pod);
      const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
      for (const { image, containerID } of [...initContainerStatuses, ...containerStatuses])
        if (containerID !== undefined) images.add(image, sizeBytesDefault);
    },
    runPodSandbox: promised((config: PodSandboxConfig) => containers.runSandbox(config)),
    stopPodSandbox: promised((id: string) => containers.stopSandbox(id)),
    removePodSandbox: promised((id: string) => containers.removeSandbox(id)),
    listPodSandboxes: promised(({ id, podUid, state }: SandboxFilter = {}) =>
      containers
        .sandboxes()
        .map(({ status }) => status)
        .filter(
          (each) =>
            (id === undefined || each.id === id) &&
            (podUid === undefined || each.podUid === podUid) &&
            (state === undefined || each.state === state),
        ),
    ),
    podStatus: promised((podUid: string) => {
      const sandboxes = containers.ofPod(podUid);
      const all = sandboxes.flatMap((each) => Array.from(each.containers.values(), ({ status }) => status));
      return {
        sandboxes: sandboxes.map(({ status }) => status),
        containers: all.sort((one, other) => other.attempt - one.attempt),
      };
    }),
    updateVolume: () => Promise.resolve(),
    removePodData: () => Promise.resolve(),
    createContainer: promised((sandboxId: string, config: ContainerConfig) => {
      containers.sandbox(sandboxId);
      if (images.find(config.imageRef) === undefined && images.find(config.image) === undefined)
        throw new RuntimeError('NotFound', `image ${config.image} not found`);
      return containers.create(sandboxId, config);
    }),
    startContainer: (id) => containers.start(id),
    stopContainer: (id, timeoutMs) => containers.stop(id, timeoutMs),
    removeContainer: promised((id: string) => containers.remove(id)),
    listContainers: promised((selection: ContainerFilter = {}) =>
      containers.select(selection).map(({ status }) => status),
    ),
    updateContainerResources: promised((id: string, resources: ContainerResources) => {
      const instance = containers.container(id);
      if (instance.status.state === 'exited') throw new RuntimeError('FailedPrecondition', `container ${id} exited`);
      instance.status = { ...instance.status, resources };
    }),
    listImages: () => Promise.resolve(images.list()),
    imageStatus: (image) => Promise.resolve(images.find(image)),
    pullImage: async (image, { podUid = '' } = {}) => {
      const { delay, error, failures = Infinity, sizeBytes = sizeBytesDefault } = pullBehaviour(image, podUid);
      const delayMs = msOf(delay, 0);
      if (delayMs > 0) await pause(clock, delayMs, signal);
      if (error !== undefined && images.countFailure(image) < failures) throw new RuntimeError('ErrImagePull', error);
      images.add(image, sizeBytes);
      return images.find(image)?.id ?? image;
    },
    removeImage: promised((id: string) => images.remove(id)),
    imageFsUsage: () => {
      const { usedBytes } = images;
      const availableBytes = fsCapacityBytes - usedBytes;
      return Promise.resolve({ capacityBytes: fsCapacityBytes, usedBytes, availableBytes });
    },
    containerLog: (id, { follow, tailLines, sinceMs }) => defer(() => logOf(id, follow, tailLines, sinceMs)),
    execSync,
    exec: (id, { command }, channels) => runCommand(execSync(id, command, 0), channels),
    attach: (id, _streams, channels) =>
      logOf(containers.running(id).status.id, true, 0).pipe(concatMap((entry) => sendLine(entry, channels))),
    portForward: (sandboxId, _port, channels) => {
      const [instance] = containers.sandbox(sandboxId).containers.values();
      return serveHttp(instance?.behaviour.body ?? '', channels);
    },
    probe: promised((sandboxId: string, probe: NetworkProbe) => {
      const { status, containers: all } = containers.sandbox(sandboxId);
      const running = [...all.values()].filter((each) => each.status.state === 'running');
      const path = probe.type === 'http' ? probe.path : undefined;
      const failures = running.flatMap((each) => failureOf(each, path) ?? []);
      return probeResult(
        probe,
        running.length === 0 ? undefined : (failures[0] ?? 200),
        status.ips[0] ?? '',
        running[0],
      );
    }),
    listContainerUsage: promised((selection: ContainerFilter = {}) =>
      containers.select({ ...selection, state: 'running' }).map((instance) => usageOf(instance, clock.now())),
    ),
    close: promised(() => containers.close()),
  };
}

/** Returns the function with its result in a Promise; what it throws is a rejection. */
function promised<A extends readonly unknown[], R>(call: (...given: A) => R): (...given: A) => Promise<R> {
  return (...given) => new Promise((resolve) => resolve(call(...given)));
}

async function runCommand(result: Promise<ExecResult>, channels: NodeProcessChannels): Promise<void> {
  const { exitCode, stdout, stderr } = await result;
  if (stdout.length > 0) await channels.output('stdout', stdout);
  if (stderr.length > 0) await channels.output('stderr', stderr);
  channels.close(exitStatus(exitCode));
}

function sendLine({ bytes, stream }: LogEntry, channels: NodeProcessChannels): Observable<unknown> {
  const line = new Uint8Array(bytes.length + 1);
  line.set(bytes);
  line[bytes.length] = 10;
  return from(Promise.resolve(channels.output(stream, line)));
}

/** Answers what looks like an HTTP request with the body, and closes. */
function serveHttp(body: string, channels: NodeConnectionChannels): StreamEnd {
  const answer = `HTTP/1.1 200 OK\r\nContent-Length: ${encoder.encode(body).length}\r\nConnection: close\r\n\r\n${body}`;
  return channels.input$.pipe(
    filter(({ type }) => type === 'data'),
    take(1),
    concatMap(() => Promise.resolve(channels.output('data', encoder.encode(answer)))),
    map(() => channels.close()),
  );
}

/** `statusCode`: undefined where nothing runs that could answer. */
function probeResult(
  probe: NetworkProbe,
  statusCode: number | undefined,
  ip: string,
  instance: ContainerInstance | undefined,
): NetworkProbeResult {
  const isHealthy = statusCode === 200;
  if (statusCode === undefined || (probe.type === 'tcp' && !isHealthy)) {
    const address = `${ip}:${probe.port}`;
    const refused = `dial tcp ${address}: connect: connection refused`;
    throw new RuntimeError(
      'Unavailable',
      probe.type === 'http' ? `Get "${probe.scheme}://${address}${probe.path}": ${refused}` : refused,
    );
  }
  if (probe.type === 'http') return { type: 'http', statusCode, body: instance?.behaviour.body ?? '' };
  return probe.type === 'tcp' ? { type: 'tcp' } : { type: 'grpc', status: isHealthy ? 'SERVING' : 'NOT_SERVING' };
}

function usageOf({ status, behaviour }: ContainerInstance, nowMs: number): ContainerUsage {
  const { cpu = '1m', memory = '1Mi', storage = '0' } = behaviour.usage ?? {};
  const cpuNanoCores = milliValue(cpu) * 1_000_000;
  return {
    containerId: status.id,
    podUid: status.podUid,
    name: status.name,
    atMs: nowMs,
    cpuCoreNanoseconds: Math.floor((cpuNanoCores * (nowMs - status.startedAtMs)) / 1000),
    cpuNanoCores,
    memoryWorkingSetBytes: integerValue(memory),
    storageUsedBytes: integerValue(storage),
  };
}
