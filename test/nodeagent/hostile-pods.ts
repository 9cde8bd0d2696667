// Pods that try to leave their folder or to fill the machine, on the process runtime: nothing outside the folder of the
// runtime is read or written for them, and memory, files and processes stay bounded.
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { lastValueFrom, reduce } from 'rxjs';
import t from 'tap';
import type { Test } from 'tap';
import type { ContainerConfig, PodVolume } from '../../lib/nodeagent/index.js';
import { processRuntime } from '../../lib/nodeagent/process/index.js';
import { containerConfig, createIn, exitOf, podConfig, startPod } from '../../lib/testing/runtime-suite/harness.js';
import type { RuntimeHarness } from '../../lib/testing/runtime-suite.js';
import { markedProcesses, shellCommand, shellProgram } from '../support/process-programs.js';

const skip = process.platform === 'linux' ? false : 'the process table is read from /proc';
const timeout = 600_000;

interface HostilePlace extends RuntimeHarness {
  /** The folder of the runtime. */
  readonly folder: string;
  /** A folder beside it that no pod may touch, with the file `secret`. */
  readonly outside: string;
}

let places = 0;

async function place(t: Test): Promise<HostilePlace> {
  const parent = mkdtempSync(join(tmpdir(), 'vivarium-hostile-'));
  const [folder, outside] = [join(parent, 'node'), join(parent, 'outside-of-it')];
  writeFileSync(`${parent}/secret`, 'do not read');
  const podCidr = `10.${210 + (places++ % 40)}.0.0/16`;
  const runtime = await processRuntime({ folder, podCidr, logFileBytesMax: 64 * 1024, logFilesMax: 3 });
  t.teardown(async () => {
    await runtime.close?.();
    rmSync(parent, { recursive: true, force: true });
  });
  return {
    runtime,
    program: shellProgram,
    command: shellCommand,
    image: 'host',
    missingImage: 'registry.test/missing:1',
    patienceMs: 300_000,
    dispose: async () => runtime.close?.(),
    folder,
    outside,
  };
}

const scratch: PodVolume = { name: 'scratch', source: { type: 'emptyDir', medium: '' } };
const mounted = (subPath = '') => [{ volume: 'scratch', containerPath: '/data', subPath, isReadOnly: false }];
const shell = (text: string, more: Partial<ContainerConfig> = {}): Partial<ContainerConfig> => ({
  command: ['sh', '-c', text],
  ...more,
});

/** The bytes of all files below a folder. */
function sizeOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

t.test('a sub-path through a link of the container is refused', { skip, timeout }, async (t) => {
  const harness = await place(t);
  const { sandboxId, containerId } = await startPod(
    harness,
    { does: 'run' },
    {
      pod: { volumes: [scratch] },
      container: shell(`ln -s ${join(harness.outside, '..')} "$VIVARIUM_ROOT/data/way"`, { mounts: mounted() }),
    },
  );
  t.equal((await exitOf(harness, containerId)).exitCode, 0);
  for (const subPath of ['way', 'way/outside-of-it', 'way/secret', '../..']) {
    const config = containerConfig(
      harness,
      { does: 'run' },
      { name: `sub-${subPath.length}`, mounts: mounted(subPath) },
    );
    await t.rejects(
      createIn(harness, sandboxId, config).then((id) => harness.runtime.startContainer(id)),
      { name: 'RuntimeError' },
      subPath,
    );
  }
  t.notOk(existsSync(harness.outside), 'no folder was created outside');
});

t.test('names and paths of the API cannot leave the folder', { skip, timeout }, async (t) => {
  const harness = await place(t);
  const { runtime } = harness;
  for (const uid of ['..', '../outside-of-it', 'a/b', '', '.', 'a\0b', 'x'.repeat(300)])
    await t.rejects(runtime.runPodSandbox(podConfig({ uid })), { name: 'RuntimeError' }, JSON.stringify(uid));
  const bytes = new TextEncoder().encode('x');
  for (const path of ['../../../../outside-of-it', '/../x/../../outside-of-it', 'a/../../b', 'a\0b']) {
    const files = new Map([[path, { bytes, mode: 0o644 }]]);
    const volumes: readonly PodVolume[] = [{ name: 'files', source: { type: 'files', files, isSecret: false } }];
    await t.rejects(runtime.runPodSandbox(podConfig({ volumes })), { name: 'RuntimeError' }, JSON.stringify(path));
  }
  for (const name of ['..', '../../outside-of-it', 'a/b'])
    await t.rejects(runtime.runPodSandbox(podConfig({ volumes: [{ ...scratch, name }] })), { name: 'RuntimeError' });
  const sandboxId = await runtime.runPodSandbox(podConfig({ volumes: [scratch] }));
  for (const containerPath of ['/..', '/../../outside-of-it', '/a/../../b', '/']) {
    const mounts = mounted().map((mount) => ({ ...mount, containerPath }));
    const config = containerConfig(harness, { does: 'run' }, { name: `at-${containerPath.length}`, mounts });
    await t.rejects(
      createIn(harness, sandboxId, config).then((id) => runtime.startContainer(id)),
      { name: 'RuntimeError' },
      containerPath,
    );
  }
  t.notOk(existsSync(harness.outside));
});

t.test('a termination message that is a link, a pipe or too long is not read', { skip, timeout }, async (t) => {
  const harness = await place(t);
  const file = '"$VIVARIUM_ROOT/dev/termination-log"';
  const scripts = [
    `rm -f ${file}; ln -s ${join(harness.outside, '..', 'secret')} ${file}`,
    `rm -f ${file}; mkfifo ${file}`,
    `head -c 1000000 /dev/zero > ${file}`,
  ];
  for (const [at, text] of scripts.entries()) {
    const pod = { uid: `uid-${at}`, name: `p${at}` };
    const { containerId } = await startPod(harness, { does: 'run' }, { pod, container: shell(text) });
    const ended = async (): Promise<string> => {
      for (;;) {
        const { containers } = await harness.runtime.podStatus(pod.uid);
        const found = containers.find(({ id }) => id === containerId);
        if (found?.state === 'exited') return found.message;
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    t.equal(await ended(), '', text);
  }
});

t.test('an environment that is too large fails the start, and the runtime goes on', { skip, timeout }, async (t) => {
  const harness = await place(t);
  const env = Array.from({ length: 64 }, (_, at) => ({ name: `BOMB_${at}`, value: 'x'.repeat(64 * 1024) }));
  const sandboxId = await harness.runtime.runPodSandbox(podConfig());
  const id = await createIn(harness, sandboxId, containerConfig(harness, { does: 'run' }, { env }));
  await t.rejects(harness.runtime.startContainer(id), { code: 'StartError', message: /argument list too long/ });
  const many = Array.from({ length: 20_000 }, (_, at) => ({ name: `N${at}`, value: '' }));
  const other = await createIn(
    harness,
    sandboxId,
    containerConfig(harness, { does: 'run' }, { attempt: 1, env: many }),
  );
  await t.rejects(harness.runtime.startContainer(other), { code: 'StartError' });
  const good = await createIn(harness, sandboxId, containerConfig(harness, { does: 'exit', code: 0 }, { attempt: 2 }));
  await harness.runtime.startContainer(good);
  t.equal((await exitOf(harness, good)).exitCode, 0);
});

t.test('a flood of commands ends, and leaves no process', { skip, timeout }, async (t) => {
  const harness = await place(t);
  const { containerId, sandboxId } = await startPod(harness, { does: 'run' });
  const results = await Promise.allSettled(
    Array.from({ length: 100 }, (_, at) => harness.runtime.execSync(containerId, ['sh', '-c', `exit ${at % 7}`], 0)),
  );
  const codes = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value.exitCode] : []));
  t.equal(codes.length, 100, 'every command ends with its code');
  t.strictSame(
    codes,
    codes.map((_, at) => at % 7),
  );
  const hanging = Array.from({ length: 20 }, () =>
    harness.runtime.execSync(containerId, ['sh', '-c', 'sleep 1000 & sleep 1000'], 0).then(
      () => 'ended',
      () => 'ended',
    ),
  );
  await harness.runtime.stopPodSandbox(sandboxId);
  t.strictSame([...new Set(await Promise.all(hanging))], ['ended']);
  t.strictSame(await markedProcesses(harness.folder), []);
});

t.test('an endless line and a flood of lines stay within the size of the log', { skip, timeout }, async (t) => {
  const harness = await place(t);
  const megabytes = 16;
  const texts = [
    `head -c ${megabytes * 2 ** 20} /dev/zero | tr '\\0' x`,
    `yes 0123456789012345678901234567890123456789 | head -c ${megabytes * 2 ** 20}`,
  ];
  for (const [at, text] of texts.entries()) {
    const before = process.memoryUsage().rss;
    const sandboxId = await harness.runtime.runPodSandbox(podConfig({ attempt: at }));
    const config = containerConfig(harness, { does: 'run' }, shell(text, { attempt: at }));
    const id = await createIn(harness, sandboxId, config);
    await harness.runtime.startContainer(id);
    t.equal((await exitOf(harness, id)).exitCode, 0);
    const logs = join(harness.folder, 'pods', 'uid-1', 'logs');
    const size = sizeOf(logs);
    t.ok(size <= 4 * 64 * 1024 * 2, `${size} bytes are kept of ${megabytes} MiB`);
    const read$ = harness.runtime.containerLog(id, { follow: false });
    const longest = await lastValueFrom(read$.pipe(reduce((max, { bytes }) => Math.max(max, bytes.length), 0)), {
      defaultValue: 0,
    });
    t.ok(longest > 0 && longest <= 16 * 1024, `the longest entry has ${longest} bytes`);
    t.ok(process.memoryUsage().rss - before < 256 * 2 ** 20, 'memory is bounded');
    await harness.runtime.stopPodSandbox(sandboxId);
    await harness.runtime.removePodSandbox(sandboxId);
    await harness.runtime.removePodData('uid-1');
  }
});

t.test('removing a pod removes its links, not what they lead to', { skip, timeout }, async (t) => {
  const harness = await place(t);
  const secret = join(harness.outside, '..', 'secret');
  const { sandboxId, containerId } = await startPod(
    harness,
    { does: 'run' },
    {
      pod: { volumes: [scratch] },
      container: shell(`ln -s ${join(harness.outside, '..')} "$VIVARIUM_ROOT/data/up"; ln -s / "$VIVARIUM_ROOT/root"`, {
        mounts: mounted(),
      }),
    },
  );
  await exitOf(harness, containerId);
  await harness.runtime.stopPodSandbox(sandboxId);
  await harness.runtime.removePodSandbox(sandboxId);
  await harness.runtime.removePodData('uid-1');
  t.ok(existsSync(secret));
  t.notOk(existsSync(join(harness.folder, 'pods', 'uid-1')));
});
