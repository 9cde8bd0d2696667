// The grammar of label selectors: `a`, `!a`, `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b)`, `a>5`, `a<5`, joined
// by commas, blanks anywhere. `in` and `notin` are operators only where an operator stands; elsewhere they are names.
// One pass over text of bounded length. Accepts and refuses what apimachinery/pkg/labels/selector.go,
// Lexer and Parser, do, with the same messages. Only label-selector.ts calls it.
import { fieldErrorsText } from '../errors/field-error.js';
import { FieldPath } from '../errors/field-path.js';
import { labelKeyErrors, labelRequirement } from './label-requirement.js';
import type { LabelOperator, LabelRequirement } from './label-requirement.js';
import { isParseError, ParseError } from './parse-error.js';
import { refuseLongSelector } from './selector-bounds.js';

/** The requirements of a selector in the order written. Throws ParseError. */
export function parseRequirements(text: string): LabelRequirement[] {
  refuseLongSelector(text);
  const tokens = new TokenReader(scan(text));
  if (tokens.peek().kind === 'end') return [];
  if (!startsRequirement(tokens.peek())) throw unexpected(tokens.peek(), "!, identifier, or 'end of string'");
  const requirements: LabelRequirement[] = [];
  for (;;) {
    requirements.push(parseRequirement(tokens));
    const separator = tokens.next();
    if (separator.kind === 'end') return requirements;
    if (separator.text !== ',') throw unexpected(separator, "',' or 'end of string'");
    if (!startsRequirement(tokens.peek())) throw unexpected(tokens.peek(), "identifier after ','");
  }
}

/** A word, one of the symbols `= == ! != < > ( ) ,`, or the end. */
interface Token {
  readonly kind: 'word' | 'symbol' | 'end';
  readonly text: string;
}

class TokenReader {
  readonly #tokens: readonly Token[];
  #position = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  peek(): Token {
    return this.#tokens[this.#position] ?? end;
  }

  next(): Token {
    const token = this.peek();
    this.#position++;
    return token;
  }
}

const end: Token = { kind: 'end', text: '' };

const symbols: ReadonlySet<string> = new Set(['=', '!', '(', ')', ',', '>', '<']);
const blanks: ReadonlySet<string> = new Set([' ', '\t', '\r', '\n']);

function scan(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  for (;;) {
    while (blanks.has(text.charAt(at))) at++;
    const first = text.charAt(at);
    // Kubernetes reads a NUL character as the end where a token would begin, and else as a blank.
    if (first === '' || first === '\0') return tokens;
    const token = symbols.has(first) ? scanSymbol(text, at) : scanWord(text, at);
    tokens.push(token);
    at += token.text.length;
    if (text.charAt(at) === '\0') at++;
  }
}

function scanSymbol(text: string, at: number): Token {
  const first = text.charAt(at);
  const double = (first === '=' || first === '!') && text.charAt(at + 1) === '=';
  return { kind: 'symbol', text: double ? `${first}=` : first };
}

function scanWord(text: string, start: number): Token {
  let at = start;
  for (let char = text.charAt(at); char !== '' && char !== '\0'; char = text.charAt(++at)) {
    if (symbols.has(char) || blanks.has(char)) break;
  }
  return { kind: 'word', text: text.slice(start, at) };
}

function startsRequirement(token: Token): boolean {
  return token.kind === 'word' || token.text === '!';
}

function parseRequirement(tokens: TokenReader): LabelRequirement {
  try {
    if (tokens.peek().text === '!') {
      tokens.next();
      return labelRequirement(parseKey(tokens), '!');
    }
    const key = parseKey(tokens);
    if (endsRequirement(tokens.peek())) return labelRequirement(key, 'exists');
    const operator = parseOperator(tokens.next());
    const set = operator === 'in' || operator === 'notin';
    return labelRequirement(key, operator, set ? parseSet(tokens) : [parseValue(tokens)]);
  } catch (error) {
    if (!isParseError(error)) throw error;
    throw new ParseError(`unable to parse requirement: ${error.message}`, { cause: error });
  }
}

function endsRequirement(token: Token): boolean {
  return token.kind === 'end' || token.text === ',';
}

function parseKey(tokens: TokenReader): string {
  const token = tokens.next();
  if (token.kind !== 'word') throw unexpected(token, 'identifier');
  const errors = labelKeyErrors(FieldPath.nil, token.text);
  if (errors.length > 0) throw new ParseError(fieldErrorsText(errors));
  return token.text;
}

const operators: ReadonlyMap<string, LabelOperator> = new Map([
  ['in', 'in'],
  ['notin', 'notin'],
  ['=', '='],
  ['==', '=='],
  ['!=', '!='],
  ['>', 'gt'],
  ['<', 'lt'],
]);

function parseOperator(token: Token): LabelOperator {
  const operator = operators.get(token.text);
  if (operator === undefined) throw unexpected(token, 'in, notin, =, ==, !=, gt, lt');
  return operator;
}

function parseValue(tokens: TokenReader): string {
  if (endsRequirement(tokens.peek())) return '';
  const token = tokens.next();
  if (token.kind !== 'word') throw unexpected(token, 'identifier');
  return token.text;
}

/** `(b,c)`; an empty place between, before or after commas is the empty value, and so is `()`. Sorted, each once. */
function parseSet(tokens: TokenReader): string[] {
  const open = tokens.next();
  // The message has no comma here, unlike all others.
  if (open.text !== '(') throw new ParseError(`found '${open.text}' expected: '('`);
  const values = new Set<string>();
  for (;;) {
    const token = tokens.peek();
    if (token.kind === 'word') {
      values.add(tokens.next().text);
      if (!endsPlace(tokens.peek())) throw unexpected(tokens.peek(), "',' or ')'");
    } else if (endsPlace(token)) {
      values.add('');
    } else {
      throw unexpected(token, values.size === 0 ? "',', ')' or identifier" : "',', or identifier");
    }
    if (tokens.next().text === ')') return [...values].sort();
  }
}

function endsPlace(token: Token): boolean {
  return token.text === ',' || token.text === ')';
}

function unexpected(token: Token, expected: string): ParseError {
  return new ParseError(`found '${token.text}', expected: ${expected}`);
}
