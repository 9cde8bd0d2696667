// Where a PersistentVolume comes from: exactly one source, most of them checked as the volumes of pods are. The first
// source found is checked, others beside it are refused; only flexVolume is checked wherever it stands.
// As ValidatePersistentVolumeSpec and the validate…PersistentVolumeSource functions in pkg/apis/core/validation.
import { collect } from '../../errors/collect.js';
import { fieldForbidden, fieldInvalid, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import { utf8Length, isDns1123Label, isDns1123Subdomain } from '../../objects/names.js';
import type { Frozen } from '../../objects/meta.js';
import type * as core from '../../types/core-v1.generated.js';
import { inRange, required, requiredAndRuled, ruled, ruledIfGiven } from '../pods/field-checks.js';
import type { FieldErrors } from '../pods/field-checks.js';
import { validateNoBacksteps } from '../pods/path-validation.js';
import {
  validateAwsElasticBlockStore,
  validateAzureDisk,
  validateFc,
  validateFlexVolume,
  validateFlocker,
  validateGcePersistentDisk,
  validateHostPath,
  validateIscsiName,
  validateNfs,
  validatePhotonDisk,
  validatePortworx,
  validateQuobyte,
  validateVsphereVolume,
} from '../pods/volume-source-validation.js';
import type { SourceCheck } from '../pods/volume-source-validation.js';
import { validateDriverName } from '../driver-name.js';

type Spec = Frozen<core.PersistentVolumeSpec>;

/** Validates the sources of a volume, which an attachment may hold inline. */
export function validateVolumeSources(
  spec: Spec,
  { path, name, inline }: { path: FieldPath; name: string; inline: boolean },
): FieldErrors {
  const errors: FieldError[] = [];
  let found = 0;
  for (const { field, reported = field, refused = field, check } of sources) {
    if (spec[field] === undefined) continue;
    if (found > 0 && field !== 'flexVolume')
      errors.push(fieldForbidden(path.child(refused), 'may not specify more than 1 volume type'));
    else {
      found++;
      errors.push(...check(spec, path.child(reported), name));
      const affine = spec.nodeAffinity !== undefined && !inline;
      if (field === 'local' && !affine)
        errors.push(fieldRequired(path.child('nodeAffinity'), 'Local volume requires node affinity'));
    }
  }
  return found === 0 ? [fieldRequired(path, 'must specify a volume type')] : errors;
}

type SourceField = Exclude<
  keyof core.PersistentVolumeSpec,
  | 'capacity'
  | 'accessModes'
  | 'claimRef'
  | 'mountOptions'
  | 'nodeAffinity'
  | `persistent${string}`
  | `storageC${string}`
  | `volume${string}`
>;

interface Source {
  readonly field: SourceField;
  /** The name under which its errors are reported, and the one under which it is refused, if not the field's. */
  readonly reported?: string;
  readonly refused?: string;
  readonly check: (spec: Spec, path: FieldPath, volumeName: string) => FieldErrors;
}

const validateGlusterfs: SourceCheck<core.GlusterfsPersistentVolumeSource> = (source, path) => {
  const { endpointsNamespace: namespace } = source;
  const at = path.child('endpointsNamespace');
  const errors = [...required(source.endpoints, path.child('endpoints')), ...required(source.path, path.child('path'))];
  if (namespace === '')
    errors.push(fieldInvalid(at, namespace, 'if the endpointnamespace is set, it must be a valid namespace name'));
  return [...errors, ...ruledIfGiven(namespace, isDns1123Label, at)];
};

const validateRbd: SourceCheck<core.RBDPersistentVolumeSource> = (source, path) => [
  ...required(source.monitors, path.child('monitors')),
  ...required(source.image, path.child('image')),
];

const validateCephfs: SourceCheck<core.CephFSPersistentVolumeSource> = (source, path) =>
  required(source.monitors, path.child('monitors'));

function validateIscsi(
  source: Frozen<core.ISCSIPersistentVolumeSource>,
  path: FieldPath,
  volumeName: string,
): FieldErrors {
  const { targetPortal, iqn, lun, chapAuthDiscovery, chapAuthSession, secretRef, initiatorName } = source;
  const errors: FieldError[] = [...required(targetPortal, path.child('targetPortal'))];
  if (initiatorName !== undefined && utf8Length(`${volumeName}:${targetPortal}`) > 64) {
    const detail =
      'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';
    errors.push(fieldInvalid(path.child('targetportal'), targetPortal, detail));
  }
  errors.push(...(iqn === '' ? [fieldRequired(path.child('iqn'))] : validateFormat(iqn, path.child('iqn'))));
  errors.push(...inRange(lun, 0, 255, path.child('lun')));
  if ((chapAuthDiscovery === true || chapAuthSession === true) && secretRef === undefined)
    errors.push(fieldRequired(path.child('secretRef')));
  if (secretRef !== undefined) errors.push(...required(secretRef.name, path.child('secretRef').child('name')));
  if (initiatorName !== undefined) errors.push(...validateFormat(initiatorName, path.child('initiatorname')));
  return errors;
}

/** Unlike in pods, a name of no known format gets no longer sentence. */
function validateFormat(name: string, path: FieldPath): FieldErrors {
  return validateIscsiName(name, path).length === 0 ? [] : [fieldInvalid(path, name, 'must be valid format')];
}

const validateCinder: SourceCheck<core.CinderPersistentVolumeSource> = (source, path) => [
  ...required(source.volumeID, path.child('volumeID')),
  ...validatePlainReference(source.secretRef, path.child('secretRef')),
];

function validateAzureFile(source: Frozen<core.AzureFilePersistentVolumeSource>, path: FieldPath): FieldErrors {
  return [
    ...required(source.secretName, path.child('secretName')),
    ...required(source.shareName, path.child('shareName')),
    ...(source.secretNamespace === '' ? [fieldRequired(path.child('secretNamespace'))] : []),
  ];
}

const validateScaleIo: SourceCheck<core.ScaleIOPersistentVolumeSource> = (source, path) =>
  collect(['gateway', 'system', 'volumeName'] as const, (field) => required(source[field], path.child(field)));

const validateLocal: SourceCheck<core.LocalVolumeSource> = (source, path) =>
  source.path === '' ? [fieldRequired(path.child('path'))] : validateNoBacksteps(source.path, path.child('path'));

const validateStorageOs: SourceCheck<core.StorageOSPersistentVolumeSource> = (source, path) => [
  ...requiredAndRuled(source.volumeName, isDns1123Label, path.child('volumeName')),
  ...ruledIfGiven(source.volumeNamespace, isDns1123Label, path.child('volumeNamespace')),
  ...validatePlainReference(source.secretRef, path.child('secretRef')),
];

const validateCsi: SourceCheck<core.CSIPersistentVolumeSource> = (source, path) => [
  ...validateDriverName(source.driver, path.child('driver')),
  ...required(source.volumeHandle, path.child('volumeHandle')),
  ...collect(
    ['controllerPublishSecretRef', 'controllerExpandSecretRef', 'nodePublishSecretRef', 'nodeExpandSecretRef'] as const,
    (field) => validateSecretReference(source[field], path.child(field)),
  ),
];

/** A reference that must be complete. */
function validatePlainReference(reference: Frozen<core.SecretReference> | undefined, path: FieldPath): FieldErrors {
  if (reference === undefined) return [];
  return [...required(reference.name, path.child('name')), ...required(reference.namespace, path.child('namespace'))];
}

/** A reference that must be complete and well-formed. */
function validateSecretReference(reference: Frozen<core.SecretReference> | undefined, path: FieldPath): FieldErrors {
  if (reference === undefined) return [];
  const { name = '', namespace = '' } = reference;
  return [
    ...(name === '' ? [fieldRequired(path.child('name'))] : ruled(name, isDns1123Subdomain, path.child('name'))),
    ...(namespace === ''
      ? [fieldRequired(path.child('namespace'))]
      : ruled(namespace, isDns1123Label, path.child('namespace'))),
  ];
}

function source<K extends SourceField>(
  field: K,
  check: (source: NonNullable<Spec[K]>, path: FieldPath, volumeName: string) => FieldErrors,
  names: Pick<Source, 'reported' | 'refused'> = {},
): Source {
  return {
    field,
    ...names,
    check: (spec, path, volumeName) => {
      const found = spec[field];
      return found === undefined ? [] : check(found, path, volumeName);
    },
  };
}

/** In the order of Kubernetes' checks, which decides who is the first. */
const sources: readonly Source[] = [
  source('hostPath', validateHostPath),
  source('gcePersistentDisk', validateGcePersistentDisk, { reported: 'persistentDisk' }),
  source('awsElasticBlockStore', validateAwsElasticBlockStore),
  source('glusterfs', validateGlusterfs),
  source('flocker', validateFlocker),
  source('nfs', validateNfs),
  source('rbd', validateRbd),
  source('quobyte', validateQuobyte),
  source('cephfs', validateCephfs, { refused: 'cephFS' }),
  source('iscsi', validateIscsi),
  source('cinder', validateCinder),
  source('fc', validateFc),
  source('flexVolume', validateFlexVolumeOfVolume),
  source('azureFile', validateAzureFile),
  source('vsphereVolume', validateVsphereVolume),
  source('photonPersistentDisk', validatePhotonDisk),
  source('portworxVolume', validatePortworx),
  source('azureDisk', validateAzureDisk),
  source('scaleIO', validateScaleIo),
  source('local', validateLocal),
  source('storageos', validateStorageOs),
  source('csi', validateCsi),
];

function validateFlexVolumeOfVolume(
  { secretRef: _other, ...rest }: Frozen<core.FlexPersistentVolumeSource>,
  path: FieldPath,
): FieldErrors {
  return validateFlexVolume(rest, path);
}
