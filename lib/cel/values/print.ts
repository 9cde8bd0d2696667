// Numbers as text, as Go prints them.
import type { CelValue } from '../cel-value.js';
import { Double, TypeValue, Uint } from '../cel-value.js';
import { typeName } from '../check/type-names.js';

/** Returns a double as `%g` of Go with the shortest digits: `1.5`, `1e+21`, `+Inf`. */
export function printDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (Object.is(value, -0)) return '-0';
  if (value === 0) return '0';
  const scientific = value.toExponential();
  const [digits = '', exponent = '0'] = scientific.split('e');
  const power = Number(exponent);
  if (power < -4 || power >= fixedDigitsMax)
    return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
  return String(value);
}

/** Go's `%g` writes larger powers of ten as exponents. */
const fixedDigitsMax = 6;

/** Returns a key of a map or an index of a list for a message. */
export function printKey(key: CelValue): string {
  if (key instanceof Uint) return String(key.value);
  if (key instanceof Double) return printDouble(key.value);
  if (typeof key === 'number') return Number.isInteger(key) ? String(key) : printDouble(key);
  if (key instanceof TypeValue) return typeName(key.type);
  return typeof key === 'object' && key !== null ? '' : String(key);
}
