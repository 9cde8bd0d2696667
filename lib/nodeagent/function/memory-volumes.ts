// Volumes in memory, for pods whose containers are functions. Files of a volume are replaced at once; paths cannot
// leave their volume or sub-path; the size of a volume is bounded.
import type { ContainerMount, PodVolume, VolumeContent } from '../runtime/container-config.js';
import type { MountedVolume } from './container-function.js';

/** The size of a volume without a limit of its own, in bytes. */
const volumeBytesMax = 64 * 1024 * 1024;
const filesMax = 10_000;

/** The volumes of one node. */
export class MemoryVolumes {
  readonly #byPod = new Map<string, Map<string, MemoryVolume>>();
  /** Paths of the node, which pods share. */
  readonly #hostPaths = new Map<string, MemoryVolume>();

  /** Creates the volumes of a pod that do not exist yet. */
  open(podUid: string, volumes: readonly PodVolume[]): void {
    for (const volume of volumes) this.#volume(podUid, volume);
  }

  /** Replaces the files of a volume. */
  update(podUid: string, volume: PodVolume): void {
    this.#volume(podUid, volume).replace(volume.source);
  }

  /** Removes the volumes of a pod; paths of the node stay. */
  remove(podUid: string): void {
    this.#byPod.delete(podUid);
  }

  /** Returns the mounts of a container by their paths. Throws Error for an unknown volume or an invalid sub-path. */
  mounts(podUid: string, mounts: readonly ContainerMount[]): ReadonlyMap<string, MountedVolume> {
    const own = this.#byPod.get(podUid);
    return new Map(
      mounts.map(({ volume, containerPath, subPath, isReadOnly }) => {
        const found = own?.get(volume);
        if (found === undefined) throw new Error(`no volume ${JSON.stringify(volume)}`);
        return [containerPath, found.mount(normalPath(subPath), isReadOnly)];
      }),
    );
  }

  #volume(podUid: string, { name, source }: PodVolume): MemoryVolume {
    const own = this.#byPod.get(podUid) ?? new Map<string, MemoryVolume>();
    this.#byPod.set(podUid, own);
    const known = own.get(name) ?? (source.type === 'hostPath' ? this.#hostPaths.get(source.path) : undefined);
    const volume = known ?? new MemoryVolume(source);
    own.set(name, volume);
    if (source.type === 'hostPath') this.#hostPaths.set(source.path, volume);
    return volume;
  }
}

class MemoryVolume {
  #files: ReadonlyMap<string, Uint8Array> = new Map();
  #isReadOnly = false;
  #bytesMax = volumeBytesMax;

  constructor(source: VolumeContent) {
    this.replace(source);
  }

  replace(source: VolumeContent): void {
    if (source.type === 'files') {
      this.#files = new Map([...source.files].map(([path, { bytes }]) => [normalPath(path), bytes]));
      this.#isReadOnly = true;
    } else if (source.type === 'emptyDir') this.#bytesMax = source.sizeLimitBytes ?? volumeBytesMax;
  }

  mount(subPath: string, isMountReadOnly: boolean): MountedVolume {
    const isReadOnly = isMountReadOnly || this.#isReadOnly;
    const prefix = subPath === '' ? '' : `${subPath}/`;
    // A sub-path of files is a copy: it is not updated.
    const frozen = subPath !== '' && this.#isReadOnly ? this.#files : undefined;
    const files = (): ReadonlyMap<string, Uint8Array> => frozen ?? this.#files;
    // The sub-path may be a file, which is then the whole mount.
    const at = (path: string): string => {
      const normal = normalPath(path);
      return normal === '' ? subPath : prefix + normal;
    };
    const change = (path: string, bytes: Uint8Array | undefined): void => {
      if (isReadOnly) throw new Error(`EROFS: read-only file system, ${JSON.stringify(path)}`);
      this.#set(at(path), bytes);
    };
    const read = (path: string): Uint8Array | undefined => files().get(at(path));
    return {
      isReadOnly,
      read,
      readText(path) {
        const bytes = read(path);
        return bytes && new TextDecoder().decode(bytes);
      },
      list: () =>
        [...files().keys()]
          .filter((path) => path.startsWith(prefix))
          .map((path) => path.slice(prefix.length))
          .sort(),
      write: (path, content) => change(path, typeof content === 'string' ? new TextEncoder().encode(content) : content),
      remove: (path) => change(path, undefined),
    };
  }

  #set(path: string, bytes: Uint8Array | undefined): void {
    const files = new Map(this.#files);
    if (bytes === undefined) files.delete(path);
    else files.set(path, Uint8Array.from(bytes));
    const size = [...files.values()].reduce((sum, each) => sum + each.length, 0);
    if (size > this.#bytesMax || files.size > filesMax)
      throw new Error(`ENOSPC: no space left on device, ${JSON.stringify(path)}`);
    this.#files = files;
  }
}

/** Returns a path without empty and `.` segments. Throws Error for `..` and NUL. */
function normalPath(path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..') || path.includes('\0')) throw new Error(`invalid path ${JSON.stringify(path)}`);
  return parts.join('/');
}
