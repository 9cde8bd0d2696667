// Creates and deletes the pods of a workload, and records an Event about its owner for each. As
// pkg/controller/controller_utils.go, RealPodControl.
import type { Client, EventDetails, Stored, WriteOptions } from '../../client/index.js';
import {
  errorText,
  isApiError,
  nameIsDnsSubdomain,
  namespacedName,
  objectReference,
  ownerReference,
  parseGroupVersion,
} from '../../core/index.js';
import type { Frozen, OwnerReference, RequestCause, TypeMeta } from '../../core/index.js';
import type { Pod, PodTemplateSpec } from '../../core/types/index.js';

/** Kind and version of an owner. Objects of informers may lack them. */
export type OwnerKind = Required<Frozen<TypeMeta>>;

/** Records Events; an EventRecorder is one. */
export interface EventSink {
  record(details: EventDetails): void;
}

/** The dependencies of pod control. */
export interface PodControlOptions {
  readonly client: Client;
  readonly recorder: EventSink;
  /** The kind of the owners. */
  readonly kind: OwnerKind;
}

/** The part of a reconcile that requests need. */
export interface CallContext {
  readonly signal: AbortSignal;
  readonly cause: RequestCause;
}

/** Creates and deletes pods for owners of one kind. */
export interface PodControl {
  /**
   * Creates a pod, controlled by the owner. Without a name in `naming` its name is generated from the owner's. Rejects
   * with the error of the server after recording FailedCreate, which is left out if the namespace terminates.
   */
  create(
    owner: Stored,
    template: Frozen<PodTemplateSpec>,
    context: CallContext,
    naming?: PodNaming,
  ): Promise<Stored<Pod>>;
  /** Deletes a pod. Returns false if it is gone already. Rejects after recording FailedDelete. */
  delete(owner: Stored, pod: Stored<Pod>, context: CallContext): Promise<boolean>;
}

/** The name of a pod, or the prefix of its name. */
export interface PodNaming {
  readonly name?: string;
  readonly generateName?: string;
}

/** Returns the pod control of a controller. */
export function podControl({ client, recorder, kind }: PodControlOptions): PodControl {
  const pods = client.kind('v1', 'Pod');
  const record = (owner: Stored, type: EventDetails['type'], reason: string, message: string): void =>
    recorder.record({ regarding: objectReference(kind, owner), type, reason, message });
  return {
    create: async (owner, template, context, naming) => {
      const pod = podOfTemplate(
        template,
        controllerReference(owner, kind),
        naming ?? { generateName: podPrefix(owner) },
      );
      try {
        // As in Kubernetes there is no Event about this one.
        if (Object.keys(template.metadata?.labels ?? {}).length === 0)
          throw new PodWithoutLabels('unable to create pods, no labels');
        const created = await pods.in(owner.metadata.namespace ?? '').create(pod, writeOptions(context));
        record(owner, 'Normal', 'SuccessfulCreate', `Created pod: ${created.metadata.name}`);
        return created;
      } catch (error) {
        if (!isNamespaceTerminating(error) && !(error instanceof PodWithoutLabels))
          record(owner, 'Warning', 'FailedCreate', `Error creating: ${errorText(error)}`);
        throw error;
      }
    },
    delete: async (owner, pod, context) => {
      const { name } = pod.metadata;
      try {
        await pods.delete(namespacedName(pod), writeOptions(context));
      } catch (error) {
        if (isApiError(error, 'NotFound')) return false;
        record(owner, 'Warning', 'FailedDelete', `Error deleting: ${errorText(error)}`);
        throw new Error(`unable to delete pods: ${errorText(error)}`, { cause: error });
      }
      record(owner, 'Normal', 'SuccessfulDelete', `Deleted pod: ${name}`);
      return true;
    },
  };
}

class PodWithoutLabels extends Error {}

/** Returns the pod that a template describes. Name, status and the like of the template are not taken over. */
export function podOfTemplate(
  { metadata: { labels, annotations, finalizers } = {}, spec }: Frozen<PodTemplateSpec>,
  owner: Frozen<OwnerReference>,
  naming: PodNaming,
): Frozen<Pod> {
  return {
    metadata: {
      ...naming,
      ...(labels && { labels }),
      ...(annotations && { annotations }),
      ...(finalizers && { finalizers }),
      ownerReferences: [owner],
    },
    ...(spec && { spec }),
  };
}

/** Returns the reference by which an owner controls its dependents. */
export function controllerReference(owner: Stored, { apiVersion, kind }: OwnerKind): OwnerReference {
  return ownerReference(owner, {
    gvk: { ...parseGroupVersion(apiVersion), kind },
    controller: true,
    blockOwnerDeletion: true,
  });
}

/** Returns the error of the first call that was rejected. */
export function firstFailure(results: readonly PromiseSettledResult<unknown>[]): Error | undefined {
  const failed = results.find((result) => result.status === 'rejected');
  if (failed === undefined) return undefined;
  const reason: unknown = failed.reason;
  return reason instanceof Error ? reason : new Error(errorText(reason), { cause: reason });
}

/** Returns whether a create was refused because the namespace is being deleted. */
export function isNamespaceTerminating(error: unknown): boolean {
  if (!isApiError(error)) return false;
  return (error.status.details?.causes ?? []).some(({ reason }) => reason === 'NamespaceTerminating');
}

/**
 * Calls `run` up to `count` times in batches of 1, 2, 4, … calls at once. After a batch with a failure no further one
 * starts. Resolves with the number of successful calls and the first failure.
 */
export async function slowStartBatch(
  count: number,
  run: (index: number) => Promise<unknown>,
): Promise<{ readonly successes: number; readonly failure?: Error }> {
  let successes = 0;
  for (let started = 0, size = 1; started < count; size *= 2) {
    const batch = Math.min(size, count - started);
    const from = started;
    const results = await Promise.allSettled(Array.from({ length: batch }, (_, index) => run(from + index)));
    started += batch;
    successes += results.filter(({ status }) => status === 'fulfilled').length;
    const failure = firstFailure(results);
    if (failure !== undefined) return { successes, failure };
  }
  return { successes };
}

function writeOptions({ signal, cause }: CallContext): Pick<WriteOptions, 'signal' | 'cause'> {
  return { signal, cause };
}

/** The dash is left out where it would make the prefix invalid. */
function podPrefix({ metadata: { name } }: Stored): string {
  const prefix = `${name}-`;
  return nameIsDnsSubdomain(prefix, true).length === 0 ? prefix : name;
}
