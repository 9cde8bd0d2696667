// Claims as they will be once what was decided has been written: an allocation counts from the moment a node is chosen,
// so that the next pod does not choose the same devices. It holds until the API tells of it, or until it is taken back.
// One ledger serves all profiles of a cluster. As pkg/scheduler/framework/plugins/dynamicresources, claimTracker.
import { objectKey } from '../../../core/index.js';
import type { ClusterView } from '../../cluster/cluster-view.js';
import type { KnownObjects } from '../../cluster/known-objects.js';
import type { Allocation, FrozenResourceClaim } from './allocation/devices.js';
import { knownTaken } from './allocation/known-taken.js';
import { TakenDevices } from './allocation/taken-devices.js';

/** What is known of claims, and what is under way. */
export class ClaimLedger {
  readonly #objects: KnownObjects;
  readonly #underWay = new Map<string, PendingClaim>();

  constructor(objects: KnownObjects) {
    this.#objects = objects;
  }

  /** A claim by `namespace/name`: as it was last written here, if the API has not told of anything newer. */
  get(key: string): FrozenResourceClaim | undefined {
    const known = this.#objects.get('ResourceClaim', key);
    if (this.#underWay.size === 0) return known;
    if (known === undefined) return this.#justMade(key);
    const written = this.#underWay.get(uidOf(known))?.written;
    return written !== undefined && isNewer(written, known) ? written : known;
  }

  /** Whether somebody is about to write an allocation for the claim. */
  isPending(claim: FrozenResourceClaim): boolean {
    const pending = this.#underWay.get(uidOf(claim));
    return pending !== undefined && pending.written === undefined;
  }

  /** Decides. The claim need not be known yet. */
  decide(claim: FrozenResourceClaim, allocation: Allocation): void {
    this.#sweep();
    this.#underWay.set(uidOf(claim), { allocation });
  }

  /**
   * What was decided for `decided` has been written. The claim that was written may be another: one that was made for
   * it.
   */
  written(decided: FrozenResourceClaim, written: FrozenResourceClaim): void {
    const pending = this.#underWay.get(uidOf(decided));
    if (pending === undefined) return;
    this.#underWay.delete(uidOf(decided));
    this.#underWay.set(uidOf(written), {
      allocation: pending.allocation,
      written,
      isNew: uidOf(written) !== uidOf(decided),
    });
  }

  /** Takes back what was decided, unless it has been written: then only the API can say that it no longer holds. */
  takeBack(claim: FrozenResourceClaim): void {
    if (this.isPending(claim)) this.#underWay.delete(uidOf(claim));
  }

  /** The claim is no more. */
  forget(claim: FrozenResourceClaim): void {
    this.#underWay.delete(uidOf(claim));
  }

  /** The devices that are taken, until anything changes. */
  taken(): TakenDevices {
    this.#sweep();
    const known = knownTaken(this.#objects);
    if (this.#underWay.size === 0) return known;
    const taken = new TakenDevices(known);
    for (const { allocation } of this.#underWay.values()) taken.add(allocation);
    return taken;
  }

  #justMade(key: string): FrozenResourceClaim | undefined {
    for (const { written, isNew } of this.#underWay.values())
      if (isNew === true && written !== undefined && objectKey(written) === key) return written;
    return undefined;
  }

  /** Forgets what the API has told of since, or no longer has. */
  #sweep(): void {
    for (const [uid, { written, isNew = false }] of this.#underWay) {
      if (written === undefined) continue;
      const known = this.#objects.get('ResourceClaim', objectKey(written));
      const isOver =
        known === undefined ? !isNew || this.#hasPassed(written) : uidOf(known) !== uid || !isNewer(written, known);
      if (isOver) this.#underWay.delete(uid);
    }
  }

  /** Whether the API has told of anything newer: then it would have told of this as well. */
  #hasPassed(written: FrozenResourceClaim): boolean {
    return this.#objects.list('ResourceClaim').some((known) => isNewer(known, written));
  }
}

interface PendingClaim {
  readonly allocation: Allocation;
  /** As the API answered. */
  readonly written?: FrozenResourceClaim;
  /** It was made here, and the news of it may still be under way. */
  readonly isNew?: boolean;
}

/** The ledger of a cluster. */
export function claimLedger(cluster: ClusterView): ClaimLedger {
  const known = ledgers.get(cluster);
  if (known !== undefined) return known;
  const ledger = new ClaimLedger(cluster.objects);
  ledgers.set(cluster, ledger);
  return ledger;
}

const ledgers = new WeakMap<ClusterView, ClaimLedger>();

function uidOf({ metadata }: FrozenResourceClaim): string {
  return metadata?.uid ?? '';
}

/** Revisions are whole numbers, written without leading zeros. */
function isNewer(one: FrozenResourceClaim, other: FrozenResourceClaim): boolean {
  const [revision = '', than = ''] = [one.metadata?.resourceVersion, other.metadata?.resourceVersion];
  return revision.length === than.length ? revision > than : revision.length > than.length;
}
