// The state of one evaluation: variables, local variables, and the cost so far. A step is a compiled part of an
// expression; it returns its value or a failure, and adds its cost to the frame.
import type { CelValue } from '../cel-value.js';
import type { Variables } from '../environment.js';
import { EvaluationError } from '../library.js';
import { EvaluationFailure } from '../values/failure.js';

/** A value or a failure. */
export type StepOutcome = CelValue | EvaluationFailure;

/** A compiled part of an expression. */
export type EvaluationStep = (frame: Frame) => StepOutcome;

/** Ends an evaluation that exceeds its budget. Not a failure, which an expression could absorb. */
export class OverBudget extends Error {}

/** The value of a binding that was not read yet. */
export class LazyValue {
  readonly step: EvaluationStep;
  constructor(step: EvaluationStep) {
    this.step = step;
  }
}

/** The state of one evaluation. */
export class Frame {
  /** The cost so far. */
  cost = 0;
  /** Local variables by slot. A variable that failed fails where it is read. */
  readonly locals: (StepOutcome | LazyValue)[];
  readonly #variables: Variables;
  readonly #budget: number;
  readonly #iterationsMax: number;
  #iterations = 0;
  #computed: Map<string, StepOutcome> | undefined;

  constructor(variables: Variables, size: number, budget: number) {
    this.#variables = variables;
    this.#budget = budget;
    this.#iterationsMax = budget * iterationsPerCost;
    this.locals = new Array<StepOutcome | LazyValue>(size).fill(null);
  }

  /** Returns whether the cost exceeds the budget. */
  get isOverBudget(): boolean {
    return this.cost > this.#budget;
  }

  /** Adds a cost that depends on data; ends the evaluation over the budget. */
  spend(cost: number): void {
    this.cost += cost;
    if (this.cost > this.#budget) throw new OverBudget();
  }

  /** Counts an iteration of a loop, since some cost nothing; ends the evaluation over the budget. */
  iterate(): void {
    this.#iterations++;
    if (this.cost > this.#budget || this.#iterations > this.#iterationsMax) throw new OverBudget();
  }

  /** Returns a variable of the environment. A variable that is a function is computed once. */
  read(name: string): StepOutcome {
    const value = Object.hasOwn(this.#variables, name) ? this.#variables[name] : undefined;
    if (typeof value === 'function') return this.#compute(name, value);
    return value === undefined ? new EvaluationFailure(`no such attribute(s): ${name}`) : value;
  }

  #compute(name: string, compute: () => CelValue): StepOutcome {
    this.#computed ??= new Map();
    let result = this.#computed.get(name);
    if (result === undefined) {
      result = attempt(compute);
      this.#computed.set(name, result);
    }
    return result;
  }
}

/** Iterations of loops that are allowed for each unit of the budget. */
const iterationsPerCost = 10;

/** Runs a function of a host; a thrown `EvaluationError` becomes a failure. */
export function attempt(compute: () => CelValue): StepOutcome {
  try {
    return compute();
  } catch (error) {
    if (error instanceof EvaluationError) return new EvaluationFailure(error.message);
    throw error;
  }
}
