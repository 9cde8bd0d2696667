// A reference implementation of preemption: nothing is cached, every decision uses a fresh copy of the node, and
// candidates are sorted. The scheduler must give the same results.
import type { Frozen } from '../../lib/core/index.js';
import type { PodDisruptionBudget } from '../../lib/core/types/index.js';
import type { NodeView } from '../../lib/scheduling/cluster/node-view.js';
import type { Cycle } from '../../lib/scheduling/framework/cycle-state.js';
import type { Diagnosis } from '../../lib/scheduling/framework/placement.js';
import { profileFilters } from '../../lib/scheduling/framework/profile-filters.js';
import type { PodFacts, SchedulerProfile } from '../../lib/scheduling/public.js';
import { fitErrorText } from '../../lib/scheduling/fit-error.js';

/** The victims on a node, or why preemption does not help. */
export type NaiveVictims =
  { readonly pods: readonly PodFacts[]; readonly violations: number } | { readonly reasons: readonly string[] };

/** The result of a preemption. */
export interface NaivePreemption {
  /** By name of the nodes where preemption might help. */
  readonly byNode: ReadonlyMap<string, NaiveVictims>;
  readonly nodeName?: string;
  readonly message?: string;
}

/** Returns the victims for a rejected pod; nodes are tried from an offset. */
export function referencePreemption(
  cycle: Cycle,
  diagnosis: Diagnosis,
  profile: SchedulerProfile,
  from: number,
): NaivePreemption {
  const { pod, cluster } = cycle;
  const nodes = cluster.nodes.filter((node) => diagnosis.rejectionOf(node)?.code === 'Unschedulable');
  const byNode = new Map(nodes.map((node) => [node.name, referenceVictims(cycle, node)]));
  const refusal =
    pod.object.spec?.preemptionPolicy === 'Never'
      ? 'not eligible due to preemptionPolicy=Never.'
      : waitsForVictims(pod, cycle, diagnosis);
  if (refusal !== undefined) return { byNode, message: `preemption: ${refusal}` };

  const turned = nodes.map((_, index) => nodes[(from + index) % nodes.length]?.name ?? '');
  const { minCandidateNodesPercentage, minCandidateNodesAbsolute } = profile.args.DefaultPreemption;
  const enough = Math.min(
    nodes.length,
    Math.max(Math.trunc((nodes.length * minCandidateNodesPercentage) / 100), minCandidateNodesAbsolute),
  );
  const respectful: string[] = [];
  const violating: string[] = [];
  for (const name of turned) {
    if (respectful.length > 0 && respectful.length + violating.length >= enough) break;
    const victims = byNode.get(name);
    if (victims === undefined || 'reasons' in victims) continue;
    if (victims.violations === 0) respectful.push(name);
    else if (violating.length < enough) violating.push(name);
  }
  const [best] = [...respectful, ...violating].sort((one, other) =>
    compare(harm(byNode.get(one)), harm(byNode.get(other))),
  );
  if (best !== undefined) return { byNode, nodeName: best };
  const said = [...byNode.values()].flatMap((each) => ('reasons' in each ? each.reasons : []));
  const reasons = new Map([...new Set(said)].map((reason) => [reason, said.filter((each) => each === reason).length]));
  const others = { count: cluster.nodes.length - nodes.length, reasons: ['Preemption is not helpful for scheduling'] };
  return { byNode, message: `preemption: ${fitErrorText({ nodeCount: cluster.nodes.length, reasons, others })}` };
}

/** Returns the victims on a node. */
function referenceVictims(cycle: Cycle, node: NodeView): NaiveVictims {
  const lower = node.pods.filter(({ priority }) => priority < cycle.pod.priority);
  if (lower.length === 0) return { reasons: ['No preemption victims found for incoming pod'] };
  const whyNotWithout = (leaving: readonly PodFacts[]): readonly string[] | undefined => {
    const [draft, whatIf] = [node.copy(), { ...cycle, state: cycle.state.copy() }];
    for (const pod of leaving) {
      draft.remove(pod);
      profileFilters.removePod(whatIf, pod, draft);
    }
    return profileFilters.filter(whatIf, draft)?.reasons;
  };
  const reasons = whyNotWithout(lower);
  if (reasons !== undefined) return { reasons };
  const ranked = lower.toSorted(byRank);
  const beyond = beyondBudget(ranked, cycle.cluster.objects.list('PodDisruptionBudget'));
  let leaving: readonly PodFacts[] = [
    ...ranked.filter((each) => beyond.has(each)),
    ...ranked.filter((each) => !beyond.has(each)),
  ];
  for (const pod of leaving) {
    const fewer = leaving.filter((each) => each !== pod);
    if (whyNotWithout(fewer) === undefined) leaving = fewer;
  }
  return { pods: leaving.toSorted(byRank), violations: leaving.filter((each) => beyond.has(each)).length };
}

/** Returns the pods whose eviction, one after the other, violates a budget. */
function beyondBudget(
  pods: readonly PodFacts[],
  budgets: readonly Frozen<PodDisruptionBudget>[],
): ReadonlySet<PodFacts> {
  const beyond = new Set<PodFacts>();
  for (const { metadata, spec, status } of budgets) {
    const wanted = Object.entries(spec?.selector?.matchLabels ?? {});
    const isMeant = ({ namespace, labels }: PodFacts): boolean =>
      namespace === metadata?.namespace && wanted.every(([key, value]) => labels[key] === value);
    const concerned = pods.filter((pod) => isMeant(pod) && status?.disruptedPods?.[pod.name] === undefined);
    for (const pod of concerned.slice(status?.disruptionsAllowed ?? 0)) beyond.add(pod);
  }
  return beyond;
}

/** Whether a victim of an earlier preemption is still terminating on the pod's nominated node. */
function waitsForVictims({ object, priority }: PodFacts, { cluster }: Cycle, diagnosis: Diagnosis): string | undefined {
  const promised = cluster.node(object.status?.nominatedNodeName ?? '');
  if (promised === undefined || diagnosis.rejectionOf(promised)?.code === 'UnschedulableAndUnresolvable')
    return undefined;
  const isToldToLeave = (pod: PodFacts): boolean =>
    pod.terminating &&
    (pod.object.status?.conditions?.some(
      ({ type, reason }) => type === 'DisruptionTarget' && reason === 'PreemptionByScheduler',
    ) ??
      false);
  return promised.pods.some((pod) => pod.priority < priority && isToldToLeave(pod))
    ? 'not eligible due to a terminating pod on the nominated node.'
    : undefined;
}

/** The criteria of a candidate, most significant first. */
function harm(victims: NaiveVictims | undefined): readonly number[] {
  if (victims === undefined || 'reasons' in victims) throw new Error('no candidate');
  const { pods, violations } = victims;
  const highest = Math.max(...pods.map(({ priority }) => priority));
  const first = Math.min(...pods.filter(({ priority }) => priority === highest).map(startOf));
  return [
    violations,
    highest,
    pods.reduce((sum, { priority }) => sum + priority + 2 ** 31, 0),
    pods.length,
    first === Infinity ? -Number.MAX_VALUE : -first,
  ];
}

function compare(one: readonly number[], other: readonly number[]): number {
  const differing = one.findIndex((each, index) => each !== other[index]);
  return differing < 0 ? 0 : (one[differing] ?? 0) - (other[differing] ?? 0);
}

/** Sorts the most important pod first. */
function byRank(one: PodFacts, other: PodFacts): number {
  return other.priority - one.priority || (startOf(one) === startOf(other) ? 0 : startOf(one) - startOf(other));
}

function startOf({ object }: PodFacts): number {
  return object.status?.startTime === undefined ? Infinity : Date.parse(object.status.startTime);
}
