// Tokens of an expression. What is no token is reported in the words of the reference's lexer and skipped, so that the
// parser can report its own issues in the same run.
import type { Source } from './source.js';

/** A token and its place. `text` is as written. */
export interface CelToken {
  readonly kind: 'identifier' | 'escaped' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'symbol' | 'end';
  readonly text: string;
  readonly at: number;
}

/** Returns the tokens of a text; the last is of kind `end`. */
export function readTokens(source: Source): readonly CelToken[] {
  const { text } = source;
  const tokens: CelToken[] = [];
  let at = 0;
  while (at < text.length) {
    const skipped = match(blank, text, at) || match(comment, text, at);
    if (skipped !== '') {
      at += skipped.length;
      continue;
    }
    const token = readToken(text, at);
    if (typeof token === 'number') {
      const wrong = text.slice(at, token);
      source.report(at, `Syntax error: token recognition error at: '${printed(wrong)}'`);
      at = token;
      continue;
    }
    tokens.push(token);
    at += token.text.length;
  }
  tokens.push({ kind: 'end', text: '<EOF>', at: text.length });
  return tokens;
}

const blank = /[\t \r\n\f]+/y;
const comment = /\/\/[^\n]*/y;
const identifier = /[A-Za-z_][A-Za-z0-9_]*/y;
const escapedIdentifier = /`[A-Za-z0-9_.\-/ ]+`/y;
const double = /(?:[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?)/y;
const integer = /(?:0x[0-9A-Fa-f]+|[0-9]+)[uU]?/y;
const symbol = /==|!=|<=|>=|&&|\|\||[()[\]{}.,\-!?:+*/%<>]/y;
const quoted = /(?:[bB][rR]?|[rR][bB]?)?["']/y;

function match(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

/** Returns the token at a place, or the end of what is no token. */
function readToken(text: string, at: number): CelToken | number {
  const prefix = match(quoted, text, at);
  if (prefix !== '') {
    const read = readQuoted(text, at, prefix);
    if (typeof read !== 'number' || match(identifier, text, at) === '') return read;
  }
  const name = match(identifier, text, at);
  // `in` is an operator wherever it stands.
  if (name !== '') return { kind: name === 'in' ? 'symbol' : 'identifier', text: name, at };
  const escaped = match(escapedIdentifier, text, at);
  if (escaped !== '') return { kind: 'escaped', text: escaped, at };
  const fraction = match(double, text, at);
  if (fraction !== '') return { kind: 'double', text: fraction, at };
  const whole = match(integer, text, at);
  if (whole !== '') return { kind: /[uU]$/.test(whole) ? 'uint' : 'int', text: whole, at };
  const operator = match(symbol, text, at);
  if (operator !== '') return { kind: 'symbol', text: operator, at };
  // `=`, `&` and `|` begin an operator: the character that does not continue it is part of the mistake.
  const width = codePointWidth(text, at);
  return '=&|'.includes(text.charAt(at))
    ? Math.min(at + width + codePointWidth(text, at + width), text.length)
    : at + width;
}

function readQuoted(text: string, at: number, prefix: string): CelToken | number {
  const quote = prefix.charAt(prefix.length - 1);
  const isRaw = /[rR]/.test(prefix);
  const kind = /[bB]/.test(prefix) ? 'bytes' : 'string';
  const content = at + prefix.length;
  const token = (end: number): CelToken => ({ kind, text: text.slice(at, end), at });
  if (text.startsWith(quote + quote, content)) {
    const end = endOfTriple(text, content + 2, quote.repeat(3), isRaw);
    // An unterminated triple quote is an empty string and more.
    return token(end ?? content + 1);
  }
  for (let i = content; i < text.length; i += codePointWidth(text, i)) {
    const character = text.charAt(i);
    if (character === quote) return token(i + 1);
    if (character === '\n' || character === '\r') return i + 1;
    if (character === '\\' && !isRaw) {
      const length = escapeLength(text, i);
      if (length < 0) return Math.min(i - length, text.length);
      i += length - 1;
    }
  }
  return text.length;
}

function endOfTriple(text: string, from: number, quotes: string, isRaw: boolean): number | undefined {
  for (let i = from; i < text.length; i++) {
    if (text.startsWith(quotes, i)) return i + 3;
    if (text.charAt(i) === '\\' && !isRaw) {
      const length = escapeLength(text, i);
      if (length < 0) return undefined;
      i += length - 1;
    }
  }
  return undefined;
}

const escapeSequence = /\\(?:[abfnrtv"'\\?`]|[0-3][0-7]{2}|[xX][0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8})/y;
const escapeBeginning = /\\(?:[0-3][0-7]?|[xX][0-9A-Fa-f]?|u[0-9A-Fa-f]{0,3}|U[0-9A-Fa-f]{0,7})/y;

/** Returns the length of an escape sequence; below zero, the length of what was read before it went wrong. */
function escapeLength(text: string, at: number): number {
  const whole = match(escapeSequence, text, at);
  if (whole !== '') return whole.length;
  const begun = match(escapeBeginning, text, at);
  return -((begun === '' ? 1 : begun.length) + 1);
}

function codePointWidth(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

function printed(text: string): string {
  return text.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t');
}
