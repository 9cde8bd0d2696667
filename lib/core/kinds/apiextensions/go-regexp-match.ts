// Whether a text matches a regular expression, anywhere in it. All ways through the expression are followed at once, so
// the time is that of one step per character and instruction, whatever the expression: nothing a user writes can make
// it backtrack. As regexp/exec.go of Go, without captures.
import { isWordCharacter } from './go-regexp-characters.js';
import type { CharacterSet } from './go-regexp-characters.js';
import type { Assertion, Expression } from './go-regexp-expression.js';

/** Makes the question of an expression. */
export function matcher(expression: Expression): (text: string) => boolean {
  const program = compile(expression);
  return (text) => matches(program, text);
}

/** A step: consume a character, check the place, go on at two places, or be done. The next step is the one after it. */
type Instruction =
  | { readonly op: 'set'; readonly set: CharacterSet }
  | { readonly op: 'assert'; readonly at: Assertion }
  | { readonly op: 'split'; readonly to: number }
  | { readonly op: 'jump'; readonly to: number }
  | { readonly op: 'match' };

function compile(expression: Expression): readonly Instruction[] {
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
      program[split] = { op: 'split', to: program.length };
    });
    for (const jump of jumps) program[jump] = { op: 'jump', to: program.length };
  };

  const emitRepeat = ({ item, min, max }: Extract<Expression, { op: 'repeat' }>): void => {
    for (let i = 0; i < min; i++) emit(item);
    if (max === Infinity) {
      const split = program.push({ op: 'match' }) - 1;
      emit(item);
      program.push({ op: 'jump', to: split });
      program[split] = { op: 'split', to: program.length };
      return;
    }
    const splits: number[] = [];
    for (let i = min; i < max; i++) {
      splits.push(program.push({ op: 'match' }) - 1);
      emit(item);
    }
    for (const split of splits) program[split] = { op: 'split', to: program.length };
  };

  emit(expression);
  program.push({ op: 'match' });
  return program;
}

function matches(program: readonly Instruction[], text: string): boolean {
  const codePoints = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  let current: number[] = [];
  for (let place = 0; place <= codePoints.length; place++) {
    // A match may begin anywhere, so the start is followed from every place.
    const steps = follow(program, [...current, 0], codePoints, place);
    if (steps === undefined) return true;
    const codePoint = codePoints[place];
    if (codePoint === undefined) return false;
    current = [];
    for (const step of steps) {
      const instruction = program[step];
      if (instruction?.op === 'set' && instruction.set(codePoint)) current.push(step + 1);
    }
  }
  return false;
}

/** The consuming steps reachable without consuming; undefined if the end is. */
function follow(
  program: readonly Instruction[],
  from: readonly number[],
  codePoints: readonly number[],
  place: number,
): readonly number[] | undefined {
  const seen = new Set<number>();
  const steps: number[] = [];
  const pending = [...from];
  for (let step = pending.pop(); step !== undefined; step = pending.pop()) {
    if (seen.has(step)) continue;
    seen.add(step);
    const instruction = program[step];
    switch (instruction?.op) {
      case 'match':
        return undefined;
      case 'set':
        steps.push(step);
        break;
      case 'jump':
        pending.push(instruction.to);
        break;
      case 'split':
        pending.push(step + 1, instruction.to);
        break;
      case 'assert':
        if (holds(instruction.at, codePoints, place)) pending.push(step + 1);
        break;
      case undefined:
        break;
    }
  }
  return steps;
}

function holds(assertion: Assertion, codePoints: readonly number[], place: number): boolean {
  const [before, after] = [codePoints[place - 1], codePoints[place]];
  switch (assertion) {
    case 'begin':
      return before === undefined;
    case 'end':
      return after === undefined;
    case 'lineBegin':
      return before === undefined || before === 0x0a;
    case 'lineEnd':
      return after === undefined || after === 0x0a;
    case 'boundary':
      return isWord(before) !== isWord(after);
    case 'noBoundary':
      return isWord(before) === isWord(after);
  }
}

function isWord(codePoint: number | undefined): boolean {
  return codePoint !== undefined && isWordCharacter(codePoint);
}
