// The tree of a regular expression, and the refusal to make one. For regexp.ts, what it calls, and the matcher.
import type { CharacterSet } from './regexp-characters.js';

/** A parsed expression. */
export type Expression =
  | { readonly op: 'set'; readonly set: CharacterSet }
  | { readonly op: 'assert'; readonly at: Assertion }
  | { readonly op: 'concat' | 'alternate'; readonly items: readonly Expression[] }
  | {
      readonly op: 'repeat';
      readonly item: Expression;
      readonly min: number;
      readonly max: number;
      /** Prefers few repetitions to many. */
      readonly lazy: boolean;
    };

/** A condition on a place of the text. */
export type Assertion = 'begin' | 'end' | 'lineBegin' | 'lineEnd' | 'boundary' | 'noBoundary';

/** Why a text is no expression, and the part of it to blame. */
export class RegexpRefusal extends Error {
  readonly expression: string;

  constructor(message: string, expression: string) {
    super(message);
    this.expression = expression;
  }
}

/** How many steps a program for the expression has at most. */
export function expressionSize(expression: Expression): number {
  switch (expression.op) {
    case 'set':
    case 'assert':
      return 1;
    case 'concat':
    case 'alternate':
      return expression.items.reduce((sum, item) => sum + expressionSize(item) + 2, 1);
    case 'repeat': {
      const { min, max } = expression;
      return 2 + Math.max(max === Infinity ? min + 1 : max, 1) * (expressionSize(expression.item) + 1);
    }
  }
}

/** How often the innermost part is counted out, along the path where that is most. */
export function repetitions(expression: Expression): number {
  switch (expression.op) {
    case 'set':
    case 'assert':
      return 1;
    case 'concat':
    case 'alternate':
      return expression.items.reduce((most, item) => Math.max(most, repetitions(item)), 1);
    case 'repeat': {
      const { min, max } = expression;
      const times = max === Infinity ? min : max;
      return Math.max(times, 1) * repetitions(expression.item);
    }
  }
}
