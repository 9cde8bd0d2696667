// Where containers see the pod's volumes: mounts into their file system, and block devices.
// As pkg/apis/core/validation/validation.go, ValidateVolumeMounts and ValidateVolumeDevices. Some errors of mounts are
// reported at the list instead of the mount: clients know them so.
import {
  fieldForbidden,
  fieldInvalid,
  fieldNotFound,
  fieldNotSupported,
  fieldRequired,
} from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import type { Frozen } from '../../objects/meta.js';
import type { Container, EphemeralContainer, Volume, VolumeMount } from '../../types/core-v1.generated.js';
import { each, noErrors, validateOneOf } from './field-checks.js';
import type { FieldErrors } from './field-checks.js';
import { hasBackstep, validateDescendingPath } from './path-validation.js';

/** The valid volumes of a pod by name. */
export type VolumesByName = ReadonlyMap<string, Frozen<Volume>>;

/** Mounts of a container. */
export function validateVolumeMounts(
  container: Frozen<Container | EphemeralContainer>,
  volumes: VolumesByName,
  path: FieldPath,
): FieldErrors {
  const { volumeMounts, volumeDevices = [] } = container;
  if (volumeMounts === undefined) return noErrors;
  // The last device of a name is the one that counts.
  const devices = new Map(volumeDevices.map(({ name, devicePath }) => [name, devicePath]));
  const devicePaths = new Set(devices.values());
  const taken = new Set<string>();
  return each(volumeMounts, path, (mount, at) => {
    const { name, mountPath, subPath = '', subPathExpr = '' } = mount;
    const errors: FieldError[] = [];
    if (name === '') errors.push(fieldRequired(at.child('name')));
    if (!volumes.has(name)) errors.push(fieldNotFound(at.child('name'), name));
    if (mountPath === '') errors.push(fieldRequired(at.child('mountPath')));
    if (taken.has(mountPath)) errors.push(fieldInvalid(at.child('mountPath'), mountPath, 'must be unique'));
    taken.add(mountPath);
    if (devices.has(name)) errors.push(fieldInvalid(at.child('name'), name, 'must not already exist in volumeDevices'));
    if (devicePaths.has(mountPath)) {
      errors.push(fieldInvalid(at.child('mountPath'), mountPath, 'must not already exist as a path in volumeDevices'));
    }
    if (subPath !== '') errors.push(...validateDescendingPath(subPath, path.child('subPath')));
    if (subPathExpr !== '') {
      if (subPath !== '')
        errors.push(
          fieldInvalid(at.child('subPathExpr'), subPathExpr, 'subPathExpr and subPath are mutually exclusive'),
        );
      errors.push(...validateDescendingPath(subPathExpr, path.child('subPathExpr')));
    }
    if (mount.mountPropagation !== undefined) {
      errors.push(...validatePropagation(mount.mountPropagation, container, path.child('mountPropagation')));
    }
    if (mount.recursiveReadOnly !== undefined)
      errors.push(...validateRecursiveReadOnly(mount, path.child('recursiveReadOnly')));
    return errors;
  });
}

/** Block devices of a container: only claims have them. */
export function validateVolumeDevices(
  container: Frozen<Container | EphemeralContainer>,
  volumes: VolumesByName,
  path: FieldPath,
): FieldErrors {
  const { volumeMounts = [], volumeDevices } = container;
  if (volumeDevices === undefined) return noErrors;
  const mounts = new Map(volumeMounts.map(({ name, mountPath }) => [name, mountPath]));
  const mountPaths = new Set(mounts.values());
  const names = new Set<string>();
  const paths = new Set<string>();
  return each(volumeDevices, path, ({ name, devicePath }, at) => {
    const errors: FieldError[] = [];
    const volume = volumes.get(name);
    const namePath = at.child('name');
    const devicePathPath = at.child('devicePath');
    if (name === '') errors.push(fieldRequired(namePath));
    if (names.has(name)) errors.push(fieldInvalid(namePath, name, 'must be unique'));
    if (volume === undefined) errors.push(fieldNotFound(namePath, name));
    else if (volume.persistentVolumeClaim === undefined && volume.ephemeral === undefined) {
      errors.push(
        fieldInvalid(
          namePath,
          name,
          'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
        ),
      );
    }
    if (devicePath === '') errors.push(fieldRequired(devicePathPath));
    if (paths.has(devicePath)) errors.push(fieldInvalid(devicePathPath, devicePath, 'must be unique'));
    if (hasBackstep(devicePath))
      errors.push(fieldInvalid(devicePathPath, devicePath, "can not contain backsteps ('..')"));
    else paths.add(devicePath);
    if (mounts.has(name)) errors.push(fieldInvalid(namePath, name, 'must not already exist in volumeMounts'));
    if (mountPaths.has(devicePath))
      errors.push(fieldInvalid(devicePathPath, devicePath, 'must not already exist as a path in volumeMounts'));
    if (name !== '') names.add(name);
    return errors;
  });
}

function validatePropagation(
  mode: string,
  container: Frozen<Container | EphemeralContainer>,
  path: FieldPath,
): FieldErrors {
  if (mode !== 'Bidirectional') return validateOneOf(mode, ['Bidirectional', 'HostToContainer', 'None'], path);
  if (container.securityContext?.privileged === true) return noErrors;
  return [fieldForbidden(path, 'Bidirectional mount propagation is available only to privileged containers')];
}

function validateRecursiveReadOnly(mount: Frozen<VolumeMount>, path: FieldPath): FieldErrors {
  const errors: FieldError[] = [];
  switch (mount.recursiveReadOnly) {
    case 'Disabled':
      return noErrors;
    case 'Enabled':
    case 'IfPossible':
      if (mount.readOnly !== true) errors.push(fieldForbidden(path, 'may only be specified when readOnly is true'));
      if (mount.mountPropagation !== undefined && mount.mountPropagation !== 'None') {
        errors.push(fieldForbidden(path, 'may only be specified when mountPropagation is None or not specified'));
      }
      return errors;
    default:
      return [fieldNotSupported(path, mount.recursiveReadOnly, ['Disabled', 'Enabled', 'IfPossible'])];
  }
}
