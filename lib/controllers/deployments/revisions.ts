// Revisions of a Deployment: which ReplicaSet has the current template, what the next one looks like, and the
// annotations that record revisions and sizes. All functions are pure. As pkg/controller/deployment/util.
import type { Stored } from '../../client/index.js';
import { deepEqual } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Deployment, PodTemplateSpec, ReplicaSet } from '../../core/types/index.js';
import { controllerReference } from '../workloads/pod-control.js';
import { replicasOf } from '../workloads/replicas.js';
import { templateHash } from '../workloads/template-hash.js';
import { byCreation, maxSurge, newSetSize, totalReplicas } from './rolling-update.js';

export const revisionAnnotation = 'deployment.kubernetes.io/revision';
export const desiredReplicasAnnotation = 'deployment.kubernetes.io/desired-replicas';
export const maxReplicasAnnotation = 'deployment.kubernetes.io/max-replicas';
export const rollbackToAnnotation = 'deprecated.deployment.rollback.to';
export const deploymentKind = { apiVersion: 'apps/v1', kind: 'Deployment' };
const historyAnnotation = 'deployment.kubernetes.io/revision-history';
const hashLabel = 'pod-template-hash';
/** The most characters of the history. */
const historyMax = 2000;

/** Annotations that ReplicaSets do not take over from their Deployment. */
const ownAnnotations: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  revisionAnnotation,
  historyAnnotation,
  desiredReplicasAnnotation,
  maxReplicasAnnotation,
  rollbackToAnnotation,
]);

type Annotations = Readonly<Record<string, string>>;

/** Returns the ReplicaSet whose template is that of the Deployment; of several the oldest. */
export function currentSet(
  { spec }: Stored<Deployment>,
  sets: readonly Stored<ReplicaSet>[],
): Stored<ReplicaSet> | undefined {
  return sets.toSorted(byCreation).find((set) => isSameTemplate(set.spec?.template, spec?.template));
}

/** Compares templates, apart from the label of their hash. */
export function isSameTemplate(
  one: Frozen<PodTemplateSpec> | undefined,
  other: Frozen<PodTemplateSpec> | undefined,
): boolean {
  return deepEqual(withoutHash(one), withoutHash(other));
}

/** Returns the template without the label of its hash. */
export function withoutHash(template: Frozen<PodTemplateSpec> = {}): Frozen<PodTemplateSpec> {
  const { labels, ...metadata } = template.metadata ?? {};
  if (labels?.[hashLabel] === undefined) return template;
  const { [hashLabel]: _hash, ...others } = labels;
  return {
    ...template,
    metadata: Object.keys(others).length === 0 ? metadata : { ...metadata, labels: others },
  };
}

/** Returns the revision of a ReplicaSet: 0 without one, undefined if it is no number. */
export function setRevision({ metadata: { annotations } }: Stored<ReplicaSet>): number | undefined {
  return parseRevision(annotations?.[revisionAnnotation] ?? '0');
}

/** Returns the revision that comes after those of old ReplicaSets. */
export function nextRevision(old: readonly Stored<ReplicaSet>[]): number {
  return Math.max(0, ...old.map((set) => setRevision(set) ?? 0)) + 1;
}

/** Returns the ReplicaSet of a template that has none yet. Its name is that of the Deployment and a hash. */
export function newSet(deployment: Stored<Deployment>, old: readonly Stored<ReplicaSet>[]): Frozen<ReplicaSet> {
  const { spec, status, metadata } = deployment;
  const template = spec?.template ?? {};
  const hash = templateHash(template, status?.collisionCount);
  const labels = { ...template.metadata?.labels, [hashLabel]: hash };
  const selector = spec?.selector ?? {};
  return {
    metadata: {
      name: setName(metadata.name, hash),
      namespace: metadata.namespace ?? '',
      labels,
      annotations: {
        ...takenOver(metadata.annotations),
        [revisionAnnotation]: String(nextRevision(old)),
        ...sizeAnnotations(deployment),
      },
      ownerReferences: [controllerReference(deployment, deploymentKind)],
    },
    spec: {
      replicas: newSetSize(deployment, 0, totalReplicas(old)),
      ...(spec?.minReadySeconds !== undefined && { minReadySeconds: spec.minReadySeconds }),
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [hashLabel]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

/** Returns the current ReplicaSet with the annotations and minReadySeconds it should have; the same one if it has. */
export function revised(
  deployment: Stored<Deployment>,
  set: Stored<ReplicaSet>,
  old: readonly Stored<ReplicaSet>[],
): Stored<ReplicaSet> {
  const annotations = revisedAnnotations(deployment, set.metadata.annotations ?? {}, nextRevision(old));
  const minReadySeconds = deployment.spec?.minReadySeconds ?? 0;
  const isSame = annotations === undefined || deepEqual(annotations, set.metadata.annotations ?? {});
  if (isSame && (set.spec?.minReadySeconds ?? 0) === minReadySeconds) return set;
  return {
    ...set,
    metadata: isSame ? set.metadata : { ...set.metadata, annotations },
    spec: { ...set.spec, selector: set.spec?.selector ?? {}, minReadySeconds },
  };
}

/** Undefined if the revision is not a number: then nothing is changed. */
function revisedAnnotations({ metadata }: Stored<Deployment>, old: Annotations, next: number): Annotations | undefined {
  const revision = parseRevision(old[revisionAnnotation] === '' ? '0' : (old[revisionAnnotation] ?? '0'));
  if (revision === undefined) return undefined;
  const annotations = { ...old, ...takenOver(metadata.annotations) };
  if (revision >= next) return annotations;
  return {
    ...annotations,
    [revisionAnnotation]: String(next),
    // A set that had a revision is rolled back to.
    ...(old[revisionAnnotation] !== undefined && {
      [historyAnnotation]: extendedHistory(old[historyAnnotation] ?? '', old[revisionAnnotation]),
    }),
  };
}

/** Drops the oldest revisions if the text becomes too long. */
function extendedHistory(history: string, revision: string): string {
  if (history === '' || history.startsWith(',')) return revision;
  const revisions = history.split(',');
  let length = history.length + revision.length + 1;
  let start = 0;
  for (; length > historyMax && start < revisions.length; start += 1) length -= (revisions[start]?.length ?? 0) + 1;
  return length <= historyMax ? [...revisions.slice(start), revision].join(',') : history;
}

/** Returns the annotations that record for which size of the Deployment a ReplicaSet was sized. */
export function sizeAnnotations(deployment: Stored<Deployment>): Annotations {
  const desired = replicasOf(deployment);
  return {
    [desiredReplicasAnnotation]: String(desired),
    [maxReplicasAnnotation]: String(desired + maxSurge(deployment)),
  };
}

/** Returns the annotations of a Deployment that is rolled back to a ReplicaSet: its own ones, and those of the set. */
export function rolledBackAnnotations({ metadata }: Stored<Deployment>, set: Stored<ReplicaSet>): Annotations {
  const own = Object.entries(metadata.annotations ?? {}).filter(([name]) => ownAnnotations.has(name));
  return { ...Object.fromEntries(own), ...takenOver(set.metadata.annotations) };
}

function takenOver(annotations: Annotations | undefined): Annotations {
  return Object.fromEntries(Object.entries(annotations ?? {}).filter(([name]) => !ownAnnotations.has(name)));
}

/** Cut so that the name stays valid. */
function setName(deployment: string, hash: string): string {
  return `${deployment.slice(0, 253 - 1 - hash.length)}-${hash}`;
}

function parseRevision(text: string): number | undefined {
  return /^[-+]?[0-9]{1,18}$/.test(text) ? Number(text) : undefined;
}
