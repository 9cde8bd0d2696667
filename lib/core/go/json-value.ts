// JSON values as Go sees them once decoded into `interface {}`, because Kubernetes' patch messages print them so:
// `map[a:1 b:[x y]]`. Whole numbers are int64, the others float64, as apimachinery/pkg/util/json decodes them.
import { depthMax } from '../schema/decode.js';
import type { JsonObject, JsonValue } from '../objects/json.js';
import { isJsonObject } from '../objects/json.js';

/** The dynamic type of a decoded value as `%s` of its reflect.Type prints it. */
export type GoType =
  'map[string]interface {}' | '[]interface {}' | 'string' | 'bool' | 'int64' | 'float64' | '%!s(<nil>)';

/** The Go type of a JSON value. */
export function goType(value: JsonValue): GoType {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'number':
      return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? 'int64' : 'float64';
    default:
      if (value === null) return '%!s(<nil>)';
      return isJsonObject(value) ? 'map[string]interface {}' : '[]interface {}';
  }
}

/** A value as Go's `%v` prints it, or `%s`, which complains about everything that is not text. */
export function formatGo(value: JsonValue, verb: 'v' | 's' = 'v'): string {
  return verb === 's' && value === null ? '%!s(<nil>)' : format(value, verb, 0);
}

function format(value: JsonValue, verb: 'v' | 's', depth: number): string {
  if (typeof value === 'string') return value;
  if (value === null) return '<nil>';
  if (typeof value !== 'object')
    return verb === 's' ? `%!s(${goType(value)}=${formatScalar(value)})` : formatScalar(value);
  // Only a document from elsewhere can be that deep: patches are measured before.
  if (depth >= depthMax) return '...';
  if (isJsonObject(value)) return `map[${formatMembers(value, verb, depth)}]`;
  return `[${value.map((item) => format(item, verb, depth + 1)).join(' ')}]`;
}

function formatMembers(map: JsonObject, verb: 'v' | 's', depth: number): string {
  const keys = Object.keys(map).sort();
  return keys.map((key) => `${key}:${format(map[key] ?? null, verb, depth + 1)}`).join(' ');
}

function formatScalar(value: number | boolean): string {
  if (typeof value === 'boolean' || goType(value) === 'int64') return String(value);
  const magnitude = Math.abs(value);
  if (magnitude >= 1e-4 && magnitude < 1e6) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}
