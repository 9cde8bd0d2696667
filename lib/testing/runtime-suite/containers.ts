// Promises about the life of containers: creation, start, exit, stop and removal.
import { expectSame, expectThat } from '../store-suite/expect.js';
import type { RuntimeCheck, RuntimeHarness } from './harness.js';
import {
  containerConfig,
  createIn,
  exitOf,
  expectCode,
  printedLines,
  logOf,
  podConfig,
  complete,
  startPod,
  statusOf,
  until,
} from './harness.js';

/** Checks of containers. */
export const containerChecks: readonly RuntimeCheck[] = [
  {
    promise: 'a new container is created, not running, and carries its configuration',
    run: async (harness) => {
      const { runtime } = harness;
      const sandboxId = await complete(harness, runtime.runPodSandbox(podConfig()));
      const config = containerConfig(harness, { does: 'run' }, { attempt: 3, labels: { a: 'b' } });
      const id = await createIn(harness, sandboxId, config);
      const status = await statusOf(harness, id);
      expectSame(
        [status.state, status.startedAtMs, status.finishedAtMs, status.exitCode],
        ['created', 0, 0, 0],
        'the container has not run',
      );
      expectSame(
        [status.name, status.attempt, status.labels, status.sandboxId, status.podUid, status.image],
        ['main', 3, { a: 'b' }, sandboxId, 'uid-1', config.image],
        'the container carries its configuration',
      );
      expectThat(status.imageRef !== '', 'the container names the image that it runs');
    },
  },
  {
    promise: 'a container runs when the start resolves',
    run: async (harness) => {
      const { containerId } = await startPod(harness, { does: 'run' });
      const { state, startedAtMs, createdAtMs } = await statusOf(harness, containerId);
      expectSame(state, 'running', 'the container runs');
      expectThat(startedAtMs >= createdAtMs && startedAtMs > 0, 'it has a start time after its creation');
    },
  },
  {
    promise: 'a container in an unknown sandbox is refused as NotFound',
    run: async (harness) => {
      const config = containerConfig(harness, { does: 'run' });
      await expectCode(harness, () => createIn(harness, 'unknown', config), 'NotFound', 'creating a container');
    },
  },
  {
    promise: 'a container of an image that is not on the node is refused as NotFound',
    run: async (harness) => {
      const { runtime, missingImage: image } = harness;
      const sandboxId = await complete(harness, runtime.runPodSandbox(podConfig()));
      const config = { ...containerConfig(harness, { does: 'run' }), image, imageRef: image };
      await expectCode(harness, () => runtime.createContainer(sandboxId, config), 'NotFound', 'creating a container');
    },
  },
  {
    promise: 'a name and attempt that a sandbox has is refused as AlreadyExists, and another attempt is accepted',
    run: async (harness) => {
      const { runtime } = harness;
      const sandboxId = await complete(harness, runtime.runPodSandbox(podConfig()));
      const config = containerConfig(harness, { does: 'run' });
      await createIn(harness, sandboxId, config);
      await expectCode(harness, () => createIn(harness, sandboxId, config), 'AlreadyExists', 'the same attempt');
      await createIn(harness, sandboxId, { ...config, attempt: 1 });
    },
  },
  {
    promise: 'of two concurrent creations of one attempt one is refused',
    run: async (harness) => {
      const { runtime } = harness;
      const sandboxId = await complete(harness, runtime.runPodSandbox(podConfig()));
      const config = containerConfig(harness, { does: 'run' });
      await createIn(harness, sandboxId, { ...config, name: 'other' });
      const present = await complete(harness, runtime.imageStatus(config.image));
      const create = (): Promise<string> =>
        runtime.createContainer(sandboxId, { ...config, imageRef: present?.id ?? '' });
      const results = await complete(harness, Promise.allSettled([create(), create()]));
      expectSame(results.filter(({ status }) => status === 'fulfilled').length, 1, 'one creation succeeds');
    },
  },
  {
    promise: 'a name can be used again after its container was removed',
    run: async (harness) => {
      const { runtime } = harness;
      const sandboxId = await complete(harness, runtime.runPodSandbox(podConfig()));
      const config = containerConfig(harness, { does: 'run' });
      const first = await createIn(harness, sandboxId, config);
      await complete(harness, runtime.removeContainer(first));
      const second = await createIn(harness, sandboxId, config);
      expectThat(first !== second, 'the second container has another identifier');
    },
  },
  {
    promise: 'a container cannot be started twice',
    run: async (harness) => {
      const { runtime } = harness;
      const { containerId } = await startPod(harness, { does: 'run' });
      await expectCode(
        harness,
        () => runtime.startContainer(containerId),
        'FailedPrecondition',
        'starting a running container',
      );
      await complete(harness, runtime.stopContainer(containerId, 0));
      await expectCode(
        harness,
        () => runtime.startContainer(containerId),
        'FailedPrecondition',
        'starting an exited container',
      );
    },
  },
  {
    promise: 'calls with an unknown container are refused as NotFound',
    run: async (harness) => {
      const { runtime } = harness;
      const { resources } = containerConfig(harness, { does: 'run' });
      const calls = {
        start: () => runtime.startContainer('unknown'),
        'change of resources': () => runtime.updateContainerResources('unknown', resources),
        exec: () => runtime.execSync('unknown', ['true'], 0),
      };
      for (const [name, call] of Object.entries(calls)) await expectCode(harness, call, 'NotFound', name);
    },
  },
  {
    promise: 'a container that ends with 0 is Completed',
    run: async (harness) => {
      const { containerId } = await startPod(harness, { does: 'exit', code: 0 });
      const { exitCode, reason, startedAtMs, finishedAtMs } = await exitOf(harness, containerId);
      expectSame([exitCode, reason], [0, 'Completed'], 'code and reason');
      expectThat(finishedAtMs >= startedAtMs && startedAtMs > 0, 'the end is not before the start');
    },
  },
  {
    promise: 'a container that ends with another code is an Error with that code',
    run: async (harness) => {
      const { containerId } = await startPod(harness, { does: 'exit', code: 7 });
      const { exitCode, reason } = await exitOf(harness, containerId);
      expectSame([exitCode, reason], [7, 'Error'], 'code and reason');
    },
  },
  {
    promise: 'an exited container stays exited, with its code, until it is removed',
    run: async (harness) => {
      const { runtime } = harness;
      const { containerId } = await startPod(harness, { does: 'exit', code: 3 });
      const before = await exitOf(harness, containerId);
      await complete(harness, runtime.stopContainer(containerId, 1000));
      expectSame(await statusOf(harness, containerId), before, 'stopping it changes nothing');
      await complete(harness, runtime.removeContainer(containerId));
      expectSame((await runtime.listContainers()).length, 0, 'it is gone after the removal');
    },
  },
  {
    promise: 'the containers of a pod end independently',
    run: async (harness) => {
      const { runtime } = harness;
      const { sandboxId, containerId } = await startPod(harness, { does: 'run' });
      const other = await createIn(
        harness,
        sandboxId,
        containerConfig(harness, { does: 'exit', code: 1 }, { name: 'other' }),
      );
      await complete(harness, runtime.startContainer(other));
      await exitOf(harness, other);
      expectSame((await statusOf(harness, containerId)).state, 'running', 'the first one still runs');
    },
  },
  {
    promise: 'a stop lets the container end itself',
    run: async (harness) => {
      const { runtime } = harness;
      const { containerId } = await startPod(harness, {
        does: 'print',
        stdout: ['ready'],
        stderr: [],
        then: 'run',
      });
      await untilLogged(harness, containerId);
      await complete(harness, runtime.stopContainer(containerId, 60_000));
      const { state, exitCode } = await statusOf(harness, containerId);
      expectSame([state, exitCode], ['exited', 0], 'it handled SIGTERM and has exited when the call resolves');
    },
  },
  {
    promise: 'a container that ignores the stop signal is killed after the time, with 137',
    run: async (harness) => {
      const { runtime } = harness;
      const { containerId } = await startPod(harness, { does: 'ignoreTerm' });
      await complete(harness, runtime.stopContainer(containerId, 300));
      const { exitCode, startedAtMs, finishedAtMs } = await statusOf(harness, containerId);
      expectSame(exitCode, 137, '128 + SIGKILL');
      expectThat(finishedAtMs >= startedAtMs, 'the end has a time');
    },
  },
  {
    promise: 'a stop without time kills at once',
    run: async (harness) => {
      const { runtime } = harness;
      const { containerId } = await startPod(harness, { does: 'ignoreTerm' });
      await complete(harness, runtime.stopContainer(containerId, 0));
      expectSame((await statusOf(harness, containerId)).exitCode, 137, '128 + SIGKILL');
    },
  },
  {
    promise: 'a second stop with less time shortens the first',
    run: async (harness) => {
      const { runtime } = harness;
      const { containerId } = await startPod(harness, { does: 'ignoreTerm' });
      const first = runtime.stopContainer(containerId, 100_000_000);
      const second = runtime.stopContainer(containerId, 200);
      await complete(harness, Promise.all([first, second]));
      expectSame((await statusOf(harness, containerId)).exitCode, 137, '128 + SIGKILL');
    },
  },
  {
    promise: 'stopping a container that was not started, or an unknown one, resolves',
    run: async (harness) => {
      const { runtime } = harness;
      const sandboxId = await complete(harness, runtime.runPodSandbox(podConfig()));
      const id = await createIn(harness, sandboxId, containerConfig(harness, { does: 'run' }));
      await complete(harness, runtime.stopContainer(id, 1000));
      await complete(harness, runtime.stopContainer('unknown', 1000));
    },
  },
  {
    promise: 'removing a running container kills it; removing it again, or an unknown one, resolves',
    run: async (harness) => {
      const { runtime } = harness;
      const { containerId } = await startPod(harness, { does: 'ignoreTerm' });
      await complete(
        harness,
        Promise.all([runtime.removeContainer(containerId), runtime.removeContainer(containerId)]),
      );
      await complete(harness, runtime.removeContainer(containerId));
      await complete(harness, runtime.removeContainer('unknown'));
      expectSame((await runtime.listContainers()).length, 0, 'no container is listed');
    },
  },
  {
    promise: 'lists of containers are ordered by creation and filtered by identifier, pod, sandbox and state',
    run: async (harness) => {
      const { runtime } = harness;
      const a = await startPod(harness, { does: 'run' }, { pod: { uid: 'a' } });
      const b = await startPod(harness, { does: 'run' }, { pod: { uid: 'b' } });
      await complete(harness, runtime.stopContainer(a.containerId, 0));
      const ids = async (filter = {}): Promise<readonly string[]> =>
        (await runtime.listContainers(filter)).map(({ id }) => id);
      expectSame(await ids(), [a.containerId, b.containerId], 'the oldest is first');
      expectSame(await ids({ id: b.containerId }), [b.containerId], 'by identifier');
      expectSame(await ids({ podUid: 'a' }), [a.containerId], 'by pod');
      expectSame(await ids({ sandboxId: b.sandboxId }), [b.containerId], 'by sandbox');
      expectSame(await ids({ state: 'exited' }), [a.containerId], 'by state');
      expectSame(await ids({ podUid: 'a', state: 'running' }), [], 'all fields must match');
    },
  },
  {
    promise: 'the newest container of a pod is first in its status',
    run: async (harness) => {
      const { runtime } = harness;
      const { sandboxId, containerId } = await startPod(harness, { does: 'exit', code: 1 });
      await exitOf(harness, containerId);
      const again = await createIn(harness, sandboxId, containerConfig(harness, { does: 'run' }, { attempt: 1 }));
      const { containers } = await runtime.podStatus('uid-1');
      expectSame(
        containers.map(({ id, attempt }) => [id, attempt]),
        [
          [again, 1],
          [containerId, 0],
        ],
        'both instances are reported',
      );
    },
  },
  {
    promise: 'resources of a container can be changed while it has not exited',
    run: async (harness) => {
      const { runtime } = harness;
      const { containerId } = await startPod(harness, { does: 'run' });
      const { resources } = await statusOf(harness, containerId);
      await complete(harness, runtime.updateContainerResources(containerId, { ...resources, cpuLimitMilli: 250 }));
      expectSame((await statusOf(harness, containerId)).resources.cpuLimitMilli, 250, 'the new limit is in effect');
    },
  },
  {
    promise: 'the environment of a container is that of its configuration, and later variables win',
    needs: ['env'],
    run: async (harness) => {
      const env = [
        { name: 'GREETING', value: 'first' },
        { name: 'GREETING', value: 'second' },
      ];
      const { containerId } = await startPod(harness, { does: 'printEnv', name: 'GREETING' }, { container: { env } });
      await exitOf(harness, containerId);
      expectSame(await printedLines(harness, containerId), ['stdout second'], 'the variable has its last value');
    },
  },
  {
    promise: 'the arguments of a container reach its process as they are',
    needs: ['args'],
    run: async (harness) => {
      const given = ['a b', '$HOME', "it's", ''];
      const { args = [] } = harness.program({ does: 'printArgs' });
      const container = { args: [...args, ...given] };
      const { containerId } = await startPod(harness, { does: 'printArgs' }, { container });
      await exitOf(harness, containerId);
      const expected = given.map((each) => `stdout ${each}`);
      expectSame(await printedLines(harness, containerId), expected, 'one line for each argument');
    },
  },
  {
    promise: 'the termination message is reported, up to 4,096 bytes',
    needs: ['terminationMessage'],
    run: async (harness) => {
      const text = 'm'.repeat(5000);
      const { containerId } = await startPod(harness, { does: 'message', text, code: 4 });
      const { message, exitCode } = await exitOf(harness, containerId);
      expectSame([message.length, exitCode], [4096, 4], 'length of the message and exit code');
    },
  },
];

/** Waits until a container has printed something: then its handlers of signals are set up. */
async function untilLogged(harness: RuntimeHarness, containerId: string): Promise<void> {
  await until(harness, async () => (await logOf(harness, containerId)).length > 0, 'the container prints');
}
