// ConfigMaps: texts and bytes under keys that can be file names, at most a mebibyte together.
// As pkg/registry/core/configmap/strategy.go and ValidateConfigMap in pkg/apis/core/validation.
import { collect, findingsMax } from '../../errors/collect.js';
import { fieldForbidden, fieldInvalid, fieldTooLong } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import type { FieldPath } from '../../errors/field-path.js';
import { utf8Length, isConfigMapKey, nameIsDnsSubdomain } from '../../objects/names.js';
import { deepEqual } from '../../objects/json.js';
import type { Frozen } from '../../objects/meta.js';
import type { ConfigMap } from '../../types/core-v1.generated.js';
import { invalidEach } from '../invalid-each.js';
import type { KindStrategy } from '../kind-strategy.js';
import { age, ageColumn, nameColumn, textColumn } from '../table-cells.js';

/** The strategy of ConfigMaps. */
export const configMap: KindStrategy<ConfigMap> = {
  nameRule: nameIsDnsSubdomain,
  validate: validateContents,
  validateUpdate: (object, old) => [
    ...validateFrozenParts(object, old, ['data', 'binaryData']),
    ...validateContents(object),
  ],
  table: {
    columns: [nameColumn, textColumn('Data', 'How many keys there are.'), ageColumn],
    row: (object, now) => {
      const keys = Object.keys(object.data ?? {}).length + Object.keys(object.binaryData ?? {}).length;
      return { cells: [object.metadata?.name ?? '', keys, age(object, now)] };
    },
  },
};

/** What a ConfigMap or Secret may hold, in bytes. */
export const contentBytesMax: number = 1024 * 1024;

/** Once `immutable` is true it stays so, and the named fields stay as they are. Also the rule of Secrets. */
export function validateFrozenParts<K extends string>(
  object: Readonly<Partial<Record<K, unknown>>> & { readonly immutable?: boolean },
  old: Readonly<Partial<Record<K, unknown>>> & { readonly immutable?: boolean },
  fields: readonly K[],
): readonly FieldError[] {
  if (old.immutable !== true) return [];
  const changed: string[] = object.immutable === true ? [] : ['immutable'];
  for (const field of fields) if (!deepEqual(object[field] ?? {}, old[field] ?? {})) changed.push(field);
  return collect(changed, (field) => [fieldForbidden(fieldPath(field), 'field is immutable when `immutable` is set')]);
}

/** How many bytes a base64 text stands for. */
export function decodedBytes(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return (base64.length / 4) * 3 - padding;
}

function validateContents({ data = {}, binaryData = {} }: Frozen<ConfigMap>): readonly FieldError[] {
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const [key, text] of Object.entries(data)) {
    if (errors.length > findingsMax) break;
    const path = fieldPath('data').key(key);
    errors.push(...validateKey(key, path));
    if (Object.hasOwn(binaryData, key)) errors.push(fieldInvalid(path, key, 'duplicate of key present in binaryData'));
    bytes += utf8Length(text);
  }
  for (const [key, base64] of Object.entries(binaryData)) {
    if (errors.length > findingsMax) break;
    errors.push(...validateKey(key, fieldPath('binaryData').key(key)));
    bytes += decodedBytes(base64);
  }
  if (bytes > contentBytesMax) errors.push(fieldTooLong(fieldPath(''), contentBytesMax));
  return errors;
}

function validateKey(key: string, path: FieldPath): readonly FieldError[] {
  return invalidEach(path, key, isConfigMapKey(key));
}
