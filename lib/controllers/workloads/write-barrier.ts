// Read-your-writes for a controller. Informers lag behind the server: a reconcile that does not see yet what the one
// before it wrote would repeat its decision. So the newest resourceVersion written for an owner is remembered per
// resource, and the owner is not reconciled until the informers have reached it. As pkg/controller/util/consistency.
import type { Stored } from '../../client/index.js';
import { isOlderVersion, printNamespacedName } from '../../core/index.js';
import type { NamespacedName, Snapshot } from '../../core/index.js';

/** The writes of a controller for all its owners. Holds an entry per owner with writes that were not reached. */
export class WriteBarrier<Resource extends string> {
  readonly #snapshots: Readonly<Record<Resource, Pick<Snapshot<unknown>, 'resourceVersion'>>>;
  readonly #pending = new Map<string, { readonly owner: NamespacedName; readonly written: Map<Resource, Stored> }>();

  /** The snapshots that reconciles read, by resource. */
  constructor(snapshots: Readonly<Record<Resource, Pick<Snapshot<unknown>, 'resourceVersion'>>>) {
    this.#snapshots = snapshots;
  }

  /** Remembers the response to a write. */
  wrote(owner: NamespacedName, resource: Resource, object: Stored): void {
    const key = printNamespacedName(owner);
    const pending = this.#pending.get(key) ?? { owner, written: new Map<Resource, Stored>() };
    const before = pending.written.get(resource);
    if (before === undefined || isOlderVersion(before, object)) pending.written.set(resource, object);
    this.#pending.set(key, pending);
  }

  /** Returns whether the snapshots have reached everything that was written for the owner. */
  isReached(owner: NamespacedName): boolean {
    const key = printNamespacedName(owner);
    const pending = this.#pending.get(key);
    if (pending === undefined) return true;
    for (const [resource, object] of pending.written) {
      const { resourceVersion } = this.#snapshots[resource];
      if (resourceVersion === undefined || isOlderVersion({ metadata: { resourceVersion } }, object)) return false;
    }
    this.#pending.delete(key);
    return true;
  }

  /** Returns the owners whose writes were reached since. For informers whose events do not name the owner. */
  released(): readonly NamespacedName[] {
    if (this.#pending.size === 0) return [];
    return [...this.#pending.values()].map(({ owner }) => owner).filter((owner) => this.isReached(owner));
  }

  /** Forgets an owner that is gone. */
  forget(owner: NamespacedName): void {
    this.#pending.delete(printNamespacedName(owner));
  }
}
