// PersistentVolumes. The source, the mode and, once given, the affinity stay as they are; status remembers when the
// phase changed. As pkg/registry/core/persistentvolume/strategy.go, ValidatePersistentVolumeUpdate in
// pkg/apis/core/validation, pkg/api/persistentvolume/util.go and pkg/volume/validation/pv_validation.go.
import { fieldForbidden, fieldInvalid } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import { deepEqual } from '../../objects/json.js';
import { validateImmutable } from '../../objects/meta-validation.js';
import type { Frozen } from '../../objects/meta.js';
import { nameIsDnsSubdomain } from '../../objects/names.js';
import { printTime } from '../../objects/time.js';
import type { PersistentVolume, PersistentVolumeSpec, VolumeNodeAffinity } from '../../types/core-v1.generated.js';
import { nodeLabelDeprecation } from '../deprecated-node-labels.js';
import type { KindStrategy } from '../kind-strategy.js';
import { hasInvalidNodeLabelValue } from '../pods/node-selector-validation.js';
import { printedDiff } from '../printed-diff.js';
import { roundResourceList } from '../resource-list.js';
import { volumeTable } from './persistent-volume-table.js';
import { printedNodeAffinity, printedVolumeSource, volumeSourceFields } from './persistent-volume-form.js';
import { validateVolumeSpec } from './persistent-volume-spec.js';

/** The strategy of PersistentVolumes. */
export const persistentVolume: KindStrategy<PersistentVolume> = {
  nameRule: nameIsDnsSubdomain,
  prepareForCreate: (object, { now }) => {
    object.status = { phase: 'Pending', lastPhaseTransitionTime: printTime(now) };
  },
  validate: (object) => [...validateVolume(object), ...validateMountOptions(object)],
  warningsOnCreate: warnings,
  validateUpdate: (object, old) => [
    ...validateVolume(object, old),
    ...validateMountOptions(object),
    ...validateVolume(object, old),
    ...validateChange(object.spec ?? {}, old.spec ?? {}),
  ],
  warningsOnUpdate: warnings,
  subresources: {
    status: {
      prepareForUpdate: (object, old, { now }) => {
        const { phase, lastPhaseTransitionTime: time } = object.status ?? {};
        const before = old.status?.lastPhaseTransitionTime;
        if (phase === old.status?.phase) {
          if (time === undefined && before !== undefined)
            object.status = { ...object.status, lastPhaseTransitionTime: before };
        } else if (time === undefined || time === before)
          object.status = { ...object.status, lastPhaseTransitionTime: printTime(now) };
      },
    },
  },
  answersDeleted: true,
  table: volumeTable,
};

/** Rounds the capacity. */
export function persistentVolumeDefaults({ spec }: PersistentVolume): void {
  roundResourceList(spec?.capacity);
}

function validateVolume(
  { metadata, spec = {} }: Frozen<PersistentVolume>,
  old?: Frozen<PersistentVolume>,
): readonly FieldError[] {
  return validateVolumeSpec(spec, {
    path: fieldPath('spec'),
    name: metadata?.name ?? '',
    inline: false,
    allowInvalidLabelValues: hasInvalidNodeLabelValue(old?.spec?.nodeAffinity?.required),
  });
}

const mountOptionsAnnotation = 'volume.beta.kubernetes.io/mount-options';
const mountable = [
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'nfs',
  'rbd',
  'quobyte',
  'iscsi',
  'cinder',
  'cephfs',
  'azureFile',
  'vsphereVolume',
  'azureDisk',
  'photonPersistentDisk',
] as const;

/** An old annotation that only some sources understand. */
function validateMountOptions({ metadata, spec = {} }: Frozen<PersistentVolume>): readonly FieldError[] {
  const given = Object.hasOwn(metadata?.annotations ?? {}, mountOptionsAnnotation);
  if (!given || mountable.some((field) => spec[field] !== undefined)) return [];
  return [
    fieldForbidden(
      fieldPath('metadata', 'annotations', mountOptionsAnnotation),
      'may not specify mount options for this volume type',
    ),
  ];
}

function validateChange(spec: Frozen<PersistentVolumeSpec>, old: Frozen<PersistentVolumeSpec>): readonly FieldError[] {
  const attributesPath = fieldPath('spec', 'volumeAttributesClassName');
  const errors: FieldError[] = [];
  const compared = withoutNewExpandSecret(spec, old);
  if (!volumeSourceFields.every((field) => deepEqual(compared[field], old[field]))) {
    const difference = printedDiff(printedVolumeSource(old), printedVolumeSource(compared));
    errors.push(
      fieldForbidden(
        fieldPath('spec', 'persistentvolumesource'),
        `spec.persistentvolumesource is immutable after creation\n${difference}`,
      ),
    );
  }
  errors.push(...validateImmutable(spec.volumeMode, old.volumeMode, fieldPath('volumeMode')));
  if (old.nodeAffinity !== undefined && !isSameAffinity(spec.nodeAffinity, old.nodeAffinity)) {
    const detail = 'field is immutable, except for updating from beta label to GA';
    errors.push(fieldInvalid(fieldPath('nodeAffinity'), printedNodeAffinity(spec.nodeAffinity), detail));
  }
  if (old.volumeAttributesClassName !== undefined && spec.volumeAttributesClassName === undefined) {
    errors.push(fieldForbidden(attributesPath, 'update from non-nil value to nil is forbidden'));
  }
  return errors;
}

/** A secret for expansion may be added later. */
function withoutNewExpandSecret(
  spec: Frozen<PersistentVolumeSpec>,
  old: Frozen<PersistentVolumeSpec>,
): Frozen<PersistentVolumeSpec> {
  if (spec.csi === undefined || old.csi === undefined || old.csi.controllerExpandSecretRef !== undefined) return spec;
  const { controllerExpandSecretRef: _added, ...csi } = spec.csi;
  return { ...spec, csi };
}

const renamedLabels: ReadonlyMap<string, string> = new Map([
  ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
  ['failure-domain.beta.kubernetes.io/region', 'topology.kubernetes.io/region'],
  ['beta.kubernetes.io/os', 'kubernetes.io/os'],
  ['beta.kubernetes.io/arch', 'kubernetes.io/arch'],
  ['beta.kubernetes.io/instance-type', 'node.kubernetes.io/instance-type'],
]);

/** The same, but for labels that got their final name. */
function isSameAffinity(affinity: Frozen<VolumeNodeAffinity> | undefined, old: Frozen<VolumeNodeAffinity>): boolean {
  if (affinity === undefined) return false;
  const terms = affinity.required?.nodeSelectorTerms ?? [];
  const before = (old.required?.nodeSelectorTerms ?? []).map((term, i) => {
    const renamed = (part: 'matchExpressions' | 'matchFields'): unknown =>
      (term[part] ?? []).map((requirement, j) => {
        const key = terms[i]?.[part]?.[j]?.key;
        return key !== undefined && renamedLabels.get(requirement.key) === key ? { ...requirement, key } : requirement;
      });
    return { matchExpressions: renamed('matchExpressions'), matchFields: renamed('matchFields') };
  });
  const after = terms.map(({ matchExpressions = [], matchFields = [] }) => ({ matchExpressions, matchFields }));
  return (affinity.required === undefined) === (old.required === undefined) && deepEqual(after, before);
}

const deprecatedAnnotations: ReadonlyMap<string, string> = new Map([
  ['volume.beta.kubernetes.io/storage-class', 'deprecated since v1.8; use "storageClassName" attribute instead'],
  [mountOptionsAnnotation, 'deprecated since v1.31; use "mountOptions" attribute instead'],
]);

const deprecatedSources: readonly (readonly [field: keyof PersistentVolumeSpec, reported: string, message: string])[] =
  [
    ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
    ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
    ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
    ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
    ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
    ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
  ];

function warnings({ metadata, spec = {} }: Frozen<PersistentVolume>): readonly string[] {
  const found: string[] = [];
  for (const [key, message] of deprecatedAnnotations) {
    if (Object.hasOwn(metadata?.annotations ?? {}, key)) found.push(`metadata.annotations[${key}]: ${message}`);
  }
  if (spec.persistentVolumeReclaimPolicy === 'Recycle') {
    found.push(
      'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
    );
  }
  for (const [i, { matchExpressions = [] }] of (spec.nodeAffinity?.required?.nodeSelectorTerms ?? []).entries()) {
    for (const [j, { key }] of matchExpressions.entries()) {
      const message = nodeLabelDeprecation(key);
      if (message !== undefined)
        found.push(
          `spec.nodeAffinity.required.nodeSelectorTerms[${i}].matchExpressions[${j}].key: ${key} is ${message}`,
        );
    }
  }
  for (const [field, reported, message] of deprecatedSources)
    if (spec[field] !== undefined) found.push(`spec.${reported}: ${message}`);
  return found;
}
