// Makes room for a pod: pods of lower priority that were to come to the node lose that promise, and the victims are
// told to leave, the last one after all others. It happens beside the scheduling of other pods; until the last victim
// is on its way out the pod it is done for is held back, so that it does not look for more victims meanwhile. If
// something goes wrong the pod is tried again. As pkg/scheduler/framework/preemption, executor.go.
import { isApiError, namespacedName } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import type { PluginTools } from '../framework/plugin-tools.js';
import { podFacts } from '../pod/pod-facts.js';
import type { PodFacts } from '../pod/pod-facts.js';
import { writePodStatus } from '../pod/pod-status.js';
import type { Candidate } from './candidates.js';

/** Room that is being made. */
export interface MakingRoom {
  /** Begins to make room. */
  begin(preemptor: PodFacts, candidate: Candidate): void;
  /** Whether the pod has to wait, since victims still have to be told to leave. One that had to is tried after that. */
  holdsBack(uid: string): boolean;
}

/** Nothing is under way at first. */
export function makingRoom(plugin: string, tools: PluginTools): MakingRoom {
  /** By preemptor: the last victim once it is its turn. */
  const underWay = new Map<string, Frozen<Pod> | undefined>();
  /** Preemptors that might have been tried meanwhile. */
  const heldBack = new Set<string>();

  const isUnderWay = (uid: string): boolean => {
    if (!underWay.has(uid)) return false;
    const last = underWay.get(uid);
    if (last === undefined) return true;
    const now = tools.podNow(last);
    return now !== undefined && now.metadata?.deletionTimestamp === undefined;
  };

  const makeRoom = async (preemptor: PodFacts, nodeName: string, victims: readonly PodFacts[]): Promise<void> => {
    const startedAt = tools.clock.now();
    const others = victims.slice(0, -1);
    const last = victims.slice(-1);
    const aside = pushedAside(preemptor, nodeName, tools);
    let trouble = await (aside.length === 0
      ? undefined
      : firstTrouble(aside.map((pod) => writePodStatus(tools.client, tools.clock, pod, { nominatedNodeName: '' }))));
    try {
      await Promise.all(others.map((victim) => evict(victim, preemptor, nodeName)));
      for (const victim of last) {
        underWay.set(preemptor.uid, victim.object);
        await evict(victim, preemptor, nodeName);
      }
    } catch (error) {
      trouble = { error };
    }
    underWay.delete(preemptor.uid);
    // What helped it may have been the leaving of the first victim, and nothing else may come that does.
    if (heldBack.delete(preemptor.uid)) tools.activate([preemptor.object]);
    tools.tell({
      type: 'preemption-done',
      result: trouble === undefined ? 'success' : 'error',
      durationMs: tools.clock.now() - startedAt,
    });
    if (trouble !== undefined) throw trouble.error;
  };

  const evict = async (victim: PodFacts, preemptor: PodFacts, nodeName: string): Promise<void> => {
    const isStopped = tools.waiting.stop(victim.uid, plugin, 'preempted');
    if (!isStopped && !(await tellToLeave(victim.object, preemptor, tools))) return;
    tools.note({
      about: victim.object,
      related: preemptor.object,
      type: 'Normal',
      reason: 'Preempted',
      action: 'Preempting',
      note: `Preempted by pod ${preemptor.uid} on node ${nodeName}${isStopped ? ' (in kube-scheduler memory).' : ''}`,
    });
  };

  return {
    begin: (preemptor, { node, victims }) => {
      // What is known of victims may be older than what they say of themselves by now.
      const staying = victims.pods
        .map(({ object }) => podFacts(tools.podNow(object) ?? object))
        .filter(({ terminating }) => !terminating);
      if (staying.length === 0) return;
      tools.tell({ type: 'preemption', victims: victims.pods.length });
      underWay.set(preemptor.uid, undefined);
      tools.background(
        () => makeRoom(preemptor, node.name, staying),
        () => tools.activate([preemptor.object]),
      );
    },
    holdsBack: (uid) => {
      const isHeld = isUnderWay(uid);
      if (isHeld) heldBack.add(uid);
      else heldBack.delete(uid);
      return isHeld;
    },
  };
}

/** Pods that were promised the node and have to look for another. */
function pushedAside({ priority }: PodFacts, nodeName: string, { cluster }: PluginTools): readonly Frozen<Pod>[] {
  return cluster
    .nominatedTo(nodeName)
    .filter((pod) => pod.priority < priority && (pod.object.status?.nominatedNodeName ?? '') !== '')
    .map(({ object }) => object);
}

/** What went wrong first; the others have their turn all the same. */
async function firstTrouble(work: readonly Promise<void>[]): Promise<{ readonly error: unknown } | undefined> {
  const settled = await Promise.allSettled(work);
  const failed = settled.find((outcome) => outcome.status === 'rejected');
  return failed === undefined ? undefined : { error: failed.reason as unknown };
}

/** Says why, and deletes. False if the pod is gone already. */
async function tellToLeave(
  victim: Frozen<Pod>,
  { schedulerName, namespace, name }: PodFacts,
  { client, clock }: PluginTools,
): Promise<boolean> {
  try {
    await writePodStatus(client, clock, victim, {
      condition: {
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'PreemptionByScheduler',
        message: `${schedulerName}: preempting to accommodate a higher priority pod`,
      },
    });
    const cause = { reason: `preempted by Pod ${namespace}/${name}` };
    await client.kind('v1', 'Pod').delete(namespacedName(victim), { cause });
    return true;
  } catch (error) {
    if (isApiError(error, 'NotFound')) return false;
    throw error;
  }
}
