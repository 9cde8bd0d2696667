// Promises about the environment of containers: images, volumes, the network, events, usage and the end of the runtime.
import { Subscription } from 'rxjs';
import type { ContainerEvent, PodVolume, VolumeFile } from '../../nodeagent/index.js';
import { expectSame, expectThat } from '../store-suite/expect.js';
import type { ProgramBehaviour, RuntimeCheck, RuntimeHarness } from './harness.js';
import {
  channelText,
  containerConfig,
  createIn,
  exitOf,
  expectCode,
  printedLines,
  openStream,
  podConfig,
  complete,
  startPod,
  statusOf,
  until,
  utf8,
} from './harness.js';

/** Checks of images. */
export const imageChecks: readonly RuntimeCheck[] = [
  {
    promise: 'an image that was pulled is on the node: by its name, by its identifier and in the list',
    run: async (harness) => {
      const { runtime, image } = harness;
      const id = await complete(harness, runtime.pullImage(image));
      expectSame((await runtime.imageStatus(image))?.id, id, 'by name');
      expectSame((await runtime.imageStatus(id))?.id, id, 'by identifier');
      const listed = (await runtime.listImages()).find((each) => each.id === id);
      expectThat(listed !== undefined && listed.sizeBytes >= 0, 'in the list, with a size');
    },
  },
  {
    promise: 'an image that does not exist cannot be pulled, and the reason has a code',
    needs: ['pull'],
    run: async (harness) => {
      const { runtime, missingImage } = harness;
      expectSame(await runtime.imageStatus(missingImage), undefined, 'it is not on the node');
      await expectCode(harness, () => runtime.pullImage(missingImage), 'ErrImagePull', 'pulling it');
    },
  },
  {
    promise: 'a removed image is not on the node, and can be pulled again',
    needs: ['pull'],
    run: async (harness) => {
      const { runtime, image } = harness;
      const id = await complete(harness, runtime.pullImage(image));
      await complete(harness, runtime.removeImage(id));
      await complete(harness, runtime.removeImage(id));
      await complete(harness, runtime.removeImage('unknown'));
      expectSame(await runtime.imageStatus(image), undefined, 'it is gone');
      await complete(harness, runtime.pullImage(image));
      expectThat((await runtime.imageStatus(image)) !== undefined, 'it is there again');
    },
  },
  {
    promise: 'the space of images is consistent',
    run: async ({ runtime }) => {
      const { capacityBytes, availableBytes, usedBytes } = await runtime.imageFsUsage();
      expectThat(capacityBytes > 0 && availableBytes >= 0 && usedBytes >= 0, 'no figure is negative');
      expectThat(availableBytes <= capacityBytes && usedBytes <= capacityBytes, 'parts are not larger than the whole');
    },
  },
];

const file = (content: string): VolumeFile => ({ bytes: utf8(content), mode: 0o644 });

function filesVolume(name: string, files: Readonly<Record<string, string>>): PodVolume {
  const entries = Object.entries(files).map(([path, content]) => [path, file(content)] as const);
  return { name, source: { type: 'files', files: new Map(entries), isSecret: false } };
}

const scratch: PodVolume = { name: 'scratch', source: { type: 'emptyDir', medium: '' } };

/** Runs a further container of a pod to its end and returns its code and output. */
async function runAgain(
  harness: RuntimeHarness,
  sandboxId: string,
  behaviour: ProgramBehaviour,
  mount: {
    readonly volume: string;
    readonly containerPath: string;
    readonly subPath?: string;
    readonly isReadOnly?: boolean;
  },
): Promise<string> {
  const { runtime } = harness;
  const attempt = (await runtime.listContainers({ sandboxId })).length;
  const mounts = [{ subPath: '', isReadOnly: false, ...mount }];
  const config = containerConfig(harness, behaviour, { name: `step-${attempt}`, mounts });
  const id = await createIn(harness, sandboxId, config);
  await complete(harness, runtime.startContainer(id));
  const { exitCode } = await exitOf(harness, id);
  return [`${exitCode}`, ...(await printedLines(harness, id))].join(' ');
}

/** Checks of volumes. */
export const volumeChecks: readonly RuntimeCheck[] = [
  {
    promise: 'files of a volume are in the container, also in folders',
    needs: ['files'],
    run: async (harness) => {
      const volumes = [filesVolume('config', { key: 'value', 'folder/inner': 'deep' })];
      const sandboxId = await complete(harness, harness.runtime.runPodSandbox(podConfig({ volumes })));
      const mount = { volume: 'config', containerPath: '/etc/config' };
      const print = (path: string): Promise<string> =>
        runAgain(harness, sandboxId, { does: 'printFile', mount: '/etc/config', path }, mount);
      expectSame(await print('key'), '0 stdout value', 'a file');
      expectSame(await print('folder/inner'), '0 stdout deep', 'a file in a folder');
      expectSame(await print('missing'), '1', 'a file that does not exist');
    },
  },
  {
    promise: 'an update replaces all files of a volume at once',
    needs: ['files'],
    run: async (harness) => {
      const { runtime } = harness;
      const volumes = [filesVolume('config', { old: 'old', both: 'before' })];
      const sandboxId = await complete(harness, runtime.runPodSandbox(podConfig({ volumes })));
      const mount = { volume: 'config', containerPath: '/etc/config' };
      await complete(harness, runtime.updateVolume('uid-1', filesVolume('config', { both: 'after', new: 'new' })));
      const print = (path: string): Promise<string> =>
        runAgain(harness, sandboxId, { does: 'printFile', mount: '/etc/config', path }, mount);
      expectSame(
        [await print('old'), await print('both'), await print('new')],
        ['1', '0 stdout after', '0 stdout new'],
        'files that are gone, changed and new',
      );
    },
  },
  {
    promise: 'an emptyDir is shared by the containers of a pod and outlives them',
    needs: ['files'],
    run: async (harness) => {
      const sandboxId = await complete(harness, harness.runtime.runPodSandbox(podConfig({ volumes: [scratch] })));
      const mount = { volume: 'scratch', containerPath: '/data' };
      const written = { does: 'writeFile', mount: '/data', path: 'note', text: 'kept' } as const;
      expectSame(await runAgain(harness, sandboxId, written, mount), '0', 'one container writes');
      expectSame(
        await runAgain(harness, sandboxId, { does: 'printFile', mount: '/data', path: 'note' }, mount),
        '0 stdout kept',
        'another one reads',
      );
    },
  },
  {
    promise: 'volumes outlive a sandbox that is replaced, and end with the data of the pod',
    needs: ['files'],
    run: async (harness) => {
      const { runtime } = harness;
      const mount = { volume: 'scratch', containerPath: '/data' };
      const print = { does: 'printFile', mount: '/data', path: 'note' } as const;
      const first = await complete(harness, runtime.runPodSandbox(podConfig({ volumes: [scratch] })));
      await runAgain(harness, first, { does: 'writeFile', mount: '/data', path: 'note', text: 'kept' }, mount);
      await complete(harness, runtime.removePodSandbox(first));
      const second = await complete(harness, runtime.runPodSandbox(podConfig({ volumes: [scratch], attempt: 1 })));
      expectSame(await runAgain(harness, second, print, mount), '0 stdout kept', 'after a replacement');
      await complete(harness, runtime.removePodSandbox(second));
      await complete(harness, runtime.removePodData('uid-1'));
      const third = await complete(harness, runtime.runPodSandbox(podConfig({ volumes: [scratch], attempt: 2 })));
      expectSame(await runAgain(harness, third, print, mount), '1', 'after the removal of the data');
    },
  },
  {
    promise: 'a sub-path mounts a folder of a volume, and cannot leave it',
    needs: ['files'],
    run: async (harness) => {
      const { runtime } = harness;
      const volumes = [filesVolume('config', { 'folder/inner': 'deep', secret: 'hidden' })];
      const sandboxId = await complete(harness, runtime.runPodSandbox(podConfig({ volumes })));
      const mount = { volume: 'config', containerPath: '/etc/config', subPath: 'folder' };
      const inner = { does: 'printFile', mount: '/etc/config', path: 'inner' } as const;
      expectSame(await runAgain(harness, sandboxId, inner, mount), '0 stdout deep', 'a file of the folder');
      for (const subPath of ['..', '../..', 'folder/../..']) {
        const config = containerConfig(harness, inner, {
          name: `escape-${subPath.replaceAll(/[^a-z]/g, '-')}${subPath.length}`,
          mounts: [{ ...mount, subPath, isReadOnly: true }],
        });
        const escaped = async (): Promise<void> => {
          await complete(harness, runtime.startContainer(await createIn(harness, sandboxId, config)));
        };
        let isRefused = false;
        await escaped().catch(() => (isRefused = true));
        expectThat(isRefused, `the sub-path ${subPath} is refused`);
      }
    },
  },
  {
    promise: 'pods do not share volumes',
    needs: ['files'],
    run: async (harness) => {
      const { runtime } = harness;
      const mount = { volume: 'scratch', containerPath: '/data' };
      const a = await complete(harness, runtime.runPodSandbox(podConfig({ volumes: [scratch] })));
      await runAgain(harness, a, { does: 'writeFile', mount: '/data', path: 'note', text: 'mine' }, mount);
      const b = await complete(harness, runtime.runPodSandbox(podConfig({ uid: 'uid-2', volumes: [scratch] })));
      const config = containerConfig(
        harness,
        { does: 'printFile', mount: '/data', path: 'note' },
        { mounts: [{ ...mount, subPath: '', isReadOnly: false }] },
      );
      const id = await createIn(harness, b, config);
      await complete(harness, runtime.startContainer(id));
      await until(harness, async () => (await statusOf(harness, id, 'uid-2')).state === 'exited', 'it exits');
      expectSame((await statusOf(harness, id, 'uid-2')).exitCode, 1, 'the file of the other pod is not there');
    },
  },
];

const serving: ProgramBehaviour = { does: 'serve', port: 8123, text: 'hello from the pod' };

/** Waits until the port of a pod accepts connections. */
async function untilServing({ runtime, ...rest }: RuntimeHarness, sandboxId: string): Promise<void> {
  const harness = { ...rest, runtime };
  await until(
    harness,
    () =>
      complete(harness, runtime.probe(sandboxId, { type: 'tcp', host: '', port: 8123 }, 5000)).then(
        () => true,
        () => false,
      ),
    'the container serves its port',
  );
}

/** Checks of the network. */
export const networkChecks: readonly RuntimeCheck[] = [
  {
    promise: 'an HTTP probe returns the status and the body of what the container serves',
    needs: ['http'],
    run: async (harness) => {
      const { sandboxId } = await startPod(harness, serving);
      await untilServing(harness, sandboxId);
      const probe = { type: 'http', scheme: 'http', host: '', port: 8123, path: '/healthz', headers: [] } as const;
      const result = await complete(harness, harness.runtime.probe(sandboxId, probe, 60_000));
      expectSame(result, { type: 'http', statusCode: 200, body: 'hello from the pod' }, 'the response');
    },
  },
  {
    promise: 'a probe of a port that nothing serves rejects',
    needs: ['http'],
    run: async (harness) => {
      const { sandboxId } = await startPod(harness, { does: 'run' });
      let isRefused = false;
      await complete(harness, harness.runtime.probe(sandboxId, { type: 'tcp', host: '', port: 8124 }, 5000)).catch(
        () => (isRefused = true),
      );
      expectThat(isRefused, 'the connection is refused');
    },
  },
  {
    promise: 'a forwarded connection reaches the port of the pod',
    needs: ['http'],
    run: async (harness) => {
      const { runtime } = harness;
      const { sandboxId } = await startPod(harness, serving);
      await untilServing(harness, sandboxId);
      const { client, messages } = openStream<'data', 'data'>((channels) =>
        runtime.portForward(sandboxId, 8123, channels),
      );
      const request = 'GET / HTTP/1.1\r\nHost: pod\r\nConnection: close\r\n\r\n';
      await complete(harness, client.output('data', utf8(request)) ?? Promise.resolve());
      const response = channelText(await complete(harness, messages), 'data');
      expectThat(
        response.startsWith('HTTP/1.1 200') && response.includes('hello from the pod'),
        `the response is that of the container: ${response}`,
      );
    },
  },
  {
    promise: 'a connection to a port that nothing serves, or to an unknown pod, fails',
    needs: ['http'],
    run: async (harness) => {
      const { runtime } = harness;
      const { sandboxId } = await startPod(harness, { does: 'run' });
      for (const [id, port] of [
        [sandboxId, 8124],
        ['unknown', 8123],
      ] as const) {
        const { messages } = openStream<'data', 'data'>((channels) => runtime.portForward(id, port, channels));
        const last = (await complete(harness, messages)).at(-1);
        expectThat(last?.type === 'close' && last.status.status === 'Failure', 'the stream is closed with a failure');
      }
    },
  },
];

/** Checks of events, usage, recovery and the end. */
export const lifetimeChecks: readonly RuntimeCheck[] = [
  {
    promise: 'events report creation, start, stop and removal of a container, in this order, after the state',
    needs: ['events'],
    run: async (harness) => {
      const { runtime } = harness;
      const seen: ContainerEvent[] = [];
      const subscription = new Subscription();
      subscription.add(runtime.events$?.subscribe({ next: (event) => seen.push(event), error: () => undefined }));
      try {
        const { containerId, sandboxId } = await startPod(harness, { does: 'exit', code: 0 });
        await exitOf(harness, containerId);
        await complete(harness, runtime.removeContainer(containerId));
        const own = (): readonly string[] =>
          seen.filter((event) => event.containerId === containerId).map(({ type }) => type);
        await until(harness, () => own().includes('deleted'), 'the removal is reported');
        expectSame(own(), ['created', 'started', 'stopped', 'deleted'], 'the events of the container');
        expectThat(
          seen.every((event) => event.podUid === 'uid-1' && event.sandboxId === sandboxId),
          'events name their pod',
        );
      } finally {
        subscription.unsubscribe();
      }
    },
  },
  {
    promise: 'usage covers the running containers only, and processor time does not go back',
    needs: ['usage'],
    run: async (harness) => {
      const { runtime } = harness;
      const { containerId } = await startPod(harness, { does: 'run' });
      const read = async (): Promise<number> => {
        const [usage] = await complete(harness, runtime.listContainerUsage());
        expectSame([usage?.containerId, usage?.podUid, usage?.name], [containerId, 'uid-1', 'main'], 'whose it is');
        expectThat((usage?.memoryWorkingSetBytes ?? -1) >= 0, 'memory is not negative');
        return usage?.cpuCoreNanoseconds ?? -1;
      };
      const first = await read();
      await harness.elapse?.(1000);
      expectThat((await read()) >= first && first >= 0, 'processor time does not go back');
      expectSame((await runtime.listContainerUsage({ podUid: 'other' })).length, 0, 'filtered by pod');
      await complete(harness, runtime.stopContainer(containerId, 0));
      expectSame((await runtime.listContainerUsage()).length, 0, 'an exited container uses nothing');
    },
  },
  {
    promise: 'ten containers that start and stop at the same time all end',
    run: async (harness) => {
      const { runtime } = harness;
      const pods = await Promise.all(
        Array.from({ length: 10 }, (_, at) =>
          startPod(harness, { does: 'run' }, { pod: { uid: `many-${at}`, name: `many-${at}` } }),
        ),
      );
      await complete(harness, Promise.all(pods.map(({ sandboxId }) => runtime.removePodSandbox(sandboxId))));
      expectSame((await runtime.listContainers()).length, 0, 'no container is left');
      expectSame((await harness.leftBehind?.()) ?? [], [], 'nothing is left behind');
    },
  },
  {
    promise: 'closing ends everything that runs',
    run: async (harness) => {
      const { runtime } = harness;
      await startPod(harness, { does: 'ignoreTerm' });
      if (runtime.close === undefined) return;
      await complete(harness, runtime.close());
      await complete(harness, runtime.close());
      expectSame((await harness.leftBehind?.()) ?? [], [], 'nothing is left behind');
    },
  },
  {
    promise: 'after a crash nothing runs, and the containers are known as exited with their logs',
    needs: ['recovery'],
    run: async (harness) => {
      const { reopen } = harness;
      if (reopen === undefined) throw new Error('the harness cannot crash the runtime');
      const { containerId, sandboxId } = await startPod(harness, {
        does: 'print',
        stdout: ['before'],
        stderr: [],
        then: 'run',
      });
      await until(harness, async () => (await printedLines(harness, containerId)).length === 1, 'the container prints');
      const again = { ...harness, runtime: await reopen() };
      const status = await statusOf(again, containerId);
      expectSame([status.state, status.exitCode], ['exited', 137], 'the container is known as killed');
      expectSame(await printedLines(again, containerId), ['stdout before'], 'its log is there');
      const [sandbox] = (await again.runtime.podStatus('uid-1')).sandboxes;
      expectSame([sandbox?.id, sandbox?.state], [sandboxId, 'not-ready'], 'its sandbox is not ready');
      expectSame((await harness.leftBehind?.()) ?? [], [], 'no process is left');
      await complete(again, again.runtime.removePodSandbox(sandboxId));
      await startPod(again, { does: 'run' }, { pod: { attempt: 1 } });
    },
  },
];
