// The work of checking values against their schemas, which a definition can make as large as it likes: patterns times
// texts, enumerations times lists. One budget is shared by all defaults of a definition, and one is for each custom
// resource. Patterns are compiled once.
import { expressionSize } from '../../go/regexp-expression.js';
import { MatchSteps, matcher } from '../../go/regexp-match.js';
import { parseGoRegexp } from '../../go/regexp.js';

/** Steps for one definition: about 0.3 s. Kubernetes has no such limit. */
const stepsMax = 10_000_000;

/** Whether a text matches, or why it cannot be found out. */
export type Matching = boolean | { readonly error: string };

/** A budget of steps. */
export class SchemaWork {
  readonly #max: number;
  readonly #steps: MatchSteps;
  readonly #patterns = new Map<string, Pattern>();

  constructor(max: number = stepsMax) {
    this.#max = max;
    this.#steps = new MatchSteps(max);
  }

  /** The same with a full budget, for the next value. Compiled patterns stay. */
  renewed(): this {
    this.#steps.left = this.#max;
    return this;
  }

  /** Whether the budget is spent. */
  get isSpent(): boolean {
    return this.#steps.left < 0;
  }

  /** Takes steps off the budget. */
  spend(steps: number): void {
    this.#steps.left -= steps;
  }

  /** Matches a text; undefined where the budget did not suffice. */
  matches(pattern: string, text: string): Matching | undefined {
    const compiled = this.#patterns.get(pattern) ?? this.#compile(pattern);
    return typeof compiled === 'function' ? compiled(text, this.#steps) : compiled;
  }

  #compile(pattern: string): Pattern {
    this.spend(pattern.length);
    const parsed = parseGoRegexp(pattern);
    if ('expression' in parsed) this.spend(10 * expressionSize(parsed.expression));
    const compiled = 'error' in parsed ? parsed : matcher(parsed.expression);
    this.#patterns.set(pattern, compiled);
    return compiled;
  }
}

type Pattern = ReturnType<typeof matcher> | { readonly error: string };
