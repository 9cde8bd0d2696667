// Sources of volumes that live outside the pod: directories and disks of the node, network file systems, clouds, CSI.
// As pkg/apis/core/validation/validation.go, validate…VolumeSource. Which of them may stand together is not asked here.
import { findingsMax } from '../../errors/collect.js';
import { fieldInvalid, fieldNotSupported, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import { utf8Length, isDns1123Label, isDns1123Subdomain } from '../../objects/names.js';
import type { Frozen } from '../../objects/meta.js';
import type * as core from '../../types/core-v1.generated.js';
import { validateDriverName } from '../driver-name.js';
import { inRange, noErrors, validateOneOf, required, ruled, ruledIfGiven } from './field-checks.js';
import type { FieldErrors } from './field-checks.js';
import { validateDescendingPath, validateNoBacksteps } from './path-validation.js';

/** Checks one source; the path is that of the source. */
export type SourceCheck<T> = (source: Frozen<T>, path: FieldPath) => FieldErrors;

/** A directory, file or device of the node. */
export const validateHostPath: SourceCheck<core.HostPathVolumeSource> = (source, path) => {
  if (source.path === '') return [fieldRequired(path.child('path'))];
  return [
    ...validateNoBacksteps(source.path, path.child('path')),
    ...validateOneOf(source.type, hostPathTypes, path.child('type')),
  ];
};

/** A clone of a repository. */
export const validateGitRepo: SourceCheck<core.GitRepoVolumeSource> = (source, path) => [
  ...required(source.repository, path.child('repository')),
  ...validateDescendingPath(source.directory ?? '', path.child('directory')),
];

/** A disk of Google's cloud; its errors are reported under another name than the field's. */
export const validateGcePersistentDisk: SourceCheck<core.GCEPersistentDiskVolumeSource> = (source, path) => [
  ...required(source.pdName, path.child('pdName')),
  ...validatePartition(source.partition, path),
];

/** A disk of Amazon's cloud. */
export const validateAwsElasticBlockStore: SourceCheck<core.AWSElasticBlockStoreVolumeSource> = (source, path) => [
  ...required(source.volumeID, path.child('volumeID')),
  ...validatePartition(source.partition, path),
];

/** An export of NFS. */
export const validateNfs: SourceCheck<core.NFSVolumeSource> = (source, path) => [
  ...required(source.server, path.child('server')),
  ...required(source.path, path.child('path')),
  ...(source.path.startsWith('/')
    ? noErrors
    : [fieldInvalid(path.child('path'), source.path, 'must be an absolute path')]),
];

/** A target of iSCSI. */
export const validateIscsi: SourceCheck<core.ISCSIVolumeSource> = (source, path) => {
  const errors: FieldError[] = [
    ...required(source.targetPortal, path.child('targetPortal')),
    ...(source.iqn === '' ? [fieldRequired(path.child('iqn'))] : validateIscsiName(source.iqn, path.child('iqn'))),
    ...inRange(source.lun, 0, 255, path.child('lun')),
  ];
  if ((source.chapAuthDiscovery === true || source.chapAuthSession === true) && source.secretRef === undefined) {
    errors.push(fieldRequired(path.child('secretRef')));
  }
  if (source.initiatorName !== undefined)
    errors.push(...validateIscsiName(source.initiatorName, path.child('initiatorname')));
  return errors;
};

/** The name of a target or initiator of iSCSI, in one of three formats. */
export function validateIscsiName(name: string, path: FieldPath): FieldErrors {
  const format = iscsiFormats.get(name.slice(0, 3));
  if (format === undefined) return [fieldInvalid(path, name, 'must be valid format starting with iqn, eui, or naa')];
  // The bound keeps a hostile name from costing the square of its length; real ones have at most 223 bytes.
  return name.length <= 1024 && format.test(name) ? noErrors : [fieldInvalid(path, name, 'must be valid format')];
}

/** A volume of Gluster. */
export const validateGlusterfs: SourceCheck<core.GlusterfsVolumeSource> = (source, path) => [
  ...required(source.endpoints, path.child('endpoints')),
  ...required(source.path, path.child('path')),
];

/** A data set of Flocker. */
export const validateFlocker: SourceCheck<core.FlockerVolumeSource> = (
  { datasetName = '', datasetUUID = '' },
  path,
) => {
  const errors: FieldError[] = [];
  if (datasetName === '' && datasetUUID === '')
    errors.push(fieldRequired(path, 'one of datasetName and datasetUUID is required'));
  if (datasetName !== '' && datasetUUID !== '') {
    errors.push(fieldInvalid(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'));
  }
  if (datasetName.includes('/'))
    errors.push(fieldInvalid(path.child('datasetName'), datasetName, "must not contain '/'"));
  return errors;
};

/** A claim by its name. */
export const validateClaimReference: SourceCheck<core.PersistentVolumeClaimVolumeSource> = (source, path) =>
  required(source.claimName, path.child('claimName'));

/** A block device of Ceph. */
export const validateRbd: SourceCheck<core.RBDVolumeSource> = (source, path) => [
  ...required(source.monitors, path.child('monitors')),
  ...required(source.image, path.child('image')),
];

/** A volume of OpenStack. */
export const validateCinder: SourceCheck<core.CinderVolumeSource> = (source, path) => [
  ...required(source.volumeID, path.child('volumeID')),
  ...validateSecretRef(source.secretRef, path),
];

/** A file system of Ceph. */
export const validateCephfs: SourceCheck<core.CephFSVolumeSource> = (source, path) =>
  required(source.monitors, path.child('monitors'));

/** A volume of Quobyte. */
export const validateQuobyte: SourceCheck<core.QuobyteVolumeSource> = ({ registry, tenant = '', volume }, path) => {
  const errors: FieldError[] = [];
  const pairs = 'must be a host:port pair or multiple pairs separated by commas';
  if (registry === '') errors.push(fieldRequired(path.child('registry'), pairs));
  else if (utf8Length(tenant) >= 65) {
    errors.push(fieldRequired(path.child('tenant'), 'must be a UUID and may not exceed a length of 64 characters'));
  } else {
    // The same sentence for every wrong pair: Kubernetes aggregates them to one.
    if (!registry.split(',').every(isHostPort)) errors.push(fieldInvalid(path.child('registry'), registry, pairs));
  }
  return [...errors, ...required(volume, path.child('volume'))];
};

/** A volume of a driver on the node. */
export const validateFlexVolume: SourceCheck<core.FlexVolumeSource> = (source, path) => {
  const errors: FieldError[] = [...required(source.driver, path.child('driver'))];
  for (const key of Object.keys(source.options ?? {})) {
    if (errors.length > findingsMax) break;
    const slash = key.indexOf('/');
    const normalized = `.${(slash < 0 ? key : key.slice(0, slash)).toLowerCase()}`;
    if (normalized.endsWith('.kubernetes.io') || normalized.endsWith('.k8s.io')) {
      errors.push(
        fieldInvalid(path.child('options').key(key), key, 'kubernetes.io and k8s.io namespaces are reserved'),
      );
    }
  }
  return errors;
};

/** A share of Microsoft's cloud. */
export const validateAzureFile: SourceCheck<core.AzureFileVolumeSource> = (source, path) => [
  ...required(source.secretName, path.child('secretName')),
  ...required(source.shareName, path.child('shareName')),
];

/** A disk of Microsoft's cloud. */
export const validateAzureDisk: SourceCheck<core.AzureDiskVolumeSource> = (
  { diskName, diskURI, cachingMode, kind },
  path,
) => {
  const errors: FieldError[] = [
    ...required(diskName, path.child('diskName')),
    ...required(diskURI, path.child('diskURI')),
    ...validateOneOf(cachingMode, ['None', 'ReadOnly', 'ReadWrite'], path.child('cachingMode')),
    ...validateOneOf(kind, ['Dedicated', 'Managed', 'Shared'], path.child('kind')),
  ];
  if (kind === undefined) return errors;
  const [start, format] = kind === 'Managed' ? ['/subscriptions/', managedDiskFormat] : ['https://', blobDiskFormat];
  if (!diskURI.startsWith(start)) errors.push(fieldNotSupported(path.child('diskURI'), diskURI, [format]));
  return errors;
};

/** A disk of VMware. */
export const validateVsphereVolume: SourceCheck<core.VsphereVirtualDiskVolumeSource> = (source, path) =>
  required(source.volumePath, path.child('volumePath'));

/** A disk of Photon. */
export const validatePhotonDisk: SourceCheck<core.PhotonPersistentDiskVolumeSource> = (source, path) =>
  required(source.pdID, path.child('pdID'));

/** A volume of Portworx. */
export const validatePortworx: SourceCheck<core.PortworxVolumeSource> = (source, path) =>
  required(source.volumeID, path.child('volumeID'));

/** A volume of ScaleIO. */
export const validateScaleIo: SourceCheck<core.ScaleIOVolumeSource> = (source, path) => [
  ...required(source.gateway, path.child('gateway')),
  ...required(source.system, path.child('system')),
  ...required(source.volumeName, path.child('volumeName')),
];

/** A volume of StorageOS. */
export const validateStorageOs: SourceCheck<core.StorageOSVolumeSource> = (source, path) => [
  ...(source.volumeName === undefined || source.volumeName === ''
    ? [fieldRequired(path.child('volumeName'))]
    : ruled(source.volumeName, isDns1123Label, path.child('volumeName'))),
  ...ruledIfGiven(source.volumeNamespace, isDns1123Label, path.child('volumeNamespace')),
  ...validateSecretRef(source.secretRef, path),
];

/** A targets of Fibre Channel. */
export const validateFc: SourceCheck<core.FCVolumeSource> = ({ targetWWNs = [], wwids = [], lun }, path) => {
  const errors: FieldError[] = [];
  const targets = path.child('targetWWNs');
  if (targetWWNs.length === 0 && wwids.length === 0) {
    errors.push(fieldRequired(targets, 'must specify either targetWWNs or wwids, but not both'));
  }
  if (targetWWNs.length > 0 && wwids.length > 0) {
    errors.push(fieldInvalid(targets, targetWWNs, 'targetWWNs and wwids can not be specified simultaneously'));
  }
  if (targetWWNs.length === 0) return errors;
  if (lun === undefined) errors.push(fieldRequired(path.child('lun'), 'lun is required if targetWWNs is specified'));
  return [...errors, ...inRange(lun, 0, 255, path.child('lun'))];
};

/** A volume of a CSI driver, for this pod alone. */
export const validateCsi: SourceCheck<core.CSIVolumeSource> = (source, path) => {
  const errors: FieldError[] = [...validateDriverName(source.driver, path.child('driver'))];
  if (source.nodePublishSecretRef === undefined) return errors;
  const { name = '' } = source.nodePublishSecretRef;
  // A malformed name is reported beside the reference, not inside it.
  if (name === '') errors.push(fieldRequired(path.child('nodePublishSecretRef').child('name')));
  else errors.push(...ruled(name, isDns1123Subdomain, path.child('name')));
  return errors;
};

const hostPathTypes = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];
const managedDiskFormat =
  '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const blobDiskFormat = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';

const iscsiFormats: ReadonlyMap<string, RegExp> = new Map([
  ['iqn', /iqn\.\d{4}-\d{2}\.[a-zA-Z0-9.-]+:[^,;*&$|\t\n\f\r ]+$/],
  ['eui', /^eui.[a-zA-Z0-9]{16}$/],
  ['naa', /^naa.[a-zA-Z0-9]{32}$/],
]);

/** Zero is the whole disk, although the sentence starts at one. */
function validatePartition(partition = 0, path: FieldPath): FieldErrors {
  return partition >= 0 && partition <= 255
    ? noErrors
    : [fieldInvalid(path.child('partition'), partition, 'must be between 1 and 255, inclusive')];
}

function validateSecretRef(reference: Frozen<core.LocalObjectReference> | undefined, path: FieldPath): FieldErrors {
  return reference === undefined ? noErrors : required(reference.name, path.child('secretRef').child('name'));
}

/** As Go's net.SplitHostPort takes it: one colon, or a host in brackets before it. */
function isHostPort(text: string): boolean {
  const colon = text.lastIndexOf(':');
  if (colon < 0) return false;
  if (!text.startsWith('[')) return !/[:[\]]/.test(text.slice(0, colon)) && !/[[\]]/.test(text.slice(colon));
  const bracket = text.indexOf(']');
  return bracket + 1 === colon && !text.slice(1, bracket).includes('[') && !/[[\]]/.test(text.slice(colon));
}
