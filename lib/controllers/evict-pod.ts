// Deletes a pod that taints evict: first the condition that says why, then the pod, with its grace period. As
// addConditionAndDeletePod of pkg/controller/tainteviction and devicetainteviction.
import type { Client } from '../client/index.js';
import { deepEqual, podCondition, withPodCondition } from '../core/index.js';
import type { NamespacedName, RequestCause } from '../core/index.js';
import { ignoreError } from './ignore-error.js';

/** The reason and message of the condition DisruptionTarget. */
export interface DisruptionReason {
  readonly reason: string;
  readonly message: string;
}

/** The dependencies of an eviction, and the reconcile that it is part of. */
export interface EvictionContext {
  readonly client: Client;
  readonly nowMs: number;
  readonly signal: AbortSignal;
  readonly cause: RequestCause;
}

/** Sets the condition DisruptionTarget of a pod and deletes it. Resolves if the pod is gone. */
export async function evictPod(
  pod: NamespacedName,
  why: DisruptionReason,
  { client, nowMs, signal, cause }: EvictionContext,
): Promise<void> {
  const pods = client.kind('v1', 'Pod').in(pod.namespace);
  const found = await ignoreError('NotFound', pods.get(pod.name, { signal }));
  if (found === undefined) return;
  const { uid } = found.metadata;
  const { reason, message } = why;
  const next = withPodCondition(found, { type: disruptionTarget, status: 'True', reason, message }, nowMs);
  const condition = next.find(({ type }) => type === disruptionTarget);
  if (condition !== undefined && !deepEqual(podCondition(found, disruptionTarget), condition)) {
    const strategic = { metadata: { uid }, status: { conditions: [condition] } };
    const patched = pods.status.patch(pod.name, { strategic }, { signal, cause });
    if ((await ignoreError('NotFound', patched)) === undefined) return;
  }
  await ignoreError('NotFound', pods.delete(pod.name, { preconditions: { uid }, signal, cause }));
}

const disruptionTarget = 'DisruptionTarget';
