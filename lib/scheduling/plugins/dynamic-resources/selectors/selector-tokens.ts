// The words of device selectors. Every character is looked at once, whatever the text is.
import { SelectorError } from './device-selectors.js';

/** A word, and where it begins. */
export interface Token {
  readonly type: 'name' | 'text' | 'number' | 'symbol' | 'end';
  /** Of a text, without its quotes. */
  readonly text: string;
  readonly at: number;
}

const symbols = ['&&', '||', '==', '!=', '<=', '>=', '.?', '<', '>', '!', '(', ')', '[', ']', ',', '.', '?', ':', '-'];

/** Takes an expression apart. Throws `SelectorError`. */
export function tokens(source: string): readonly Token[] {
  const found: Token[] = [];
  let at = 0;
  while (at < source.length) {
    const char = source.charAt(at);
    if (isSpace(char)) {
      at += 1;
      continue;
    }
    const token = tokenAt(source, at);
    found.push(token.token);
    at = token.end;
  }
  return [...found, { type: 'end', text: '', at }];
}

function tokenAt(source: string, at: number): { readonly token: Token; readonly end: number } {
  const char = source.charAt(at);
  if (char === '"' || char === "'") return textAt(source, at);
  const type = isDigit(char) ? 'number' : isNameStart(char) ? 'name' : 'symbol';
  if (type === 'symbol') {
    const symbol = symbols.find((each) => source.startsWith(each, at));
    if (symbol === undefined) throw unexpected(char, at);
    return { token: { type, text: symbol, at }, end: at + symbol.length };
  }
  let end = at + 1;
  while (end < source.length && (isDigit(source.charAt(end)) || (type === 'name' && isNameStart(source.charAt(end)))))
    end += 1;
  return { token: { type, text: source.slice(at, end), at }, end };
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['\\', '\\'],
  ['"', '"'],
  ["'", "'"],
  ['`', '`'],
  ['?', '?'],
]);

function textAt(source: string, at: number): { readonly token: Token; readonly end: number } {
  const quote = source.charAt(at);
  let text = '';
  for (let end = at + 1; end < source.length; end++) {
    const char = source.charAt(end);
    if (char === quote) return { token: { type: 'text', text, at }, end: end + 1 };
    if (char === '\n') break;
    if (char !== '\\') {
      text += char;
      continue;
    }
    const escaped = escapes.get(source.charAt(end + 1));
    if (escaped === undefined) throw unexpected(source.slice(end, end + 2), end);
    text += escaped;
    end += 1;
  }
  throw new SelectorError('compile', `compilation failed: the text that begins at ${at} does not end`);
}

/** What is not understood, and where. */
export function unexpected(what: string, at: number): SelectorError {
  return new SelectorError('compile', `compilation failed: unexpected ${what === '' ? 'end' : `"${what}"`} at ${at}`);
}

function isSpace(char: string): boolean {
  return char === ' ' || char === '\t' || char === '\n' || char === '\r';
}

function isDigit(char: string): boolean {
  return char >= '0' && char <= '9';
}

function isNameStart(char: string): boolean {
  return (char >= 'a' && char <= 'z') || (char >= 'A' && char <= 'Z') || char === '_';
}
