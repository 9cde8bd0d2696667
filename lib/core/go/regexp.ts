// Regular expressions as Go reads them, for schemas of custom resources: what Go refuses is refused in its words, and
// what it accepts becomes a tree for the matcher. JavaScript's own expressions are no help: their syntax differs, and
// they backtrack. Captures are not kept. Greediness matters only where a match is looked for (regexp-find.ts).
// As regexp/syntax/parse.go of Go 1.26 with the Perl flags. Unlike Go's, whose bound is some three million steps, the
// size, of the text too, is bounded by `instructionsMax`.
import { range, sensitive } from './regexp-characters.js';
import { readClass, readEscape, readEscapedClass } from './regexp-escapes.js';
import { RegexpRefusal, expressionSize, repetitions } from './regexp-expression.js';
import type { Assertion, Expression } from './regexp-expression.js';

/** Parses an expression; returns Go's error message if it is malformed. */
export function parseGoRegexp(text: string): { readonly expression: Expression } | { readonly error: string } {
  try {
    if (text.length > instructionsMax) throw new RegexpRefusal('expression too large', text);
    return { expression: new Parser(text).parse() };
  } catch (error) {
    if (error instanceof RegexpRefusal)
      return { error: `error parsing regexp: ${error.message}: \`${error.expression}\`` };
    throw error;
  }
}

const instructionsMax = 100_000;
const depthMax = 1000;
const repeatMax = 1000;

interface Flags {
  readonly fold: boolean;
  readonly multiLine: boolean;
  readonly dotAll: boolean;
  readonly ungreedy: boolean;
}

/** An open group: what precedes it, and the alternatives read so far. */
interface Group {
  readonly alternatives: Expression[];
  items: Expression[];
  readonly flags: Flags;
}

class Parser {
  readonly #text: string;
  #at = 0;
  #flags: Flags = { fold: false, multiLine: false, dotAll: false, ungreedy: false };
  #group: Group = newGroup(this.#flags);
  readonly #open: Group[] = [];
  #size = 0;

  constructor(text: string) {
    this.#text = text;
  }

  parse(): Expression {
    // Where the repetition just read began: another must not follow.
    let lastRepeat: number | undefined;
    while (this.#at < this.#text.length) {
      const start = this.#at;
      const repeated = this.#token(lastRepeat);
      lastRepeat = repeated ? start : undefined;
    }
    if (this.#open.length > 0) throw new RegexpRefusal('missing closing )', this.#text);
    return closed(this.#group);
  }

  /** Reads one token; whether it was a repetition. */
  #token(lastRepeat: number | undefined): boolean {
    const start = this.#at;
    const character = this.#text[start] ?? '';
    switch (character) {
      case '(':
        this.#leftParenthesis();
        return false;
      case '|':
        this.#at += 1;
        this.#group.alternatives.push(sequence(this.#group.items));
        this.#group.items = [];
        return false;
      case ')':
        this.#rightParenthesis();
        return false;
      case '^':
        this.#assert(this.#flags.multiLine ? 'lineBegin' : 'begin', 1);
        return false;
      case '$':
        this.#assert(this.#flags.multiLine ? 'lineEnd' : 'end', 1);
        return false;
      case '.': {
        this.#at += 1;
        const { dotAll } = this.#flags;
        this.#push({ op: 'set', set: (codePoint) => dotAll || codePoint !== 0x0a });
        return false;
      }
      case '[': {
        const { value, end } = readClass(this.#text, start, this.#flags.fold);
        this.#at = end;
        this.#push({ op: 'set', set: value });
        return false;
      }
      case '*':
      case '+':
      case '?':
        this.#at += 1;
        this.#repeat({ min: character === '+' ? 1 : 0, max: character === '?' ? 1 : Infinity }, start, lastRepeat);
        return true;
      case '{':
        return this.#counted(lastRepeat);
      case '\\':
        this.#backslash();
        return false;
      default:
        this.#literal(this.#next());
        return false;
    }
  }

  #push(expression: Expression): void {
    this.#size += 1;
    if (this.#size > instructionsMax) throw new RegexpRefusal('expression too large', this.#text);
    this.#group.items.push(expression);
  }

  #assert(at: Assertion, length: number): void {
    this.#at += length;
    this.#push({ op: 'assert', at });
  }

  #literal(codePoint: number): void {
    this.#push({ op: 'set', set: sensitive(range(codePoint, codePoint), this.#flags.fold) });
  }

  #next(): number {
    const codePoint = this.#text.codePointAt(this.#at) ?? 0;
    this.#at += codePoint > 0xffff ? 2 : 1;
    return codePoint;
  }

  #leftParenthesis(): void {
    const outer = this.#flags;
    if (this.#text[this.#at + 1] === '?') {
      if (!this.#perlGroup()) return;
    } else this.#at += 1;
    if (this.#open.length >= depthMax) throw new RegexpRefusal('expression nests too deeply', this.#text);
    this.#open.push(this.#group);
    this.#group = newGroup(outer);
  }

  /** `(?P<name>`, `(?<name>`, `(?i:` open a group; `(?i)` only changes the flags. */
  #perlGroup(): boolean {
    const rest = this.#text.slice(this.#at);
    const named = /^\(\?P?</.exec(rest)?.[0];
    if (named !== undefined && rest.length > named.length) {
      const end = rest.indexOf('>');
      if (end < 0) throw new RegexpRefusal('invalid named capture', rest);
      if (!/^[A-Za-z0-9_]+$/.test(rest.slice(named.length, end)))
        throw new RegexpRefusal('invalid named capture', rest.slice(0, end + 1));
      this.#at += end + 1;
      return true;
    }
    const flags = /^\(\?([imsU]*)(-[imsU]+)?([:)])/.exec(rest);
    if (flags === null) throw new RegexpRefusal('invalid or unsupported Perl syntax', refusedFlags(rest));
    const [whole, on = '', off = '', end] = flags;
    const flag = (letter: string, before: boolean): boolean => !off.includes(letter) && (on.includes(letter) || before);
    this.#at += whole.length;
    this.#flags = {
      fold: flag('i', this.#flags.fold),
      multiLine: flag('m', this.#flags.multiLine),
      dotAll: flag('s', this.#flags.dotAll),
      ungreedy: flag('U', this.#flags.ungreedy),
    };
    return end === ':';
  }

  #rightParenthesis(): void {
    const outer = this.#open.pop();
    if (outer === undefined) throw new RegexpRefusal('unexpected )', this.#text);
    this.#at += 1;
    const inner = this.#group;
    this.#group = outer;
    this.#flags = inner.flags;
    this.#push(closed(inner));
  }

  /** `{2}`, `{2,}`, `{2,5}`; anything else after a brace makes it an ordinary character. */
  #counted(lastRepeat: number | undefined): boolean {
    const start = this.#at;
    const [whole, low = '', comma, high = ''] =
      /^\{(0|[1-9]\d*)(,(0|[1-9]\d*)?)?\}/.exec(this.#text.slice(start)) ?? [];
    if (whole === undefined) {
      this.#literal(this.#next());
      return false;
    }
    const min = Number(low);
    const max = comma === undefined ? min : high === '' ? Infinity : Number(high);
    if (min > repeatMax || (max !== Infinity && (max > repeatMax || max < min)))
      throw new RegexpRefusal('invalid repeat count', whole);
    this.#at += whole.length;
    this.#repeat({ min, max }, start, lastRepeat);
    return true;
  }

  #repeat(
    { min, max }: { readonly min: number; readonly max: number },
    start: number,
    lastRepeat: number | undefined,
  ): void {
    const marked = this.#text[this.#at] === '?';
    if (marked) this.#at += 1;
    if (lastRepeat !== undefined)
      throw new RegexpRefusal('invalid nested repetition operator', this.#text.slice(lastRepeat, this.#at));
    const item = this.#group.items.pop();
    const spelling = this.#text.slice(start, this.#at);
    if (item === undefined) throw new RegexpRefusal('missing argument to repetition operator', spelling);
    const repeat: Expression = { op: 'repeat', item, min, max, lazy: marked !== this.#flags.ungreedy };
    if ((min >= 2 || (max >= 2 && max !== Infinity)) && repetitions(repeat) > repeatMax)
      throw new RegexpRefusal('invalid repeat count', spelling);
    this.#size += expressionSize(repeat);
    this.#push(repeat);
  }

  #backslash(): void {
    const letter = this.#text[this.#at + 1] ?? '';
    const assertion = assertions.get(letter);
    if (assertion !== undefined) this.#assert(assertion, 2);
    else if (letter === 'C') throw new RegexpRefusal('invalid escape sequence', '\\C');
    else if (letter === 'Q') this.#quoted();
    else {
      const escaped = readEscapedClass(this.#text, this.#at, this.#flags.fold);
      if (escaped === undefined) {
        const { value, end } = readEscape(this.#text, this.#at);
        this.#at = end;
        this.#literal(value);
      } else {
        this.#at = escaped.end;
        this.#push({ op: 'set', set: escaped.value });
      }
    }
  }

  /** `\Q…\E`: everything between is ordinary. */
  #quoted(): void {
    const start = this.#at + 2;
    const end = this.#text.indexOf('\\E', start);
    this.#at = start;
    while (this.#at < (end < 0 ? this.#text.length : end)) this.#literal(this.#next());
    if (end >= 0) this.#at += 2;
  }
}

const assertions: ReadonlyMap<string, Assertion> = new Map([
  ['A', 'begin'],
  ['b', 'boundary'],
  ['B', 'noBoundary'],
  ['z', 'end'],
]);

function newGroup(flags: Flags): Group {
  return { alternatives: [], items: [], flags };
}

function sequence(items: readonly Expression[]): Expression {
  const [only] = items;
  return only !== undefined && items.length === 1 ? only : { op: 'concat', items };
}

function closed({ alternatives, items }: Group): Expression {
  const last = sequence(items);
  return alternatives.length === 0 ? last : { op: 'alternate', items: [...alternatives, last] };
}

/** As far as Go reads flags before it gives up: through the first character that is none. */
function refusedFlags(rest: string): string {
  let minus = false;
  let sawFlag = false;
  for (let i = 2; i < rest.length; i++) {
    const character = String.fromCodePoint(rest.codePointAt(i) ?? 0);
    if ('imsU'.includes(character)) sawFlag = true;
    else if (character === '-' && !minus) {
      minus = true;
      sawFlag = false;
    } else if ((character !== ':' && character !== ')') || (minus && !sawFlag))
      return rest.slice(0, i + character.length);
  }
  return rest;
}
