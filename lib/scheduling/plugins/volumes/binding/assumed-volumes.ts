// Volumes and claims as they will be once what was decided has been written. A decision shows here at once, so that the
// next pod does not choose the same volume; it holds until the API tells of the object again, or until it is taken
// back. One memory serves all profiles of a cluster. As pkg/scheduler/framework/plugins/volumebinding,
// passiveAssumeCache.
import type { Frozen } from '../../../../core/index.js';
import { objectKey } from '../../../../core/index.js';
import type { ClusterView } from '../../../cluster/cluster-view.js';
import type { KnownKinds, KnownObjects } from '../../../cluster/known-objects.js';

/** The kinds of which something may be assumed. */
export type AssumedKind = 'PersistentVolume' | 'PersistentVolumeClaim';

/** Objects of a kind, with what is assumed of them. */
export class AssumedObjects<K extends AssumedKind> {
  readonly #objects: KnownObjects;
  readonly #kind: K;
  readonly #assumed = new Map<string, Frozen<KnownKinds[K]>>();
  #sweptAt = 0;

  constructor(objects: KnownObjects, kind: K) {
    this.#objects = objects;
    this.#kind = kind;
  }

  /** How many are assumed. Those that the API has told of since may count for a while. */
  get size(): number {
    return this.#assumed.size;
  }

  /** As `KnownObjects.get`. */
  get(key: string): Frozen<KnownKinds[K]> | undefined {
    const known = this.#objects.get(this.#kind, key);
    return known && this.of(known);
  }

  /** What is assumed of an object that is known, or else the object. */
  of(known: Frozen<KnownKinds[K]>): Frozen<KnownKinds[K]> {
    if (this.#assumed.size === 0) return known;
    const assumed = this.#assumed.get(objectKey(known));
    return assumed !== undefined && isSameVersion(assumed, known) ? assumed : known;
  }

  /** Assumes an object, made from the one that is known. */
  assume(object: Frozen<KnownKinds[K]>): void {
    this.#sweep();
    this.#assumed.set(objectKey(object), object);
  }

  /** Takes back what was assumed, unless something else has been since. */
  restore(object: Frozen<KnownKinds[K]>): void {
    const key = objectKey(object);
    if (this.#assumed.get(key) === object) this.#assumed.delete(key);
  }

  /** Forgets what has come true, or can no longer. */
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

/** What is assumed of a cluster's volumes and claims. */
export interface AssumedVolumes {
  readonly volumes: AssumedObjects<'PersistentVolume'>;
  readonly claims: AssumedObjects<'PersistentVolumeClaim'>;
}

/**
 * What is assumed in a cluster. A cluster that is only played through, with a view of its own, has assumptions of its
 * own.
 */
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

function isSameVersion(one: Frozen<KnownKinds[AssumedKind]>, other: Frozen<KnownKinds[AssumedKind]>): boolean {
  return one.metadata?.resourceVersion === other.metadata?.resourceVersion;
}
