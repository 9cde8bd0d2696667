// Matches unbound claims to existing volumes, by the rules of core. What does not depend on the node is computed once
// per pod; a node is then compared only with volumes that it may reach. As component-helpers/storage/volume,
// FindMatchingVolume.
import { bySizeOfVolume, isMeantFor, isSuitable, offeredTo } from '../../../../core/index.js';
import type { FrozenClaim, Labels, FrozenVolume } from '../../../../core/index.js';
import { labelBuckets } from '../label-buckets.js';
import type { LabelBuckets } from '../label-buckets.js';
import { requiredLabels, isVolumeReachable } from '../volume-node-affinity.js';

/** A claim and the volumes it may be bound to. */
export interface MatchableClaim {
  readonly claim: FrozenClaim;
  /** The volume whose claimRef names the claim. */
  readonly reserved: FrozenVolume | undefined;
  /** Matching volumes, smallest first; empty if one is reserved. */
  readonly candidates: LabelBuckets<RankedVolume>;
}

/** A volume and its rank by size. */
export interface RankedVolume {
  readonly volume: FrozenVolume;
  readonly rank: number;
}

/** Selects the volumes of a claim's class that match the claim. */
export function matchableClaim(claim: FrozenClaim, volumes: readonly FrozenVolume[]): MatchableClaim {
  const suitable = volumes.filter((volume) => isSuitable(volume, claim));
  const reserved = suitable.find((volume) => isMeantFor(volume, claim));
  const candidates = reserved === undefined ? suitable.filter(offeredTo(claim)).toSorted(bySizeOfVolume) : [];
  const ranked = candidates.map((volume, rank) => ({ volume, rank }));
  return { claim, reserved, candidates: labelBuckets(ranked, ({ volume }) => requiredLabels(volume)) };
}

/** Returns the volume that a claim would be bound to on a node with these labels, without those in `taken`. */
export function matchingVolume(
  { reserved, candidates }: MatchableClaim,
  labels: Labels,
  taken: ReadonlySet<string>,
): FrozenVolume | undefined {
  if (reserved !== undefined) return isVolumeReachable(reserved, labels) ? reserved : undefined;
  let best: RankedVolume | undefined;
  for (const list of candidates.for(labels)) {
    for (const candidate of list) {
      if (best !== undefined && candidate.rank > best.rank) break;
      if (taken.has(candidate.volume.metadata?.name ?? '') || !isVolumeReachable(candidate.volume, labels)) continue;
      best = candidate;
      break;
    }
  }
  return best?.volume;
}
