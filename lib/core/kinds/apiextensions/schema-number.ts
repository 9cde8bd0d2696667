// Bounds of numbers in schemas. Whole numbers are compared with the bound's whole part, others as they are, and bounds
// that the number's own format could not hold are an error of their own. As kube-openapi/pkg/validation/validate,
// numberValidator and IsValueValidAgainstRange.
import { generalError, invalidValue, wrongFactor } from './schema-value-errors.js';
import type { ValueError } from './schema-value-errors.js';
import type { Schema } from './schema-value.js';

/** Validates a number: its format, then multiples, minimum and maximum. */
export function checkNumber(schema: Schema, value: number, name: string): readonly ValueError[] {
  const { multipleOf, minimum, maximum, exclusiveMinimum = false, exclusiveMaximum = false } = schema;
  const errors = [...checkRange(schema, value, 'Checked', name)];
  if (multipleOf !== undefined) {
    const range = checkRange(schema, multipleOf, 'MultipleOf', name);
    errors.push(...range, ...checkMultiple(value, multipleOf, name, range.length === 0 && Number.isInteger(value)));
  }
  for (const [bound, kind, exclusive] of [
    [minimum, 'Minimum', exclusiveMinimum],
    [maximum, 'Maximum', exclusiveMaximum],
  ] as const) {
    if (bound === undefined) continue;
    const range = checkRange(schema, bound, `${kind} boundary`, name);
    const whole = range.length === 0 && Number.isInteger(value);
    const limit = whole ? Math.trunc(bound) : bound;
    const beyond = kind === 'Minimum' ? value < limit : value > limit;
    errors.push(...range);
    if (!beyond && !(exclusive && value === limit)) continue;
    const relation = `${kind === 'Minimum' ? 'greater' : 'less'} than${exclusive ? '' : ' or equal to'}`;
    errors.push(invalidValue(name, value, `should be ${relation} ${whole ? String(limit) : printFloat(limit)}`));
  }
  return errors;
}

function checkMultiple(value: number, factor: number, name: string, whole: boolean): readonly ValueError[] {
  const by = whole ? Math.trunc(factor) : factor;
  const printed = whole ? String(by) : printFloat(by);
  if (by <= 0) return [wrongFactor(name, by, printed)];
  const multiple = whole ? value % by === 0 : isWhole(by < 1 ? (1 / by) * value : value / by);
  return multiple ? [] : [invalidValue(name, value, `should be a multiple of ${printed}`)];
}

/** Whole within the precision of a double. As swag.IsFloat64AJSONInteger. */
function isWhole(value: number): boolean {
  const whole = Math.trunc(value);
  if (value === whole || whole === 0) return value === whole;
  return (
    Math.abs(value) <= Number.MAX_SAFE_INTEGER && Math.abs(value - whole) / (Math.abs(value) + Math.abs(whole)) < 1e-9
  );
}

function checkRange(
  { type = '', format = '' }: Schema,
  value: number,
  prefix: string,
  name: string,
): readonly ValueError[] {
  if (type === 'integer') {
    const bits = format === 'int32' ? 31 : 63;
    if (Number.isInteger(value) && value >= -(2 ** bits) && value < 2 ** bits) return [];
    const known = format === 'int32' || format === 'int64' ? `with format ${format}` : '(default format)';
    return [generalError(`${prefix} value must be of type integer ${known} in ${name}`)];
  }
  if (type !== 'number' || format !== 'float' || Math.abs(value) <= float32Max) return [];
  return [generalError(`${prefix} value must be of type number with format float in ${name}`)];
}

const float32Max = 3.4028234663852886e38;

/** As `%v` prints a float64. */
function printFloat(value: number): string {
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}
