// Real kubectls: those that are installed, each with a folder of its own, so that no cache, configuration or plugin of
// the machine reaches a test. KUBECTL_FOLDER names where versions lie (`kubectl.1.33`); without it that is the folder
// in which the `kubectl` of the path lies.
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import type { Session } from './transcript.js';

/** A program. */
export interface Kubectl {
  /** As `1.33`. */
  readonly version: string;
  readonly path: string;
}

/** What to say where there is none. */
export const kubectlMissing = 'neither kubectl 1.27 nor 1.33 is installed: what it says of our server is not tested';

/**
 * The two versions that transcripts were recorded with, where they are installed; others word some answers in their own
 * way.
 */
export function kubectls(): Kubectl[] {
  const { onPath, folder } = whereKubectlIs();
  const named = [oldest, newest]
    .map((version) => ({ version, path: join(folder, `kubectl.${version}`) }))
    .filter(({ path }) => existsSync(path));
  if (named.length > 0 || onPath === undefined) return named;
  const version = versionOf(onPath);
  return version === oldest || version === newest ? [{ version, path: onPath }] : [];
}

/** All versions that are installed beside the `kubectl` of the path. */
export function allKubectls(): Kubectl[] {
  const { folder } = whereKubectlIs();
  const names = folder === '' ? [] : readdirSync(folder);
  const versions = names.flatMap((name) => /^kubectl\.(\d+\.\d+)$/.exec(name)?.[1] ?? []);
  return versions.sort().map((version) => ({ version, path: join(folder, `kubectl.${version}`) }));
}

function whereKubectlIs(): { readonly onPath: string | undefined; readonly folder: string } {
  const onPath = (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'kubectl'))
    .find((path) => existsSync(path));
  return {
    onPath,
    folder: process.env.KUBECTL_FOLDER ?? (onPath === undefined ? '' : dirname(realpathSync(onPath))),
  };
}

/** A folder in which a kubectl speaks to a server, and its end. */
export function openSession(
  { path }: Kubectl,
  server: string,
  kubeconfig: string,
): Session & { readonly dispose: () => void } {
  const home = mkdtempSync(join(tmpdir(), 'vivarium-kubectl-'));
  const at = (name: string): string => join(home, name);
  mkdirSync(at('bin'));
  mkdirSync(at('work'));
  symlinkSync(path, join(at('bin'), 'kubectl'));
  writeFileSync(at('kubeconfig'), kubeconfig, { mode: 0o600 });
  const env = {
    PATH: `${at('bin')}${delimiter}${process.env.PATH ?? ''}`,
    HOME: home,
    KUBECONFIG: at('kubeconfig'),
    LC_ALL: 'C',
    TZ: 'UTC',
  };
  return { cwd: at('work'), env, server, dispose: () => rmSync(home, { recursive: true, force: true }) };
}

const oldest = '1.27';
const newest = '1.33';

function versionOf(path: string): string {
  const text = execFileSync(path, ['version', '--client', '--output=json'], { encoding: 'utf8' });
  return /"gitVersion": "v(\d+\.\d+)/.exec(text)?.[1] ?? '';
}
