// Prints values the way Go does, because Kubernetes' messages are made by Go's fmt, strconv and encoding/json and
// clients read them. Every function is linear in its input and never throws, whatever a request carried.
// For this folder, and for others that print Kubernetes' messages.

/** A string as `%q` prints it: double quotes, Go escapes, unprintable characters as code points. */
export function quote(text: string): string {
  // Nearly every string is a name: one scan, no rewriting.
  return plainText.test(text) ? `"${text}"` : `"${escape(text)}"`;
}

/** A rejected value as a field error prints it: as apimachinery/pkg/util/validation/field/errors.go, ErrorBody. */
export function formatValue(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return quote(value);
    case 'number':
      return formatNumber(value);
    case 'boolean':
    case 'bigint':
      return String(value);
    default:
      return formatJson(value);
  }
}

/** A list of strings as `%q` prints it: `["a" "b"]`. */
export function quoteEach(texts: readonly string[]): string {
  return `[${texts.map(quote).join(' ')}]`;
}

/** A list of strings as `%#v` prints it: `[]string{"a", "b"}`, or `[]string(nil)` if it is empty. */
export function formatStrings(texts: readonly string[]): string {
  return texts.length === 0 ? '[]string(nil)' : `[]string{${texts.map(quote).join(', ')}}`;
}

/**
 * A time in UTC as `%v` prints it, from seconds since 1970: Go's zero time for undefined, and the bare number for what
 * is outside the range of Date.
 */
export function formatUtcSeconds(seconds: number | undefined): string {
  if (seconds === undefined) return '0001-01-01 00:00:00 +0000 UTC';
  const date = new Date(Math.trunc(seconds) * 1000);
  return Number.isNaN(date.getTime())
    ? String(seconds)
    : `${date.toISOString().slice(0, 19).replace('T', ' ')} +0000 UTC`;
}

/**
 * Returns several problems as one text, as aggregates of apimachinery/pkg/util/errors print: each once, in brackets
 * where there are several.
 */
export function aggregateText(problems: readonly string[]): string {
  const distinct = [...new Set(problems)];
  return distinct.length > 1 ? `[${distinct.join(', ')}]` : distinct.join('');
}

/**
 * Returns whether Go's unicode.IsPrint accepts every character: letters, marks, numbers, punctuation, symbols, space.
 */
export function isPrintable(text: string): boolean {
  return printable.test(text);
}

const plainText = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u;

const namedEscapes: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
]);

const asciiEscapes: readonly string[] = Array.from({ length: 0x80 }, (_, code) => escapeCharacter(code));

function escape(text: string): string {
  let escaped = '';
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    const codePoint = text.codePointAt(i) ?? 0;
    const units = codePoint > 0xffff ? 2 : 1;
    const escapedCharacter = asciiEscapes[codePoint] ?? escapeCharacter(codePoint);
    if (escapedCharacter !== '') {
      escaped += text.slice(from, i) + escapedCharacter;
      from = i + units;
    }
    i += units - 1;
  }
  return escaped + text.slice(from);
}

/** How the character is written, or nothing if it is written as it is. */
function escapeCharacter(codePoint: number): string {
  const character = String.fromCodePoint(codePoint);
  const named = namedEscapes.get(character);
  if (named !== undefined) return named;
  // Half a surrogate pair cannot be sent: it becomes the replacement character when encoded as UTF-8.
  if (codePoint >= 0xd800 && codePoint <= 0xdfff) return '\ufffd';
  if (isPrintable(character)) return '';
  if (codePoint < 0x80) return `\\x${hex(codePoint, 2)}`;
  return codePoint < 0x10000 ? `\\u${hex(codePoint, 4)}` : `\\U${hex(codePoint, 8)}`;
}

function hex(codePoint: number, digits: number): string {
  return codePoint.toString(16).padStart(digits, '0');
}

/** Whole numbers are integers to Kubernetes; fractions print as `%v` of a float64, with an exponent of two digits. */
function formatNumber(value: number): string {
  const magnitude = Math.abs(value);
  if (Number.isInteger(value) ? magnitude < 1e21 : magnitude >= 1e-4 && magnitude < 1e6) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}

// encoding/json escapes what could end a script element or a line of JavaScript.
const htmlUnsafe = /[<>&\u2028\u2029]/g;

function formatJson(value: unknown): string {
  try {
    const json = JSON.stringify(value ?? null) as string | undefined;
    return (json ?? 'null').replace(htmlUnsafe, (character) => `\\u${hex(character.charCodeAt(0), 4)}`);
  } catch {
    // A cycle, a bigint inside an object, a hostile toJSON: no value of the API has these.
    return 'null';
  }
}
