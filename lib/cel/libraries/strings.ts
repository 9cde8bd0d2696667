// Functions of strings: the strings extension of CEL, version 2. Positions count code points. `reverse` came with
// version 3 and is not part of Kubernetes v1.36.
import { quote } from '../../core/index.js';
import { dynType, intType, listType, stringType } from '../cel-type.js';
import type { CelValue } from '../cel-value.js';
import { EvaluationError } from '../library.js';
import type { CallEstimate, EstimateRange, FunctionDeclaration, Library, ValueEstimate } from '../library.js';
import { addRanges, multiplyRanges } from '../cost/shape.js';
import {
  copiesFirst,
  elementSize,
  readsFirst,
  sizeEstimate,
  traversalCost,
  traversalEstimate,
  traversalFactor,
  unknownSize,
} from './costs.js';
import { codePointLength } from '../values/lists.js';
import { printKey } from '../values/print.js';
import { listElements } from './list-elements.js';
import { declareFunction, globalOverload, memberOverload } from './overloads.js';
import { formatText, validateFormat } from './string-format.js';

const readOnce = ([text]: readonly CelValue[]): number => traversalCost(text);
const readTwice = ([text]: readonly CelValue[]): number => traversalCost(text, 2 * traversalFactor);
/** The search of Kubernetes rounds down where other functions round up. */
const readBySearch = ([text]: readonly CelValue[]): number =>
  Math.trunc(codePointLength(text as string) * traversalFactor);

const functions: readonly FunctionDeclaration[] = [
  declareFunction(
    'charAt',
    memberOverload('string_char_at_int', [stringType, intType], stringType, (text, at) =>
      charAt(text as string, Number(at)),
    ),
  ),
  declareFunction(
    'indexOf',
    memberOverload(
      'string_index_of_string',
      [stringType, stringType],
      intType,
      (text, part) => indexOf(text as string, part as string, 0),
      { cost: readBySearch, estimate: readsFirst },
    ),
    memberOverload(
      'string_index_of_string_int',
      [stringType, stringType, intType],
      intType,
      (text, part, from) => indexOf(text as string, part as string, Number(from)),
      { cost: readBySearch, estimate: readsFirst },
    ),
  ),
  declareFunction(
    'lastIndexOf',
    memberOverload(
      'string_last_index_of_string',
      [stringType, stringType],
      intType,
      (text, part) => lastIndexOf(text as string, part as string, undefined),
      { cost: readBySearch, estimate: readsFirst },
    ),
    memberOverload(
      'string_last_index_of_string_int',
      [stringType, stringType, intType],
      intType,
      (text, part, from) => lastIndexOf(text as string, part as string, Number(from)),
      { cost: readBySearch, estimate: readsFirst },
    ),
  ),
  declareFunction(
    'join',
    memberOverload('list_join', [listType(stringType)], stringType, (list) => join(list, ''), {
      cost: (_, result) => traversalCost(result, 2 * traversalFactor),
      estimate: estimateJoin,
    }),
    memberOverload(
      'list_join_string',
      [listType(stringType), stringType],
      stringType,
      (list, separator) => join(list, separator as string),
      { cost: (_, result) => traversalCost(result, 2 * traversalFactor), estimate: estimateJoin },
    ),
  ),
  declareFunction(
    'lowerAscii',
    memberOverload(
      'string_lower_ascii',
      [stringType],
      stringType,
      (text) => (text as string).replace(/[A-Z]+/g, (letters) => letters.toLowerCase()),
      { cost: readOnce, estimate: copiesFirst },
    ),
  ),
  declareFunction(
    'upperAscii',
    memberOverload(
      'string_upper_ascii',
      [stringType],
      stringType,
      (text) => (text as string).replace(/[a-z]+/g, (letters) => letters.toUpperCase()),
      { cost: readOnce, estimate: copiesFirst },
    ),
  ),
  declareFunction(
    'replace',
    memberOverload(
      'string_replace_string_string',
      [stringType, stringType, stringType],
      stringType,
      (text, part, by) => replace(text as string, part as string, by as string, -1),
      { cost: readTwice, estimate: estimateReplace },
    ),
    memberOverload(
      'string_replace_string_string_int',
      [stringType, stringType, stringType, intType],
      stringType,
      (text, part, by, count) => replace(text as string, part as string, by as string, Number(count)),
      { cost: readTwice, estimate: estimateReplace },
    ),
  ),
  declareFunction(
    'split',
    memberOverload(
      'string_split_string',
      [stringType, stringType],
      listType(stringType),
      (text, separator) => split(text as string, separator as string, -1),
      { cost: readTwice, estimate: estimateSplit },
    ),
    memberOverload(
      'string_split_string_int',
      [stringType, stringType, intType],
      listType(stringType),
      (text, separator, count) => split(text as string, separator as string, Number(count)),
      { cost: readTwice, estimate: estimateSplit },
    ),
  ),
  declareFunction(
    'substring',
    memberOverload(
      'string_substring_int',
      [stringType, intType],
      stringType,
      (text, start) => substring(text as string, Number(start), undefined),
      { cost: readOnce, estimate: copiesFirst },
    ),
    memberOverload(
      'string_substring_int_int',
      [stringType, intType, intType],
      stringType,
      (text, start, end) => substring(text as string, Number(start), Number(end)),
      { cost: readOnce, estimate: copiesFirst },
    ),
  ),
  declareFunction(
    'trim',
    memberOverload('string_trim', [stringType], stringType, (text) => trim(text as string), {
      cost: readOnce,
      estimate: copiesFirst,
    }),
  ),
  {
    ...declareFunction(
      'format',
      memberOverload(
        'string_format',
        [stringType, listType(dynType)],
        stringType,
        (text, values) => formatText(text as string, listElements(values)),
        { cost: readOnce, estimate: readsFirst },
      ),
    ),
    validate: validateFormat,
  },
  declareFunction(
    'strings.quote',
    globalOverload('strings_quote', [stringType], stringType, (text) => quoteText(text as string), {
      cost: readOnce,
      estimate: ([text]) => {
        const { min, max } = sizeEstimate(text);
        return { cost: traversalEstimate({ min, max }), resultSize: { min: min + 2, max: 2 * max + 2 } };
      },
    }),
  ),
];

/** The functions of strings. */
export const stringsLibrary: Library = { name: 'strings', functions };

/** Whether every code point is one UTF-16 unit, so that positions are those of JavaScript. */
function isNarrow(text: string): boolean {
  return codePointLength(text) === text.length;
}

function charAt(text: string, at: number): string {
  const points = isNarrow(text) ? text : Array.from(text);
  if (at < 0 || at > points.length) throw outOfRange(at);
  return points[at] ?? '';
}

function indexOf(text: string, part: string, from: number): number {
  if (from < 0) throw outOfRange(from);
  if (part === '') return from;
  if (isNarrow(text)) return from >= text.length ? -1 : text.indexOf(part, from);
  const points = Array.from(text);
  if (from >= points.length) return -1;
  const before = points.slice(0, from).join('').length;
  const found = text.indexOf(part, before);
  return found < 0 ? -1 : codePointLength(text.slice(0, found));
}

function lastIndexOf(text: string, part: string, from: number | undefined): number {
  const length = codePointLength(text);
  if (from !== undefined && from < 0) throw outOfRange(from);
  if (part === '') return from ?? length;
  if (from !== undefined && from >= length) return -1;
  const start =
    from === undefined ? text.length : isNarrow(text) ? from : Array.from(text).slice(0, from).join('').length;
  const found = text.lastIndexOf(part, start);
  return found < 0 ? -1 : codePointLength(text.slice(0, found));
}

function join(list: CelValue | undefined, separator: string): string {
  const items = listElements(list);
  items.forEach((item, index) => {
    if (typeof item === 'string') return;
    if (index === 0) throw new EvaluationError('no such overload: join(list)');
    throw new EvaluationError(`join: invalid input: ${printKey(item)}`);
  });
  return (items as readonly string[]).join(separator);
}

/** Replaces the first `count` occurrences, all where it is negative. */
function replace(text: string, part: string, by: string, count: number): string {
  if (count === 0) return text;
  if (part === '') {
    const points = Array.from(text);
    const places = count < 0 ? points.length + 1 : Math.min(count, points.length + 1);
    return (
      points.map((point, index) => (index < places ? by + point : point)).join('') + (places > points.length ? by : '')
    );
  }
  if (count < 0) return text.replaceAll(part, () => by);
  const pieces = text.split(part);
  const head = pieces.slice(0, count + 1).join(by);
  return pieces.length > count + 1 ? `${head}${part}${pieces.slice(count + 1).join(part)}` : head;
}

function split(text: string, separator: string, count: number): readonly string[] {
  if (count === 0) return [];
  const pieces = separator === '' ? Array.from(text) : text.split(separator);
  if (count < 0 || pieces.length <= count) return pieces;
  return [...pieces.slice(0, count - 1), pieces.slice(count - 1).join(separator)];
}

function substring(text: string, start: number, end: number | undefined): string {
  const points = isNarrow(text) ? text : Array.from(text);
  const last = end ?? points.length;
  if (end !== undefined && start > end)
    throw new EvaluationError(`invalid substring range. start: ${start}, end: ${end}`);
  if (start < 0 || start > points.length) throw outOfRange(start);
  if (last < 0 || last > points.length) throw outOfRange(last);
  return typeof points === 'string' ? points.slice(start, last) : points.slice(start, last).join('');
}

/** Removes white space as Unicode defines it: Go's unicode.IsSpace. */
function trim(text: string): string {
  return text
    .replace(/^[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/u, '')
    .replace(/[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/u, '');
}

/** Quotes as CEL does: only the named escapes, the backslash and the quotation mark. */
function quoteText(text: string): string {
  return `"${text.replace(/["\\\x07\b\f\n\r\t\v]/g, (character) => quote(character).slice(1, -1))}"`;
}

function outOfRange(index: number): EvaluationError {
  return new EvaluationError(`index out of range: ${index}`);
}

function estimateJoin([list, separator]: readonly ValueEstimate[]): CallEstimate {
  const count = sizeEstimate(list);
  const gaps: EstimateRange = { min: Math.max(0, count.min - 1), max: Math.max(0, count.max - 1) };
  const between = separator === undefined ? { min: 0, max: 0 } : multiplyRanges(gaps, separator.size);
  const resultSize = addRanges(multiplyRanges(count, elementSize(list)), between);
  return { cost: traversalEstimate(resultSize), resultSize };
}

function estimateSplit([text]: readonly ValueEstimate[]): CallEstimate {
  const size = sizeEstimate(text);
  return { cost: traversalEstimate(size, 2 * traversalFactor), resultSize: { min: 0, max: size.max } };
}

/** The result is longest where the shortest part is replaced by the longest text everywhere. */
function estimateReplace([text, part, by]: readonly ValueEstimate[]): CallEstimate {
  const [size, old, replacement] = [sizeEstimate(text), sizeEstimate(part), by?.size ?? unknownSize];
  const resultSize = {
    min: old.max === 0 ? size.min + (size.min + 1) * replacement.min : shortest(size.min, old.max, replacement.min),
    max: longest(size.max, old.min, replacement.max),
  };
  return { cost: traversalEstimate(size, 2 * traversalFactor), resultSize };
}

function longest(size: number, part: number, by: number): number {
  if (part === 0) return size + multiplyRanges({ min: 0, max: size + 1 }, { min: 0, max: by }).max;
  return by > part ? size + Math.floor(size / part) * (by - part) : size;
}

function shortest(size: number, part: number, by: number): number {
  const most = Math.min(part, size);
  return by < most ? size - Math.floor(size / most) * (most - by) : size;
}
