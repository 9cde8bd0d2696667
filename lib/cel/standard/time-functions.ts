// The parts of timestamps, in UTC or a time zone, and the lengths of durations in whole units.
import { durationType, intType, stringType, timestampType } from '../cel-type.js';
import type { CelValue } from '../cel-value.js';
import { Duration, Timestamp, int } from '../cel-value.js';
import { literalType } from '../check/literal-type.js';
import { typeName } from '../check/type-names.js';
import type { FunctionDeclaration } from '../library.js';
import { EvaluationFailure } from '../values/failure.js';
import { localDate } from '../values/time.js';
import type { StandardOperation } from './declare.js';
import { declare, method } from './declare.js';

/** getFullYear, getMonth, getDate, getHours and the like. */
export const timeFunctions: readonly FunctionDeclaration[] = [
  part('getFullYear', 'year', (date) => date.getUTCFullYear()),
  part('getMonth', 'month', (date) => date.getUTCMonth()),
  part('getDayOfYear', 'day_of_year', dayOfYear),
  part('getDate', 'day_of_month_1_based', (date) => date.getUTCDate()),
  part('getDayOfMonth', 'day_of_month', (date) => date.getUTCDate() - 1),
  part('getDayOfWeek', 'day_of_week', (date) => date.getUTCDay()),
  part('getHours', 'hours', (date) => date.getUTCHours(), 3_600_000_000_000n),
  part('getMinutes', 'minutes', (date) => date.getUTCMinutes(), 60_000_000_000n),
  part('getSeconds', 'seconds', (date) => date.getUTCSeconds(), 1_000_000_000n),
  part('getMilliseconds', 'milliseconds', (date) => date.getUTCMilliseconds(), 1_000_000n),
];

function part(name: string, id: string, read: (date: Date) => number, nanosPerUnit?: bigint): FunctionDeclaration {
  const readPart: StandardOperation = (value, zone) => {
    if (!(value instanceof Timestamp)) return refuse(name, value, zone);
    const date = localDate(value, typeof zone === 'string' ? zone : '');
    return date instanceof EvaluationFailure ? date : read(date);
  };
  const overloads = [
    method(`timestamp_to_${id}`, [timestampType], intType, readPart),
    method(`timestamp_to_${id}_with_tz`, [timestampType, stringType], intType, readPart),
  ];
  if (nanosPerUnit === undefined) return declare(name, ...overloads);
  const readLength: StandardOperation = (value: CelValue | undefined) =>
    value instanceof Duration ? int(value.nanos / nanosPerUnit) : refuse(name, value);
  return declare(name, ...overloads, method(`duration_to_${id}`, [durationType], intType, readLength));
}

function refuse(name: string, ...values: readonly (CelValue | undefined)[]): EvaluationFailure {
  const types = values.flatMap((value) => (value === undefined ? [] : [typeName(literalType(value))]));
  return new EvaluationFailure(`no such overload: ${name}(${types.join(', ')})`);
}

function dayOfYear(date: Date): number {
  const start = new Date(date);
  start.setUTCMonth(0, 1);
  return Math.round((date.getTime() - start.getTime()) / 86_400_000);
}
