// Escapes and character classes inside regular expressions. Each function reads at a place of the text and returns what
// it read and where that ended. As regexp/syntax/parse.go, parseEscape and parseClass. For regexp.ts.
import { anyRange, perlClass, posixClass, sensitive, unicodeClass, union } from './regexp-characters.js';
import type { CharacterSet, Range } from './regexp-characters.js';
import { RegexpRefusal } from './regexp-expression.js';

/** What was read, and the place after it. */
export interface Read<T> {
  readonly value: T;
  readonly end: number;
}

/** `\d`, `\p{Greek}` and the like; undefined where there is no such escape. */
export function readEscapedClass(text: string, at: number, fold: boolean): Read<CharacterSet> | undefined {
  if (text[at] !== '\\') return undefined;
  const letter = text[at + 1] ?? '';
  if (letter === 'p' || letter === 'P') return readUnicodeClass(text, at, fold);
  const value = perlClass(letter, fold);
  return value && { value, end: at + 2 };
}

/** An escape for one character. */
export function readEscape(text: string, at: number): Read<number> {
  const rest = text.slice(at);
  if (rest === '\\') throw new RegexpRefusal('trailing backslash at end of expression', '');
  const coded = /^\\(?:(0[0-7]{0,2}|[1-7][0-7]{1,2})|x\{([0-9a-fA-F]+)\}|x([0-9a-fA-F]{2}))/.exec(rest);
  if (coded !== null) {
    const [spelling, octal, braced, pair] = coded;
    const value = octal === undefined ? Number.parseInt(braced ?? pair ?? '', 16) : Number.parseInt(octal, 8);
    if (value <= 0x10ffff) return { value, end: at + spelling.length };
  }
  const letter = String.fromCodePoint(rest.codePointAt(1) ?? 0);
  const named = namedEscapes.get(letter);
  if (named === undefined && (letter >= '\x80' || /[A-Za-z0-9]/.test(letter))) {
    throw new RegexpRefusal('invalid escape sequence', refusedEscape(rest, letter));
  }
  return { value: named ?? letter.codePointAt(0) ?? 0, end: at + 1 + letter.length };
}

/**
 * `[a-z]`. A bracket first in the class is an ordinary character. Ranges are merged and a named class counts once, so
 * that the cost of a character does not grow with the text of the class.
 */
export function readClass(text: string, at: number, fold: boolean): Read<CharacterSet> {
  const negated = text[at + 1] === '^';
  const ranges: Range[] = [];
  const named = new Map<string, CharacterSet>();
  let end = at + (negated ? 2 : 1);
  for (let first = true; first || text[end] !== ']'; first = false) {
    const item = readClassItem(text, end, { start: at, fold });
    if (typeof item.value === 'function') named.set(text.slice(end, item.end), item.value);
    else ranges.push(item.value);
    end = item.end;
  }
  return { value: union([sensitive(anyRange(ranges), fold), ...named.values()], negated), end: end + 1 };
}

const namedEscapes: ReadonlyMap<string, number> = new Map([
  ['a', 0x07],
  ['f', 0x0c],
  ['n', 0x0a],
  ['r', 0x0d],
  ['t', 0x09],
  ['v', 0x0b],
]);

function readUnicodeClass(text: string, at: number, fold: boolean): Read<CharacterSet> | undefined {
  const rest = text.slice(at);
  if (rest.length === 2) return undefined;
  const braced = rest[2] === '{';
  const close = braced ? rest.indexOf('}') : 1 + String.fromCodePoint(rest.codePointAt(2) ?? 0).length;
  if (close < 0) throw new RegexpRefusal('invalid character class range', rest);
  const spelling = rest.slice(0, close + 1);
  const written = braced ? rest.slice(3, close) : rest.slice(2, close + 1);
  const opposite = written.startsWith('^');
  const name = opposite ? written.slice(1) : written;
  const set = unicodeClass(`${name.slice(0, 1).toUpperCase()}${name.slice(1).toLowerCase()}`);
  if (set === undefined) throw new RegexpRefusal('invalid character class range', spelling);
  return { value: union([sensitive(set, fold)], (rest[1] === 'P') !== opposite), end: at + spelling.length };
}

/** As far as Go reads an escape before it gives up: through the character that makes it wrong. */
function refusedEscape(rest: string, letter: string): string {
  if (letter !== 'x') return rest.slice(0, 1 + letter.length);
  if (rest[2] !== '{') return /^\\x[^]?[^]?/u.exec(rest)?.[0] ?? rest;
  const digits = /^[0-9a-fA-F]*/.exec(rest.slice(3))?.[0] ?? '';
  for (let length = 1; length <= digits.length; length++) {
    if (Number.parseInt(digits.slice(0, length), 16) > 0x10ffff) return rest.slice(0, 3 + length);
  }
  return rest.slice(0, 3 + digits.length + String.fromCodePoint(rest.codePointAt(3 + digits.length) ?? 0).length);
}

interface ClassScope {
  /** Where the class begins. */
  readonly start: number;
  readonly fold: boolean;
}

function readClassItem(text: string, at: number, { start, fold }: ClassScope): Read<CharacterSet | Range> {
  const named = text.startsWith('[:', at) && text.length > at + 2 ? text.indexOf(':]', at + 2) : -1;
  if (named >= 0) {
    const spelling = text.slice(at, named + 2);
    const value = posixClass(spelling, fold);
    if (value === undefined) throw new RegexpRefusal('invalid character class range', spelling);
    return { value, end: named + 2 };
  }
  const escaped = readEscapedClass(text, at, fold);
  if (escaped !== undefined) return escaped;
  const low = readClassCharacter(text, at, start);
  const next = text[low.end + 1];
  if (text[low.end] !== '-' || next === undefined || next === ']')
    return { value: [low.value, low.value], end: low.end };
  const high = readClassCharacter(text, low.end + 1, start);
  if (high.value < low.value) throw new RegexpRefusal('invalid character class range', text.slice(at, high.end));
  return { value: [low.value, high.value], end: high.end };
}

function readClassCharacter(text: string, at: number, start: number): Read<number> {
  const value = text.codePointAt(at);
  if (value === undefined) throw new RegexpRefusal('missing closing ]', text.slice(start));
  return text[at] === '\\' ? readEscape(text, at) : { value, end: at + (value > 0xffff ? 2 : 1) };
}
