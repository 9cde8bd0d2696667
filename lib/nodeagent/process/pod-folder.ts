// The folder of a pod: volumes, the root folders of its containers, and logs.
//
//   pods/<uid>/volumes/<name>/                 the volume; files as the kubelet's atomic writer lays them out
//   pods/<uid>/containers/<name>_<attempt>/    the root of a container: mounts are links below it
//   pods/<uid>/logs/<name>/<attempt>.log       the log in the format of the CRI
//
// Names of the API become path segments only if they cannot leave the folder. Content of volumes is written by
// containers and therefore hostile: sub-paths are resolved and must stay within their volume.
import { cp, lstat, mkdir, readdir, realpath, rename, rm, stat, symlink, unlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { ContainerMount, PodVolume, VolumeContent, VolumeFile } from '../runtime/container-config.js';
import { RuntimeError } from '../runtime/container-runtime.js';

/** Returns a name as a path segment. Throws RuntimeError where it could leave its folder. */
export function segment(name: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,252}$/.test(name))
    throw new RuntimeError('InvalidArgument', `${JSON.stringify(name)} cannot be the name of a folder`);
  return name;
}

/** Returns the segments of a path. Throws RuntimeError for `..` and NUL. */
export function pathSegments(path: string): readonly string[] {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..') || path.includes('\0'))
    throw new RuntimeError('InvalidArgument', `path ${JSON.stringify(path)} must not contain ".."`);
  return parts;
}

/** The folder of one pod. */
export class PodFolder {
  readonly path: string;

  constructor(pods: string, uid: string) {
    this.path = join(pods, segment(uid));
  }

  /** Creates the volumes that do not exist yet. */
  async openVolumes(volumes: readonly PodVolume[]): Promise<void> {
    for (const { name, source } of volumes) {
      const path = this.#volume(name);
      if (source.type === 'hostPath') {
        await checkHostPath(source);
        await linkTo(source.path, path);
      } else {
        await mkdir(path, { recursive: true });
        if (source.type === 'files') await replaceFiles(path, source.files);
      }
    }
  }

  /** Replaces the files of a volume at once. */
  async updateVolume({ name, source }: PodVolume): Promise<void> {
    const path = this.#volume(name);
    if (source.type !== 'files' || !(await exists(path))) return;
    await replaceFiles(path, source.files);
  }

  /** Creates the root folder of a container with its mounts. Resolves with its path. */
  async createRoot(name: string, attempt: number, mounts: readonly ContainerMount[]): Promise<string> {
    const root = this.rootPath(name, attempt);
    await rm(root, { recursive: true, force: true });
    await mkdir(root, { recursive: true, mode: 0o755 });
    const paths = mounts.map(({ containerPath }) => pathSegments(containerPath).join('/'));
    for (const [at, mount] of mounts.entries()) {
      const path = paths[at] ?? '';
      if (path === '' || paths.some((other, index) => index !== at && `${path}/`.startsWith(`${other}/`)))
        throw new RuntimeError(
          'InvalidArgument',
          `a volume cannot be mounted at ${JSON.stringify(mount.containerPath)}: mounts must not contain each other`,
        );
      const link = join(root, path);
      await mkdir(dirname(link), { recursive: true });
      await symlink(await this.#mountSource(mount, `${root}.copy-${at}`), link);
    }
    return root;
  }

  /** The root folder of a container. */
  rootPath(name: string, attempt: number): string {
    return join(this.path, 'containers', `${segment(name)}_${attempt}`);
  }

  /** The file of a container's log. */
  logPath(name: string, attempt: number): string {
    return join(this.path, 'logs', segment(name), `${attempt}.log`);
  }

  /** Removes the root folder of a container; volumes and logs stay. */
  async removeRoot(name: string, attempt: number): Promise<void> {
    const root = this.rootPath(name, attempt);
    await rm(root, { recursive: true, force: true });
    const parent = dirname(root);
    for (const entry of await entriesOf(parent))
      if (entry.startsWith(`${segment(name)}_${attempt}.copy-`))
        await rm(join(parent, entry), { recursive: true, force: true });
  }

  /** Removes everything. Links are removed, not what they lead to. */
  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }

  #volume(name: string): string {
    return join(this.path, 'volumes', segment(name));
  }

  /** Returns what a mount leads to. A sub-path of files is a copy, since such mounts are not updated. */
  async #mountSource({ volume, subPath }: ContainerMount, copyPath: string): Promise<string> {
    const path = this.#volume(volume);
    if (!(await exists(path))) throw new RuntimeError('InvalidArgument', `no volume ${JSON.stringify(volume)}`);
    if (subPath === '') return path;
    const base = await realpath(path);
    const isFiles = await exists(join(base, dataLink));
    const parts = pathSegments(subPath);
    const inner = join(base, ...parts);
    if (!isFiles) await createWithin(base, parts);
    const resolved = await realpath(inner).catch(() => undefined);
    if (resolved === undefined || !isWithin(base, resolved))
      throw new RuntimeError('InvalidArgument', `the sub-path ${JSON.stringify(subPath)} is not within its volume`);
    if (!isFiles) return resolved;
    await rm(copyPath, { recursive: true, force: true });
    await cp(resolved, copyPath, { recursive: true, dereference: false });
    return copyPath;
  }
}

/** Creates the folders of a sub-path that do not exist; never through a link. */
async function createWithin(base: string, parts: readonly string[]): Promise<void> {
  let path = base;
  for (const part of parts) {
    path = join(path, part);
    const found = await lstat(path).catch(() => undefined);
    if (found === undefined) await mkdir(path);
    else if (found.isSymbolicLink()) return;
  }
}

function isWithin(base: string, path: string): boolean {
  const way = relative(base, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !way.startsWith(sep);
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

async function entriesOf(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []);
}

async function linkTo(target: string, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await rm(path, { force: true });
  await symlink(target, path);
}

const dataLink = '..data';

/**
 * Writes files as the kubelet does (pkg/volume/util/atomic_writer.go): into a new folder to which the link `..data` is
 * moved, so that a reader sees all old or all new files. Each first segment is a link through `..data`.
 */
async function replaceFiles(volume: string, files: ReadonlyMap<string, VolumeFile>): Promise<void> {
  const before = await entriesOf(volume);
  const version = 1 + Math.max(0, ...before.flatMap((entry) => Number(/^\.\.v(\d+)$/.exec(entry)?.[1] ?? 0)));
  const folder = join(volume, `..v${version}`);
  await mkdir(folder, { mode: 0o755 });
  const tops = new Set<string>();
  for (const [path, { bytes, mode }] of files) {
    const parts = pathSegments(path);
    const [top] = parts;
    if (top === undefined) continue;
    tops.add(top);
    await mkdir(join(folder, ...parts.slice(0, -1)), { recursive: true });
    await writeFile(join(folder, ...parts), bytes, { mode: mode & 0o777 });
  }
  const pending = join(volume, '..data_tmp');
  await rm(pending, { force: true });
  await symlink(`..v${version}`, pending);
  await rename(pending, join(volume, dataLink));
  for (const top of tops) if (!before.includes(top)) await symlink(join(dataLink, top), join(volume, top));
  for (const entry of before) {
    if (/^\.\.v\d+$/.test(entry)) await rm(join(volume, entry), { recursive: true, force: true });
    else if (!entry.startsWith('..') && !tops.has(entry)) await unlink(join(volume, entry));
  }
}

/** As pkg/volume/hostpath/host_path.go: the path must be what the volume says, or is created. */
async function checkHostPath({ path, pathType }: Extract<VolumeContent, { type: 'hostPath' }>): Promise<void> {
  if (pathType === '') return;
  if (pathType === 'DirectoryOrCreate') await mkdir(path, { recursive: true, mode: 0o755 });
  const found = await stat(path).catch(() => undefined);
  if (pathType === 'FileOrCreate' && found === undefined) {
    await writeFile(path, '', { mode: 0o644, flag: 'wx' });
    return;
  }
  const checks: Readonly<Record<string, boolean | undefined>> = {
    DirectoryOrCreate: found?.isDirectory(),
    Directory: found?.isDirectory(),
    FileOrCreate: found?.isFile(),
    File: found?.isFile(),
    Socket: found?.isSocket(),
    CharDevice: found?.isCharacterDevice(),
    BlockDevice: found?.isBlockDevice(),
  };
  if (checks[pathType] !== true)
    throw new RuntimeError('InvalidArgument', `hostPath type check failed: ${path} is not a ${pathType}`);
}
