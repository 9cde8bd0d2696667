// PersistentVolumeClaims. A claim stays what it was, but for its volume's name, given once, its class, filled in later,
// and for bound claims the size, which may grow or go back to what is there, and the class of attributes.
// As pkg/registry/core/persistentvolumeclaim/strategy.go, pkg/api/persistentvolumeclaim/util.go and
// ValidatePersistentVolumeClaim… in pkg/apis/core/validation.
import { fieldPath } from '../../errors/field-path.js';
import type { Frozen } from '../../objects/meta.js';
import { nameIsDnsSubdomain } from '../../objects/names.js';
import type {
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  TypedLocalObjectReference,
} from '../../types/core-v1.generated.js';
import { claimSpecWarnings } from '../claim-spec-warnings.js';
import type { KindStrategy } from '../kind-strategy.js';
import { validateClaimSpec } from '../pods/claim-template-validation.js';
import { roundResourceList } from '../resource-list.js';
import { claimToleranceOf, validateClaimChange, validateVolumeClaimStatus } from './persistent-volume-claim-update.js';
import { claimTable } from './persistent-volume-table.js';

/** The strategy of PersistentVolumeClaims. */
export const persistentVolumeClaim: KindStrategy<PersistentVolumeClaim> = {
  nameRule: nameIsDnsSubdomain,
  prepareForCreate: ({ spec }) => {
    if (spec !== undefined) settleDataSources(spec, undefined);
  },
  validate: ({ spec = {} }) => validateClaimSpec(spec, fieldPath('spec')),
  warningsOnCreate: warnings,
  prepareForUpdate: ({ spec }, old) => {
    if (spec !== undefined) settleDataSources(spec, old.spec);
  },
  validateUpdate: (object, old) => [
    ...validateClaimSpec(object.spec ?? {}, fieldPath('spec'), claimToleranceOf(old.spec ?? {})),
    ...validateClaimChange(object, { ...old, spec: withBothDataSources(old.spec ?? {}) }),
  ],
  warningsOnUpdate: warnings,
  subresources: { status: { validateUpdate: validateVolumeClaimStatus } },
  answersDeleted: true,
  table: claimTable,
};

/** Rounds the amounts. Also for the claims of StatefulSets. */
export function persistentVolumeClaimDefaults({ spec, status }: PersistentVolumeClaim): void {
  roundResourceList(spec?.resources?.limits);
  roundResourceList(spec?.resources?.requests);
  roundResourceList(status?.capacity);
  roundResourceList(status?.allocatedResources);
}

/**
 * The two fields that name a source of data agree, unless both were given. What could never have been a source is
 * dropped from the older field without a word, as it always was; a source in another namespace is an alpha feature.
 */
function settleDataSources(spec: PersistentVolumeClaimSpec, old: Frozen<PersistentVolumeClaimSpec> | undefined): void {
  if ((spec.dataSourceRef?.namespace ?? '') !== '' && old?.dataSourceRef === undefined) delete spec.dataSourceRef;
  const oldHasSource = old?.dataSource !== undefined || old?.dataSourceRef !== undefined;
  if (!oldHasSource && spec.dataSourceRef === undefined && !isClaimOrSnapshot(spec.dataSource)) delete spec.dataSource;
  const { dataSource, dataSourceRef } = withBothDataSources(spec);
  if (dataSource !== undefined) spec.dataSource = dataSource;
  if (dataSourceRef !== undefined) spec.dataSourceRef = dataSourceRef;
}

/** Fills the one field from the other. */
function withBothDataSources<T extends Frozen<PersistentVolumeClaimSpec>>(spec: T): T {
  const { dataSource, dataSourceRef } = spec;
  if (dataSource !== undefined && dataSourceRef === undefined) return { ...spec, dataSourceRef: { ...dataSource } };
  if (dataSource !== undefined || dataSourceRef === undefined || (dataSourceRef.namespace ?? '') !== '') return spec;
  const { namespace: _empty, ...local } = dataSourceRef;
  return { ...spec, dataSource: local };
}

function isClaimOrSnapshot(source: Frozen<TypedLocalObjectReference> | undefined): boolean {
  const { apiGroup = '', kind } = source ?? {};
  return (
    (kind === 'PersistentVolumeClaim' && apiGroup === '') ||
    (kind === 'VolumeSnapshot' && apiGroup === 'snapshot.storage.k8s.io')
  );
}

const classAnnotation = 'volume.beta.kubernetes.io/storage-class';

function warnings({ metadata, spec = {} }: Frozen<PersistentVolumeClaim>): readonly string[] {
  const annotated = Object.hasOwn(metadata?.annotations ?? {}, classAnnotation);
  return [
    ...(annotated
      ? [`metadata.annotations[${classAnnotation}]: deprecated since v1.8; use "storageClassName" attribute instead`]
      : []),
    ...claimSpecWarnings(spec, fieldPath('spec')),
  ];
}
