// A kubelet for tests of controllers: pods that are bound to a node become ready after a while, terminating ones are
// removed after another. Pods can be kept from becoming ready by an annotation, also of their template.
import { awaitChange, controller, requeueAfter } from '../../lib/client/index.js';
import type { Stored } from '../../lib/client/index.js';
import {
  isPodReady,
  isPodTerminal,
  isTerminating,
  parseTime,
  printNamespacedName,
  printTime,
} from '../../lib/core/index.js';
import type { Part } from '../../lib/core/index.js';
import type { Pod } from '../../lib/core/types/index.js';
import type { PartTools } from '../../lib/index.js';

/** With this annotation a pod never becomes ready. */
export const neverReady = 'test/never-ready';

/** How long things take. */
export interface KubeletTimings {
  /** From the creation of a pod until it is ready. Default 1 s. */
  readonly startMs?: number;
  /** From the deletion of a pod until it is gone. Default 1 s. */
  readonly stopMs?: number;
}

/** Returns a part of a cluster that does what kubelets do to pods. */
export function simulatedKubelet({ startMs = 1_000, stopMs = 1_000 }: KubeletTimings = {}) {
  return ({ client, informers, clock }: PartTools): Part => {
    const pods = informers.kind('v1', 'Pod');
    const remainingMs = (pod: Stored<Pod>): number => {
      const { deletionTimestamp, deletionGracePeriodSeconds = 0, creationTimestamp } = pod.metadata;
      const since =
        deletionTimestamp === undefined
          ? parseTime(creationTimestamp) + startMs
          : parseTime(deletionTimestamp) - deletionGracePeriodSeconds * 1000 + stopMs;
      return since - clock.now();
    };
    return controller({
      name: 'kubelet',
      clock,
      concurrency: 50,
      for: pods,
      reconcile: async (name, { signal }) => {
        const pod = pods.get(printNamespacedName(name));
        if (pod?.spec?.nodeName === undefined) return awaitChange;
        const isStopping = isTerminating(pod);
        if (!isStopping && (isPodReady(pod) || isPodTerminal(pod) || pod.metadata.annotations?.[neverReady]))
          return awaitChange;
        const waitMs = remainingMs(pod);
        if (waitMs > 0) return requeueAfter(waitMs);
        if (isStopping) await client.kind('v1', 'Pod').delete(name, { gracePeriodSeconds: 0, signal });
        else await client.kind('v1', 'Pod').status.patch(name, readyStatus(printTime(clock.now())), { signal });
        return awaitChange;
      },
    });
  };
}

/** A patch that makes a pod ready. */
export function readyStatus(lastTransitionTime: string) {
  return {
    strategic: {
      status: {
        phase: 'Running',
        conditions: [{ type: 'Ready', status: 'True', lastTransitionTime }],
      },
    },
  } as const;
}
