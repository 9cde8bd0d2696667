// Promises about logs, exec and attach.
import { exitCodeOf } from '../../core/index.js';
import type { ChannelMessage } from '../../core/index.js';
import { isRuntimeError } from '../../nodeagent/index.js';
import { expectSame, expectThat } from '../store-suite/expect.js';
import type { ProgramBehaviour, MadePod, RuntimeCheck, RuntimeHarness } from './harness.js';
import {
  channelText,
  containerConfig,
  createIn,
  exitOf,
  expectCode,
  printedLines,
  logOf,
  openStream,
  podConfig,
  complete,
  startPod,
  statusOf,
  text,
  until,
  utf8,
} from './harness.js';

const threeLines: ProgramBehaviour = { does: 'print', stdout: ['one', 'two', 'three'], stderr: [], then: 'exit' };

/** Runs a container to its end. */
async function ended(harness: RuntimeHarness, behaviour: ProgramBehaviour): Promise<string> {
  const { containerId } = await startPod(harness, behaviour);
  await exitOf(harness, containerId);
  return containerId;
}

/** Starts a container that reads stdin. */
function startEcho(harness: RuntimeHarness, stdinOnce: boolean): Promise<MadePod> {
  return startPod(harness, { does: 'echo' }, { container: { stdin: true, stdinOnce } });
}

function codeOf(messages: readonly ChannelMessage[]): number | undefined {
  const last = messages.at(-1);
  return last?.type === 'close' ? exitCodeOf(last.status) : undefined;
}

/** Checks of logs. */
export const logChecks: readonly RuntimeCheck[] = [
  {
    promise: 'a log has the lines of both outputs, each in its order, without line ends',
    run: async (harness) => {
      const id = await ended(harness, { does: 'print', stdout: ['a', 'b'], stderr: ['c', 'd'], then: 'exit' });
      const lines = await printedLines(harness, id);
      const of = (stream: string): readonly string[] => lines.filter((line) => line.startsWith(stream));
      expectSame(of('stdout'), ['stdout a', 'stdout b'], 'the lines of stdout');
      expectSame(of('stderr'), ['stderr c', 'stderr d'], 'the lines of stderr');
    },
  },
  {
    promise: 'log entries have times between the start and the end of the container, which do not go back',
    run: async (harness) => {
      const id = await ended(harness, threeLines);
      const { createdAtMs, finishedAtMs } = await statusOf(harness, id);
      const times = (await logOf(harness, id)).map(({ atMs }) => atMs);
      expectSame(
        times,
        [...times].sort((a, b) => a - b),
        'times do not go back',
      );
      expectThat(
        times.every((atMs) => atMs >= createdAtMs && atMs <= finishedAtMs),
        'times are within the life of the container',
      );
    },
  },
  {
    promise: 'the log of a container that exited can be read until it is removed',
    run: async (harness) => {
      const id = await ended(harness, threeLines);
      expectSame((await printedLines(harness, id)).length, 3, 'the first reading');
      expectSame((await printedLines(harness, id, { follow: true })).length, 3, 'a reading that follows ends as well');
      await complete(harness, harness.runtime.removeContainer(id));
      await expectCode(harness, () => logOf(harness, id), 'NotFound', 'the log of a removed container');
    },
  },
  {
    promise: 'the log of an unknown container errors with NotFound',
    run: (harness) => expectCode(harness, () => logOf(harness, 'unknown'), 'NotFound', 'an unknown log'),
  },
  {
    promise: 'tailLines selects the last lines, and 0 selects none',
    run: async (harness) => {
      const id = await ended(harness, threeLines);
      const tail = (tailLines: number): Promise<readonly string[]> =>
        printedLines(harness, id, { follow: false, tailLines });
      expectSame(await tail(2), ['stdout two', 'stdout three'], 'two lines');
      expectSame(await tail(0), [], 'no line');
      expectSame((await tail(100)).length, 3, 'more lines than there are');
    },
  },
  {
    promise: 'sinceMs leaves out what was written before',
    run: async (harness) => {
      const id = await ended(harness, threeLines);
      const entries = await logOf(harness, id);
      const last = entries.at(-1)?.atMs ?? 0;
      expectSame(
        (await logOf(harness, id, { follow: false, sinceMs: last + 1 })).length,
        0,
        'nothing is later than the last line',
      );
      expectSame((await logOf(harness, id, { follow: false, sinceMs: 0 })).length, 3, 'everything is later than 1970');
    },
  },
  {
    promise: 'a log that is followed emits lines while the container runs, and completes after its exit',
    run: async (harness) => {
      const { runtime } = harness;
      const { containerId } = await startPod(harness, { ...threeLines, then: 'run' });
      const reading = printedLines(harness, containerId, { follow: true });
      await until(harness, async () => (await logOf(harness, containerId)).length === 3, 'the container prints');
      await complete(harness, runtime.stopContainer(containerId, 60_000));
      expectSame(await reading, ['stdout one', 'stdout two', 'stdout three'], 'all lines');
    },
  },
  {
    promise: 'a log that is not followed completes while the container runs',
    run: async (harness) => {
      const { containerId } = await startPod(harness, { ...threeLines, then: 'run' });
      await until(harness, async () => (await logOf(harness, containerId)).length === 3, 'the container prints');
    },
  },
  {
    promise: 'two readers of one log get the same',
    run: async (harness) => {
      const { containerId } = await startPod(harness, threeLines);
      const [first, second] = await Promise.all([
        printedLines(harness, containerId, { follow: true }),
        printedLines(harness, containerId, { follow: true }),
      ]);
      expectSame(first, second, 'both readings');
      expectSame(first.length, 3, 'all lines');
    },
  },
  {
    promise: 'an endless line is split into bounded entries that are marked as partial',
    needs: ['output'],
    run: async (harness) => {
      const bytes = 100_000;
      const id = await ended(harness, { does: 'printLong', bytes });
      const entries = await logOf(harness, id);
      expectThat(
        entries.every((entry) => entry.bytes.length <= 65_536),
        'no entry is longer than 64 KiB',
      );
      expectSame(
        entries.reduce((sum, entry) => sum + entry.bytes.length, 0),
        bytes,
        'nothing is lost',
      );
      expectThat(
        entries.slice(0, -1).every(({ isPartial }) => isPartial),
        'all entries but the last are partial',
      );
    },
  },
  {
    promise: 'each instance of a container has a log of its own',
    run: async (harness) => {
      const { runtime } = harness;
      const { sandboxId, containerId } = await startPod(harness, threeLines);
      await exitOf(harness, containerId);
      const again = await createIn(
        harness,
        sandboxId,
        containerConfig(harness, { does: 'print', stdout: ['again'], stderr: [], then: 'exit' }, { attempt: 1 }),
      );
      await complete(harness, runtime.startContainer(again));
      await exitOf(harness, again);
      expectSame(await printedLines(harness, again), ['stdout again'], 'the new log');
      expectSame((await printedLines(harness, containerId)).length, 3, 'the old log');
    },
  },
];

/** Checks of exec. */
export const execChecks: readonly RuntimeCheck[] = [
  {
    promise: 'a command that runs to its end returns both outputs and the exit code',
    needs: ['exec'],
    run: async (harness) => {
      const { runtime, command } = harness;
      const { containerId } = await startPod(harness, { does: 'run' });
      const printed = await complete(
        harness,
        runtime.execSync(containerId, command({ does: 'print', stdout: 'out', stderr: 'err' }), 60_000),
      );
      expectSame(
        [printed.exitCode, text(printed.stdout).trim(), text(printed.stderr).trim()],
        [0, 'out', 'err'],
        'code and outputs',
      );
      const failed = await complete(harness, runtime.execSync(containerId, command({ does: 'exit', code: 5 }), 60_000));
      expectSame(failed.exitCode, 5, 'the exit code of a command that fails');
    },
  },
  {
    promise: 'a command that takes too long is killed, and the call rejects with DeadlineExceeded',
    needs: ['exec'],
    run: async (harness) => {
      const { runtime, command } = harness;
      const { containerId } = await startPod(harness, { does: 'run' });
      const hang = command({ does: 'hang' });
      await expectCode(harness, () => runtime.execSync(containerId, hang, 200), 'DeadlineExceeded', 'a command');
      expectSame((await statusOf(harness, containerId)).state, 'running', 'the container still runs');
    },
  },
  {
    promise: 'a command in a container that does not run is refused as FailedPrecondition',
    needs: ['exec'],
    run: async (harness) => {
      const { runtime, command } = harness;
      const sandboxId = await complete(harness, runtime.runPodSandbox(podConfig()));
      const id = await createIn(harness, sandboxId, containerConfig(harness, { does: 'run' }));
      const call = (): Promise<unknown> => runtime.execSync(id, command({ does: 'exit', code: 0 }), 1000);
      await expectCode(harness, call, 'FailedPrecondition', 'before the start');
      await complete(harness, runtime.startContainer(id));
      await complete(harness, runtime.stopContainer(id, 0));
      await expectCode(harness, call, 'FailedPrecondition', 'after the exit');
    },
  },
  {
    promise: 'the output of a command is not part of the log',
    needs: ['exec'],
    run: async (harness) => {
      const { runtime, command } = harness;
      const { containerId } = await startPod(harness, { does: 'run' });
      const print = command({ does: 'print', stdout: 'out', stderr: 'err' });
      await complete(harness, runtime.execSync(containerId, print, 60_000));
      expectSame(await logOf(harness, containerId), [], 'the log is empty');
    },
  },
  {
    promise: 'a command with streams sends its outputs and closes with its exit code',
    needs: ['exec'],
    run: async (harness) => {
      const { runtime, command } = harness;
      const { containerId } = await startPod(harness, { does: 'run' });
      const print = command({ does: 'print', stdout: 'out', stderr: 'err' });
      const { messages } = openStream<'stdout' | 'stderr', 'stdin' | 'resize'>((channels) =>
        runtime.exec(containerId, { command: print, stdin: false, stdout: true, stderr: true, tty: false }, channels),
      );
      const all = await complete(harness, messages);
      expectSame(
        [channelText(all, 'stdout').trim(), channelText(all, 'stderr').trim(), codeOf(all)],
        ['out', 'err', 0],
        'outputs and code',
      );
      const failing = openStream<'stdout' | 'stderr', 'stdin' | 'resize'>((channels) =>
        runtime.exec(
          containerId,
          { command: command({ does: 'exit', code: 6 }), stdin: false, stdout: true, stderr: true, tty: false },
          channels,
        ),
      );
      expectSame(codeOf(await complete(harness, failing.messages)), 6, 'the exit code of a command that fails');
    },
  },
  {
    promise: 'a command reads stdin until its end, a megabyte without loss',
    needs: ['exec', 'stdin'],
    run: async (harness) => {
      const { runtime, command } = harness;
      const { containerId } = await startPod(harness, { does: 'run' });
      const { client, messages } = openStream<'stdout' | 'stderr', 'stdin' | 'resize'>((channels) =>
        runtime.exec(
          containerId,
          { command: command({ does: 'echo' }), stdin: true, stdout: true, stderr: true, tty: false },
          channels,
        ),
      );
      const piece = utf8('0123456789abcdef'.repeat(1024));
      for (let sent = 0; sent < 64; sent++) await complete(harness, client.output('stdin', piece) ?? Promise.resolve());
      client.end('stdin');
      const all = await complete(harness, messages);
      expectSame(
        [channelText(all, 'stdout').length, codeOf(all)],
        [64 * piece.length, 0],
        'size of the output and code',
      );
    },
  },
  {
    promise: 'a client that disconnects ends its command, not the container',
    needs: ['exec'],
    run: async (harness) => {
      const { runtime, command } = harness;
      const { containerId } = await startPod(harness, { does: 'run' });
      const { client, messages } = openStream<'stdout' | 'stderr', 'stdin' | 'resize'>((channels) =>
        runtime.exec(
          containerId,
          { command: command({ does: 'hang' }), stdin: false, stdout: true, stderr: true, tty: false },
          channels,
        ),
      );
      client.close();
      await complete(harness, messages);
      expectSame((await statusOf(harness, containerId)).state, 'running', 'the container still runs');
    },
  },
  {
    promise: 'commands end with their container',
    needs: ['exec', 'commandKill'],
    run: async (harness) => {
      const { runtime, command } = harness;
      const { containerId } = await startPod(harness, { does: 'run' });
      const call = runtime.execSync(containerId, command({ does: 'hang' }), 0);
      const ended = call.then(
        ({ exitCode }) => exitCode,
        (error: unknown) => (isRuntimeError(error) ? 137 : 0),
      );
      await until(harness, () => true, 'a turn');
      await complete(harness, runtime.stopContainer(containerId, 0));
      expectThat((await complete(harness, ended)) !== 0, 'the command did not succeed');
    },
  },
];

/** Checks of attach. */
export const attachChecks: readonly RuntimeCheck[] = [
  {
    promise: 'an attached client talks to the main process, and its input ends with stdinOnce',
    needs: ['attach', 'stdin'],
    run: async (harness) => {
      const { runtime } = harness;
      const { containerId } = await startEcho(harness, true);
      const { client, messages } = openStream<'stdout' | 'stderr', 'stdin' | 'resize'>((channels) =>
        runtime.attach(containerId, { stdin: true, stdout: true, stderr: true, tty: false }, channels),
      );
      await complete(harness, client.output('stdin', utf8('hello\n')) ?? Promise.resolve());
      client.end('stdin');
      expectSame(channelText(await complete(harness, messages), 'stdout'), 'hello\n', 'what was typed comes back');
      expectSame((await exitOf(harness, containerId)).exitCode, 0, 'the container ended with its input');
      expectSame(await printedLines(harness, containerId), ['stdout hello'], 'the log has it, too');
    },
  },
  {
    promise: 'without stdinOnce the input stays open for the next client',
    needs: ['attach', 'stdin'],
    run: async (harness) => {
      const { runtime } = harness;
      const { containerId } = await startEcho(harness, false);
      for (const word of ['first', 'second']) {
        const { client } = openStream<'stdout' | 'stderr', 'stdin' | 'resize'>((channels) =>
          runtime.attach(containerId, { stdin: true, stdout: true, stderr: true, tty: false }, channels),
        );
        await complete(harness, client.output('stdin', utf8(`${word}\n`)) ?? Promise.resolve());
        await until(
          harness,
          async () => (await printedLines(harness, containerId)).includes(`stdout ${word}`),
          `${word} is written`,
        );
        client.close();
      }
      expectSame((await statusOf(harness, containerId)).state, 'running', 'the container still runs');
    },
  },
  {
    promise: 'attaching to a container that does not run fails',
    needs: ['attach'],
    run: async (harness) => {
      const { runtime } = harness;
      const id = await ended(harness, { does: 'exit', code: 0 });
      const { messages } = openStream<'stdout' | 'stderr', 'stdin' | 'resize'>((channels) =>
        runtime.attach(id, { stdin: false, stdout: true, stderr: true, tty: false }, channels),
      );
      const last = (await complete(harness, messages)).at(-1);
      expectThat(last?.type === 'close' && last.status.status === 'Failure', 'the stream is closed with a failure');
    },
  },
];
