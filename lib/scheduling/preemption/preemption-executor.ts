// Executes preemptions: clears the nominations of lower-priority pods on the node and deletes the victims, the last one
// after all others. It runs in the background. Until the last victim is terminating, the preemptor is blocked, so that
// it does not select more victims. If an execution fails, the preemptor is activated. As
// pkg/scheduler/framework/preemption, executor.go.
import { isApiError, namespacedName } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import type { PluginTools } from '../framework/plugin-tools.js';
import { podFacts } from '../pod/pod-facts.js';
import type { PodFacts } from '../pod/pod-facts.js';
import { writePodStatus } from '../pod/pod-status.js';
import type { Candidate } from './candidates.js';

/** Executes preemptions. */
export interface PreemptionExecutor {
  /** Starts a preemption in the background. */
  start(preemptor: PodFacts, candidate: Candidate): void;
  /** Whether the pod must wait because its victims are not all terminating. A blocked pod is activated afterwards. */
  blocks(uid: string): boolean;
}

/** Creates an executor. */
export function preemptionExecutor(plugin: string, tools: PluginTools): PreemptionExecutor {
  /** By preemptor: the last victim, once its deletion has started. */
  const underWay = new Map<string, Frozen<Pod> | undefined>();
  /** Preemptors that were blocked meanwhile. */
  const blocked = new Set<string>();

  const isUnderWay = (uid: string): boolean => {
    if (!underWay.has(uid)) return false;
    const last = underWay.get(uid);
    if (last === undefined) return true;
    const now = tools.currentPod(last);
    return now !== undefined && now.metadata?.deletionTimestamp === undefined;
  };

  const execute = async (preemptor: PodFacts, nodeName: string, victims: readonly PodFacts[]): Promise<void> => {
    const startedAt = tools.clock.now();
    const others = victims.slice(0, -1);
    const last = victims.slice(-1);
    const displaced = displacedNominees(preemptor, nodeName, tools);
    let failure = await (displaced.length === 0
      ? undefined
      : firstFailure(
          displaced.map((pod) => writePodStatus(tools.client, tools.clock, pod, { nominatedNodeName: '' })),
        ));
    try {
      await Promise.all(others.map((victim) => evict(victim, preemptor, nodeName)));
      for (const victim of last) {
        underWay.set(preemptor.uid, victim.object);
        await evict(victim, preemptor, nodeName);
      }
    } catch (error) {
      failure = { error };
    }
    underWay.delete(preemptor.uid);
    // The event that helped the pod may have been the deletion of the first victim, and no other event may follow.
    if (blocked.delete(preemptor.uid)) tools.activate([preemptor.object]);
    tools.recordActivity({
      type: 'preemption-done',
      result: failure === undefined ? 'success' : 'error',
      durationMs: tools.clock.now() - startedAt,
    });
    if (failure !== undefined) throw failure.error;
  };

  const evict = async (victim: PodFacts, preemptor: PodFacts, nodeName: string): Promise<void> => {
    const isStopped = tools.waitingPods.stop(victim.uid, plugin, 'preempted');
    if (!isStopped && !(await deleteVictim(victim.object, preemptor, tools))) return;
    tools.recordEvent({
      regarding: victim.object,
      related: preemptor.object,
      type: 'Normal',
      reason: 'Preempted',
      action: 'Preempting',
      note: `Preempted by pod ${preemptor.uid} on node ${nodeName}${isStopped ? ' (in kube-scheduler memory).' : ''}`,
    });
  };

  return {
    start: (preemptor, { node, victims }) => {
      // The candidate may contain outdated versions of the victims.
      const staying = victims.pods
        .map(({ object }) => podFacts(tools.currentPod(object) ?? object))
        .filter(({ terminating }) => !terminating);
      if (staying.length === 0) return;
      tools.recordActivity({ type: 'preemption', victims: victims.pods.length });
      underWay.set(preemptor.uid, undefined);
      tools.runInBackground(
        () => execute(preemptor, node.name, staying),
        () => tools.activate([preemptor.object]),
      );
    },
    blocks: (uid) => {
      const isHeld = isUnderWay(uid);
      if (isHeld) blocked.add(uid);
      else blocked.delete(uid);
      return isHeld;
    },
  };
}

/** Returns lower-priority pods that are nominated to the node; they lose the nomination. */
function displacedNominees({ priority }: PodFacts, nodeName: string, { cluster }: PluginTools): readonly Frozen<Pod>[] {
  return cluster
    .nominatedTo(nodeName)
    .filter((pod) => pod.priority < priority && (pod.object.status?.nominatedNodeName ?? '') !== '')
    .map(({ object }) => object);
}

/** Waits for all calls and returns the first failure. */
async function firstFailure(work: readonly Promise<void>[]): Promise<{ readonly error: unknown } | undefined> {
  const settled = await Promise.allSettled(work);
  const failed = settled.find((outcome) => outcome.status === 'rejected');
  return failed === undefined ? undefined : { error: failed.reason as unknown };
}

/** Sets the condition DisruptionTarget and deletes the pod. Returns false if the pod no longer exists. */
async function deleteVictim(
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
