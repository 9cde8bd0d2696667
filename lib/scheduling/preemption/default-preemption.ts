// The plugin DefaultPreemption: if no node is feasible for a pod, pods of lower priority may be preempted on one. The
// pod is nominated to that node and waits until the victims are gone. As
// pkg/scheduler/framework/plugins/defaultpreemption.
import { errorText, settle, quote } from '../../core/index.js';
import type { NodeView } from '../cluster/node-view.js';
import type { PluginArguments } from '../configuration/plugin-arguments.js';
import { fitErrorText } from '../fit-error.js';
import type { Cycle } from '../framework/cycle-state.js';
import { on } from '../framework/queueing-hints.js';
import type { Diagnosis } from '../framework/placement.js';
import type { PluginTools, ProposedVictims, PreemptionExtender } from '../framework/plugin-tools.js';
import type { PostFilterResult, SchedulingPlugin } from '../framework/plugin.js';
import { unresolvable, unschedulable } from '../framework/rejection.js';
import type { Rejection } from '../framework/rejection.js';
import { podFacts } from '../pod/pod-facts.js';
import type { PodFacts } from '../pod/pod-facts.js';
import { actions } from '../queue/cluster-event.js';
import { findCandidates, isCandidate, lowestCost, candidateOf } from './candidates.js';
import type { Candidate } from './candidates.js';
import { preemptionExecutor } from './preemption-executor.js';
import { victimFinder } from './victim-finder.js';

const name = 'DefaultPreemption';

/** Creates the plugin. */
export function defaultPreemption(tools: PluginTools, args: PluginArguments['DefaultPreemption']): SchedulingPlugin {
  const underWay = preemptionExecutor(name, tools);
  const finder = victimFinder(tools);

  const { extenders = [] } = tools;

  const preempt = (
    cycle: Cycle,
    diagnosis: Diagnosis,
    signal: AbortSignal,
  ): PostFilterResult | Promise<PostFilterResult> => {
    const preemptor = latest(cycle.pod, tools);
    const refusal = ineligibleReason(preemptor, cycle, diagnosis);
    if (refusal !== undefined) return { rejection: unschedulable(`preemption: ${refusal}`) };

    const helpful = diagnosis.slotsRejected('Unschedulable');
    const offset = helpful.length === 0 ? 0 : tools.random.integer(helpful.length);
    const possible = finder.candidatesFor({ ...cycle, pod: preemptor });
    const { slots, rejections } = findCandidates(helpful, offset, args, possible);
    if (slots.length === 0) {
      return {
        rejection: unschedulable(`preemption: ${noCandidateText(cycle.cluster.nodes, rejections)}`),
        nominatedNodeName: '',
      };
    }
    if (extenders.length === 0) {
      const best = lowestCost(slots, (slot) => possible.costAt(slot));
      return begun(preemptor, best === undefined ? undefined : possible.at(best));
    }
    const candidates = Array.from(slots, (slot) => possible.at(slot)).filter(isCandidate);
    return candidatesAfterExtenders(preemptor, candidates, extenders, signal).then((agreed) =>
      begun(
        preemptor,
        lowestCost(agreed, ({ cost }) => cost),
      ),
    );
  };

  const begun = (preemptor: PodFacts, best: Candidate | Rejection | undefined): PostFilterResult => {
    if (best === undefined || !isCandidate(best))
      return { rejection: unschedulable('preemption: no candidate node for preemption') };
    underWay.start(preemptor, best);
    return { done: true, nominatedNodeName: best.node.name };
  };

  return {
    name,
    // The filters that rejected the pod register for the events that help it.
    events: [on('Pod', actions.delete, () => 'skip')],
    preEnqueue: ({ uid }) => (underWay.blocks(uid) ? waitsForVictims : undefined),
    postFilter: (cycle, diagnosis, signal) => {
      tools.recordActivity({ type: 'preemption-attempt' });
      return settle(
        () => preempt(cycle, diagnosis, signal),
        (answer) => answer,
        failed,
      );
    },
  };
}

/** Adds the prefix of kube-scheduler to an error. */
function failed(error: unknown): never {
  throw new Error(`preemption: ${errorText(error)}`, { cause: error });
}

const waitsForVictims = unresolvable('waiting for the preemption for this pod to be finished');

/** Returns the latest version of the pod: it may have changed since it was popped. */
function latest(pod: PodFacts, tools: PluginTools): PodFacts {
  const now = tools.currentPod(pod.object);
  if (now === undefined) throw new Error(`pod "${pod.name}" not found`);
  return podFacts(now);
}

/** Returns why the pod may not preempt now; undefined if it may. */
function ineligibleReason(preemptor: PodFacts, { cluster }: Cycle, diagnosis: Diagnosis): string | undefined {
  if (!preemptor.preempts) return 'not eligible due to preemptionPolicy=Never.';
  const nominated = cluster.node(preemptor.object.status?.nominatedNodeName ?? '');
  if (nominated === undefined || diagnosis.rejectionOf(nominated)?.code === 'UnschedulableAndUnresolvable')
    return undefined;
  const isLeaving = Array.from(nominated.pods).some((pod) => pod.priority < preemptor.priority && isPreempted(pod));
  return isLeaving ? 'not eligible due to a terminating pod on the nominated node.' : undefined;
}

/** Whether a pod is being deleted because of preemption. */
function isPreempted({ terminating, object }: PodFacts): boolean {
  if (!terminating) return false;
  const target = object.status?.conditions?.find(({ type }) => type === 'DisruptionTarget');
  return target?.status === 'True' && target.reason === 'PreemptionByScheduler';
}

function noCandidateText(nodes: readonly NodeView[], rejections: readonly Rejection[]): string {
  const reasons = new Map<string, number>();
  for (const rejection of rejections) {
    for (const reason of rejection.reasons) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  return fitErrorText({
    nodeCount: nodes.length,
    reasons,
    others: { count: nodes.length - rejections.length, reasons: ['Preemption is not helpful for scheduling'] },
  });
}

/**
 * Returns the candidates that all extenders accept; each gets those that its predecessors accepted. Rejects if an
 * extender that is not ignorable fails. As pkg/scheduler/framework/preemption, callExtenders.
 */
export async function candidatesAfterExtenders(
  { object }: PodFacts,
  candidates: readonly Candidate[],
  extenders: readonly PreemptionExtender[],
  signal: AbortSignal,
): Promise<readonly Candidate[]> {
  let agreed: ReadonlyMap<NodeView, ProposedVictims> = new Map(candidates.map(({ node, victims }) => [node, victims]));
  for (const extender of extenders) {
    if (agreed.size === 0) break;
    if (!extender.isInterested(object)) continue;
    try {
      agreed = withVictims(await extender.preempt(object, agreed, signal), extender.ignorable);
    } catch (error) {
      signal.throwIfAborted();
      if (!extender.ignorable) throw error;
    }
  }
  return Array.from(agreed, ([node, victims]) => candidateOf(node, victims));
}

/** A node without victims is an invalid response. */
function withVictims(
  agreed: ReadonlyMap<NodeView, ProposedVictims>,
  ignorable: boolean,
): ReadonlyMap<NodeView, ProposedVictims> {
  const empty = Array.from(agreed).find(([, { pods }]) => pods.length === 0);
  if (empty === undefined) return agreed;
  if (!ignorable) throw new Error(`expected at least one victim pod on node ${quote(empty[0].name)}`);
  return new Map(Array.from(agreed).filter(([, { pods }]) => pods.length > 0));
}
