// Looks up the caches for a pod, by its signatures, and applies all cluster changes to them before a search.
import type { PodFacts } from '../pod/pod-facts.js';
import { nodeSignature, peerSignature } from '../pod/pod-signature.js';
import { RecentlyUsed } from '../framework/recently-used.js';
import { AffinityColumns } from './affinity-columns.js';
import type { PreferenceColumn } from './affinity-columns.js';
import type { ClusterColumns, NodeColumns } from './cluster-columns.js';
import { NominatedVerdicts } from './nominated-verdicts.js';
import type { FastPathProfile } from './fast-path-profile.js';
import type { DomainCheck } from './topology-pair-counts.js';
import { RejectionCache } from './rejection-column.js';
import { PodClassColumns } from './pod-class-columns.js';
import type { NodeGroups, Trait } from './node-groups.js';
import { SpreadColumns, softTrait } from './spread-columns.js';
import type { SoftConstraintCounts } from './spread-columns.js';

/** The up-to-date caches that a search uses. */
export interface PodEvaluation {
  readonly podClass: PodClassColumns;
  /** Verdicts that count nominated pods as present; undefined if no node has nominated pods that count for this pod. */
  readonly nominated: NominatedVerdicts | undefined;
  /** Rejections cached for the pod's class. Valid if all filters depend on the node alone. */
  rejections(): RejectionCache;
  /** Domain checks of hard spread constraints and required affinity, in the order of the profile's filters. */
  readonly checks: readonly DomainCheck[];
  /** Soft spread constraints and affinity preferences, for scoring. */
  readonly softConstraints: readonly SoftConstraintCounts[];
  readonly needsAllLabels: boolean;
  readonly preferences: readonly PreferenceColumn[];
}

/** Returns a function that evaluates pods of one profile. It keeps at most `classesMax` caches of each type. */
export function podEvaluations(columns: ClusterColumns, profile: FastPathProfile): (pod: PodFacts) => PodEvaluation {
  const classes = new RecentlyUsed<PodClassColumns>(classesMax);
  const nominatedOf = new RecentlyUsed<NominatedVerdicts>(classesMax);
  const rejectionsOf = new RecentlyUsed<RejectionCache>(classesMax);
  const peersOf = new RecentlyUsed<PeerCaches>(classesMax);
  return (pod) => {
    columns.nodes.sync();
    const signature = nodeSignature(pod, columns.nodes.cluster.objects);
    const podClass = classes.get(signature, () => new PodClassColumns(columns.nodes, profile, pod));
    podClass.sync();
    const classKey = (): string => `${pod.priority} ${signature}`;
    const nominated = isAnyNominated(columns.nodes)
      ? nominatedOf.get(classKey(), () => new NominatedVerdicts(columns.nodes, pod.priority))
      : undefined;
    nominated?.sync();
    const rejections = (): RejectionCache => rejectionsOf.get(classKey(), () => new RejectionCache(columns.nodes));
    const peers = peersOf.get(peerSignature(pod), () => peerCaches(columns, profile, pod));
    return {
      podClass,
      nominated: nominated === undefined || nominated.slots.size === 0 ? undefined : nominated,
      rejections,
      ...peerEvaluation(peers, profile),
    };
  };
}

/** Groups the nodes that are indistinguishable to the pod. */
export function groupsFor({ podClass, checks, softConstraints, preferences }: PodEvaluation): NodeGroups {
  const traits = new Set<Trait>();
  for (const { counted } of checks) traits.add(counted.trait);
  for (const column of softConstraints) traits.add(softTrait(column));
  for (const { counts } of preferences) traits.add(counts.trait);
  return podClass.groupsBy([...traits]);
}

/** At 5,000 nodes a class takes about 150 kB, plus 80 kB for each grouping of its nodes. */
const classesMax = 128;

function isAnyNominated({ cluster }: NodeColumns): boolean {
  for (const _ of cluster.nominatedNodes()) return true;
  return false;
}

/** Caches that depend on other pods; undefined if the profile does not enable the plugin. */
interface PeerCaches {
  readonly spread: SpreadColumns | undefined;
  readonly affinity: AffinityColumns | undefined;
}

function peerCaches(columns: ClusterColumns, profile: FastPathProfile, pod: PodFacts): PeerCaches {
  const { spreadPosition, spreadWeight, affinityPosition, affinityWeight } = profile;
  return {
    spread:
      spreadPosition === undefined && spreadWeight === undefined
        ? undefined
        : new SpreadColumns(columns, pod, profile.spreadDefaults),
    affinity:
      affinityPosition === undefined && affinityWeight === undefined
        ? undefined
        : new AffinityColumns(columns, pod, profile.affinityArguments),
  };
}

function peerEvaluation(
  { spread, affinity }: PeerCaches,
  { spreadPosition, spreadWeight, affinityPosition, affinityWeight }: FastPathProfile,
): Omit<PodEvaluation, 'podClass' | 'nominated' | 'rejections'> {
  const ofSpread = spreadPosition === undefined ? [] : (spread?.checks(spreadPosition) ?? []);
  const ofAffinity = affinityPosition === undefined ? [] : (affinity?.checks(affinityPosition) ?? []);
  return {
    checks:
      (spreadPosition ?? 0) < (affinityPosition ?? 0) ? [...ofSpread, ...ofAffinity] : [...ofAffinity, ...ofSpread],
    softConstraints: spreadWeight === undefined ? [] : (spread?.softConstraints() ?? []),
    needsAllLabels: spread?.needsAllLabels ?? false,
    preferences: affinityWeight === undefined ? [] : (affinity?.preferences() ?? []),
  };
}
