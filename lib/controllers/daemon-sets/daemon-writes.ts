// The writes of the DaemonSet controller for pods: creating and deleting them within a burst, with expectations, and
// the delay of pods that keep failing. As pkg/controller/daemon/daemon_controller.go, syncNodes, and
// client-go/util/flowcontrol/backoff.go.
import type { Client, Stored } from '../../client/index.js';
import {
  backoffLadders,
  delayAfter,
  namespacedName,
  objectKey,
  objectReference,
  printNamespacedName,
} from '../../core/index.js';
import type { BackoffState, Clock } from '../../core/index.js';
import type { DaemonSet, Pod } from '../../core/types/index.js';
import type { Expectations } from '../workloads/expectations.js';
import { firstFailure, isNamespaceTerminating, podControl, slowStartBatch } from '../workloads/pod-control.js';
import type { CallContext, EventSink, PodControl } from '../workloads/pod-control.js';
import type { WriteBarrier } from '../workloads/write-barrier.js';
import { daemonSetKind, daemonTemplate } from './daemon-pods.js';
import type { DaemonPlan, NodePlan } from './daemon-plan.js';

/** The dependencies of the writes. */
export interface DaemonWritesOptions {
  readonly client: Client;
  readonly recorder: EventSink;
  readonly clock: Clock;
  readonly expectations: Expectations;
  readonly barrier: WriteBarrier<'sets' | 'pods'>;
}

/** Writes pods of DaemonSets. */
export class DaemonWrites {
  readonly #options: DaemonWritesOptions;
  readonly #control: PodControl;
  readonly #backoff = new FailedPodBackoff();

  constructor(options: DaemonWritesOptions) {
    this.#options = options;
    this.#control = podControl({ ...options, kind: daemonSetKind });
  }

  /** Creates and deletes pods, at most 250 each. Resolves with the first failure after all were tried. */
  async perform(
    set: Stored<DaemonSet>,
    hash: string,
    plan: DaemonPlan,
    context: CallContext,
  ): Promise<{ readonly created: number; readonly deleted: number; readonly failure?: Error }> {
    const { expectations, barrier } = this.#options;
    const key = objectKey(set);
    const create = plan.create.slice(0, burstMax);
    const remove = plan.delete.slice(0, burstMax);
    if (create.length + remove.length === 0) return { created: 0, deleted: 0 };
    const uids = remove.map(({ metadata }) => metadata.uid);
    expectations.expect(key, create.length, uids);
    let tried = 0;
    const creation = await slowStartBatch(create.length, async (index) => {
      tried += 1;
      try {
        const pod = await this.#control.create(set, daemonTemplate(set, hash, create[index] ?? ''), context);
        barrier.wrote(namespacedName(set), 'pods', pod);
      } catch (error) {
        expectations.creationObserved(key);
        if (!isNamespaceTerminating(error)) throw error;
      }
    });
    // Those that were not tried are not expected.
    expectations.creationObserved(key, create.length - tried);
    const results = await Promise.allSettled(
      remove.map(async (pod) => {
        try {
          const isDeleted = await this.#control.delete(set, pod, context);
          if (!isDeleted) expectations.deletionObserved(key, pod.metadata.uid);
        } catch (error) {
          expectations.deletionObserved(key, pod.metadata.uid);
          throw error;
        }
      }),
    );
    const deleted = results.filter(({ status }) => status === 'fulfilled').length;
    const failure = creation.failure ?? firstFailure(results);
    return { created: creation.successes, deleted, ...(failure !== undefined && { failure }) };
  }

  /** Records pods that stopped, and returns those that are deleted now: not those that keep failing. */
  removeStopped(
    set: Stored<DaemonSet>,
    stopped: NodePlan['stopped'],
  ): { readonly deletable: readonly Stored<Pod>[]; readonly retryInMs: number | undefined } {
    let retryInMs: number | undefined;
    const deletable = stopped.filter(({ pod, node }) => {
      const where = `daemon pod ${printNamespacedName(namespacedName(pod))} on node ${node}`;
      if (pod.status?.phase === 'Succeeded') {
        this.#record(set, 'Normal', 'SucceededDaemonPod', `Found succeeded ${where}, will try to delete it`);
        return true;
      }
      const delayMs = this.#backoff.failed(set, node, this.#options.clock.now());
      if (delayMs !== undefined) {
        retryInMs = Math.min(delayMs, retryInMs ?? Infinity);
        return false;
      }
      this.#record(set, 'Warning', 'FailedDaemonPod', `Found failed ${where}, will try to kill it`);
      return true;
    });
    return { deletable: deletable.map(({ pod }) => pod), retryInMs };
  }

  /** Forgets a set that is gone. */
  forget(setKey: string): void {
    this.#backoff.forget(setKey);
  }

  #record(set: Stored<DaemonSet>, type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#options.recorder.record({ regarding: objectReference(daemonSetKind, set), type, reason, message });
  }
}

/** The most pods that are created, and deleted, in one reconcile. */
const burstMax = 250;

/**
 * How long a failed pod stays before it is deleted and created anew, per set, generation and node: at first not at all,
 * then 1 s, doubling to 15 minutes. A node that refuses a pod would otherwise get new ones without end. Entries of a
 * set go with it; those that expired go when another pod of the set fails.
 */
class FailedPodBackoff {
  readonly #bySet = new Map<string, Map<string, BackoffState>>();

  /** Returns undefined if a failed pod may be deleted now, which counts; otherwise the delay. */
  failed(set: Stored<DaemonSet>, node: string, nowMs: number): number | undefined {
    const states = this.#bySet.get(objectKey(set)) ?? new Map<string, BackoffState>();
    this.#bySet.set(objectKey(set), states);
    for (const [key, { failedAtMs }] of states) if (nowMs - failedAtMs > ladder.resetAfterMs) states.delete(key);
    const key = `${set.metadata.uid}/${set.status?.observedGeneration ?? 0}/${node}`;
    const state = states.get(key);
    const delayMs = state === undefined ? 0 : delayAfter(ladder, state.failures);
    if (state !== undefined && nowMs - state.failedAtMs < delayMs) return delayMs;
    states.set(key, { failures: (state?.failures ?? 0) + 1, failedAtMs: nowMs });
    return undefined;
  }

  forget(setKey: string): void {
    this.#bySet.delete(setKey);
  }
}

const ladder = backoffLadders.daemonPodFailure;
