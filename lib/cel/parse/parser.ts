// Parses an expression into its tree by precedence climbing and expands macros on the way. Issues have the words of the
// reference, whose parser is generated: a token too many or too few is reported and parsing goes on, other mistakes end
// it. Depth and size are bounded as in Kubernetes, so later phases may recurse over the tree.
import { qualifiedName } from '../expression.js';
import type { Expression, ListElement, MapEntry, StructField } from '../expression.js';
import type { MacroDeclaration } from '../macro.js';
import { MacroError, expressionMaker } from '../macro.js';
import type { CelToken } from './lexer.js';
import { literalValue } from './literals.js';
import type { Source } from './source.js';
import { ParseAbort, TokenStream, shown } from './token-stream.js';

/** Finds the macro of a call by its name, its form and the number of its arguments. */
export type MacroLookup = (name: string, isMember: boolean, argumentCount: number) => MacroDeclaration | undefined;

/** Parses a text; returns undefined where issues were reported. */
export function parse(source: Source, macros: MacroLookup): Expression | undefined {
  const size = codePointCount(source.text);
  if (size > sizeMax) {
    source.reportWhole(`expression code point size exceeds limit: size: ${size}, limit ${sizeMax}`);
    return undefined;
  }
  try {
    const expression = new Parser(source, macros).parseAll();
    return source.isBroken ? undefined : expression;
  } catch (error) {
    if (error instanceof ParseAbort) return undefined;
    throw error;
  }
}

const sizeMax = 100_000;
const depthMax = 250;

/** Binary operators; the higher the number, the tighter they bind. */
const precedence: ReadonlyMap<string, number> = new Map([
  ['||', 1],
  ['&&', 2],
  ...['==', '!=', '<', '<=', '>', '>=', 'in'].map((operator) => [operator, 3] as const),
  ['+', 4],
  ['-', 4],
  ['*', 5],
  ['/', 5],
  ['%', 5],
]);

const reserved: ReadonlySet<string> = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);
const constants: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);

const operandRest = `'-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}`;
const optionalRest = operandRest.replace(`'!', `, `'!', '?', `);
const operandSet = `{'[', '{', '(', '.', ${operandRest}`;
const indexSet = `{'[', '{', '(', '.', ${optionalRest}`;
const argumentSet = `{'[', '{', '(', ')', '.', ${operandRest}`;
const listSet = `{'[', ']', '{', '(', '.', ',', ${optionalRest}`;
const mapSet = `{'[', '{', '}', '(', '.', ',', ${optionalRest}`;

class Parser {
  readonly #source: Source;
  readonly #macros: MacroLookup;
  readonly #tokens: TokenStream;
  #depth = 0;

  constructor(source: Source, macros: MacroLookup) {
    this.#source = source;
    this.#macros = macros;
    this.#tokens = new TokenStream(source);
  }

  parseAll(): Expression {
    const expression = this.#expression(operandSet);
    const token = this.#tokens.current;
    if (token.kind !== 'end') {
      const isSurplus = this.#tokens.peek(1).kind === 'end';
      this.#tokens.report(token, `${isSurplus ? 'extraneous' : 'mismatched'} input ${shown(token)} expecting <EOF>`);
    }
    return expression;
  }

  #closing(text: string): void {
    this.#tokens.expect(text, undefined, (token) => token.kind === 'end' || precedence.has(token.text));
  }

  #enter(): void {
    this.#depth++;
    if (this.#depth <= depthMax) return;
    this.#source.reportWhole(`expression recursion limit exceeded: ${depthMax}`);
    throw new ParseAbort();
  }

  /** Bounds what is chained without nesting: `a.b.c`, `a + b + c`. */
  #boundChain(length: number): void {
    if (length + this.#depth <= depthMax + 1) return;
    this.#source.reportWhole('max recursion depth exceeded');
    throw new ParseAbort();
  }

  #expression(expected: string): Expression {
    this.#enter();
    const condition = this.#binary(1, expected);
    const question = this.#tokens.accept('?');
    let result = condition;
    if (question !== undefined) {
      const yes = this.#binary(1, operandSet);
      this.#tokens.expect(':', undefined, startsOperand);
      const no = this.#expression(operandSet);
      result = { kind: 'conditional', at: question.at, condition, yes, no };
    }
    this.#depth--;
    return result;
  }

  #binary(level: number, expected: string): Expression {
    let left = this.#unary(expected);
    for (let chain = 1; ; chain++) {
      const operator = this.#tokens.current;
      const binding = operator.kind === 'symbol' ? precedence.get(operator.text) : undefined;
      if (binding === undefined || binding < level) return left;
      if (binding <= 2) {
        left = this.#logical(left, operator, binding);
        continue;
      }
      this.#boundChain(chain);
      this.#tokens.take();
      const right = this.#binary(binding + 1, operandSet);
      const name = operator.text === 'in' ? '@in' : `_${operator.text}_`;
      left = { kind: 'call', at: operator.at, name, target: undefined, values: [left, right] };
    }
  }

  #logical(first: Expression, { text }: CelToken, binding: number): Expression {
    const operands = [first];
    const operatorsAt: number[] = [];
    for (let operator = this.#tokens.accept(text); operator !== undefined; operator = this.#tokens.accept(text)) {
      operatorsAt.push(operator.at);
      operands.push(this.#binary(binding + 1, operandSet));
    }
    const operator = text === '&&' ? '_&&_' : '_||_';
    return { kind: 'logical', at: operatorsAt[0] ?? 0, operator, operands, operatorsAt };
  }

  #unary(expected: string): Expression {
    const first = this.#tokens.current;
    if (this.#tokens.isSymbol('!')) return this.#repeated('!', '!_');
    if (!this.#tokens.isSymbol('-')) return this.#member(expected);
    const next = this.#tokens.peek(1);
    if (next.kind === 'int' || next.kind === 'double') return this.#member(expected);
    if (next.kind === 'end' || (next.kind === 'symbol' && !'-([{.'.includes(next.text)))
      this.#tokens.fail(
        next,
        `no viable alternative at input '${this.#source.text.slice(first.at, next.kind === 'end' ? undefined : next.at + next.text.length)}'`,
      );
    return this.#repeated('-', '-_');
  }

  /** An even number of the same sign cancels out. */
  #repeated(sign: '!' | '-', name: string): Expression {
    const { at } = this.#tokens.current;
    let count = 0;
    while (this.#tokens.accept(sign) !== undefined) count++;
    if (this.#tokens.current.kind === 'end')
      this.#tokens.fail(this.#tokens.current, `extraneous input '<EOF>' expecting ${operandSet}`);
    const operand = this.#member(operandSet);
    return count % 2 === 0 ? operand : { kind: 'call', at, name, target: undefined, values: [operand] };
  }

  #member(expected: string): Expression {
    let result = this.#primary(expected);
    for (let chain = 1; ; chain++) {
      const token = this.#tokens.current;
      if (token.kind !== 'symbol') return result;
      if (token.text === '.') result = this.#selection(result);
      else if (token.text === '[') result = this.#indexing(result);
      else if (token.text === '{') {
        const typeName = qualifiedName(result);
        if (typeName === undefined) return result;
        result = this.#struct(typeName);
      } else return result;
      this.#boundChain(chain);
    }
  }

  #selection(operand: Expression): Expression {
    const dot = this.#tokens.take();
    const isOptional = this.#tokens.accept('?') !== undefined;
    const field = this.#fieldName(dot, isOptional);
    if (!isOptional && this.#tokens.isSymbol('(')) return this.#call(field, operand);
    return { kind: 'select', at: dot.at, operand, field, isTest: false, isOptional };
  }

  #fieldName(dot: CelToken, isOptional: boolean): string {
    const token = this.#tokens.current;
    if (token.kind === 'escaped') {
      this.#source.report(token.at, "unsupported syntax: '`'");
      throw new ParseAbort();
    }
    if (token.kind === 'identifier' && !constants.has(token.text)) return this.#tokens.take().text;
    if (isOptional) this.#tokens.fail(token, `mismatched input ${shown(token)} expecting {IDENTIFIER, ESC_IDENTIFIER}`);
    if (token.kind === 'identifier') this.#tokens.fail(token, `mismatched input ${shown(token)} expecting IDENTIFIER`);
    const read = token.kind === 'end' ? undefined : token.at + token.text.length;
    this.#tokens.fail(token, `no viable alternative at input '${this.#source.text.slice(dot.at, read)}'`);
  }

  #indexing(operand: Expression): Expression {
    const { at } = this.#tokens.take();
    const isOptional = this.#tokens.accept('?') !== undefined;
    const index = this.#expression(isOptional ? operandSet : indexSet);
    this.#closing(']');
    return { kind: 'call', at, name: isOptional ? '_[?_]' : '_[_]', target: undefined, values: [operand, index] };
  }

  #call(name: string, target: Expression | undefined): Expression {
    const { at } = this.#tokens.take();
    const values: Expression[] = [];
    if (!this.#tokens.isSymbol(')')) {
      values.push(this.#expression(argumentSet));
      while (this.#tokens.accept(',') !== undefined) values.push(this.#expression(operandSet));
    }
    this.#closing(')');
    return this.#expanded(name, target, values, at) ?? { kind: 'call', at, name, target, values };
  }

  #expanded(
    name: string,
    target: Expression | undefined,
    values: readonly Expression[],
    at: number,
  ): Expression | undefined {
    try {
      const qualifier = target && qualifiedName(target);
      const qualified = qualifier && this.#macros(`${qualifier}.${name}`, false, values.length);
      if (qualified) return qualified.expand(undefined, values, expressionMaker(at));
      return this.#macros(name, target !== undefined, values.length)?.expand(target, values, expressionMaker(at));
    } catch (error) {
      if (!(error instanceof MacroError)) throw error;
      this.#source.report(error.at, error.message);
      return { kind: 'literal', at, value: null };
    }
  }

  #primary(expected: string): Expression {
    const token = this.#tokens.current;
    switch (token.kind) {
      case 'int':
      case 'uint':
      case 'double':
      case 'string':
      case 'bytes':
        return this.#literal(false);
      case 'identifier':
        return this.#identifier('');
      case 'symbol':
        switch (token.text) {
          case '-':
            return this.#literal(true);
          case '(': {
            this.#tokens.take();
            const inner = this.#expression(operandSet);
            this.#closing(')');
            return inner;
          }
          case '[':
            return this.#list();
          case '{':
            return this.#map();
          case '.':
            return this.#leadingDot();
        }
        break;
      case 'end':
      case 'escaped':
    }
    const isSurplus = token.kind !== 'end' && token.kind !== 'escaped' && startsOperand(this.#tokens.peek(1));
    this.#tokens.report(
      token,
      `${isSurplus ? 'extraneous' : 'mismatched'} input ${shown(token)} expecting ${expected}`,
    );
    if (!isSurplus) throw new ParseAbort();
    this.#tokens.take();
    return this.#unary(expected);
  }

  #literal(isNegative: boolean): Expression {
    const { at } = this.#tokens.current;
    if (isNegative) this.#tokens.take();
    const result = literalValue(this.#tokens.take(), isNegative);
    if ('value' in result) return { kind: 'literal', at, value: result.value };
    this.#source.report(at, result.error);
    return { kind: 'literal', at, value: null };
  }

  #leadingDot(): Expression {
    const dot = this.#tokens.take();
    const token = this.#tokens.current;
    if (token.kind === 'identifier' && !constants.has(token.text)) return this.#identifier('.');
    const read = token.kind === 'end' ? undefined : token.at + token.text.length;
    this.#tokens.fail(token, `no viable alternative at input '${this.#source.text.slice(dot.at, read)}'`);
  }

  #identifier(prefix: '' | '.'): Expression {
    const { text, at } = this.#tokens.take();
    const constant = constants.get(text);
    if (constant !== undefined && prefix === '') return { kind: 'literal', at, value: constant };
    if (reserved.has(text)) this.#source.report(at, `reserved identifier: ${text}`);
    const name = prefix + text;
    return this.#tokens.isSymbol('(') ? this.#call(name, undefined) : { kind: 'name', at, name };
  }

  #list(): Expression {
    const { at } = this.#tokens.take();
    const elements: ListElement[] = [];
    let expected = listSet;
    while (!this.#tokens.isSymbol(']')) {
      if (elements.length > 0 && this.#tokens.isSymbol(',')) {
        this.#tokens.fail(this.#tokens.current, `mismatched input ',' expecting ']'`);
      }
      const isOptional = this.#tokens.accept('?') !== undefined;
      elements.push({ value: this.#expression(isOptional ? operandSet : expected), isOptional });
      expected = operandSet;
      if (this.#tokens.accept(',') === undefined) break;
    }
    this.#tokens.expect(']', `{']', ','}`);
    return { kind: 'list', at, elements };
  }

  #map(): Expression {
    const { at } = this.#tokens.take();
    const entries: MapEntry[] = [];
    let expected = mapSet;
    while (!this.#tokens.isSymbol('}')) {
      const isOptional = this.#tokens.accept('?') !== undefined;
      const key = this.#expression(isOptional ? operandSet : expected);
      const colon = this.#tokens.expect(':', undefined, startsOperand);
      entries.push({ at: colon.at, key, value: this.#expression(operandSet), isOptional });
      expected = operandSet;
      if (this.#tokens.accept(',') === undefined) break;
    }
    this.#tokens.expect('}', `{'}', ','}`);
    return { kind: 'map', at, entries };
  }

  #struct(typeName: string): Expression {
    const { at } = this.#tokens.take();
    const fields: StructField[] = [];
    while (!this.#tokens.isSymbol('}')) {
      const isOptional = this.#tokens.accept('?') !== undefined;
      const token = this.#tokens.current;
      if (token.kind !== 'identifier')
        this.#tokens.fail(
          token,
          `mismatched input ${shown(token)} expecting {'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}`,
        );
      const { text: name } = this.#tokens.take();
      const colon = this.#tokens.expect(':', undefined, startsOperand);
      fields.push({ at: colon.at, name, value: this.#expression(operandSet), isOptional });
      if (this.#tokens.accept(',') === undefined) break;
    }
    this.#tokens.expect('}', `{'}', ','}`);
    return { kind: 'struct', at, typeName, fields };
  }
}

function startsOperand({ kind, text }: CelToken): boolean {
  return kind === 'symbol' ? '[{(.-!'.includes(text) : kind !== 'end' && kind !== 'escaped';
}

function codePointCount(text: string): number {
  let count = text.length;
  for (let i = 0; i + 1 < text.length; i++) if ((text.codePointAt(i) ?? 0) > 0xffff) count--;
  return count;
}
