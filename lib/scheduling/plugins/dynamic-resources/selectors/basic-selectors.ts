// Compiles the part of CEL that device selectors are written in: `device.driver`, `device.attributes[domain].name`,
// `device.capacity[domain].name`, `device.allowMultipleAllocations`; literals and lists; comparisons, `in`, `!`, `&&`,
// `||`,
// `?:`; quantities and versions, a few functions of texts, `has`, `cel.bind`, `.?` with `orValue`. No loops, no
// patterns, no arithmetic: every selector takes time in proportion to its length. What else CEL has is refused when it
// is compiled.
import { SelectorError } from './device-selectors.js';
import type { DeviceMatcher, SelectorCompiler } from './device-selectors.js';
import { deviceValue } from './selector-device.js';
import { selectorFunctions } from './selector-functions.js';
import { tokens, unexpected } from './selector-tokens.js';
import type { Token } from './selector-tokens.js';
import { areEqual, compareValues, failure, isIn, isMaybe, valueAt } from './selector-values.js';
import type { Value } from './selector-values.js';

/** A compiler that keeps what it compiled last. */
export function basicSelectors(): SelectorCompiler {
  const kept = new Map<string, DeviceMatcher | SelectorError>();
  return {
    compile: (expression) => {
      const known = kept.get(expression) ?? compiled(expression);
      kept.delete(expression);
      kept.set(expression, known);
      const [oldest] = kept.keys();
      if (kept.size > keptMax && oldest !== undefined) kept.delete(oldest);
      if (known instanceof SelectorError) throw known;
      return known;
    },
  };
}

const keptMax = 100;
const depthMax = 50;

function compiled(expression: string): DeviceMatcher | SelectorError {
  try {
    const evaluate = new SelectorParser(tokens(expression)).whole();
    return (device) => truth(evaluate({ name: 'device', value: deviceValue(device) }));
  } catch (error) {
    if (error instanceof SelectorError) return error;
    throw error;
  }
}

/** What names stand for; the innermost first. */
interface Scope {
  readonly name: string;
  readonly value: Value;
  readonly outer?: Scope;
}

type Evaluate = (scope: Scope) => Value;

const comparisons: ReadonlyMap<string, (one: Value, other: Value) => boolean> = new Map<
  string,
  (one: Value, other: Value) => boolean
>([
  ['==', areEqual],
  ['!=', (one, other) => !areEqual(one, other)],
  ['<', (one, other) => compareValues(one, other) < 0],
  ['<=', (one, other) => compareValues(one, other) <= 0],
  ['>', (one, other) => compareValues(one, other) > 0],
  ['>=', (one, other) => compareValues(one, other) >= 0],
  ['in', isIn],
]);

/** Makes a function of words, from the loosest operator down to the tightest. */
class SelectorParser {
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;
  /** Names that may be used: `device`, and those that were bound. */
  readonly #names = ['device'];

  constructor(all: readonly Token[]) {
    this.#tokens = all;
  }

  whole(): Evaluate {
    const result = this.#expression();
    this.#expect('end', '');
    return result;
  }

  #expression(): Evaluate {
    if (++this.#depth > depthMax)
      throw new SelectorError('compile', `compilation failed: nested deeper than ${depthMax}`);
    const condition = this.#either();
    let result = condition;
    if (this.#take('?')) {
      const then = this.#either();
      this.#expect('symbol', ':');
      const otherwise = this.#expression();
      result = (scope) => (truth(condition(scope)) ? then(scope) : otherwise(scope));
    }
    this.#depth -= 1;
    return result;
  }

  #either(): Evaluate {
    let result = this.#both();
    while (this.#take('||')) result = decidedBy(true, result, this.#both());
    return result;
  }

  #both(): Evaluate {
    let result = this.#comparison();
    while (this.#take('&&')) result = decidedBy(false, result, this.#comparison());
    return result;
  }

  #comparison(): Evaluate {
    let result = this.#negation();
    for (
      let compare = comparisons.get(this.#peek().text);
      compare !== undefined && this.#peek().type !== 'text';
      compare = comparisons.get(this.#peek().text)
    ) {
      this.#next += 1;
      const [compareNow, one, other] = [compare, result, this.#negation()];
      result = (scope) => compareNow(one(scope), other(scope));
    }
    return result;
  }

  #negation(): Evaluate {
    let isTurned: boolean | undefined;
    while (this.#take('!')) isTurned = isTurned !== true;
    const inner = this.#member();
    return isTurned === undefined ? inner : (scope) => truth(inner(scope)) !== isTurned;
  }

  #member(): Evaluate {
    let result = this.#primary();
    for (;;) {
      if (this.#take('[')) result = at(result, this.#enclosed(']'));
      else if (this.#take('.?')) result = maybeAt(result, this.#expect('name').text);
      else if (this.#take('.')) {
        const { text: name, at: place } = this.#expect('name');
        result = this.#take('(') ? call(`.${name}`, place, [result, ...this.#list(')')]) : at(result, () => name);
      } else return result;
    }
  }

  #primary(): Evaluate {
    const token = this.#peek();
    this.#next += 1;
    const { type, text, at: place } = token;
    if (type === 'text') return constant(text);
    if (type === 'number') return constant(integer(text, place));
    if (text === '-') return constant(-integer(this.#expect('number').text, place));
    if (text === '(') return this.#enclosed(')');
    if (text === '[') return listOf(this.#list(']'));
    if (type !== 'name') throw unexpected(text, place);
    if (text === 'true' || text === 'false') return constant(text === 'true');
    if (text === 'cel') return this.#binding();
    if (this.#take('(')) return text === 'has' ? present(this.#enclosed(')')) : call(text, place, this.#list(')'));
    if (!this.#names.includes(text)) throw undeclared(text, place);
    return (scope) => lookUp(scope, text);
  }

  /** `cel.bind(name, value, expression)`. */
  #binding(): Evaluate {
    this.#expect('symbol', '.');
    this.#expect('name', 'bind');
    this.#expect('symbol', '(');
    const { text: name } = this.#expect('name');
    this.#expect('symbol', ',');
    const value = this.#expression();
    this.#expect('symbol', ',');
    this.#names.push(name);
    const inner = this.#enclosed(')');
    this.#names.pop();
    return (scope) => inner({ name, value: value(scope), outer: scope });
  }

  #enclosed(end: string): Evaluate {
    const inner = this.#expression();
    this.#expect('symbol', end);
    return inner;
  }

  #list(end: string): readonly Evaluate[] {
    const items: Evaluate[] = [];
    if (this.#take(end)) return items;
    do items.push(this.#expression());
    while (this.#take(','));
    this.#expect('symbol', end);
    return items;
  }

  #peek(): Token {
    const token = this.#tokens[this.#next] ?? this.#tokens.at(-1);
    return token ?? { type: 'end', text: '', at: 0 };
  }

  /** Whether a symbol comes next; then it is past. */
  #take(symbol: string): boolean {
    const { type, text } = this.#peek();
    const isNext = type === 'symbol' && text === symbol;
    if (isNext) this.#next += 1;
    return isNext;
  }

  #expect(type: Token['type'], text?: string): Token {
    const token = this.#peek();
    if (token.type !== type || (text !== undefined && token.text !== text)) throw unexpected(token.text, token.at);
    this.#next += 1;
    return token;
  }
}

/** Whole numbers of 64 bits. */
function integer(text: string, place: number): bigint {
  if (text.length > 19 || BigInt(text) >= 2n ** 63n) throw unexpected(text.slice(0, 20), place);
  return BigInt(text);
}

function constant(value: Value): Evaluate {
  return () => value;
}

function listOf(items: readonly Evaluate[]): Evaluate {
  return (scope) => items.map((item) => item(scope));
}

function at(container: Evaluate, key: Evaluate): Evaluate {
  return (scope) => valueAt(container(scope), key(scope));
}

function maybeAt(container: Evaluate, key: string): Evaluate {
  return (scope) => {
    const value = container(scope);
    const map = isMaybe(value) ? (value.present ?? nothing) : value;
    return { present: isIn(key, map) ? valueAt(map, key) : undefined };
  };
}

const nothing: Value = new Map();

/** `has`: whether the last step of a path leads anywhere. */
function present(path: Evaluate): Evaluate {
  return (scope) => {
    try {
      path(scope);
      return true;
    } catch (error) {
      if (error instanceof SelectorError && error.message.startsWith('no such key')) return false;
      throw error;
    }
  };
}

function call(name: string, place: number, values: readonly Evaluate[]): Evaluate {
  const apply = selectorFunctions.get(name);
  if (apply === undefined) throw undeclared(name, place);
  return (scope) => apply(...values.map((value) => value(scope)));
}

/** Either side may decide, and then it does not matter that the other fails. Each is asked once. */
function decidedBy(decisive: boolean, one: Evaluate, other: Evaluate): Evaluate {
  return (scope) => {
    const first = truthOrTrouble(one, scope);
    if (first === decisive) return decisive;
    const second = truth(other(scope));
    if (second !== decisive && first instanceof SelectorError) throw first;
    return second;
  };
}

function truthOrTrouble(evaluate: Evaluate, scope: Scope): boolean | SelectorError {
  try {
    return truth(evaluate(scope));
  } catch (error) {
    if (error instanceof SelectorError) return error;
    throw error;
  }
}

function lookUp(scope: Scope | undefined, name: string): Value {
  for (let each = scope; each !== undefined; each = each.outer) if (each.name === name) return each.value;
  throw failure(`no such attribute: ${name}`);
}

function truth(value: Value): boolean {
  if (typeof value !== 'boolean') throw failure('no such overload');
  return value;
}

function undeclared(name: string, place: number): SelectorError {
  return new SelectorError(
    'compile',
    `compilation failed: undeclared reference to '${name}' at ${place} (only a part of CEL is understood here)`,
  );
}
