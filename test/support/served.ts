// The server as `vivarium serve` starts it, in the process of the test: TLS, a port, a kubeconfig.
import { NEVER } from 'rxjs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseCommandLine, serve } from '../../lib/command/index.js';

/** A running server. */
export interface Served {
  readonly url: string;
  readonly port: number;
  /** The kubeconfig's text. */
  readonly kubeconfig: string;
  close(): Promise<void>;
}

/** Starts one with the flags of the command line; a free port, unless they name one. */
export async function startServer(...flags: readonly string[]): Promise<Served> {
  const folder = mkdtempSync(join(tmpdir(), 'vivarium-served-'));
  const line = parseCommandLine(['serve', '--port=0', `--kubeconfig-out=${join(folder, 'kubeconfig')}`, ...flags]);
  if (line.command !== 'serve') throw new Error('the command line is one of serve');
  const serving = await serve(line.flags, {
    print: () => undefined,
    readFile: (path) => readFile(path, 'utf8'),
    findFile: (path) => readFile(path, 'utf8').catch(() => undefined),
    writeFile: (path, text) => writeFile(path, text, { mode: 0o600 }),
    removeFile: (path) => rm(path),
    fileChanges: () => NEVER,
    temporaryFile: (name) => join(folder, name),
  });
  const kubeconfig = readFileSync(serving.kubeconfigPath, 'utf8');
  rmSync(folder, { recursive: true });
  return { url: serving.url, port: Number(new URL(serving.url).port), kubeconfig, close: () => serving.close() };
}
