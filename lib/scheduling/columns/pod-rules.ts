// All that columns know of a pod when a search begins: what each node is to it by itself, what domains must be like,
// and what they count for. Pods that are alike share it; what the cluster changed is caught up with here.
import type { PodFacts } from '../pod/pod-facts.js';
import { AffinityColumns } from './affinity-columns.js';
import type { LikingColumn } from './affinity-columns.js';
import type { ClusterColumns } from './cluster-columns.js';
import { CrowdColumn } from './crowd-column.js';
import type { ColumnProfile } from './column-profile.js';
import type { DomainCheck } from './domain-check.js';
import { KeptReasons } from './kept-reasons.js';
import { NodeClass } from './node-class.js';
import type { NodeColumns } from './node-columns.js';
import type { NodeGroups, Trait } from './node-groups.js';
import { nodeSignature, peerSignature } from '../pod/pod-signature.js';
import { RecentlyUsed } from '../framework/recently-used.js';
import { SpreadColumns } from './spread-columns.js';
import type { SoftColumn } from './spread-columns.js';
import { softTrait } from './spread-scores.js';

/** What a search goes by. */
export interface PodRules {
  readonly nodeClass: NodeClass;
  /** The nodes to which others are to come that the pod has to reckon with; undefined where there is none. */
  readonly crowds: CrowdColumn | undefined;
  /** Why nodes refused pods that are alike, for those who look at nodes alone. */
  reasons(): KeptReasons;
  /** What domains must be like, in the order of the profile's filters. */
  readonly checks: readonly DomainCheck[];
  /** What nodes are scored by besides themselves. */
  readonly soft: readonly SoftColumn[];
  readonly needsAllLabels: boolean;
  readonly likings: readonly LikingColumn[];
}

/** Finds the rules of pods. */
export function podRules(columns: ClusterColumns, profile: ColumnProfile): (pod: PodFacts) => PodRules {
  const classes = new RecentlyUsed<NodeClass>(classesMax);
  const crowdsOf = new RecentlyUsed<CrowdColumn>(classesMax);
  const reasonsOf = new RecentlyUsed<KeptReasons>(classesMax);
  const peersOf = new RecentlyUsed<PeerColumns>(classesMax);
  return (pod) => {
    columns.nodes.follow();
    const signature = nodeSignature(pod, columns.nodes.cluster.objects);
    const nodeClass = classes.get(signature, () => new NodeClass(columns.nodes, profile, pod));
    nodeClass.follow();
    const likeness = (): string => `${pod.priority} ${signature}`;
    const crowds = isAnyNominated(columns.nodes)
      ? crowdsOf.get(likeness(), () => new CrowdColumn(columns.nodes, pod.priority))
      : undefined;
    crowds?.follow();
    const reasons = (): KeptReasons => reasonsOf.get(likeness(), () => new KeptReasons(columns.nodes));
    const peers = peersOf.get(peerSignature(pod), () => peerColumns(columns, profile, pod));
    return {
      nodeClass,
      crowds: crowds === undefined || crowds.slots.size === 0 ? undefined : crowds,
      reasons,
      ...peerRules(peers, profile),
    };
  };
}

/** The nodes in groups of those that are the same to the pod in every way. */
export function groupsFor({ nodeClass, checks, soft, likings }: PodRules): NodeGroups {
  const traits = new Set<Trait>();
  for (const { counted } of checks) traits.add(counted.trait);
  for (const column of soft) traits.add(softTrait(column));
  for (const { counted } of likings) traits.add(counted.trait);
  return nodeClass.groupsBy([...traits]);
}

/** At 5 000 nodes one takes about 150 kB, and 80 kB for each way in which its nodes are grouped. */
const classesMax = 128;

function isAnyNominated({ cluster }: NodeColumns): boolean {
  for (const _ of cluster.nominatedNodes()) return true;
  return false;
}

/** What regards other pods; undefined where the profile does not have the plugin. */
interface PeerColumns {
  readonly spread: SpreadColumns | undefined;
  readonly affinity: AffinityColumns | undefined;
}

function peerColumns(columns: ClusterColumns, profile: ColumnProfile, pod: PodFacts): PeerColumns {
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

function peerRules(
  { spread, affinity }: PeerColumns,
  { spreadPosition, spreadWeight, affinityPosition, affinityWeight }: ColumnProfile,
): Omit<PodRules, 'nodeClass' | 'crowds' | 'reasons'> {
  const ofSpread = spreadPosition === undefined ? [] : (spread?.checks(spreadPosition) ?? []);
  const ofAffinity = affinityPosition === undefined ? [] : (affinity?.checks(affinityPosition) ?? []);
  return {
    checks:
      (spreadPosition ?? 0) < (affinityPosition ?? 0) ? [...ofSpread, ...ofAffinity] : [...ofAffinity, ...ofSpread],
    soft: spreadWeight === undefined ? [] : (spread?.soft() ?? []),
    needsAllLabels: spread?.needsAllLabels ?? false,
    likings: affinityWeight === undefined ? [] : (affinity?.likings() ?? []),
  };
}
