// The entry of the command line: parses arguments, runs the command and returns its exit code. The only file that uses
// the process and the file system; bin/vivarium.js calls it.
import { watch } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { EventEmitter } from 'node:events';
import { Observable } from 'rxjs';
import { FlagError } from './flag-table.js';
import { parseCommandLine, usage } from './flags.js';
import type { LogFormat } from './flags.js';
import { logWriter } from './print-log.js';
import { errorText, systemClock } from '../core/index.js';
import { userKubeconfigPath } from './merge-kubeconfig.js';
import {
  changePrivateFile,
  createPrivateFolder,
  findFile,
  findPrivateFile,
  writePrivateFile,
} from './private-files.js';
import { runControllers } from './controllers.js';
import { schedule } from './scheduler.js';
import { serve } from './serve.js';
import { printTypes } from './types.js';
import type { CommandEnvironment } from './environment.js';

export { FlagError } from './flag-table.js';
export { parseCommandLine, usage } from './flags.js';
export type { CommandLine, LogFormat, ServeFlags, StorageFlag } from './flags.js';
export { runControllers } from './controllers.js';
export type { RunningControllers } from './controllers.js';
export type { ControllersFlags } from './controllers-flags.js';
export { schedule } from './scheduler.js';
export type { RunningScheduler } from './scheduler.js';
export type { MetricsAddress, SchedulerFlags, ServedSchedulerFlags } from './scheduler-flags.js';
export { serve } from './serve.js';
export type { ServedCluster } from './serve.js';
export type { CommandEnvironment, CommandLogEntry } from './environment.js';
export type { WebhookConnection, WebhookConnectionOptions } from './webhook-connection.js';
export { connectWebhook, fileProblem } from './webhook-connection.js';

/** The process that a command runs in. */
export interface CommandProcess {
  readonly args: readonly string[];
  readonly version: string;
  /** The environment variables. Default: none. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  /** Emits SIGINT and SIGTERM. */
  readonly signals: Pick<EventEmitter, 'once' | 'off'>;
}

/** Runs a command line until it ends. Resolves to the exit code: 0, 1 after a failure, 2 for invalid arguments. */
export async function run({ args, version, env = {}, stdout, stderr, signals }: CommandProcess): Promise<number> {
  let format: LogFormat = 'text';
  try {
    const line = parseCommandLine(args);
    if (line.command === 'serve') format = line.flags.logFormat;
    const log = logWriter(format, stdout, systemClock());
    const environment: CommandEnvironment = {
      ...files,
      print: (message) => log({ level: 'info', part: 'vivarium', message }),
      log,
      userKubeconfigPath: () => userKubeconfigPath(env.KUBECONFIG),
    };
    if (line.command === 'serve') await runUntilSignal(() => serve(line.flags, environment), environment, signals);
    else if (line.command === 'scheduler')
      await runUntilSignal(() => schedule(line.flags, environment), environment, signals);
    else if (line.command === 'controller-manager')
      await runUntilSignal(() => runControllers(line.flags, environment), environment, signals);
    else if (line.command === 'types') stdout.write(await printTypes(line.files, environment));
    else stdout.write(line.command === 'help' ? usage : `vivarium ${version} (Kubernetes v1.36)\n`);
    return 0;
  } catch (error) {
    logWriter(
      format,
      stderr,
      systemClock(),
    )({ level: 'error', part: 'vivarium', message: `vivarium: ${errorText(error)}` });
    if (!(error instanceof FlagError)) return 1;
    stderr.write('Run vivarium --help for what it takes.\n');
    return 2;
  }
}

const files: Omit<CommandEnvironment, 'print' | 'userKubeconfigPath'> = {
  readFile: (path) => readFile(path, 'utf8'),
  findFile,
  findPrivateFile,
  writeFile: writePrivateFile,
  changeFile: changePrivateFile,
  removeFile: (path) => rm(path, { force: true }),
  createPrivateFolder,
  removeFolder: (path) => rm(path, { recursive: true, force: true }),
  // Watches the folder, because a watch of the file ends when another file is renamed over it. In folders that kubelets
  // write, files are links through `..data`, which is what they replace.
  fileChanges: (path) =>
    new Observable((subscriber) => {
      const watching = watch(dirname(path), (_, name) => {
        if (name === null || name === basename(path) || name === '..data') subscriber.next();
      });
      watching.on('error', () => watching.close()); // the file is polled anyway
      return () => watching.close();
    }),
};

async function runUntilSignal(
  start: () => Promise<{ close(): Promise<void> }>,
  environment: CommandEnvironment,
  signals: CommandProcess['signals'],
): Promise<void> {
  // Listens before starting: a signal during start stops the command right after it.
  const signalled = new Promise<void>((resolve) => {
    const stop = (): void => {
      signals.off('SIGINT', stop);
      signals.off('SIGTERM', stop);
      resolve();
    };
    signals.once('SIGINT', stop);
    signals.once('SIGTERM', stop);
  });
  const started = await start();
  await signalled;
  environment.print('vivarium is stopping');
  await started.close();
}
