/**
 * Strings of a YAML document as go-yaml v2 writes them: plain where that is safe, a literal block for several lines,
 * else in single or double quotes; folded at the first space beyond column 80 (as its emitterc.go, analyze_scalar,
 * select_scalar_style and the write functions; encode.go, stringv).
 */
import { resolvePlain } from './plain-scalar.js';

/** The position of a string. */
export interface StringPlace {
  /** The column at which its first character is printed. */
  readonly column: number;
  /** The column at which its further lines start. */
  readonly indent: number;
}

/** A value. */
export function printString(text: string, place: StringPlace): string {
  const style = styleOf(text);
  if (style === 'literal') return literal(text, place.indent);
  const quoting = quotings[style];
  const whole = style === 'plain' ? text : quoting.quote + text.replace(unsafe, quoting.print) + quoting.quote;
  return place.column + whole.length <= widthMax || !text.includes(' ') ? whole : fold(text, place, quoting);
}

/** A key that fits one line, or undefined: such a key is printed like a value, after a question mark. */
export function printSimpleKey(text: string): string | undefined {
  if (lineBreak.test(text) || text.length > 128 || (text.length > 42 && new TextEncoder().encode(text).length > 128))
    return undefined;
  return printString(text, neverFolded);
}

const neverFolded: StringPlace = { column: -10_000, indent: 0 };
const lineBreak = /[\n\r\x85\u2028\u2029]/;

type Style = 'plain' | 'single' | 'double' | 'literal';

function styleOf(text: string): Style {
  const isSpecial = special.test(text) || text.includes(' \n');
  if (text.includes('\n')) return isSpecial || text.endsWith(' ') ? 'double' : 'literal';
  // go-yaml leaves a merge key without quotes and cannot read it back.
  if (isSpecial || text === '<<' || base60.test(text) || resolvePlain(text).tag !== 'str') return 'double';
  return text.startsWith(' ') || text.endsWith(' ') || indicator.test(text) ? 'single' : 'plain';
}

/** What is not printed as it is: control characters, the byte order mark, line separators, all beyond 16 bits. */
const special = /[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/;
/** Numbers of YAML 1.1 in base 60: go-yaml does not read them but quotes them for others that do. */
const base60 = /^[-+]?\d[\d_]*(?::[0-5]?\d)+(?:\.[\d_]*)?$/;
/** What would be read as syntax. */
const indicator = /^(?:[#,[\]{}&*!|>'"%@`]|---|\.\.\.|[-?:](?:[ \t]|$))|:(?:[ \t]|$)|[ \t]#/;

function literal(text: string, indent: number): string {
  const hint = text.startsWith(' ') || text.startsWith('\n') ? '2' : '';
  const chomp = !text.endsWith('\n') ? '-' : text === '\n' || text.endsWith('\n\n') ? '+' : '';
  const body = text.endsWith('\n') ? text.slice(0, -1) : text;
  return `|${hint}${chomp}\n${body.replace(/^(?=[^\n])/gm, ' '.repeat(indent))}`;
}

interface Quoting {
  readonly quote: string;
  readonly print: (character: string) => string;
}

const quotings: Readonly<Record<'plain' | 'single' | 'double', Quoting>> = {
  plain: { quote: '', print: (character) => character },
  single: { quote: "'", print: (character) => (character === "'" ? "''" : character) },
  double: { quote: '"', print: inDoubleQuotes },
};

const widthMax = 80;

/**
 * A line break stands for the space it replaces; one between two spaces would be lost, or in double quotes needs an
 * escape.
 */
function fold(text: string, { column, indent }: StringPlace, { quote, print }: Quoting): string {
  let out = quote;
  let at = column + quote.length;
  let afterSpace = false;
  let i = 0;
  for (const character of text) {
    const beforeSpace = text[i + 1] === ' ';
    const isInside = quote === '' || (i > 0 && i < text.length - 1);
    if (character === ' ' && !afterSpace && at > widthMax && isInside && (!beforeSpace || quote === '"')) {
      out += `\n${' '.repeat(indent)}${beforeSpace ? '\\' : ''}`;
      at = indent + (beforeSpace ? 1 : 0);
    } else {
      const printed = print(character);
      out += printed;
      at += printed.length;
    }
    afterSpace = character === ' ';
    i += character.length;
  }
  return out + quote;
}

function inDoubleQuotes(character: string): string {
  if (character !== '\n' && character !== '"' && character !== '\\' && !special.test(character)) return character;
  const named = escapes.get(character);
  if (named !== undefined) return named;
  const code = character.codePointAt(0) ?? 0;
  // Half a surrogate pair cannot be written in UTF-8.
  if (code >= 0xd800 && code <= 0xdfff) return '\ufffd';
  const [letter, digits] = code <= 0xff ? ['x', 2] : code <= 0xffff ? ['u', 4] : ['U', 8];
  return `\\${letter}${code.toString(16).toUpperCase().padStart(digits, '0')}`;
}

/** Whatever one of the quotes treats in a way of its own. */
const unsafe = /['"\\\n]|[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/gu;

const escapes: ReadonlyMap<string, string> = new Map([
  ['\0', '\\0'],
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\v', '\\v'],
  ['\f', '\\f'],
  ['\r', '\\r'],
  ['\x1b', '\\e'],
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\x85', '\\N'],
  ['\u2028', '\\L'],
  ['\u2029', '\\P'],
]);
