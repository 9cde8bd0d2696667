// The volumes of drivers that a node has staged and published: what to undo when pods end. One per node. A volume that
// several pods use is staged once. As the reconciler of pkg/kubelet/volumemanager, for CSI.
import type { PublishedVolume, StagedVolume, VolumeDriver } from './volume-driver.js';

/** Mounts and unmounts volumes of drivers. */
export class MountedVolumes {
  readonly #drivers: ReadonlyMap<string, VolumeDriver>;
  /** Pods by the volume that they use, as `driver^handle`. */
  readonly #users = new Map<string, Set<string>>();
  /** Published volumes by pod UID, with their drivers. */
  readonly #published = new Map<string, { readonly driver: VolumeDriver; readonly volume: PublishedVolume }[]>();

  constructor(drivers: readonly VolumeDriver[]) {
    this.#drivers = new Map(drivers.map((driver) => [driver.name, driver]));
  }

  /** Returns the driver of that name. */
  driver(name: string): VolumeDriver | undefined {
    return this.#drivers.get(name);
  }

  /** Identifiers of the volumes in use, in the form of the status of a node. */
  get inUse(): readonly string[] {
    return Array.from(this.#users.keys(), (key) => `kubernetes.io/csi/${key}`).sort();
  }

  /** Stages and publishes a volume for a pod. Resolves with its path. */
  async mount(driver: VolumeDriver, volume: PublishedVolume): Promise<string> {
    const key = keyOf(driver, volume);
    const users = this.#users.get(key) ?? new Set();
    this.#users.set(key, users);
    const { uid } = volume.pod;
    const known = this.#published.get(uid) ?? [];
    if (!known.some((each) => each.driver === driver && each.volume.volume === volume.volume)) {
      // Remembered before the calls: what failed half-way is undone too.
      this.#published.set(uid, [...known, { driver, volume }]);
    }
    if (users.size === 0 && !volume.isEphemeral) await driver.stage?.(volume);
    users.add(uid);
    return driver.publish(volume);
  }

  /** Undoes everything of a pod, in reverse order. Rejects if a driver fails; the rest is left for another call. */
  async release(podUid: string): Promise<void> {
    for (;;) {
      const last = this.#published.get(podUid)?.at(-1);
      if (last === undefined) break;
      const { driver, volume } = last;
      await driver.unpublish(volume);
      const key = keyOf(driver, volume);
      const users = this.#users.get(key);
      const isShared = this.#published
        .get(podUid)
        ?.slice(0, -1)
        .some((each) => keyOf(each.driver, each.volume) === key);
      if (isShared !== true) users?.delete(podUid);
      if (users?.size === 0) {
        if (!volume.isEphemeral) await driver.unstage?.(volume);
        this.#users.delete(key);
      }
      this.#published.get(podUid)?.pop();
    }
    this.#published.delete(podUid);
  }
}

function keyOf({ name }: VolumeDriver, { volumeHandle }: StagedVolume): string {
  return `${name}^${volumeHandle}`;
}
