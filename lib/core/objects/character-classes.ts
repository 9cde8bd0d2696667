// Scans of strings that names are made of. Each looks at a character once, by an index into a table of ASCII, and
// allocates nothing: the rules of names.ts run several times for every object written. For this folder.

/** `a` to `z`. Classes are bits: they combine with `|`. */
export const LOWER = 1;
/** `A` to `Z`. */
export const UPPER = 2;
/** `0` to `9`. */
export const DIGIT = 4;
/** `-`. */
export const DASH = 8;
/** `_`. */
export const UNDERSCORE = 16;
/** `.`. */
export const DOT = 32;
/** Letters of either case. */
export const LETTER: number = LOWER | UPPER;
/** Letters and digits. */
export const ALPHANUMERIC: number = LETTER | DIGIT;
/** What label keys, label values and configuration keys are made of. */
export const NAME: number = ALPHANUMERIC | DASH | UNDERSCORE | DOT;

/** The class of the character at `index`; 0 outside the value and outside ASCII. */
export function characterClass(value: string, index: number): number {
  const code = value.charCodeAt(index);
  // False for NaN too; and a look-up that stays inside the table is several times faster.
  return code < 128 ? (classes[code] ?? 0) : 0;
}

/** Whether the character at `index` is in the classes. */
export function isCharacter(value: string, index: number, mask: number): boolean {
  return (characterClass(value, index) & mask) !== 0;
}

/** Whether the value is not empty, consists of `inner` characters and has `edge` characters at both ends. */
export function isEdged(value: string, edge: number, inner: number): boolean {
  const last = value.length - 1;
  if (last < 0 || !isCharacter(value, 0, edge) || !isCharacter(value, last, edge)) return false;
  for (let i = 1; i < last; i++) if (!isCharacter(value, i, inner)) return false;
  return true;
}

/** Whether every character is in the classes; an empty value has none that is not. */
export function consistsOf(value: string, mask: number): boolean {
  for (let i = 0; i < value.length; i++) if (!isCharacter(value, i, mask)) return false;
  return true;
}

/** Whether some character is in the classes. */
export function containsAny(value: string, mask: number): boolean {
  for (let i = 0; i < value.length; i++) if (isCharacter(value, i, mask)) return true;
  return false;
}

/** How many bytes the text takes as UTF-8, which is how Kubernetes counts the length of a string. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    // Both halves of a surrogate pair count two: four bytes in two units. Half a pair alone is sent as three.
    if (code > 0x7f) bytes += code > 0x7ff && !isPaired(text, i, code) ? 2 : 1;
  }
  return bytes;
}

const classes: Uint8Array = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (character >= 'a' && character <= 'z') return LOWER;
  if (character >= 'A' && character <= 'Z') return UPPER;
  if (character >= '0' && character <= '9') return DIGIT;
  return { '-': DASH, _: UNDERSCORE, '.': DOT }[character] ?? 0;
});

function isPaired(text: string, index: number, code: number): boolean {
  if (code < 0xd800 || code > 0xdfff) return false;
  const other = text.charCodeAt(code < 0xdc00 ? index + 1 : index - 1);
  return code < 0xdc00 ? other >= 0xdc00 && other <= 0xdfff : other >= 0xd800 && other < 0xdc00;
}
