// The history of a DaemonSet. The current revision is the one with spec.template; it is created if there is none, and
// has the highest number. The hash in its label is the revision of pods. As pkg/controller/daemon/update.go,
// constructHistory and cleanupHistory.
import type { Client, Stored } from '../../client/index.js';
import { namespacedName } from '../../core/index.js';
import type { DaemonSet, Pod } from '../../core/types/index.js';
import type { CallContext } from '../workloads/pod-control.js';
import {
  hasData,
  newRevision,
  nextRevisionNumber,
  revisionControl,
  revisionData,
  sortRevisions,
} from '../workloads/revision-history.js';
import type { StoredRevision } from '../workloads/revision-history.js';
import { templateHash } from '../workloads/template-hash.js';
import { daemonSetKind, hashLabel } from './daemon-pods.js';

/** The dependencies of a history. */
export interface DaemonHistoryOptions {
  readonly client: Client;
  readonly set: Stored<DaemonSet>;
  readonly context: CallContext;
}

/** The revisions of a set. */
export interface DaemonHistory {
  readonly current: StoredRevision;
  readonly old: readonly StoredRevision[];
}

/** Returns the history of a set from the revisions that it owns, after writing what is missing. */
export async function currentHistory(
  owned: readonly StoredRevision[],
  pods: readonly Stored<Pod>[],
  options: DaemonHistoryOptions,
): Promise<DaemonHistory> {
  const { client, set, context } = options;
  const revisions = await Promise.all(owned.map((revision) => labelled(revision, options)));
  const data = revisionData(set.spec?.template ?? {});
  const equal = revisions.filter((revision) => hasData(revision, data));
  const old = revisions.filter((revision) => !equal.includes(revision));
  const number = nextRevisionNumber(old);
  const current =
    equal.length === 0 ? await createRevision(number, options) : await withoutDuplicates(equal, pods, options);
  if (current.revision >= number) return { current, old };
  return { current: await revisionControl(client).renumber(current, number, context), old };
}

/** Deletes the oldest revisions beyond the limit that no pod has. */
export async function trimHistory(
  old: readonly StoredRevision[],
  pods: readonly Stored<Pod>[],
  { client, set, context }: DaemonHistoryOptions,
): Promise<void> {
  const surplus = old.length - (set.spec?.revisionHistoryLimit ?? 10);
  if (surplus <= 0) return;
  const live = new Set(pods.map(({ metadata }) => metadata.labels?.[hashLabel]));
  const unused = sortRevisions(old).filter(({ metadata }) => !live.has(metadata.labels?.[hashLabel]));
  for (const revision of unused.slice(0, surplus)) await revisionControl(client).delete(revision, context);
}

/** A revision of another origin may lack the label; its name is unique. */
async function labelled(revision: StoredRevision, { client, context }: DaemonHistoryOptions): Promise<StoredRevision> {
  const { labels = {}, name } = revision.metadata;
  if (labels[hashLabel] !== undefined) return revision;
  const metadata = { ...revision.metadata, labels: { ...labels, [hashLabel]: name } };
  return client.kind('apps/v1', 'ControllerRevision').update({ ...revision, metadata }, context);
}

async function createRevision(number: number, options: DaemonHistoryOptions): Promise<StoredRevision> {
  const { client, set, context } = options;
  const template = set.spec?.template ?? {};
  const hash = templateHash(template, set.status?.collisionCount);
  const name = `${set.metadata.name}-${hash}`;
  const labels = { ...template.metadata?.labels, [hashLabel]: hash };
  const data = revisionData(template);
  const revision = newRevision({ owner: set, ownerKind: daemonSetKind, name, labels, data, revision: number });
  const created = await revisionControl(client).create(set.metadata.namespace ?? '', revision, context);
  if (created !== undefined) return created;
  await countCollision(options);
  throw new Error(`controllerrevisions.apps "${name}" already exists`);
}

/** Another template has the same hash: the next reconcile computes it with the count. */
async function countCollision({ client, set, context }: DaemonHistoryOptions): Promise<void> {
  const sets = client.kind('apps/v1', 'DaemonSet');
  const live = await sets.get(namespacedName(set), { signal: context.signal });
  const before = live.status?.collisionCount;
  if (before !== set.status?.collisionCount) {
    const counts = `${set.status?.collisionCount ?? 0}, expected ${before ?? 0}`;
    throw new Error(
      `found a stale collision count (${counts}) of DaemonSet "${set.metadata.name}" while processing; will retry until it is updated`,
    );
  }
  const none = { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 };
  const status = { ...none, ...live.status, collisionCount: (before ?? 0) + 1 };
  await sets.status.update({ ...live, status }, context);
}

/** Of several revisions with one template the newest is kept; pods get its label before the others are deleted. */
async function withoutDuplicates(
  equal: readonly StoredRevision[],
  pods: readonly Stored<Pod>[],
  { client, context }: DaemonHistoryOptions,
): Promise<StoredRevision> {
  const kept = equal.reduce((newest, revision) => (revision.revision >= newest.revision ? revision : newest));
  if (equal.length === 1) return kept;
  const hash = kept.metadata.labels?.[hashLabel] ?? '';
  for (const pod of pods.filter(({ metadata }) => metadata.labels?.[hashLabel] !== hash)) {
    const patch = { merge: { metadata: { labels: { [hashLabel]: hash } } } };
    await client.kind('v1', 'Pod').patch(namespacedName(pod), patch, context);
  }
  for (const revision of equal.filter((each) => each !== kept)) await revisionControl(client).delete(revision, context);
  return kept;
}
