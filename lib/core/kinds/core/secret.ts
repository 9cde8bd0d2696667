// Secrets: bytes under keys, of a type that may request certain keys. What is written as `stringData` ends up in `data`
// and is never seen again. As pkg/registry/core/secret/strategy.go, ValidateSecret in pkg/apis/core/validation and
// Convert_v1_Secret_To_core_Secret.
import { collect, findingsMax } from '../../errors/collect.js';
import { unmarshalTypeError } from '../../go/encoding-json.js';
import { fieldInvalid, fieldRequired, fieldTooLong } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import { decodeBase64, encodeBase64 } from '../../go/base64.js';
import { isJsonObject, setOwn } from '../../objects/json.js';
import type { Frozen } from '../../objects/meta.js';
import { isConfigMapKey, nameIsDnsSubdomain } from '../../objects/names.js';
import { isDecodeError } from '../../schema/decode-error.js';
import { parseJson } from '../../codec/json.js';
import type { Secret } from '../../types/core-v1.generated.js';
import { invalidEach } from '../invalid-each.js';
import type { KindStrategy } from '../kind-strategy.js';
import { printedWord } from '../printed-values.js';
import { age, ageColumn, nameColumn, textColumn } from '../table-cells.js';
import { contentBytesMax, decodedBytes, validateFrozenParts } from './config-map.js';
import { keyPairProblem } from './key-pair.js';

/** The strategy of Secrets. */
export const secret: KindStrategy<Secret> = {
  nameRule: nameIsDnsSubdomain,
  validate: validateContents,
  validateUpdate: (object, old) => [
    ...(object.type === old.type
      ? []
      : [fieldInvalid(fieldPath('type'), printedWord(object.type ?? ''), 'field is immutable')]),
    ...validateFrozenParts(object, old, ['data']),
    ...validateContents(object),
  ],
  warningsOnCreate: warnings,
  warningsOnUpdate: warnings,
  selectableFields: { type: ({ type = '' }) => type },
  table: {
    columns: [
      nameColumn,
      textColumn('Type', 'What the secret is for.'),
      textColumn('Data', 'How many keys there are.'),
      ageColumn,
    ],
    row: (object, now) => {
      const { metadata, type = '', data = {} } = object;
      return { cells: [metadata?.name ?? '', type, Object.keys(data).length, age(object, now)] };
    },
  },
};

/** Texts of `stringData` become data, over what is there. */
export function secretDefaults(object: Secret): void {
  const { stringData } = object;
  if (stringData === undefined) return;
  const data = object.data ?? {};
  for (const [key, text] of Object.entries(stringData)) setOwn(data, key, encodeBase64(utf8.encode(text)));
  if (Object.keys(data).length > 0) object.data = data;
  delete object.stringData;
}

const utf8 = new TextEncoder();
const dataPath = fieldPath('data');

function validateContents(object: Frozen<Secret>): readonly FieldError[] {
  const { data = {} } = object;
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const [key, base64] of Object.entries(data)) {
    if (errors.length > findingsMax) break;
    errors.push(...invalidEach(dataPath.key(key), key, isConfigMapKey(key)));
    bytes += decodedBytes(base64);
  }
  if (bytes > contentBytesMax) errors.push(fieldTooLong(dataPath, contentBytesMax));
  return [...errors, ...validateType(object)];
}

/** What the type requests. Types that Kubernetes does not know request nothing. */
function validateType({ metadata, type, data = {} }: Frozen<Secret>): readonly FieldError[] {
  const missing = (...keys: readonly string[]): readonly FieldError[] =>
    collect(
      keys.filter((key) => !Object.hasOwn(data, key)),
      (key) => [fieldRequired(dataPath.key(key))],
    );
  switch (type) {
    case 'kubernetes.io/service-account-token': {
      const account = 'kubernetes.io/service-account.name';
      const named = metadata?.annotations?.[account] ?? '';
      return named === '' ? [fieldRequired(fieldPath('metadata', 'annotations').key(account))] : [];
    }
    case 'kubernetes.io/dockercfg':
      return validateDockerConfig(data, '.dockercfg');
    case 'kubernetes.io/dockerconfigjson':
      return validateDockerConfig(data, '.dockerconfigjson');
    case 'kubernetes.io/basic-auth': {
      const errors = missing('username', 'password');
      return errors.length === 2 ? errors : [];
    }
    case 'kubernetes.io/ssh-auth':
      return (data['ssh-privatekey'] ?? '') === '' ? [fieldRequired(dataPath.key('ssh-privatekey'))] : [];
    case 'kubernetes.io/tls':
      return missing('tls.crt', 'tls.key');
    default:
      return [];
  }
}

function validateDockerConfig(data: Readonly<Record<string, string>>, key: string): readonly FieldError[] {
  const path = dataPath.key(key);
  if (!Object.hasOwn(data, key)) return [fieldRequired(path)];
  const problem = jsonObjectProblem(new TextDecoder().decode(decodeBase64(data[key] ?? '')));
  return problem === undefined ? [] : [fieldInvalid(path, '<secret contents redacted>', problem)];
}

/** What Go says when the text is not a JSON object; null passes for an empty one. */
function jsonObjectProblem(text: string): string | undefined {
  try {
    const value = parseJson(text);
    if (value === null || isJsonObject(value)) return undefined;
    return unmarshalTypeError(value, 'value of type map[string]interface {}');
  } catch (error) {
    if (isDecodeError(error)) return error.message;
    throw error;
  }
}

function warnings({ type, data = {} }: Frozen<Secret>): readonly string[] {
  if (type !== 'kubernetes.io/tls') return [];
  const problem = keyPairProblem(decodeBase64(data['tls.crt'] ?? ''), decodeBase64(data['tls.key'] ?? ''));
  return problem === undefined ? [] : [problem];
}
