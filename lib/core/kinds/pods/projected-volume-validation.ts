// Volumes made of API objects: keys of ConfigMaps and Secrets, fields of the pod, tokens, and projections of several.
// As pkg/apis/core/validation/validation.go, validateConfigMapVolumeSource … validateProjectionSources. Sources behind
// feature gates that are off in v1.36 (clusterTrustBundle, podCertificate) are dropped before anybody looks.
import { fieldForbidden, fieldInvalid, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import type { Frozen } from '../../objects/meta.js';
import type {
  ConfigMapVolumeSource,
  DownwardAPIVolumeFile,
  DownwardAPIVolumeSource,
  KeyToPath,
  ProjectedVolumeSource,
  SecretVolumeSource,
  ServiceAccountTokenProjection,
  VolumeProjection,
} from '../../types/core-v1.generated.js';
import { volumeFieldPaths, validateFieldSelector, validateResourceSelector } from './downward-api-validation.js';
import { each, fileMode, noErrors, required } from './field-checks.js';
import type { FieldErrors } from './field-checks.js';
import { validateUnreservedPath } from './path-validation.js';
import type { PodValidationOptions } from './pod-validation-options.js';

/** Keys of a Secret as files. */
export function validateSecretVolume(source: Frozen<SecretVolumeSource>, path: FieldPath): FieldErrors {
  return [
    ...required(source.secretName, path.child('secretName')),
    ...fileMode(source.defaultMode, path.child('defaultMode')),
    ...each(source.items, path.child('items'), validateKeyToPath),
  ];
}

/** Keys of a ConfigMap as files. */
export function validateConfigMapVolume(source: Frozen<ConfigMapVolumeSource>, path: FieldPath): FieldErrors {
  return [
    ...required(source.name, path.child('name')),
    ...fileMode(source.defaultMode, path.child('defaultMode')),
    ...each(source.items, path.child('items'), validateKeyToPath),
  ];
}

/** Fields of the pod as files. Errors of a file are reported without its place in the list. */
export function validateDownwardApiVolume(source: Frozen<DownwardAPIVolumeSource>, path: FieldPath): FieldErrors {
  return [
    ...fileMode(source.defaultMode, path.child('defaultMode')),
    ...each(source.items, path, (file) => validateDownwardApiFile(file, path)),
  ];
}

/** Several sources in one directory. */
export function validateProjectedVolume(
  source: Frozen<ProjectedVolumeSource>,
  path: FieldPath,
  options: PodValidationOptions,
): FieldErrors {
  const taken = new Set<string>();
  return [
    ...fileMode(source.defaultMode, path.child('defaultMode')),
    ...each(source.sources, path.child('sources'), (one, at) =>
      validateProjection(one, at, { volume: path, taken, options }),
    ),
  ];
}

/** What the sources of one volume share. */
interface Projection {
  /** The volume's path: collisions are reported there. */
  readonly volume: FieldPath;
  /** The paths of files that earlier sources put there. */
  readonly taken: Set<string>;
  readonly options: PodValidationOptions;
}

function validateProjection(source: Frozen<VolumeProjection>, path: FieldPath, projection: Projection): FieldErrors {
  const errors: FieldError[] = [];
  const { secret, configMap, downwardAPI, serviceAccountToken } = source;
  for (const [keys, name] of [
    [secret, 'secret'],
    [configMap, 'configMap'],
  ] as const) {
    if (keys === undefined) continue;
    const at = path.child(name);
    errors.push(...required(keys.name, at.child('name')));
    errors.push(
      ...each(keys.items, at.child('items'), (item, itemPath) => [
        ...validateKeyToPath(item, itemPath),
        ...validateCollision(item.path, projection, keys.name ?? ''),
      ]),
    );
  }
  if (downwardAPI !== undefined) {
    const at = path.child('downwardAPI');
    errors.push(
      ...each(downwardAPI.items, at, (file) => [
        ...validateDownwardApiFile(file, at),
        ...validateCollision(file.path, projection, file.path),
      ]),
    );
  }
  if (serviceAccountToken !== undefined)
    errors.push(...validateToken(serviceAccountToken, path.child('serviceAccountToken'), projection));
  const sources = [secret, configMap, downwardAPI, serviceAccountToken].filter((one) => one !== undefined);
  if (sources.length > 1) errors.push(fieldForbidden(path, 'may not specify more than 1 volume type per source'));
  return errors;
}

function validateKeyToPath(item: Frozen<KeyToPath>, path: FieldPath): FieldErrors {
  return [
    ...required(item.key, path.child('key')),
    ...required(item.path, path.child('path')),
    ...validateUnreservedPath(item.path, path.child('path')),
    ...fileMode(item.mode, path.child('mode')),
  ];
}

function validateDownwardApiFile(file: Frozen<DownwardAPIVolumeFile>, path: FieldPath): FieldErrors {
  const errors: FieldError[] = [
    ...required(file.path, path.child('path')),
    ...validateUnreservedPath(file.path, path.child('path')),
  ];
  if (file.fieldRef !== undefined) {
    errors.push(...validateFieldSelector(file.fieldRef, volumeFieldPaths, path.child('fieldRef')));
    if (file.resourceFieldRef !== undefined) {
      errors.push(fieldInvalid(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'));
    }
  } else if (file.resourceFieldRef !== undefined) {
    const at = path.child('resourceFieldRef');
    const { containerName = '' } = file.resourceFieldRef;
    errors.push(
      ...validateResourceSelector(
        file.resourceFieldRef,
        at,
        containerName === '' ? [fieldRequired(at.child('containerName'))] : noErrors,
      ),
    );
  } else {
    errors.push(fieldRequired(path, 'one of fieldRef and resourceFieldRef is required'));
  }
  return [...errors, ...fileMode(file.mode, path.child('mode'))];
}

/** Errors of the path are reported at the volume. */
function validateToken(
  token: Frozen<ServiceAccountTokenProjection>,
  path: FieldPath,
  { volume, options }: Projection,
): FieldErrors {
  const errors: FieldError[] = [];
  const { expirationSeconds = 0 } = token;
  if (expirationSeconds < 600) {
    errors.push(
      fieldInvalid(
        path.child('expirationSeconds'),
        expirationSeconds,
        'may not specify a duration less than 10 minutes',
      ),
    );
  }
  if (expirationSeconds > 2 ** 32) {
    errors.push(
      fieldInvalid(
        path.child('expirationSeconds'),
        expirationSeconds,
        'may not specify a duration larger than 2^32 seconds',
      ),
    );
  }
  if (token.path === '') errors.push(fieldRequired(volume.child('path')));
  else if (options.allowNonLocalTokenPath !== true)
    errors.push(...validateUnreservedPath(token.path, volume.child('path')));
  return errors;
}

function validateCollision(file: string, { volume, taken }: Projection, shown: string): FieldErrors {
  if (file === '' || !taken.has(file)) {
    if (file !== '') taken.add(file);
    return noErrors;
  }
  return [fieldInvalid(volume, shown, 'conflicting duplicate paths')];
}
