// Environment variables of containers: their names, and where values come from.
// As pkg/apis/core/validation/validation.go, ValidateEnv, ValidateEnvFrom and validateFileKeyRefVolumes.
import { findingsMax, visitUntilFull } from '../../errors/collect.js';
import { fieldInvalid, fieldNotFound, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import type { Frozen } from '../../objects/meta.js';
import {
  isConfigMapKey,
  isDns1123Label,
  isDns1123Subdomain,
  isEnvVarName,
  nameIsDnsSubdomain,
} from '../../objects/names.js';
import type { SyntaxRule } from '../../objects/names.js';
import type {
  ConfigMapKeySelector,
  EnvFromSource,
  EnvVar,
  EnvVarSource,
  FileKeySelector,
  PodSpec,
  SecretKeySelector,
} from '../../types/core-v1.generated.js';
import { envFieldPaths, validateFieldSelector, validateResourceSelector } from './downward-api-validation.js';
import { each, noErrors, requiredAndRuled, ruled, ruledIfGiven } from './field-checks.js';
import type { FieldErrors } from './field-checks.js';
import { validateNoBacksteps } from './path-validation.js';
import { containersOf } from './pod-containers.js';

/** Variables one by one. */
export function validateEnv(variables: readonly Frozen<EnvVar>[] | undefined, path: FieldPath): FieldErrors {
  return each(variables, path, (variable, at) => {
    const wrongName = requiredAndRuled(variable.name, isEnvVarName, at.child('name'));
    if (variable.valueFrom === undefined) return wrongName;
    return [...wrongName, ...validateValueFrom(variable.valueFrom, variable.value ?? '', at.child('valueFrom'))];
  });
}

/** All keys of an object as variables. Errors about the number of sources are reported at the list. */
export function validateEnvFrom(sources: readonly Frozen<EnvFromSource>[] | undefined, path: FieldPath): FieldErrors {
  return each(sources, path, ({ prefix, configMapRef, secretRef }, at) => {
    const errors: FieldError[] = [...ruledIfGiven(prefix, isEnvVarName, at.child('prefix'))];
    if (configMapRef !== undefined)
      errors.push(...requiredAndRuled(configMapRef.name, isNamePrefix, at.child('configMapRef').child('name')));
    if (secretRef !== undefined)
      errors.push(...requiredAndRuled(secretRef.name, isNamePrefix, at.child('secretRef').child('name')));
    if (configMapRef === undefined && secretRef === undefined) {
      errors.push(fieldInvalid(path, '', 'must specify one of: `configMapRef` or `secretRef`'));
    } else if (configMapRef !== undefined && secretRef !== undefined) {
      errors.push(fieldInvalid(path, '', 'may not have more than one field specified at a time'));
    }
    return errors;
  });
}

/** Files with variables must lie in volumes of type emptyDir. */
export function validateEnvFileVolumes(spec: Frozen<PodSpec>, path: FieldPath): FieldErrors {
  const errors: FieldError[] = [];
  const volumes = new Map((spec.volumes ?? []).map((volume) => [volume.name, volume]));
  for (const { container, at } of containersOf(spec, path)) {
    if (errors.length > findingsMax) break;
    visitUntilFull(container.env ?? [], errors, ({ valueFrom }, index) => {
      if (valueFrom?.fileKeyRef === undefined) return;
      const { volumeName } = valueFrom.fileKeyRef;
      const where = at.child('env').index(index).child('valueFrom').child('fileKeyRef').child('volumeName');
      const volume = volumes.get(volumeName);
      if (volume === undefined) errors.push(fieldNotFound(where, volumeName));
      else if (volume.emptyDir === undefined)
        errors.push(fieldInvalid(where, volumeName, 'referenced volume must be of type emptyDir'));
    });
  }
  return errors;
}

function validateValueFrom(source: Frozen<EnvVarSource>, value: string, path: FieldPath): FieldErrors {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = source;
  const errors: FieldError[] = [
    ...(fieldRef === undefined ? noErrors : validateFieldSelector(fieldRef, envFieldPaths, path.child('fieldRef'))),
    ...(resourceFieldRef === undefined
      ? noErrors
      : validateResourceSelector(resourceFieldRef, path.child('resourceFieldRef'))),
    ...(configMapKeyRef === undefined ? noErrors : validateKeySelector(configMapKeyRef, path.child('configMapKeyRef'))),
    ...(secretKeyRef === undefined ? noErrors : validateKeySelector(secretKeyRef, path.child('secretKeyRef'))),
    ...(fileKeyRef === undefined ? noErrors : validateFileKey(fileKeyRef, path.child('fileKeyRef'))),
  ];
  const sources = [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef].filter(
    (one) => one !== undefined,
  ).length;
  if (sources === 0) {
    errors.push(
      fieldInvalid(
        path,
        '',
        'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
      ),
    );
  } else if (value !== '') {
    errors.push(fieldInvalid(path, '', 'may not be specified when `value` is not empty'));
  } else if (sources > 1) {
    errors.push(fieldInvalid(path, '', 'may not have more than one field specified at a time'));
  }
  return errors;
}

function validateKeySelector(selector: Frozen<ConfigMapKeySelector | SecretKeySelector>, path: FieldPath): FieldErrors {
  return [
    ...ruled(selector.name ?? '', isDns1123Subdomain, path.child('name')),
    ...requiredAndRuled(selector.key, isConfigMapKey, path.child('key')),
  ];
}

function validateFileKey(selector: Frozen<FileKeySelector>, path: FieldPath): FieldErrors {
  return [
    ...requiredAndRuled(selector.key, isEnvVarName, path.child('key')),
    ...requiredAndRuled(selector.volumeName, isDns1123Label, path.child('volumeName')),
    ...(selector.path === ''
      ? [fieldRequired(path.child('path'))]
      : validateNoBacksteps(selector.path, path.child('path'))),
  ];
}

/** Names here are checked like prefixes of names, which may end in a dash. */
const isNamePrefix: SyntaxRule = (name) => nameIsDnsSubdomain(name, true);
