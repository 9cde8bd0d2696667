// The plugin DefaultPreemption: when no node is left for a pod, pods of lower priority may have to leave one. The pod
// is then nominated to that node and waits until they are gone. As pkg/scheduler/framework/plugins/defaultpreemption.
import { errorText, settle } from '../../core/index.js';
import type { NodeView } from '../cluster/node-view.js';
import type { PluginArguments } from '../configuration/plugin-arguments.js';
import { fitErrorText } from '../fit-error.js';
import type { Cycle } from '../framework/cycle.js';
import { on } from '../framework/event-interest.js';
import type { Diagnosis } from '../framework/placement.js';
import type { PluginTools } from '../framework/plugin-tools.js';
import type { PostFilterAnswer, SchedulingPlugin } from '../framework/plugin.js';
import { unresolvable, unschedulable } from '../framework/rejection.js';
import type { Rejection } from '../framework/rejection.js';
import { podFacts } from '../pod/pod-facts.js';
import type { PodFacts } from '../pod/pod-facts.js';
import { actions } from '../queue/cluster-event.js';
import { findCandidates, isCandidate, leastHarm } from './candidates.js';
import type { Candidate } from './candidates.js';
import { agreedCandidates } from './extender-agreement.js';
import { makingRoom } from './making-room.js';
import { victimFinder } from './victim-finder.js';

const name = 'DefaultPreemption';

/** Makes the plugin. */
export function defaultPreemption(tools: PluginTools, args: PluginArguments['DefaultPreemption']): SchedulingPlugin {
  const underWay = makingRoom(name, tools);
  const finder = victimFinder(tools);

  const { extenders = [] } = tools;

  const preempt = (
    cycle: Cycle,
    diagnosis: Diagnosis,
    signal: AbortSignal,
  ): PostFilterAnswer | Promise<PostFilterAnswer> => {
    const preemptor = latest(cycle.pod, tools);
    const refusal = whyNot(preemptor, cycle, diagnosis);
    if (refusal !== undefined) return { rejection: unschedulable(`preemption: ${refusal}`) };

    const helpful = diagnosis.slotsRefused('Unschedulable');
    const offset = helpful.length === 0 ? 0 : tools.random.integer(helpful.length);
    const possible = finder.candidatesFor({ ...cycle, pod: preemptor });
    const { slots, rejections } = findCandidates(helpful, offset, args, possible);
    if (slots.length === 0) {
      return {
        rejection: unschedulable(`preemption: ${whyNobody(cycle.cluster.nodes, rejections)}`),
        nominatedNodeName: '',
      };
    }
    if (extenders.length === 0) {
      const best = leastHarm(slots, (slot) => possible.harmAt(slot));
      return begun(preemptor, best === undefined ? undefined : possible.at(best));
    }
    const candidates = Array.from(slots, (slot) => possible.at(slot)).filter(isCandidate);
    return agreedCandidates(preemptor, candidates, extenders, signal).then((agreed) =>
      begun(
        preemptor,
        leastHarm(agreed, ({ harm }) => harm),
      ),
    );
  };

  const begun = (preemptor: PodFacts, best: Candidate | Rejection | undefined): PostFilterAnswer => {
    if (best === undefined || !isCandidate(best))
      return { rejection: unschedulable('preemption: no candidate node for preemption') };
    underWay.begin(preemptor, best);
    return { done: true, nominatedNodeName: best.node.name };
  };

  return {
    name,
    // Those whose filters refused the pod know better when it is worth another try.
    events: [on('Pod', actions.delete, () => 'skip')],
    preEnqueue: ({ uid }) => (underWay.holdsBack(uid) ? waitsForVictims : undefined),
    postFilter: (cycle, diagnosis, signal) => {
      tools.tell({ type: 'preemption-attempt' });
      return settle(
        () => preempt(cycle, diagnosis, signal),
        (answer) => answer,
        failed,
      );
    },
  };
}

/** What goes wrong is told as preemption's doing. */
function failed(error: unknown): never {
  throw new Error(`preemption: ${errorText(error)}`, { cause: error });
}

const waitsForVictims = unresolvable('waiting for the preemption for this pod to be finished');

/** The pod may have changed since it was popped. */
function latest(pod: PodFacts, tools: PluginTools): PodFacts {
  const now = tools.podNow(pod.object);
  if (now === undefined) throw new Error(`pod "${pod.name}" not found`);
  return podFacts(now);
}

/** Why the pod may not make others leave, or should not now. */
function whyNot(preemptor: PodFacts, { cluster }: Cycle, diagnosis: Diagnosis): string | undefined {
  if (!preemptor.preempts) return 'not eligible due to preemptionPolicy=Never.';
  const nominated = cluster.node(preemptor.object.status?.nominatedNodeName ?? '');
  if (nominated === undefined || diagnosis.rejectionOf(nominated)?.code === 'UnschedulableAndUnresolvable')
    return undefined;
  const isLeaving = Array.from(nominated.pods).some((pod) => pod.priority < preemptor.priority && isMakingRoom(pod));
  return isLeaving ? 'not eligible due to a terminating pod on the nominated node.' : undefined;
}

/** Whether a pod is on its way out because a scheduler wanted it. */
function isMakingRoom({ terminating, object }: PodFacts): boolean {
  if (!terminating) return false;
  const target = object.status?.conditions?.find(({ type }) => type === 'DisruptionTarget');
  return target?.status === 'True' && target.reason === 'PreemptionByScheduler';
}

function whyNobody(nodes: readonly NodeView[], rejections: readonly Rejection[]): string {
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
