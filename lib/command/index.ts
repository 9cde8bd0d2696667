// The command line: reads its arguments, does what they say, and answers with an exit code. The only file that knows
// the process; bin/vivarium.js calls it.
import { watch } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { EventEmitter } from 'node:events';
import { Observable } from 'rxjs';
import { FlagError } from './flag-table.js';
import { parseCommandLine, usage } from './flags.js';
import { schedule } from './scheduler.js';
import { serve } from './serve.js';
import type { CommandEnvironment } from './environment.js';

export { FlagError } from './flag-table.js';
export { parseCommandLine, usage } from './flags.js';
export type { CommandLine, ServeFlags, StorageFlag } from './flags.js';
export { schedule } from './scheduler.js';
export type { RunningScheduler } from './scheduler.js';
export type { MetricsAddress, SchedulerFlags, ServedSchedulerFlags } from './scheduler-flags.js';
export { serve } from './serve.js';
export type { ServedCluster } from './serve.js';
export type { CommandEnvironment } from './environment.js';
export type { WebhookConnection, WebhookConnectionOptions } from './webhook-connection.js';
export { connectWebhook, fileProblem } from './webhook-connection.js';

/** What a command line runs in. */
export interface CommandProcess {
  readonly args: readonly string[];
  readonly version: string;
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  /** Where SIGINT and SIGTERM are heard. */
  readonly signals: Pick<EventEmitter, 'once' | 'off'>;
}

/** Runs a command line to its end and answers its exit code: 0, 1 for what failed, 2 for what made no sense. */
export async function run({ args, version, stdout, stderr, signals }: CommandProcess): Promise<number> {
  try {
    const line = parseCommandLine(args);
    const environment: CommandEnvironment = { ...files, print: (text) => void stdout.write(`${text}\n`) };
    if (line.command === 'serve') await untilTold(() => serve(line.flags, environment), environment, signals);
    else if (line.command === 'scheduler')
      await untilTold(() => schedule(line.flags, environment), environment, signals);
    else stdout.write(line.command === 'help' ? usage : `vivarium ${version} (Kubernetes v1.36)\n`);
    return 0;
  } catch (error) {
    stderr.write(`vivarium: ${error instanceof Error ? error.message : String(error)}\n`);
    if (!(error instanceof FlagError)) return 1;
    stderr.write('Run vivarium --help for what it takes.\n');
    return 2;
  }
}

const files: Omit<CommandEnvironment, 'print'> = {
  readFile: (path) => readFile(path, 'utf8'),
  async findFile(path) {
    try {
      return await readFile(path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  },
  async writeFile(path, text) {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(path, text, { mode: 0o600 });
  },
  removeFile: (path) => rm(path, { force: true }),
  temporaryFile: (name) => join(tmpdir(), name),
  // The folder rather than the file: whoever replaces a file by renaming another leaves a watch of the old one behind.
  // In folders that kubelets fill, files are links through `..data`, and that is what is replaced.
  fileChanges: (path) =>
    new Observable((subscriber) => {
      const watching = watch(dirname(path), (_, name) => {
        if (name === null || name === basename(path) || name === '..data') subscriber.next();
      });
      watching.on('error', () => watching.close()); // the file is looked at now and then anyway
      return () => watching.close();
    }),
};

async function untilTold(
  start: () => Promise<{ close(): Promise<void> }>,
  environment: CommandEnvironment,
  signals: CommandProcess['signals'],
): Promise<void> {
  // Heard from the start: who stops something that is still starting gets one that ends right after.
  const told = new Promise<void>((resolve) => {
    const stop = (): void => {
      signals.off('SIGINT', stop);
      signals.off('SIGTERM', stop);
      resolve();
    };
    signals.once('SIGINT', stop);
    signals.once('SIGTERM', stop);
  });
  const started = await start();
  await told;
  environment.print('vivarium is stopping');
  await started.close();
}
