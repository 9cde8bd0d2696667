// `text.format(values)`: the clauses %s, %d, %f, %e, %b, %o, %x and %X. Numbers of %f and %e are printed for the locale
// en-US, as the strings extension does: digits in groups, `1.5×10⁰³`.
import { formatGo, quote } from '../../core/index.js';
import { Double, Duration, Timestamp, TypeValue, Uint } from '../cel-value.js';
import type { CelValue } from '../cel-value.js';
import type { CelType } from '../cel-type.js';
import type { Expression } from '../expression.js';
import { EvaluationError } from '../library.js';
import type { CallFacts } from '../library.js';
import { isList } from '../values/lists.js';
import { listElements } from './list-elements.js';
import { printSeconds, printTimestamp } from '../values/time.js';
import { mapEntries, typeNameOf, valueTypeName } from './value-texts.js';

/** Returns the text with its clauses replaced. Throws `EvaluationError` for wrong clauses and values. */
export function formatText(format: string, values: readonly CelValue[]): string {
  let used = 0;
  let result = '';
  for (const part of clauses(format)) {
    if (typeof part === 'string') result += part;
    else if ('error' in part) throw new EvaluationError(part.error);
    else {
      const value = values[used];
      if (value === undefined) throw new EvaluationError(`index ${used} out of range`);
      used++;
      try {
        result += printers[part.clause](value, part.precision);
      } catch (error) {
        if (error instanceof EvaluationError) throw new EvaluationError(`error during formatting: ${error.message}`);
        throw error;
      }
    }
  }
  return result;
}

/** Checks a format that is a literal against the types of its values, where these are a list in brackets. */
export function validateFormat([format, list]: readonly Expression[], facts: CallFacts): void {
  if (format?.kind !== 'literal' || typeof format.value !== 'string' || list?.kind !== 'list') return;
  let used = 0;
  for (const part of clauses(format.value)) {
    if (typeof part === 'string') continue;
    if ('error' in part) {
      facts.report(list, part.error);
      return;
    }
    const element = list.elements[used];
    if (element === undefined) {
      facts.report(list, `index ${used} out of range`);
      return;
    }
    used++;
    const { kinds, sentence } = accepted[part.clause];
    const type = facts.typeOf(element.value);
    if (type.kind === 'dyn' || kinds.includes(type.kind)) {
      if (type.kind === 'list' && !isPrintable(type)) reportInner(element.value, type, facts);
      continue;
    }
    facts.report(element.value, `error during formatting: ${sentence}, was given ${typeNameOf(type)}`);
    return;
  }
  if (used < list.elements.length)
    facts.report(list, `too many arguments supplied to string.format (expected ${used}, got ${list.elements.length})`);
}

/** More decimals than any double has. */
const precisionMax = 100_000;

type Clause = 'b' | 'd' | 'e' | 'f' | 'o' | 's' | 'x' | 'X';
type Part = string | { readonly clause: Clause; readonly precision: number } | { readonly error: string };

const stringSentence =
  'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps';
const stringKinds: readonly CelType['kind'][] = [
  'bool',
  'bytes',
  'double',
  'duration',
  'int',
  'list',
  'map',
  'null_type',
  'string',
  'timestamp',
  'type',
  'uint',
];

const accepted: Readonly<Record<Clause, { readonly kinds: readonly CelType['kind'][]; readonly sentence: string }>> = {
  s: { kinds: stringKinds, sentence: stringSentence },
  d: { kinds: ['int', 'uint'], sentence: 'decimal clause can only be used on integers' },
  f: { kinds: ['double', 'string'], sentence: 'fixed-point clause can only be used on doubles' },
  e: { kinds: ['double', 'string'], sentence: 'scientific clause can only be used on doubles' },
  b: { kinds: ['int', 'uint', 'bool'], sentence: 'only integers and bools can be formatted as binary' },
  o: { kinds: ['int', 'uint'], sentence: 'octal clause can only be used on integers' },
  x: {
    kinds: ['int', 'uint', 'string', 'bytes'],
    sentence: 'only integers, byte buffers, and strings can be formatted as hex',
  },
  X: {
    kinds: ['int', 'uint', 'string', 'bytes'],
    sentence: 'only integers, byte buffers, and strings can be formatted as hex',
  },
};

function isPrintable(type: CelType): boolean {
  if (type.kind === 'list') return isPrintable(type.element);
  return type.kind === 'dyn' || stringKinds.includes(type.kind);
}

function reportInner(list: Expression, type: CelType, facts: CallFacts): void {
  const inner = type.kind === 'list' ? type.element : type;
  facts.report(list, `error during formatting: ${stringSentence}, was given ${typeNameOf(inner)}`);
}

/** Splits a format into its text and its clauses. Ends with the first error. */
function* clauses(format: string): Generator<Part> {
  let at = 0;
  while (at < format.length) {
    const percent = format.indexOf('%', at);
    if (percent < 0) {
      yield format.slice(at);
      return;
    }
    if (percent > at) yield format.slice(at, percent);
    at = percent + 1;
    if (at >= format.length) {
      yield { error: 'unexpected end of string' };
      return;
    }
    if (format[at] === '%') {
      yield '%';
      at++;
      continue;
    }
    let precision = 6;
    if (format[at] === '.') {
      const digits = /^[0-9]*/.exec(format.slice(at + 1))?.[0] ?? '';
      at += 1 + digits.length;
      const start = 'could not parse formatting clause: error while parsing precision: ';
      if (at >= format.length) {
        yield { error: `${start}could not find end of precision specifier` };
        return;
      }
      if (digits === '') {
        yield {
          error: `${start}error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax`,
        };
        return;
      }
      precision = Math.min(Number(digits), precisionMax);
    }
    const letter = String.fromCodePoint(format.codePointAt(at) ?? 0);
    if (!isClause(letter)) {
      yield {
        error: `could not parse formatting clause: unrecognized formatting clause ${quote(letter)}`,
      };
      return;
    }
    yield { clause: letter, precision };
    at++;
  }
}

function isClause(letter: string): letter is Clause {
  return Object.hasOwn(accepted, letter);
}

const printers: Readonly<Record<Clause, (value: CelValue, precision: number) => string>> = {
  s: printString,
  d: (value) => integerOf(value, 'd').toString(),
  f: printFixed,
  e: printScientific,
  b: (value) => (typeof value === 'boolean' ? (value ? '1' : '0') : integerOf(value, 'b').toString(2)),
  o: (value) => integerOf(value, 'o').toString(8),
  x: printHex,
  X: (value) => printHex(value).toUpperCase(),
};

function refusal(clause: Clause, value: CelValue): EvaluationError {
  return new EvaluationError(`${accepted[clause].sentence}, was given ${valueTypeName(value)}`);
}

function integerOf(value: CelValue, clause: Clause): bigint {
  if (value instanceof Uint) return value.value;
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value))) return BigInt(value);
  throw refusal(clause, value);
}

function printHex(value: CelValue): string {
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value;
  if (!(bytes instanceof Uint8Array)) return integerOf(value, 'x').toString(16);
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function printString(value: CelValue): string {
  if (value instanceof Uint8Array) {
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(value);
    } catch {
      throw new EvaluationError(
        'could not convert argument "invalid UTF-8 in bytes, cannot convert to string" to string',
      );
    }
  }
  if (typeof value === 'string') return value;
  if (value instanceof Timestamp) return printTimestamp(value);
  if (value instanceof Duration) return printSeconds(value);
  if (value instanceof Double || (typeof value === 'number' && !Number.isInteger(value)))
    return printShortest(value instanceof Double ? value.value : value);
  const text = printNested(value, true);
  if (text === undefined) throw refusal('s', value);
  return text;
}

/** Prints a value of any form inside of lists and maps; undefined for values of libraries. */
function printNested(value: CelValue, isOutermost = false): string | undefined {
  if (value === null) return 'null';
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number' || value instanceof Double) {
    const number = value instanceof Double ? value.value : value;
    if (typeof value === 'number' && Number.isInteger(value)) return String(value);
    return Number.isFinite(number) ? printFixed(value, 6) : `"${printShortest(number)}"`;
  }
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Uint8Array) return `b${quote(new TextDecoder().decode(value))}`;
  if (value instanceof Timestamp) return `timestamp("${printTimestamp(value)}")`;
  if (value instanceof Duration) return `duration("${printSeconds(value)}")`;
  if (value instanceof TypeValue) return typeNameOf(value.type);
  const inner = (item: CelValue): string => {
    const text = printNested(item);
    if (text === undefined) throw new EvaluationError(`no formatting function for ${valueTypeName(item)}`);
    return text;
  };
  if (isList(value)) return `[${listElements(value).map(inner).join(', ')}]`;
  const entries = mapEntries(value);
  if (entries !== undefined)
    return `{${entries
      .map(([key, item]) => `${inner(key)}:${inner(item)}`)
      .sort()
      .join(', ')}}`;
  if (isOutermost) return undefined;
  throw new EvaluationError(`no formatting function for ${valueTypeName(value)}`);
}

/** As strconv.FormatFloat with 'g' and the fewest digits. */
function printShortest(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (Object.is(value, -0)) return '-0';
  const exponent = Number(value.toExponential().split('e')[1]);
  if (value !== 0 && (exponent < -4 || exponent >= 21 || (exponent >= 6 && !Number.isInteger(value))))
    return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
  return formatGo(value);
}

/** The number of a double, or of a string that names what JSON cannot write. */
function doubleOf(value: CelValue, clause: 'e' | 'f'): number {
  if (value instanceof Double) return value.value;
  if (typeof value === 'number' && !Number.isInteger(value)) return value;
  if (value === 'NaN') return NaN;
  if (value === 'Infinity') return Infinity;
  if (value === '-Infinity') return -Infinity;
  throw refusal(clause, value);
}

function printFixed(value: CelValue, precision: number): string {
  const number = doubleOf(value, 'f');
  if (Number.isNaN(number)) return 'NaN';
  const sign = number < 0 ? '-' : '';
  if (!Number.isFinite(number)) return `${sign}∞`;
  const [whole = '', fraction = ''] = fixedDigits(Math.abs(number), precision).split('.');
  return `${sign}${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Rounds to a number of decimals; exact halves to the even digit, which `toFixed` rounds up. */
function fixedDigits(number: number, precision: number): string {
  const decimals = Math.min(precision, 100);
  if (number >= 1e21) return `${BigInt(number)}${precision > 0 ? `.${'0'.repeat(precision)}` : ''}`;
  const rounded = number.toFixed(decimals);
  const tail = decimals < 100 ? number.toFixed(100).slice(decimals - 100) : '';
  const isHalf = /^50*$/.test(tail);
  const even =
    isHalf && /[13579]$/.test(rounded) ? number.toFixed(100).slice(0, decimals === 0 ? -101 : decimals - 100) : rounded;
  return precision > 100 ? even + '0'.repeat(precision - 100) : even;
}

function printScientific(value: CelValue, precision: number): string {
  const number = doubleOf(value, 'e');
  const sign = number < 0 ? '-' : '';
  if (Number.isNaN(number)) return 'NaN'.padStart(precision);
  if (!Number.isFinite(number)) return `${sign}∞`.padStart(precision);
  const [mantissa = '', exponent = ''] = Math.abs(number).toExponential(6).split('e');
  const digits = exponent.slice(1).padStart(2, '0');
  const raised = Array.from(digits, (digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)]).join('');
  return `${sign}${mantissa}×10${exponent.startsWith('-') ? '⁻' : ''}${raised}`;
}
