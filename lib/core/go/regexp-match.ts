// Whether a text matches a regular expression, anywhere in it. All ways through the expression are followed at once, so
// the time is that of one step per character and instruction, whatever the expression: nothing a user writes can make
// it backtrack. Steps are counted and bounded, since a large expression and a long text still multiply.
// As regexp/exec.go of Go, without captures.
import { isWordCharacter } from './regexp-characters.js';
import type { CharacterSet } from './regexp-characters.js';
import type { Assertion, Expression } from './regexp-expression.js';

/** A number of steps that several matches share. A step takes some ten nanoseconds. */
export class MatchSteps {
  /** Steps that are left; below zero when a match needed more. */
  left: number;

  constructor(max: number) {
    this.left = max;
  }
}

/**
 * Compiles an expression. The function returns whether a text matches; undefined where `steps` did not suffice to find
 * out. Without `steps` there is no limit.
 */
export function matcher(expression: Expression): (text: string, steps?: MatchSteps) => boolean | undefined {
  const program = compileRegexp(expression);
  return (text, steps = new MatchSteps(Infinity)) => matches(program, text, steps);
}

/** A step: consume a character, check the place, go on at two places, or be done. The next step is the one after it. */
export type Instruction =
  | { readonly op: 'set'; readonly set: CharacterSet }
  | { readonly op: 'assert'; readonly at: Assertion }
  | { readonly op: 'split'; readonly to: number; /** Prefers `to` to the next step. */ readonly lazy: boolean }
  | { readonly op: 'jump'; readonly to: number }
  | { readonly op: 'match' };

/** Returns the program of an expression. */
export function compileRegexp(expression: Expression): readonly Instruction[] {
  const program: Instruction[] = [];

  const emit = (item: Expression): void => {
    switch (item.op) {
      case 'set':
      case 'assert':
        program.push(item);
        return;
      case 'concat':
        for (const part of item.items) emit(part);
        return;
      case 'alternate':
        emitAlternatives(item.items);
        return;
      case 'repeat':
        emitRepeat(item);
    }
  };

  /** Either this alternative and then past all of them, or the next one. */
  const emitAlternatives = (items: readonly Expression[]): void => {
    const jumps: number[] = [];
    items.forEach((item, index) => {
      const last = index === items.length - 1;
      const split = last ? undefined : program.push({ op: 'match' }) - 1;
      emit(item);
      if (split === undefined) return;
      jumps.push(program.push({ op: 'match' }) - 1);
      program[split] = { op: 'split', to: program.length, lazy: false };
    });
    for (const jump of jumps) program[jump] = { op: 'jump', to: program.length };
  };

  const emitRepeat = ({ item, min, max, lazy }: Extract<Expression, { op: 'repeat' }>): void => {
    for (let i = 0; i < min; i++) emit(item);
    if (max === Infinity) {
      const split = program.push({ op: 'match' }) - 1;
      emit(item);
      program.push({ op: 'jump', to: split });
      program[split] = { op: 'split', to: program.length, lazy };
      return;
    }
    const splits: number[] = [];
    for (let i = min; i < max; i++) {
      splits.push(program.push({ op: 'match' }) - 1);
      emit(item);
    }
    for (const split of splits) program[split] = { op: 'split', to: program.length, lazy };
  };

  emit(expression);
  program.push({ op: 'match' });
  return program;
}

function matches(program: readonly Instruction[], text: string, steps: MatchSteps): boolean | undefined {
  const threads = new Threads(program);
  let [before, at] = [-1, 0];
  for (;;) {
    const codePoint = text.codePointAt(at) ?? -1;
    // A match may begin anywhere, so the start is followed from every place.
    threads.begin();
    const found = threads.follow(before, codePoint);
    steps.left -= threads.visited;
    if (found) return true;
    if (codePoint < 0) return false;
    if (steps.left < 0) return undefined;
    threads.consume(codePoint);
    before = codePoint;
    at += codePoint > 0xffff ? 2 : 1;
  }
}

/** The instructions that are reached at one place of the text. Allocates nothing per character. */
class Threads {
  readonly #program: readonly Instruction[];
  /** Instructions to follow from; each is in the list once per place. */
  readonly #pending: Int32Array;
  /** The place, counted from one, at which an instruction was reached last. */
  readonly #reachedAt: Int32Array;
  /** Consuming instructions that were reached. */
  readonly #waiting: Int32Array;
  #pendingCount = 0;
  #waitingCount = 0;
  #place = 1;
  /** How many instructions the last `follow` visited. */
  visited = 0;

  constructor(program: readonly Instruction[]) {
    this.#program = program;
    this.#pending = new Int32Array(program.length);
    this.#reachedAt = new Int32Array(program.length);
    this.#waiting = new Int32Array(program.length);
  }

  /** Adds the first instruction. */
  begin(): void {
    this.#reach(0);
  }

  /** Follows all that consumes nothing; returns whether the end is reached. */
  follow(before: number, after: number): boolean {
    this.#waitingCount = 0;
    this.visited = 1;
    while (this.#pendingCount > 0) {
      const at = this.#pending[--this.#pendingCount] ?? 0;
      const instruction = this.#program[at];
      this.visited += 1;
      switch (instruction?.op) {
        case 'match':
          return true;
        case 'set':
          this.#waiting[this.#waitingCount++] = at;
          break;
        case 'jump':
          this.#reach(instruction.to);
          break;
        case 'split':
          this.#reach(at + 1);
          this.#reach(instruction.to);
          break;
        case 'assert':
          if (assertionHolds(instruction.at, before, after)) this.#reach(at + 1);
          break;
        case undefined:
          break;
      }
    }
    return false;
  }

  /** Moves on to the next place: behind the instructions whose set contains the character. */
  consume(codePoint: number): void {
    this.#place += 1;
    for (let index = 0; index < this.#waitingCount; index++) {
      const at = this.#waiting[index] ?? 0;
      const instruction = this.#program[at];
      if (instruction?.op === 'set' && instruction.set(codePoint)) this.#reach(at + 1);
    }
  }

  #reach(at: number): void {
    if (this.#reachedAt[at] === this.#place) return;
    this.#reachedAt[at] = this.#place;
    this.#pending[this.#pendingCount++] = at;
  }
}

/** Returns whether an assertion holds between two code points; -1 stands for an end of the text. */
export function assertionHolds(assertion: Assertion, before: number, after: number): boolean {
  switch (assertion) {
    case 'begin':
      return before < 0;
    case 'end':
      return after < 0;
    case 'lineBegin':
      return before < 0 || before === 0x0a;
    case 'lineEnd':
      return after < 0 || after === 0x0a;
    case 'boundary':
      return isWord(before) !== isWord(after);
    case 'noBoundary':
      return isWord(before) === isWord(after);
  }
}

function isWord(codePoint: number): boolean {
  return codePoint >= 0 && isWordCharacter(codePoint);
}
