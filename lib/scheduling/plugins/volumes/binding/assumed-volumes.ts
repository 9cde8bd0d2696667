// Volumes and claims with assumed changes. A decision is visible at once, so that the next pod does not choose the same
// volume. It lasts until the watch delivers a newer version of the object or the decision is reverted. One instance
// serves all profiles of a cluster. As pkg/scheduler/framework/plugins/volumebinding, passiveAssumeCache.
import type { Frozen } from '../../../../core/index.js';
import { objectKey } from '../../../../core/index.js';
import type { ClusterView } from '../../../cluster/cluster-view.js';
import type { CachedKinds, ObjectLister } from '../../../cluster/object-lister.js';

/** The kinds whose objects can be assumed. */
export type AssumedKind = 'PersistentVolume' | 'PersistentVolumeClaim';

/** The objects of a kind with their assumed changes. */
export class AssumedObjects<K extends AssumedKind> {
  readonly #objects: ObjectLister;
  readonly #kind: K;
  readonly #assumed = new Map<string, Frozen<CachedKinds[K]>>();
  #sweptAt = 0;

  constructor(objects: ObjectLister, kind: K) {
    this.#objects = objects;
    this.#kind = kind;
  }

  /** The number of assumed objects; may include some that the watch has already replaced. */
  get size(): number {
    return this.#assumed.size;
  }

  /** Returns an object by key, with its assumed changes. */
  get(key: string): Frozen<CachedKinds[K]> | undefined {
    const known = this.#objects.get(this.#kind, key);
    return known && this.of(known);
  }

  /** Returns the assumed version of a known object, or the object itself. */
  of(known: Frozen<CachedKinds[K]>): Frozen<CachedKinds[K]> {
    if (this.#assumed.size === 0) return known;
    const assumed = this.#assumed.get(objectKey(known));
    return assumed !== undefined && isSameVersion(assumed, known) ? assumed : known;
  }

  /** Assumes a changed copy of a known object. */
  assume(object: Frozen<CachedKinds[K]>): void {
    this.#sweep();
    this.#assumed.set(objectKey(object), object);
  }

  /** Reverts an assumed object, unless another one has replaced it. */
  restore(object: Frozen<CachedKinds[K]>): void {
    const key = objectKey(object);
    if (this.#assumed.get(key) === object) this.#assumed.delete(key);
  }

  /** Drops assumed objects that the watch has replaced or deleted. */
  #sweep(): void {
    const version = this.#objects.version(this.#kind);
    if (version === this.#sweptAt) return;
    this.#sweptAt = version;
    for (const [key, assumed] of this.#assumed) {
      const known = this.#objects.get(this.#kind, key);
      if (known === undefined || !isSameVersion(assumed, known)) this.#assumed.delete(key);
    }
  }
}

/** The assumed volumes and claims of a cluster. */
export interface AssumedVolumes {
  readonly volumes: AssumedObjects<'PersistentVolume'>;
  readonly claims: AssumedObjects<'PersistentVolumeClaim'>;
}

/** Returns the assumed objects of a cluster. A simulated cluster has its own. */
export function assumedVolumes(cluster: ClusterView): AssumedVolumes {
  const known = assumedByCluster.get(cluster);
  if (known !== undefined) return known;
  const { objects } = cluster;
  const assumed = {
    volumes: new AssumedObjects(objects, 'PersistentVolume'),
    claims: new AssumedObjects(objects, 'PersistentVolumeClaim'),
  };
  assumedByCluster.set(cluster, assumed);
  return assumed;
}

const assumedByCluster = new WeakMap<ClusterView, AssumedVolumes>();

function isSameVersion(one: Frozen<CachedKinds[AssumedKind]>, other: Frozen<CachedKinds[AssumedKind]>): boolean {
  return one.metadata?.resourceVersion === other.metadata?.resourceVersion;
}
