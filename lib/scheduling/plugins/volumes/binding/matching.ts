// Finds volumes for claims among those that are there, by the rules of the core. What does not depend on the node is
// settled once for the pod; each node is then shown only volumes that it may reach.
// As component-helpers/storage/volume, FindMatchingVolume.
import { bySizeOfVolume, isMeantFor, isSuitable, offeredTo } from '../../../../core/index.js';
import type { FrozenClaim, Labels, FrozenVolume } from '../../../../core/index.js';
import { labelBuckets } from '../label-buckets.js';
import type { LabelBuckets } from '../label-buckets.js';
import { demandedLabels, isVolumeReachable } from '../volume-reach.js';

/** A claim and the volumes that it may get. */
export interface MatchableClaim {
  readonly claim: FrozenClaim;
  /** The volume that is meant for it. */
  readonly meant: FrozenVolume | undefined;
  /** All that fit, the smallest first. Only asked where none is meant for it. */
  readonly fitting: LabelBuckets<RankedVolume>;
}

/** A volume and its place among those that fit. */
export interface RankedVolume {
  readonly volume: FrozenVolume;
  readonly rank: number;
}

/** Looks through the volumes of a claim's class. */
export function matchableClaim(claim: FrozenClaim, volumes: readonly FrozenVolume[]): MatchableClaim {
  const suitable = volumes.filter((volume) => isSuitable(volume, claim));
  const meant = suitable.find((volume) => isMeantFor(volume, claim));
  const fitting = meant === undefined ? suitable.filter(offeredTo(claim)).toSorted(bySizeOfVolume) : [];
  const ranked = fitting.map((volume, rank) => ({ volume, rank }));
  return { claim, meant, fitting: labelBuckets(ranked, ({ volume }) => demandedLabels(volume)) };
}

/** The volume that a claim would get on a node with these labels, unless it is taken. */
export function matchingVolume(
  { meant, fitting }: MatchableClaim,
  labels: Labels,
  taken: ReadonlySet<string>,
): FrozenVolume | undefined {
  if (meant !== undefined) return isVolumeReachable(meant, labels) ? meant : undefined;
  let best: RankedVolume | undefined;
  for (const list of fitting.for(labels)) {
    for (const candidate of list) {
      if (best !== undefined && candidate.rank > best.rank) break;
      if (taken.has(candidate.volume.metadata?.name ?? '') || !isVolumeReachable(candidate.volume, labels)) continue;
      best = candidate;
      break;
    }
  }
  return best?.volume;
}
