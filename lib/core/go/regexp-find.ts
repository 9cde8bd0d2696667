// Finds the matches of a regular expression in a text: the leftmost, and of several that begin there the one that Perl
// would prefer. All ways through the expression are followed at once in the order of their preference, so nothing a
// user writes makes it backtrack; each way remembers only where it began.
// As regexp/exec.go of Go, without captures.
import { MatchSteps, assertionHolds, compileRegexp } from './regexp-match.js';
import type { Instruction } from './regexp-match.js';
import { parseGoRegexp } from './regexp.js';

/** Finds matches, or says why the text is no expression. */
export type RegexpFinder =
  | {
      /** Returns up to `limit` matches that do not overlap; undefined where finding them takes too many steps. */
      readonly find: (text: string, limit: number) => readonly string[] | undefined;
    }
  | { readonly error: string };

/** Compiles an expression for finding. Texts of a megabyte are searched within the limit of steps. */
export function regexpFinder(pattern: string): RegexpFinder {
  const parsed = parseGoRegexp(pattern);
  if ('error' in parsed) return parsed;
  const program = compileRegexp(parsed.expression);
  return {
    find(text, limit) {
      const steps = new MatchSteps(stepsMax + text.length);
      const search = new Search(program, text, steps);
      const found: string[] = [];
      let [from, lastEnd] = [0, -1];
      while (found.length < limit && from <= text.length) {
        const match = search.from(from);
        if (steps.left < 0) return undefined;
        if (match === undefined) break;
        const { start, end } = match;
        // An empty match right after another one does not count.
        if (start !== end || end !== lastEnd) found.push(text.slice(start, end));
        lastEnd = end;
        from = end > start || end > from ? end : from + unitsAt(text, from);
        if (start === end && from === end) from += unitsAt(text, from);
      }
      return found;
    },
  };
}

const stepsMax = 20_000_000;

/** A search that reuses its lists. */
class Search {
  readonly #program: readonly Instruction[];
  readonly #text: string;
  readonly #steps: MatchSteps;
  #current: Threads;
  #next: Threads;

  constructor(program: readonly Instruction[], text: string, steps: MatchSteps) {
    this.#program = program;
    this.#text = text;
    this.#steps = steps;
    this.#current = new Threads(program);
    this.#next = new Threads(program);
  }

  /** Returns the first match that begins at a place or after it. */
  from(place: number): { readonly start: number; readonly end: number } | undefined {
    let match: { readonly start: number; readonly end: number } | undefined;
    let at = place;
    let before = place === 0 ? -1 : this.#codePointBefore(place);
    this.#current.clear();
    for (;;) {
      const after = this.#text.codePointAt(at) ?? -1;
      // Later beginnings are preferred least, and not at all once there is a match.
      if (match === undefined) this.#current.add(0, at, before, after);
      const { count } = this.#current;
      if (count === 0 && match !== undefined) return match;
      this.#steps.left -= count + 1;
      if (this.#steps.left < 0) return undefined;
      const units = after > 0xffff ? 2 : 1;
      const following = after < 0 ? -1 : (this.#text.codePointAt(at + units) ?? -1);
      this.#next.clear();
      for (let i = 0; i < count; i++) {
        const pc = this.#current.instructionAt(i);
        const instruction = this.#program[pc];
        if (instruction?.op === 'match') {
          match = { start: this.#current.startAt(i), end: at };
          break;
        }
        if (after >= 0 && instruction?.op === 'set' && instruction.set(after))
          this.#next.add(pc + 1, this.#current.startAt(i), after, following);
      }
      if (after < 0) return match;
      [this.#current, this.#next] = [this.#next, this.#current];
      before = after;
      at += units;
    }
  }

  #codePointBefore(place: number): number {
    const unit = this.#text.charCodeAt(place - 1);
    return unit >= 0xdc00 && unit <= 0xdfff && place > 1 ? (this.#text.codePointAt(place - 2) ?? unit) : unit;
  }
}

/** The ways that are alive at one place, in the order of preference. */
class Threads {
  readonly #program: readonly Instruction[];
  readonly #instructions: Int32Array;
  readonly #starts: Int32Array;
  /** The number of the last `clear` before an instruction was reached. */
  readonly #reached: Int32Array;
  readonly #stack: number[] = [];
  #generation = 0;
  count = 0;

  constructor(program: readonly Instruction[]) {
    this.#program = program;
    this.#instructions = new Int32Array(program.length);
    this.#starts = new Int32Array(program.length);
    this.#reached = new Int32Array(program.length).fill(-1);
  }

  clear(): void {
    this.#generation += 1;
    this.count = 0;
  }

  instructionAt(index: number): number {
    return this.#instructions[index] ?? 0;
  }

  startAt(index: number): number {
    return this.#starts[index] ?? 0;
  }

  /** Adds what is reached from an instruction without consuming, the preferred first. */
  add(first: number, start: number, before: number, after: number): void {
    const stack = this.#stack;
    stack.push(first);
    for (let pc = stack.pop(); pc !== undefined; pc = stack.pop()) {
      if (this.#reached[pc] === this.#generation) continue;
      this.#reached[pc] = this.#generation;
      const instruction = this.#program[pc];
      switch (instruction?.op) {
        case 'jump':
          stack.push(instruction.to);
          break;
        case 'split':
          stack.push(instruction.lazy ? pc + 1 : instruction.to, instruction.lazy ? instruction.to : pc + 1);
          break;
        case 'assert':
          if (assertionHolds(instruction.at, before, after)) stack.push(pc + 1);
          break;
        case 'match':
        case 'set':
          this.#instructions[this.count] = pc;
          this.#starts[this.count++] = start;
          break;
        case undefined:
          break;
      }
    }
  }
}

function unitsAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}
