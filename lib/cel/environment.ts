// The contract of compiling and evaluating expressions.
import type { CelType } from './cel-type.js';
import type { CelValue } from './cel-value.js';
import type { EvaluationError, EstimateRange, Library, ValueEstimate } from './library.js';

/** Options of an environment: the functions, variables and types that expressions may use. */
export interface EnvironmentOptions {
  readonly libraries: readonly Library[];
  /** Variables and their types. A variable of an object type or dyn is JSON. */
  readonly variables: Readonly<Record<string, CelType>>;
  /** Names that an expression without them is looked up under: `a.b` finds `x` as `a.b.x`. Default ''. */
  readonly container?: string;
  /** Further object types that literals may construct, by name. */
  readonly types?: (name: string) => CelType | undefined;
}

/** A set of declarations. Creating one is cheap next to compiling; `extend` shares what exists. */
export interface Environment {
  /** Returns an environment with further libraries, variables and types; this one does not change. */
  extend(options: Partial<EnvironmentOptions>): Environment;
  /** Parses and checks. Never throws for a bad expression. */
  compile(text: string): Compilation;
}

/** The result of compiling. */
export type Compilation =
  | { readonly ok: true; readonly expression: CompiledExpression }
  | {
      readonly ok: false;
      readonly issues: readonly Issue[];
      /** All issues as Kubernetes prints them, or why the expression cannot be instantiated. */
      readonly message: string;
      /** Whether it checks, but has a constant that cannot be converted: `int('x')`. Then there are no issues. */
      readonly isInstantiation: boolean;
    };

/** An error in an expression. */
export interface Issue {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** A checked expression. Immutable, evaluated any number of times. */
export interface CompiledExpression {
  readonly text: string;
  readonly type: CelType;
  /** Names of the variables it refers to (after the expansion of macros, without those of macros). */
  readonly references: ReadonlySet<string>;
  /** Whether a selection or call for which the predicate holds occurs, e.g. of a variable `oldSelf`. */
  readonly usesVariable: (name: string) => boolean;
  /** Returns whether it selects a field of a variable: `a.b.c`, `a.?b.c` or `has(a.b.c)` for `a`, `['b', 'c']`. */
  selects(variable: string, path: readonly string[]): boolean;
  /** The range of the cost, given what is known of variables and of paths below them. */
  estimateCost(sizes: (path: readonly string[], type: CelType) => ValueEstimate | undefined): EstimateRange;
  /** Evaluates within a budget. */
  evaluate(variables: Variables, options?: EvaluationOptions): Evaluation;
}

/** Values of variables; a function is called at most once per evaluation, when the variable is read. */
export type Variables = Readonly<Record<string, CelValue | (() => CelValue)>>;

/** Options of an evaluation. */
export interface EvaluationOptions {
  /** The cost at which evaluation is cut off. Default Infinity. */
  readonly budget?: number;
}

/** The result of an evaluation. */
export type Evaluation =
  | { readonly ok: true; readonly value: CelValue; readonly cost: number }
  | { readonly ok: false; readonly error: EvaluationError; readonly cost: number; readonly isOverBudget: boolean };
