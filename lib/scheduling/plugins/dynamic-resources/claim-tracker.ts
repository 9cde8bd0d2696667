// Tracks ResourceClaims with pending allocations: an allocation counts from Reserve on, so that the next pod does not
// choose the same devices. It lasts until the watch delivers it or it is reverted. One tracker serves all profiles of a
// cluster. As pkg/scheduler/framework/plugins/dynamicresources, claimTracker.
import { objectKey } from '../../../core/index.js';
import type { ClusterView } from '../../cluster/cluster-view.js';
import type { ObjectLister } from '../../cluster/object-lister.js';
import type { Allocation, FrozenResourceClaim } from './allocation/devices.js';
import { indexAllocatedDevices } from './allocation/allocated-device-index.js';
import { AllocatedDevices } from './allocation/allocated-devices.js';

/** Known claims, with pending and just written allocations. */
export class ClaimTracker {
  readonly #objects: ObjectLister;
  readonly #pending = new Map<string, PendingClaim>();

  constructor(objects: ObjectLister) {
    this.#objects = objects;
  }

  /** Returns a claim by `namespace/name`: the version written here if the watch has not delivered a newer one. */
  get(key: string): FrozenResourceClaim | undefined {
    const known = this.#objects.get('ResourceClaim', key);
    if (this.#pending.size === 0) return known;
    if (known === undefined) return this.#createdHere(key);
    const confirmWritten = this.#pending.get(uidOf(known))?.written;
    return confirmWritten !== undefined && isNewer(confirmWritten, known) ? confirmWritten : known;
  }

  /** Returns whether an allocation for the claim is pending. */
  isPending(claim: FrozenResourceClaim): boolean {
    const pending = this.#pending.get(uidOf(claim));
    return pending !== undefined && pending.written === undefined;
  }

  /** Adds a pending allocation. The claim need not exist yet. */
  addPending(claim: FrozenResourceClaim, allocation: Allocation): void {
    this.#sweep();
    this.#pending.set(uidOf(claim), { allocation });
  }

  /**
   * Replaces the pending allocation of `decided` by the claim that was written, which may be another one created for
   * it.
   */
  written(decided: FrozenResourceClaim, written: FrozenResourceClaim): void {
    const pending = this.#pending.get(uidOf(decided));
    if (pending === undefined) return;
    this.#pending.delete(uidOf(decided));
    this.#pending.set(uidOf(written), {
      allocation: pending.allocation,
      written,
      isNew: uidOf(written) !== uidOf(decided),
    });
  }

  /** Removes a pending allocation. One that has been written stays until the watch shows otherwise. */
  removePending(claim: FrozenResourceClaim): void {
    if (this.isPending(claim)) this.#pending.delete(uidOf(claim));
  }

  /** Removes a deleted claim. */
  forget(claim: FrozenResourceClaim): void {
    this.#pending.delete(uidOf(claim));
  }

  /** Returns the allocated devices; valid until a claim changes. */
  allocated(): AllocatedDevices {
    this.#sweep();
    const known = indexAllocatedDevices(this.#objects);
    if (this.#pending.size === 0) return known;
    const taken = new AllocatedDevices(known);
    for (const { allocation } of this.#pending.values()) taken.add(allocation);
    return taken;
  }

  #createdHere(key: string): FrozenResourceClaim | undefined {
    for (const { written, isNew } of this.#pending.values())
      if (isNew === true && written !== undefined && objectKey(written) === key) return written;
    return undefined;
  }

  /** Drops written claims that the watch has delivered or deleted. */
  #sweep(): void {
    for (const [uid, { written, isNew = false }] of this.#pending) {
      if (written === undefined) continue;
      const known = this.#objects.get('ResourceClaim', objectKey(written));
      const isOver =
        known === undefined ? !isNew || this.#hasPassed(written) : uidOf(known) !== uid || !isNewer(written, known);
      if (isOver) this.#pending.delete(uid);
    }
  }

  /** Returns whether the watch has delivered a newer claim: then it would have delivered this one too. */
  #hasPassed(written: FrozenResourceClaim): boolean {
    return this.#objects.list('ResourceClaim').some((known) => isNewer(known, written));
  }
}

interface PendingClaim {
  readonly allocation: Allocation;
  /** The response of the write. */
  readonly written?: FrozenResourceClaim;
  /** Whether it was created here, so that the watch may not have delivered it yet. */
  readonly isNew?: boolean;
}

/** Returns the tracker of a cluster. */
export function claimTracker(cluster: ClusterView): ClaimTracker {
  const known = trackers.get(cluster);
  if (known !== undefined) return known;
  const ledger = new ClaimTracker(cluster.objects);
  trackers.set(cluster, ledger);
  return ledger;
}

const trackers = new WeakMap<ClusterView, ClaimTracker>();

function uidOf({ metadata }: FrozenResourceClaim): string {
  return metadata?.uid ?? '';
}

/** Compares resourceVersions: integers without leading zeros. */
function isNewer(one: FrozenResourceClaim, other: FrozenResourceClaim): boolean {
  const [revision = '', than = ''] = [one.metadata?.resourceVersion, other.metadata?.resourceVersion];
  return revision.length === than.length ? revision > than : revision.length > than.length;
}
