// Promises about pod sandboxes.
import { expectSame, expectThat } from '../store-suite/expect.js';
import type { RuntimeCheck } from './harness.js';
import {
  containerConfig,
  createIn,
  expectCode,
  podConfig,
  sandboxOf,
  complete,
  startPod,
  statusOf,
} from './harness.js';

/** Checks of sandboxes. */
export const sandboxChecks: readonly RuntimeCheck[] = [
  {
    promise: 'a runtime that was opened is ready, with its network',
    run: async ({ runtime }) => {
      const { runtime: own, network } = await runtime.health();
      expectThat(own.isReady && network.isReady, 'both conditions are ready');
      expectThat(/^[a-z][a-z0-9-]*$/.test(runtime.name), 'the name is a lower-case word');
      expectThat(runtime.version !== '', 'the version is not empty');
    },
  },
  {
    promise: 'a sandbox is ready and has an address when the call resolves',
    run: async (harness) => {
      const { runtime } = harness;
      const labels = { app: 'web' };
      const id = await complete(harness, runtime.runPodSandbox(podConfig({ labels, annotations: { note: 'x' } })));
      const sandbox = await sandboxOf(harness, id);
      expectSame(sandbox.state, 'ready', 'the sandbox is ready');
      expectThat(sandbox.ips.length > 0 && sandbox.ips.every((ip) => ip !== ''), 'the sandbox has an address');
      expectSame(sandbox.labels, labels, 'labels are those of the configuration');
      expectSame(sandbox.annotations, { note: 'x' }, 'annotations are those of the configuration');
      expectSame(
        [sandbox.name, sandbox.namespace, sandbox.attempt],
        ['pod', 'default', 0],
        'the sandbox names its pod',
      );
    },
  },
  {
    promise: 'sandboxes of different pods have different identifiers and addresses',
    run: async (harness) => {
      const { runtime } = harness;
      const ids = await complete(
        harness,
        Promise.all(['a', 'b', 'c'].map((uid) => runtime.runPodSandbox(podConfig({ uid, name: uid })))),
      );
      expectSame(new Set(ids).size, 3, 'identifiers differ');
      const ips = await Promise.all(['a', 'b', 'c'].map(async (uid, at) => sandboxOf(harness, ids[at] ?? '', uid)));
      expectSame(new Set(ips.map(({ ips: [ip] }) => ip)).size, 3, 'addresses differ');
    },
  },
  {
    promise: 'identifiers are not reused after a removal',
    run: async (harness) => {
      const { runtime } = harness;
      const first = await complete(harness, runtime.runPodSandbox(podConfig()));
      await complete(harness, runtime.removePodSandbox(first));
      const second = await complete(harness, runtime.runPodSandbox(podConfig()));
      expectThat(first !== second, 'the second sandbox has another identifier');
    },
  },
  {
    promise: 'a stopped sandbox is not ready, has no address and stays listed',
    run: async (harness) => {
      const { runtime } = harness;
      const id = await complete(harness, runtime.runPodSandbox(podConfig()));
      await complete(harness, runtime.stopPodSandbox(id));
      const { state, ips } = await sandboxOf(harness, id);
      expectSame([state, ips], ['not-ready', []], 'the sandbox is not ready');
      expectSame((await runtime.listPodSandboxes()).length, 1, 'it is listed until it is removed');
    },
  },
  {
    promise: 'stopping a sandbox kills its containers',
    run: async (harness) => {
      const { runtime } = harness;
      const { sandboxId, containerId } = await startPod(harness, { does: 'ignoreTerm' });
      await complete(harness, runtime.stopPodSandbox(sandboxId));
      const { state, exitCode } = await statusOf(harness, containerId);
      expectSame([state, exitCode], ['exited', 137], 'the container was killed when the call resolves');
    },
  },
  {
    promise: 'stopping a sandbox twice, or an unknown one, resolves',
    run: async (harness) => {
      const { runtime } = harness;
      const id = await complete(harness, runtime.runPodSandbox(podConfig()));
      await complete(harness, Promise.all([runtime.stopPodSandbox(id), runtime.stopPodSandbox(id)]));
      await complete(harness, runtime.stopPodSandbox(id));
      await complete(harness, runtime.stopPodSandbox('unknown'));
    },
  },
  {
    promise: 'removing a sandbox removes its containers, also running ones',
    run: async (harness) => {
      const { runtime } = harness;
      const { sandboxId } = await startPod(harness, { does: 'run' });
      await complete(harness, runtime.removePodSandbox(sandboxId));
      const status = await runtime.podStatus('uid-1');
      expectSame([status.sandboxes.length, status.containers.length], [0, 0], 'nothing of the pod is left');
      expectSame((await runtime.listContainers()).length, 0, 'no container is listed');
    },
  },
  {
    promise: 'removing a sandbox twice, or an unknown one, resolves',
    run: async (harness) => {
      const { runtime } = harness;
      const id = await complete(harness, runtime.runPodSandbox(podConfig()));
      await complete(harness, Promise.all([runtime.removePodSandbox(id), runtime.removePodSandbox(id)]));
      await complete(harness, runtime.removePodSandbox(id));
      await complete(harness, runtime.removePodSandbox('unknown'));
    },
  },
  {
    promise: 'lists of sandboxes are ordered by creation and filtered by identifier, pod and state',
    run: async (harness) => {
      const { runtime } = harness;
      const a = await complete(harness, runtime.runPodSandbox(podConfig({ uid: 'a' })));
      const b = await complete(harness, runtime.runPodSandbox(podConfig({ uid: 'b' })));
      await complete(harness, runtime.stopPodSandbox(a));
      const ids = async (filter = {}): Promise<readonly string[]> =>
        (await runtime.listPodSandboxes(filter)).map(({ id }) => id);
      expectSame(await ids(), [a, b], 'the oldest is first');
      expectSame(await ids({ id: b }), [b], 'by identifier');
      expectSame(await ids({ podUid: 'a' }), [a], 'by pod');
      expectSame(await ids({ state: 'ready' }), [b], 'by state');
      expectSame(await ids({ podUid: 'a', state: 'ready' }), [], 'all fields must match');
    },
  },
  {
    promise: 'a sandbox that replaces another is a sandbox of the same pod, newest first',
    run: async (harness) => {
      const { runtime } = harness;
      const first = await complete(harness, runtime.runPodSandbox(podConfig()));
      await complete(harness, runtime.stopPodSandbox(first));
      const second = await complete(harness, runtime.runPodSandbox(podConfig({ attempt: 1 })));
      const { sandboxes } = await runtime.podStatus('uid-1');
      expectSame(
        sandboxes.map(({ id, attempt }) => [id, attempt]),
        [
          [second, 1],
          [first, 0],
        ],
        'both sandboxes are reported',
      );
    },
  },
  {
    promise: 'an unknown pod has neither sandboxes nor containers',
    run: async ({ runtime }) => {
      expectSame(await runtime.podStatus('unknown'), { sandboxes: [], containers: [] }, 'the status is empty');
    },
  },
  {
    promise: 'a sandbox that was stopped takes no further containers',
    run: async (harness) => {
      const { runtime } = harness;
      const id = await complete(harness, runtime.runPodSandbox(podConfig()));
      await complete(harness, runtime.stopPodSandbox(id));
      const config = containerConfig(harness, { does: 'run' });
      await expectCode(harness, () => createIn(harness, id, config), 'FailedPrecondition', 'creating a container');
    },
  },
  {
    promise: 'the data of a pod can be removed after its sandboxes, more than once, and for an unknown pod',
    run: async (harness) => {
      const { runtime } = harness;
      const id = await complete(harness, runtime.runPodSandbox(podConfig()));
      await complete(harness, runtime.removePodSandbox(id));
      await complete(harness, runtime.removePodData('uid-1'));
      await complete(harness, runtime.removePodData('uid-1'));
      await complete(harness, runtime.removePodData('unknown'));
    },
  },
];
