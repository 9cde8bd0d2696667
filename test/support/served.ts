// The server as `vivarium serve` starts it, in the process of the test: TLS, a port, a kubeconfig.
import { EventEmitter, once } from 'node:events';
import { NEVER } from 'rxjs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseCommandLine, run, serve } from '../../lib/command/index.js';
import type { CommandProcess } from '../../lib/command/index.js';

/** A running server. */
export interface Served {
  readonly url: string;
  readonly port: number;
  /** The kubeconfig's text. */
  readonly kubeconfig: string;
  close(): Promise<void>;
}

/**
 * The controllers that tests of an API server alone run: those that do not change workloads, so that responses depend
 * on requests only.
 */
export const fewControllers =
  '--controllers=clusterrole-aggregation-controller,serviceaccount-token-controller,' +
  'persistentvolume-binder-controller,ephemeral-volume-controller,namespace-controller,resourcequota-controller';

/** Starts one with the flags of the command line; a free port, unless they name one. */
export async function startServer(...flags: readonly string[]): Promise<Served> {
  const folder = mkdtempSync(join(tmpdir(), 'vivarium-served-'));
  const line = parseCommandLine(['serve', '--port=0', `--kubeconfig-out=${join(folder, 'kubeconfig')}`, ...flags]);
  if (line.command !== 'serve') throw new Error('the command line is one of serve');
  const serving = await serve(line.flags, {
    print: () => undefined,
    readFile: (path) => readFile(path, 'utf8'),
    findFile: (path) => readFile(path, 'utf8').catch(() => undefined),
    findPrivateFile: (path) => readFile(path, 'utf8').catch(() => undefined),
    writeFile: (path, text) => writeFile(path, text, { mode: 0o600 }),
    changeFile: () => Promise.reject(new Error('the kubeconfig of the user is not changed')),
    removeFile: (path) => rm(path),
    fileChanges: () => NEVER,
    createPrivateFolder: () => Promise.resolve(folder),
    removeFolder: () => Promise.resolve(),
    userKubeconfigPath: () => join(folder, 'config'),
  });
  const kubeconfig = readFileSync(serving.kubeconfigPath, 'utf8');
  rmSync(folder, { recursive: true });
  return { url: serving.url, port: Number(new URL(serving.url).port), kubeconfig, close: () => serving.close() };
}

/** A command line that is under way. */
export interface RunningCommand extends Served {
  /** Settles when it has printed a line with these words. */
  said(words: string): Promise<void>;
}

/**
 * Runs the whole command line, on the real file system and by the signals of a process; another build of it, if one is
 * given.
 */
export async function runCommand(
  flags: readonly string[],
  command: (process: CommandProcess) => Promise<number> = run,
): Promise<RunningCommand> {
  const folder = mkdtempSync(join(tmpdir(), 'vivarium-command-'));
  const path = join(folder, 'kubeconfig');
  const signals = new EventEmitter();
  const lines: string[] = [];
  const complaints: string[] = [];
  const print = (text: string): void => {
    lines.push(text.trimEnd());
    signals.emit('printed');
  };
  const said = async (words: string): Promise<void> => {
    while (!lines.some((line) => line.includes(words))) await once(signals, 'printed');
  };
  const ended = command({
    args: ['serve', '--port=0', `--kubeconfig-out=${path}`, ...flags],
    version: 'test',
    stdout: { write: print },
    stderr: { write: (text) => complaints.push(text) },
    signals,
  });
  const kubeconfig = await Promise.race([
    said('try: '),
    ended.then(() => Promise.reject(new Error(complaints.join('')))),
  ])
    .then(() => readFileSync(path, 'utf8'))
    .finally(() => rmSync(folder, { recursive: true }));
  const url = lines[0]?.split(' ').at(-1) ?? '';
  return {
    url,
    port: Number(new URL(url).port),
    kubeconfig,
    said,
    close: async () => {
      signals.emit('SIGTERM');
      await ended;
    },
  };
}
