// The identity of the pods of a StatefulSet: the name `<set>-<ordinal>`, the labels and host name that follow from it,
// and the volumes of its claims. Pure. As pkg/controller/statefulset/stateful_set_utils.go.
import type { Stored } from '../../client/index.js';
import type { Frozen, OwnerReference } from '../../core/index.js';
import type { PersistentVolumeClaim, Pod, PodTemplateSpec, StatefulSet, Volume } from '../../core/types/index.js';
import { controllerReference, podOfTemplate } from '../workloads/pod-control.js';
import type { OwnerKind } from '../workloads/pod-control.js';
import { replicasOf } from '../workloads/replicas.js';

/** The kind of the owners. */
export const statefulSetKind: OwnerKind = Object.freeze({ apiVersion: 'apps/v1', kind: 'StatefulSet' });

/** The kind of the pods. */
export const podKind: OwnerKind = Object.freeze({ apiVersion: 'v1', kind: 'Pod' });

/** The label that names the ControllerRevision from which a pod was created. */
export const revisionLabel = 'controller-revision-hash';

type SetObject = Frozen<StatefulSet>;
type PodObject = Frozen<Pod>;

/** A member of a set as its name states it. The ordinal is -1 if the name has none that fits in 32 bits. */
export interface Member {
  readonly parent: string;
  readonly ordinal: number;
}

/** Parses the name of a pod. */
export function parseMemberName(podName: string): Member {
  const [, parent = '', digits = ''] = memberShape.exec(podName) ?? [];
  const ordinal = digits === '' ? -1 : Number(digits);
  return { parent, ordinal: ordinal <= int32Max ? ordinal : -1 };
}

/** Returns the ordinal of a pod, or -1. */
export function ordinalOf({ metadata }: PodObject): number {
  return parseMemberName(metadata?.name ?? '').ordinal;
}

/** Returns whether a pod has the name of a member of the set. */
export function isMember(set: SetObject, { metadata }: PodObject): boolean {
  return parseMemberName(metadata?.name ?? '').parent === set.metadata?.name;
}

/** Returns the first ordinal of a set. */
export function startOrdinal({ spec }: SetObject): number {
  return spec?.ordinals?.start ?? 0;
}

/** Returns whether an ordinal is one that the set should have. */
export function isOrdinalInRange(set: SetObject, ordinal: number): boolean {
  const start = startOrdinal(set);
  return ordinal >= start && ordinal < start + replicasOf(set);
}

/** Returns the name of the claim of a pod. */
export function claimName(set: SetObject, template: Frozen<PersistentVolumeClaim>, ordinal: number): string {
  return `${template.metadata?.name ?? ''}-${podName(set, ordinal)}`;
}

/** Returns the claims of a pod of the set. */
export function claimsOf(set: SetObject, ordinal: number): readonly Frozen<PersistentVolumeClaim>[] {
  const { volumeClaimTemplates = [], selector } = set.spec ?? {};
  return volumeClaimTemplates.map((template) => {
    const labels = { ...template.metadata?.labels, ...selector?.matchLabels };
    const name = claimName(set, template, ordinal);
    const namespace = set.metadata?.namespace ?? '';
    return { ...template, metadata: { ...template.metadata, name, namespace, labels } };
  });
}

/** Returns the pod of an ordinal, from the template of a revision. */
export function newPod(
  set: Stored<StatefulSet>,
  { name: revision, template }: { readonly name: string; readonly template: Frozen<PodTemplateSpec> },
  ordinal: number,
): PodObject {
  const owner: Frozen<OwnerReference> = controllerReference(set, statefulSetKind);
  const pod = podOfTemplate(template, owner, { name: podName(set, ordinal), generateName: `${set.metadata.name}-` });
  const identified = withStorage(set, withIdentity(set, pod));
  return {
    ...identified,
    metadata: { ...identified.metadata, labels: { ...identified.metadata?.labels, [revisionLabel]: revision } },
    spec: {
      ...(identified.spec ?? { containers: [] }),
      hostname: identified.metadata?.name ?? '',
      ...(set.spec?.serviceName !== undefined && { subdomain: set.spec.serviceName }),
    },
  };
}

/** Returns whether a pod has the name, namespace and label of its ordinal. */
export function hasIdentity(set: SetObject, { metadata }: PodObject): boolean {
  const name = metadata?.name ?? '';
  const { parent, ordinal } = parseMemberName(name);
  return (
    ordinal >= 0 &&
    parent === set.metadata?.name &&
    name === podName(set, ordinal) &&
    metadata?.namespace === set.metadata.namespace &&
    metadata?.labels?.[podNameLabel] === name
  );
}

/** Returns the pod with the name and labels of its ordinal. Host name and subdomain cannot be changed later. */
export function withIdentity<T extends PodObject>(set: SetObject, pod: T): T {
  const ordinal = ordinalOf(pod);
  const name = podName(set, ordinal);
  const labels = { ...pod.metadata?.labels, [podNameLabel]: name, [podIndexLabel]: `${ordinal}` };
  return { ...pod, metadata: { ...pod.metadata, name, namespace: set.metadata?.namespace, labels } };
}

/** Returns whether a pod mounts the claims of its ordinal. */
export function hasStorage(set: SetObject, pod: PodObject): boolean {
  const ordinal = ordinalOf(pod);
  if (ordinal < 0) return false;
  const volumes = pod.spec?.volumes ?? [];
  return (set.spec?.volumeClaimTemplates ?? []).every((template) => {
    // Of volumes with the same name the last one counts.
    const volume = volumes.findLast(({ name }) => name === template.metadata?.name);
    return volume?.persistentVolumeClaim?.claimName === claimName(set, template, ordinal);
  });
}

/** Returns the pod with the claims of its ordinal in place of volumes of the same names. */
export function withStorage<T extends PodObject>(set: SetObject, pod: T): T {
  const ordinal = ordinalOf(pod);
  const claimed = (set.spec?.volumeClaimTemplates ?? []).map((template): Frozen<Volume> => {
    const name = template.metadata?.name ?? '';
    return { name, persistentVolumeClaim: { claimName: claimName(set, template, ordinal) } };
  });
  if (claimed.length === 0) return pod;
  const others = (pod.spec?.volumes ?? []).filter(({ name }) => claimed.every((volume) => volume.name !== name));
  return { ...pod, spec: { ...pod.spec, volumes: [...claimed, ...others] } };
}

/** Returns the revision from which a pod was created; empty if unknown. */
export function podRevision({ metadata }: PodObject): string {
  return metadata?.labels?.[revisionLabel] ?? '';
}

function podName({ metadata }: SetObject, ordinal: number): string {
  return `${metadata?.name ?? ''}-${ordinal}`;
}

const memberShape = /^(.*)-([0-9]+)$/s;
const int32Max = 2 ** 31 - 1;
const podNameLabel = 'statefulset.kubernetes.io/pod-name';
const podIndexLabel = 'apps.kubernetes.io/pod-index';
