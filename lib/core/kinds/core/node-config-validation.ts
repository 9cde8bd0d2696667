// Rules of dynamic kubelet configuration, a feature long gone that stored nodes may still carry: a source names a key
// of a ConfigMap, in spec without and in status with the ConfigMap's revision.
// As validateNodeConfigSourceSpec and validateNodeConfigStatus in pkg/apis/core/validation/validation.go.
import { collect } from '../../errors/collect.js';
import { fieldForbidden, fieldInvalid, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import type { Frozen } from '../../objects/meta.js';
import { isConfigMapKey, nameIsDnsLabel, nameIsDnsSubdomain } from '../../objects/names.js';
import type { NameRule } from '../../objects/names.js';
import type { ConfigMapNodeConfigSource, NodeConfigSource, NodeConfigStatus } from '../../types/core-v1.generated.js';
import { invalidEach } from '../invalid-each.js';

type FieldErrors = readonly FieldError[];

/** A source of configuration in spec or in status. */
export function validateConfigSource(
  { configMap }: Frozen<NodeConfigSource>,
  place: 'spec' | 'status',
  path: FieldPath,
): FieldErrors {
  if (configMap === undefined)
    return [fieldInvalid(path, { ConfigMap: null }, 'exactly one reference subfield must be non-nil')];
  const at = path.child('configMap');
  return [
    ...(place === 'spec' ? validateUnpinned(configMap, at) : validatePinned(configMap, at)),
    ...validateReference(configMap, at),
  ];
}

/** The sources that a node reports. */
export function validateConfigStatus(status: Frozen<NodeConfigStatus>, path: FieldPath): FieldErrors {
  return collect(['assigned', 'active', 'lastKnownGood'] as const, (role) => {
    const source = status[role];
    return source === undefined ? [] : validateConfigSource(source, 'status', path.child(role));
  });
}

function validateUnpinned(
  { uid = '', resourceVersion = '' }: Frozen<ConfigMapNodeConfigSource>,
  path: FieldPath,
): FieldErrors {
  return [
    ...(uid === '' ? [] : [fieldForbidden(path.child('uid'), 'uid must not be set in spec')]),
    ...(resourceVersion === ''
      ? []
      : [fieldForbidden(path.child('resourceVersion'), 'resourceVersion must not be set in spec')]),
  ];
}

function validatePinned(
  { uid = '', resourceVersion = '' }: Frozen<ConfigMapNodeConfigSource>,
  path: FieldPath,
): FieldErrors {
  return [
    ...(uid === '' ? [fieldRequired(path.child('uid'))] : []),
    ...(resourceVersion === '' ? [fieldRequired(path.child('resourceVersion'))] : []),
  ];
}

function validateReference(source: Frozen<ConfigMapNodeConfigSource>, path: FieldPath): FieldErrors {
  const check = (field: 'namespace' | 'name' | 'kubeletConfigKey', rule: NameRule): FieldErrors =>
    source[field] === ''
      ? [fieldRequired(path.child(field))]
      : invalidEach(path.child(field), source[field], rule(source[field], false));
  return [
    ...check('namespace', nameIsDnsLabel),
    ...check('name', nameIsDnsSubdomain),
    ...check('kubeletConfigKey', isConfigMapKey),
  ];
}
