// The volumes of a pod: each has a name of its own and exactly one source.
// As pkg/apis/core/validation/validation.go, ValidateVolumes and validateVolumeSource.
import { visitUntilFull } from '../../errors/collect.js';
import { fieldDuplicate, fieldForbidden, fieldInvalid, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import { quote } from '../../go/format.js';
import { utf8Length, isDns1123Label, isDns1123Subdomain } from '../../objects/names.js';
import type { Frozen } from '../../objects/meta.js';
import { quantitySign } from '../../objects/quantity-arithmetic.js';
import { parseQuantity } from '../../objects/quantity.js';
import type { EphemeralVolumeSource, ImageVolumeSource, Volume } from '../../types/core-v1.generated.js';
import { validateClaimTemplate } from './claim-template-validation.js';
import { noErrors, requiredAndRuled, requiredOneOf } from './field-checks.js';
import type { FieldErrors } from './field-checks.js';
import type { PodValidationOptions } from './pod-validation-options.js';
import {
  validateConfigMapVolume,
  validateDownwardApiVolume,
  validateProjectedVolume,
  validateSecretVolume,
} from './projected-volume-validation.js';
import * as sources from './volume-source-validation.js';
import type { VolumesByName } from './volume-mount-validation.js';

/** Validates the volumes, and those with which nothing is. */
export interface CheckedVolumes {
  readonly errors: FieldErrors;
  readonly volumes: VolumesByName;
}

/** Every volume. `podName` is that of a real pod, not of a template: claims made for it carry its name. */
export function validateVolumes(
  volumes: readonly Frozen<Volume>[] | undefined,
  path: FieldPath,
  { podName, options }: { readonly podName: string | undefined; readonly options: PodValidationOptions },
): CheckedVolumes {
  if (volumes === undefined || volumes.length === 0) return noVolumes;
  const errors: FieldError[] = [];
  const valid = new Map<string, Frozen<Volume>>();
  const made = new Set(
    podName === undefined
      ? []
      : volumes.filter(({ ephemeral }) => ephemeral !== undefined).map(({ name }) => `${podName}-${name}`),
  );
  visitUntilFull(volumes, errors, (volume, index) => {
    const at = path.index(index);
    const wrong: FieldError[] = [
      ...validateSource(volume, at, { podName, options }),
      ...requiredAndRuled(volume.name, isDns1123Label, at.child('name')),
    ];
    if (valid.has(volume.name)) wrong.push(fieldDuplicate(at.child('name'), volume.name));
    if (wrong.length === 0) valid.set(volume.name, volume);
    errors.push(...wrong);
    const claimName = volume.persistentVolumeClaim?.claimName;
    if (claimName !== undefined && made.has(claimName)) {
      const where = at.child('persistentVolumeClaim').child('claimName');
      errors.push(fieldInvalid(where, claimName, 'must not reference a PVC that gets created for an ephemeral volume'));
    }
  });
  return { errors, volumes: valid };
}

const noVolumes: CheckedVolumes = { errors: noErrors, volumes: new Map() };

interface SourceContext {
  readonly podName: string | undefined;
  readonly options: PodValidationOptions;
}

interface SourceRule {
  readonly field: Exclude<keyof Volume, 'name'>;
  /** The name under which the source is refused beside another; the field's unless Kubernetes errs. */
  readonly refusedAs?: string;
  readonly check: (volume: Frozen<Volume>, path: FieldPath, context: SourceContext) => FieldErrors;
}

/** A rule that applies where the field is set. `checkedAs` is the name under which the source is checked. */
function rule<K extends Exclude<keyof Volume, 'name'>>(
  field: K,
  check: (source: Frozen<NonNullable<Volume[K]>>, path: FieldPath, context: SourceContext) => FieldErrors,
  names: { readonly refusedAs?: string; readonly checkedAs?: string } = {},
): SourceRule {
  return {
    field,
    ...names,
    check: (volume, path, context) => {
      const source: unknown = volume[field];
      return check(source as Frozen<NonNullable<Volume[K]>>, path.child(names.checkedAs ?? field), context);
    },
  };
}

/** In the order Kubernetes looks. */
const rules: readonly SourceRule[] = [
  rule('emptyDir', ({ sizeLimit }, path) =>
    sizeLimit !== undefined && quantitySign(parseQuantity(sizeLimit)) < 0
      ? [fieldForbidden(path.child('sizeLimit'), 'SizeLimit field must be a valid resource quantity')]
      : noErrors,
  ),
  rule('hostPath', sources.validateHostPath),
  rule('gitRepo', sources.validateGitRepo),
  rule('gcePersistentDisk', sources.validateGcePersistentDisk, { checkedAs: 'persistentDisk' }),
  rule('awsElasticBlockStore', sources.validateAwsElasticBlockStore),
  rule('secret', validateSecretVolume),
  rule('nfs', sources.validateNfs),
  rule('iscsi', sources.validateIscsi),
  rule('glusterfs', sources.validateGlusterfs),
  rule('flocker', sources.validateFlocker),
  rule('persistentVolumeClaim', sources.validateClaimReference),
  rule('rbd', sources.validateRbd),
  rule('cinder', sources.validateCinder),
  rule('cephfs', sources.validateCephfs, { refusedAs: 'cephFS' }),
  rule('quobyte', sources.validateQuobyte),
  rule('downwardAPI', validateDownwardApiVolume, { refusedAs: 'downwarAPI' }),
  rule('fc', sources.validateFc),
  rule('flexVolume', sources.validateFlexVolume),
  rule('configMap', validateConfigMapVolume),
  rule('azureFile', sources.validateAzureFile),
  rule('vsphereVolume', sources.validateVsphereVolume),
  rule('photonPersistentDisk', sources.validatePhotonDisk),
  rule('portworxVolume', sources.validatePortworx),
  rule('azureDisk', sources.validateAzureDisk),
  rule('storageos', sources.validateStorageOs),
  rule('projected', (source, path, { options }) => validateProjectedVolume(source, path, options)),
  rule('scaleIO', sources.validateScaleIo),
  rule('csi', sources.validateCsi),
  rule('ephemeral', validateEphemeral),
  rule('image', validateImage),
];

function validateSource(volume: Frozen<Volume>, path: FieldPath, context: SourceContext): FieldErrors {
  const errors: FieldError[] = [];
  let found = false;
  for (const { field, refusedAs = field, check } of rules) {
    if (volume[field] === undefined) continue;
    if (found) errors.push(fieldForbidden(path.child(refusedAs), 'may not specify more than 1 volume type'));
    else errors.push(...check(volume, path, context));
    if (field === 'iscsi') errors.push(...validateIscsiLength(volume, path));
    if (field === 'ephemeral' && !found) errors.push(...validateMadeClaimName(volume.name, path, context));
    found = true;
  }
  return found ? errors : [fieldRequired(path, 'must specify a volume type')];
}

function validateIscsiLength({ name, iscsi }: Frozen<Volume>, path: FieldPath): FieldErrors {
  if (iscsi?.initiatorName === undefined || utf8Length(`${name}:${iscsi.targetPortal}`) <= 64) return noErrors;
  const detail =
    'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';
  return [fieldInvalid(path.child('name'), name, detail)];
}

function validateEphemeral({ volumeClaimTemplate }: Frozen<EphemeralVolumeSource>, path: FieldPath): FieldErrors {
  const at = path.child('volumeClaimTemplate');
  return volumeClaimTemplate === undefined ? [fieldRequired(at)] : validateClaimTemplate(volumeClaimTemplate, at);
}

/** The claim that is made for an ephemeral volume is named after pod and volume. */
function validateMadeClaimName(name: string, path: FieldPath, { podName }: SourceContext): FieldErrors {
  if (podName === undefined || name === '') return noErrors;
  const claim = `${podName}-${name}`;
  return isDns1123Subdomain(claim).map((wrong) =>
    fieldInvalid(path.child('name'), name, `PVC name ${quote(claim)}: ${wrong}`),
  );
}

/** Templates may leave the reference to the controller that creates the pod. */
function validateImage(source: Frozen<ImageVolumeSource>, path: FieldPath, { options }: SourceContext): FieldErrors {
  const { reference = '', pullPolicy } = source;
  const wrong = requiredOneOf(pullPolicy, ['Always', 'IfNotPresent', 'Never'], path.child('pullPolicy'));
  return options.isPod === true && reference === '' ? [fieldRequired(path.child('reference')), ...wrong] : wrong;
}
