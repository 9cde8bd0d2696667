// Function runtimes with one defect each. Every one of them must be caught by a check whose name matches `breaks`: so
// the suite can fail, and for the right reason.
import { concat, delay, filter, map, of, take } from 'rxjs';
import type { Observable } from 'rxjs';
import { exitStatus } from '../../lib/core/index.js';
import { RuntimeError } from '../../lib/nodeagent/index.js';
import type { ContainerRuntime, LogEntry } from '../../lib/nodeagent/index.js';

/** A defect and the promise it breaks. */
export interface RuntimeDefect {
  readonly name: string;
  readonly breaks: RegExp;
  readonly damage: (runtime: ContainerRuntime) => Partial<ContainerRuntime>;
}

/** Returns a runtime whose calls go to another, except those replaced. */
export function damagedRuntime(runtime: ContainerRuntime, replaced: Partial<ContainerRuntime>): ContainerRuntime {
  return new Proxy(runtime, {
    get(target, name) {
      const value: unknown = name in replaced ? Reflect.get(replaced, name) : Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(name in replaced ? replaced : target) as unknown) : value;
    },
  });
}

const logs =
  (change: (log$: Observable<LogEntry>) => Observable<LogEntry>) =>
  (runtime: ContainerRuntime): Partial<ContainerRuntime> => ({
    containerLog: (id, selection) => change(runtime.containerLog(id, selection)),
  });

/** The defects. */
export const runtimeDefects: readonly RuntimeDefect[] = [
  {
    name: 'a sandbox has no address',
    breaks: /has an address/,
    damage: (runtime) => ({
      podStatus: async (uid) => {
        const { sandboxes, containers } = await runtime.podStatus(uid);
        return { containers, sandboxes: sandboxes.map((each) => ({ ...each, ips: [] })) };
      },
    }),
  },
  {
    name: 'a stopped sandbox stays ready',
    breaks: /stopped sandbox is not ready/,
    damage: () => ({ stopPodSandbox: () => Promise.resolve() }),
  },
  {
    name: 'stopping an unknown sandbox fails',
    breaks: /stopping a sandbox twice/,
    damage: (runtime) => ({
      stopPodSandbox: async (id) => {
        if ((await runtime.listPodSandboxes({ id })).length === 0) throw new RuntimeError('NotFound', id);
        await runtime.stopPodSandbox(id);
      },
    }),
  },
  {
    name: 'sandboxes are listed newest first',
    breaks: /lists of sandboxes are ordered/,
    damage: (runtime) => ({
      listPodSandboxes: async (filter) => [...(await runtime.listPodSandboxes(filter))].reverse(),
    }),
  },
  {
    name: 'filters of containers are ignored',
    breaks: /lists of containers are ordered/,
    damage: (runtime) => ({ listContainers: () => runtime.listContainers() }),
  },
  {
    name: 'containers of a pod are reported oldest first',
    breaks: /newest container of a pod is first/,
    damage: (runtime) => ({
      podStatus: async (uid) => {
        const status = await runtime.podStatus(uid);
        return { ...status, containers: [...status.containers].reverse() };
      },
    }),
  },
  {
    name: 'a creation with a taken name replaces the container',
    breaks: /AlreadyExists/,
    damage: (runtime) => ({
      createContainer: async (sandboxId, config) => {
        const [same] = (await runtime.listContainers({ sandboxId })).filter(
          ({ name, attempt }) => name === config.name && attempt === config.attempt,
        );
        if (same !== undefined) await runtime.removeContainer(same.id);
        return runtime.createContainer(sandboxId, config);
      },
    }),
  },
  {
    name: 'a missing image is pulled on the way',
    breaks: /image that is not on the node/,
    damage: (runtime) => ({
      createContainer: (sandboxId, config) =>
        runtime.createContainer(sandboxId, { ...config, image: 'program', imageRef: '' }),
    }),
  },
  {
    name: 'an exit code is lost',
    breaks: /another code is an Error/,
    damage: (runtime) => ({
      podStatus: async (uid) => {
        const status = await runtime.podStatus(uid);
        return { ...status, containers: status.containers.map((each) => ({ ...each, exitCode: 0 })) };
      },
    }),
  },
  {
    name: 'a stop kills at once',
    breaks: /a stop lets the container end itself/,
    damage: (runtime) => ({ stopContainer: (id) => runtime.stopContainer(id, 0) }),
  },
  {
    name: 'a stop resolves before the exit',
    breaks: /killed after the time|kills at once|lets the container end itself/,
    damage: (runtime) => ({
      stopContainer: (id, timeoutMs) => {
        void runtime.stopContainer(id, timeoutMs);
        return Promise.resolve();
      },
    }),
  },
  {
    name: 'a stop never kills',
    breaks: /ignores the stop signal is killed/,
    damage: (runtime) => ({ stopContainer: (id) => runtime.stopContainer(id, 10 ** 12) }),
  },
  {
    name: 'a log loses its first entry',
    breaks: /lines of both outputs/,
    damage: logs((log$) => log$.pipe(filter((_, index) => index > 0))),
  },
  {
    name: 'a log keeps line ends',
    breaks: /without line ends/,
    damage: logs((log$) => log$.pipe(map((entry) => ({ ...entry, bytes: Uint8Array.from([...entry.bytes, 10]) })))),
  },
  {
    name: 'tailLines is ignored',
    breaks: /tailLines/,
    damage: (runtime) => ({
      containerLog: (id, { follow }) => runtime.containerLog(id, { follow }),
    }),
  },
  {
    name: 'a log repeats its last entry',
    breaks: /two readers|lines of both outputs|read until it is removed/,
    damage: logs((log$) => concat(log$, log$.pipe(take(1)))),
  },
  {
    name: 'a log does not mark partial lines',
    breaks: /endless line/,
    damage: logs((log$) => log$.pipe(map((entry) => ({ ...entry, isPartial: false })))),
  },
  {
    name: 'a log that is followed never ends',
    breaks: /log that is followed/,
    damage: (runtime) => ({
      containerLog: (id, selection) =>
        selection.follow
          ? concat(runtime.containerLog(id, selection), of().pipe(delay(1)), new Promise<never>(() => undefined))
          : runtime.containerLog(id, selection),
    }),
  },
  {
    name: 'commands never time out',
    breaks: /takes too long/,
    damage: (runtime) => ({ execSync: (id, command) => runtime.execSync(id, command, 0) }),
  },
  {
    name: 'the exit code of a command is always 0',
    breaks: /closes with its exit code/,
    damage: (runtime) => ({
      exec: (id, command, channels) =>
        runtime.exec(id, command, { ...channels, close: () => channels.close(exitStatus(0)) }),
    }),
  },
  {
    name: 'a command gets no input',
    breaks: /reads stdin until its end/,
    damage: (runtime) => ({
      exec: (id, command, channels) => runtime.exec(id, { ...command, stdin: false }, channels),
    }),
  },
  {
    name: 'a missing image can be pulled',
    breaks: /does not exist cannot be pulled/,
    damage: () => ({ pullImage: (image) => Promise.resolve(image) }),
  },
  {
    name: 'a removed image stays',
    breaks: /removed image is not on the node/,
    damage: () => ({ removeImage: () => Promise.resolve() }),
  },
  {
    name: 'volumes are not updated',
    breaks: /update replaces all files/,
    damage: () => ({ updateVolume: () => Promise.resolve() }),
  },
  {
    name: 'volumes of a pod are not removed',
    breaks: /end with the data of the pod/,
    damage: () => ({ removePodData: () => Promise.resolve() }),
  },
  {
    name: 'all pods share one folder of volumes',
    breaks: /pods do not share volumes/,
    damage: (runtime) => ({
      runPodSandbox: (config) =>
        runtime.runPodSandbox({
          ...config,
          volumes: config.volumes.map(({ name, source }) =>
            source.type === 'emptyDir'
              ? { name, source: { type: 'hostPath', path: `/shared/${name}`, pathType: '' } }
              : { name, source },
          ),
        }),
    }),
  },
  {
    name: 'probes always succeed',
    breaks: /probe of a port that nothing serves/,
    damage: () => ({ probe: () => Promise.resolve({ type: 'tcp' }) }),
  },
  {
    name: 'an event of a start comes before that of the creation',
    breaks: /events report/,
    damage: (runtime) => ({
      ...(runtime.events$ !== undefined && {
        events$: runtime.events$.pipe(filter(({ type }) => type !== 'created')),
      }),
    }),
  },
  {
    name: 'exited containers use resources',
    breaks: /usage covers the running containers/,
    damage: (runtime) => ({
      listContainerUsage: async () =>
        (await runtime.listContainers()).map(({ id, podUid, name }) => ({
          containerId: id,
          podUid,
          name,
          atMs: 0,
          cpuCoreNanoseconds: 1,
          memoryWorkingSetBytes: 1,
          storageUsedBytes: 0,
        })),
    }),
  },
  {
    name: 'closing leaves containers running',
    breaks: /closing ends everything/,
    damage: () => ({ close: () => Promise.reject(new Error('busy')) }),
  },
];
