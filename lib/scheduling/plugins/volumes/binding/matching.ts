// Finds volumes for claims among those that are there. A volume that was meant for a claim from the start is the only one
// that comes into question; else it is the smallest that fits, so that large ones are left for large claims. What does not
// depend on the node is settled once for the pod; each node is then shown only volumes that it may reach.
// As component-helpers/storage/volume, FindMatchingVolume.
import { compareQuantities, matchesLabels, parseQuantity } from '../../../../core/index.js';
import type { Labels, Quantity } from '../../../../core/index.js';
import { readableSelector } from '../../../pod/readable-selector.js';
import type { Claim, Volume } from '../claims-and-volumes.js';
import { classOfClaim, classOfVolume, isMeantFor } from '../claims-and-volumes.js';
import { labelBuckets } from '../label-buckets.js';
import type { LabelBuckets } from '../label-buckets.js';
import { demandedLabels, isWithinReach } from '../volume-reach.js';

/** A claim and the volumes that it may get. */
export interface MatchableClaim {
  readonly claim: Claim;
  /** The volume that is meant for it. */
  readonly meant: Volume | undefined;
  /** All that fit, the smallest first. Only asked where none is meant for it. */
  readonly fitting: LabelBuckets<RankedVolume>;
}

/** A volume and its place among those that fit. */
export interface RankedVolume {
  readonly volume: Volume;
  readonly rank: number;
}

/** Looks through the volumes of a claim's class. */
export function matchableClaim(claim: Claim, volumes: readonly Volume[]): MatchableClaim {
  const requested = requestedStorage(claim);
  const suitable = volumes.filter((volume) => (volume.spec?.claimRef === undefined || isMeantFor(volume, claim)) && hasForm(volume, claim, requested));
  const meant = suitable.find((volume) => isMeantFor(volume, claim));
  const fitting = meant === undefined ? offered(suitable, claim).toSorted(bySize) : [];
  const ranked = fitting.map((volume, rank) => ({ volume, rank }));
  return { claim, meant, fitting: labelBuckets(ranked, ({ volume }) => demandedLabels(volume)) };
}

/** The volume that a claim would get on a node with these labels, unless it is taken. */
export function matchingVolume({ meant, fitting }: MatchableClaim, labels: Labels, taken: ReadonlySet<string>): Volume | undefined {
  if (meant !== undefined) return isWithinReach(meant, labels) ? meant : undefined;
  let best: RankedVolume | undefined;
  for (const list of fitting.for(labels)) {
    for (const candidate of list) {
      if (best !== undefined && candidate.rank > best.rank) break;
      if (taken.has(candidate.volume.metadata?.name ?? '') || !isWithinReach(candidate.volume, labels)) continue;
      best = candidate;
      break;
    }
  }
  return best?.volume;
}

/** Small claims choose first, lest they take what only they could do without. */
export function bySizeOfClaim(one: Claim, other: Claim): number {
  return compareQuantities(requestedStorage(one), requestedStorage(other));
}

/** How much a claim asks for; nothing counts as none. */
function requestedStorage({ spec }: Claim): Quantity {
  return parseQuantity(spec?.resources?.requests?.storage ?? '0');
}

/** What a volume must have even if it is meant for the claim. */
function hasForm(volume: Volume, { spec }: Claim, requested: Quantity): boolean {
  const { metadata, spec: own } = volume;
  return (
    metadata?.deletionTimestamp === undefined &&
    (own?.volumeMode ?? 'Filesystem') === (spec?.volumeMode ?? 'Filesystem') &&
    (own?.volumeAttributesClassName ?? '') === (spec?.volumeAttributesClassName ?? '') &&
    compareQuantities(capacityOf(volume), requested) >= 0
  );
}

/** Those that anyone may take who wants what they are. */
function offered(volumes: readonly Volume[], claim: Claim): readonly Volume[] {
  const { selector, accessModes = [] } = claim.spec ?? {};
  const wanted = selector && readableSelector(selector);
  const className = classOfClaim(claim);
  return volumes.filter((volume) => {
    const { metadata, spec, status } = volume;
    if (status?.phase !== 'Available' || classOfVolume(volume) !== className) return false;
    return (wanted === undefined || matchesLabels(wanted, metadata?.labels)) && accessModes.every((mode) => spec?.accessModes?.includes(mode));
  });
}

function bySize(one: Volume, other: Volume): number {
  return compareQuantities(capacityOf(one), capacityOf(other));
}

function capacityOf(volume: Volume): Quantity {
  const known = capacities.get(volume);
  if (known !== undefined) return known;
  const capacity = parseQuantity(volume.spec?.capacity?.storage ?? '0');
  capacities.set(volume, capacity);
  return capacity;
}

const capacities = new WeakMap<Volume, Quantity>();
