// The current and the update revision of a StatefulSet. The update revision is that of spec.template: the newest one if
// it has this template, an older one that is numbered anew (a rollback), or a new one. The current revision is that of
// pods that are not updated yet. As pkg/controller/statefulset/stateful_set_control.go, getStatefulSetRevisions.
import type { Stored } from '../../client/index.js';
import { builtinScheme, decodeValue, deepEqual } from '../../core/index.js';
import type { JsonObject } from '../../core/index.js';
import type { Pod, StatefulSet } from '../../core/types/index.js';
import type { CallContext } from '../workloads/pod-control.js';
import {
  hasData,
  newRevision,
  nextRevisionNumber,
  revisionData,
  revisionTemplate,
} from '../workloads/revision-history.js';
import type { StoredRevision, RevisionControl } from '../workloads/revision-history.js';
import { revisionHash } from '../workloads/template-hash.js';
import { podRevision, statefulSetKind } from './pod-identity.js';

/** The revisions of a set, and the collisions of names so far. */
export interface SetRevisions {
  readonly current: StoredRevision;
  readonly update: StoredRevision;
  readonly collisionCount: number;
}

/** Returns the revisions of a set, after writing the update revision if necessary. `sorted` is its history. */
export async function findRevisions(
  set: Stored<StatefulSet>,
  sorted: readonly StoredRevision[],
  control: RevisionControl,
  context: CallContext,
): Promise<SetRevisions> {
  const collisions = set.status?.collisionCount ?? 0;
  const { update, collisionCount } = await updateRevision(set, sorted, control, context, collisions);
  const current = sorted.find(({ metadata }) => metadata.name === set.status?.currentRevision) ?? update;
  return { current, update, collisionCount };
}

/** Returns the revisions beyond the history limit: the oldest of those that neither the set nor a pod uses. */
export function surplusRevisions(
  set: Stored<StatefulSet>,
  sorted: readonly StoredRevision[],
  pods: readonly Stored<Pod>[],
  used: Partial<Pick<SetRevisions, 'current' | 'update'>>,
): readonly StoredRevision[] {
  const live = new Set([used.current?.metadata.name, used.update?.metadata.name, ...pods.map(podRevision)]);
  const unused = sorted.filter(({ metadata }) => !live.has(metadata.name));
  const limit = set.spec?.revisionHistoryLimit ?? 10;
  return limit < 0 ? [] : unused.slice(0, Math.max(0, unused.length - limit));
}

async function updateRevision(
  set: Stored<StatefulSet>,
  sorted: readonly StoredRevision[],
  control: RevisionControl,
  context: CallContext,
  collisions: number,
): Promise<Pick<SetRevisions, 'update' | 'collisionCount'>> {
  const template = set.spec?.template ?? {};
  const data = revisionData(template);
  const newest = sorted.at(-1);
  const equal = sorted.findLast((revision) => hasData(revision, data));
  const number = nextRevisionNumber(sorted);
  if (equal !== undefined && newest !== undefined) {
    const update = hasData(newest, data) ? newest : await control.renumber(equal, number, context);
    return { update, collisionCount: collisions };
  }
  if (newest !== undefined && isSameAfterDefaults(newest, data)) return { update: newest, collisionCount: collisions };
  const labels = { ...template.metadata?.labels, [hashLabel]: revisionHash(data, collisions) };
  for (let collisionCount = collisions; ; collisionCount += 1) {
    const name = `${set.metadata.name.slice(0, prefixMax)}-${revisionHash(data, collisionCount)}`;
    const revision = newRevision({ owner: set, ownerKind: statefulSetKind, name, labels, data, revision: number });
    const update = await control.create(set.metadata.namespace ?? '', revision, context);
    if (update !== undefined) return { update, collisionCount };
  }
}

/**
 * Returns whether a revision means the same template. One that an older version wrote lacks the defaults that fields
 * got since, or has nulls; rolling pods for that would change nothing.
 */
function isSameAfterDefaults(revision: StoredRevision, data: JsonObject): boolean {
  const template = revisionTemplate(revision);
  if (template === undefined) return false;
  const gvk = { group: 'apps', version: 'v1', kind: 'StatefulSet' };
  const scheme = builtinScheme();
  try {
    const { object } = decodeValue(scheme.typeOf(gvk), { spec: { selector: {}, template } });
    scheme.setDefaults(object, gvk);
    const restored = (object as { readonly spec?: StatefulSet['spec'] }).spec?.template;
    return restored !== undefined && deepEqual(revisionData(restored), data);
  } catch {
    return false; // its data is not a template
  }
}

const hashLabel = 'controller.kubernetes.io/hash';
/** The longest part of the name of a set in the name of a revision. */
const prefixMax = 223;
