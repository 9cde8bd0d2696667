// The history of a StatefulSet or DaemonSet: one ControllerRevision per pod template that it had. The data of a
// revision is a strategic merge patch that puts its template back, which is what `kubectl rollout undo` sends. Pure,
// except for the writes at the end. As pkg/controller/history/controller_history.go.
import type { Client, Stored } from '../../client/index.js';
import { deepEqual, isApiError, isJsonObject, namespacedName, parseTime } from '../../core/index.js';
import type { Frozen, JsonObject } from '../../core/index.js';
import type { ControllerRevision, PodTemplateSpec } from '../../core/types/index.js';
import { ignoreError } from '../ignore-error.js';
import { controllerReference } from './pod-control.js';
import type { CallContext, OwnerKind } from './pod-control.js';

/** The kind of the objects of a history. */
export const revisionKind: OwnerKind = Object.freeze({ apiVersion: 'apps/v1', kind: 'ControllerRevision' });

/** A stored revision. */
export type StoredRevision = Stored<ControllerRevision>;

/** Returns the data of the revision with that template. */
export function revisionData(template: Frozen<PodTemplateSpec>): JsonObject {
  return { spec: { template: { ...(template as JsonObject), $patch: 'replace' } } };
}

/** Returns the template that a revision puts back; undefined if its data has none. */
export function revisionTemplate({ data }: Frozen<ControllerRevision>): Frozen<PodTemplateSpec> | undefined {
  const spec = isJsonObject(data) ? data.spec : undefined;
  const patch = isJsonObject(spec) ? spec.template : undefined;
  if (!isJsonObject(patch)) return undefined;
  const { $patch: _directive, ...template } = patch;
  // The server stores any JSON as data; a template that is not one is refused when a pod is created from it.
  return template;
}

/** Returns whether a revision has this data. */
export function hasData(revision: Frozen<ControllerRevision>, data: JsonObject): boolean {
  return deepEqual(revision.data, data);
}

/** Returns the revisions by number, then age, then name. */
export function sortRevisions(revisions: readonly StoredRevision[]): readonly StoredRevision[] {
  return revisions.toSorted(
    (one, other) =>
      one.revision - other.revision ||
      createdAtMs(one) - createdAtMs(other) ||
      (one.metadata.name < other.metadata.name ? -1 : 1),
  );
}

/** Returns the number of the next revision: one more than the highest. */
export function nextRevisionNumber(revisions: readonly Frozen<ControllerRevision>[]): number {
  return revisions.reduce((highest, { revision }) => Math.max(highest, revision), 0) + 1;
}

/** What a new revision is created from. */
export interface NewRevision {
  readonly owner: Stored;
  readonly ownerKind: OwnerKind;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly data: JsonObject;
  readonly revision: number;
}

/** Returns the object of a new revision. It has the annotations of its owner, such as the change cause. */
export function newRevision({
  owner,
  ownerKind,
  name,
  labels,
  data,
  revision,
}: NewRevision): Frozen<ControllerRevision> {
  const { annotations } = owner.metadata;
  return {
    metadata: {
      name,
      labels,
      ...(annotations && { annotations }),
      ownerReferences: [controllerReference(owner, ownerKind)],
    },
    data,
    revision,
  };
}

/** Writes of a history. */
export interface RevisionControl {
  /** Creates a revision. Resolves with the one of that name if it has the same data, with undefined if not. */
  create(
    namespace: string,
    revision: Frozen<ControllerRevision>,
    context: CallContext,
  ): Promise<StoredRevision | undefined>;
  /** Gives a revision another number. */
  renumber(revision: StoredRevision, number: number, context: CallContext): Promise<StoredRevision>;
  delete(revision: StoredRevision, context: CallContext): Promise<void>;
}

/** Returns the writes of histories through a client. */
export function revisionControl(client: Client): RevisionControl {
  const revisions = client.kind('apps/v1', 'ControllerRevision');
  return {
    create: async (namespace, revision, { signal, cause }) => {
      try {
        return await revisions.in(namespace).create(revision, { signal, cause });
      } catch (error) {
        if (!isApiError(error, 'AlreadyExists')) throw error;
        const found = await revisions.get({ namespace, name: revision.metadata?.name ?? '' }, { signal });
        return deepEqual(found.data, revision.data) ? found : undefined;
      }
    },
    renumber: (revision, number, { signal, cause }) =>
      revisions.modify(
        namespacedName(revision),
        (current) => (current.revision === number ? current : { ...current, revision: number }),
        { signal, cause },
      ),
    delete: async (revision, { signal, cause }) => {
      await ignoreError('NotFound', revisions.delete(namespacedName(revision), { signal, cause }));
    },
  };
}

function createdAtMs({ metadata: { creationTimestamp } }: StoredRevision): number {
  return parseTime(creationTimestamp);
}
