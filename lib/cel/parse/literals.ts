// The values of literals. A text that is written well but has no value (a number out of range, half a surrogate pair)
// gives the message of the reference.
import type { CelValue } from '../cel-value.js';
import { Uint, double, int } from '../cel-value.js';
import type { CelToken } from './lexer.js';

/** The value of a literal, or why it has none. */
export type LiteralResult = { readonly value: CelValue } | { readonly error: string };

/** Returns the value of the token of a literal; `isNegative` where a minus precedes a number. */
export function literalValue(token: CelToken, isNegative: boolean): LiteralResult {
  const sign = isNegative ? '-' : '';
  switch (token.kind) {
    case 'int': {
      const magnitude = BigInt(token.text);
      const value = isNegative ? -magnitude : magnitude;
      return value >= -(2n ** 63n) && value < 2n ** 63n ? { value: int(value) } : { error: 'invalid int literal' };
    }
    case 'uint': {
      const value = BigInt(token.text.slice(0, -1));
      return value < 2n ** 64n ? { value: new Uint(value) } : { error: 'invalid uint literal' };
    }
    case 'double': {
      const value = Number(sign + token.text);
      return Number.isFinite(value) ? { value: double(value) } : { error: 'invalid double literal' };
    }
    case 'bytes':
      return bytesValue(token.text);
    default:
      return stringValue(token.text);
  }
}

interface Quoted {
  readonly content: string;
  readonly isRaw: boolean;
}

function contentOf(text: string): Quoted {
  const [prefix = ''] = /^[a-zA-Z]*/.exec(text) ?? [];
  const body = text.slice(prefix.length);
  const isTriple = body.length >= 6 && (body.startsWith('"""') || body.startsWith("'''"));
  const width = isTriple ? 3 : 1;
  const content = body.slice(width, -width);
  return { content: isTriple ? content.replaceAll(/\r\n?/g, '\n') : content, isRaw: /[rR]/.test(prefix) };
}

const escapes = /\\(?:[xX]([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([0-3][0-7]{2})|(.))/gsu;

const characters: ReadonlyMap<string, string> = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
]);

function stringValue(text: string): LiteralResult {
  const { content, isRaw } = contentOf(text);
  if (isRaw || !content.includes('\\')) return { value: content };
  const invalid: number[] = [];
  const value = content.replaceAll(escapes, (...groups: readonly unknown[]) => {
    const [, hex, short, long, octal, character] = groups as readonly (string | undefined)[];
    if (character !== undefined) return characters.get(character) ?? character;
    const code = octal === undefined ? Number.parseInt(hex ?? short ?? long ?? '', 16) : Number.parseInt(octal, 8);
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
      invalid.push(code);
      return '';
    }
    return String.fromCodePoint(code);
  });
  return invalid.length === 0 ? { value } : { error: 'invalid unicode code point' };
}

function bytesValue(text: string): LiteralResult {
  const { content, isRaw } = contentOf(text);
  const encoder = new TextEncoder();
  if (isRaw || !content.includes('\\')) return { value: encoder.encode(content) };
  const bytes: number[] = [];
  let from = 0;
  const append = (part: string): void => {
    for (const byte of encoder.encode(part)) bytes.push(byte);
  };
  for (const found of content.matchAll(escapes)) {
    append(content.slice(from, found.index));
    from = found.index + found[0].length;
    const [, hex, short, long, octal, character] = found;
    if (character !== undefined) append(characters.get(character) ?? character);
    else if (hex !== undefined) bytes.push(Number.parseInt(hex, 16));
    else if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else
      return {
        error: `invalid bytes literal: unable to unescape \\${short === undefined ? 'U' : 'u'}${short ?? long ?? ''}`,
      };
  }
  append(content.slice(from));
  return { value: Uint8Array.from(bytes) };
}
