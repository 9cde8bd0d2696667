// Makes environments and compiles expressions: parse, check, plan. A compiled expression is evaluated by its closures.
import type { CelType } from './cel-type.js';
import { selectsField } from './check/checked.js';
import type { Checked } from './check/checked.js';
import { check } from './check/checker.js';
import { Declarations } from './check/declarations.js';
import { estimateCost } from './cost/estimate.js';
import type {
  Compilation,
  CompiledExpression,
  Environment,
  EnvironmentOptions,
  Evaluation,
  EvaluationOptions,
  Variables,
} from './environment.js';
import { Frame, OverBudget } from './evaluate/frame.js';
import type { EvaluationStep } from './evaluate/frame.js';
import { stepOf } from './evaluate/plan.js';
import { InstantiationError } from './evaluate/planner.js';
import type { EstimateRange, ValueEstimate } from './library.js';
import { EvaluationError } from './library.js';
import { parse } from './parse/parser.js';
import { Source } from './parse/source.js';
import { EvaluationFailure } from './values/failure.js';

/** Returns an environment with declarations. */
export function createEnvironment(options: Partial<EnvironmentOptions>): Environment {
  return environmentOf(new Declarations(options));
}

function environmentOf(declarations: Declarations): Environment {
  return {
    extend: (options) => environmentOf(new Declarations(options, declarations)),
    compile: (text) => compile(text, declarations),
  };
}

function compile(text: string, declarations: Declarations): Compilation {
  const source = new Source(text);
  const tree = parse(source, (name, isMember, count) => declarations.macro(name, isMember, count));
  const checked = tree && check(source, tree, declarations);
  if (checked === undefined)
    return { ok: false, issues: source.issues(), message: source.message(), isInstantiation: false };
  try {
    const step = stepOf(checked.root);
    return { ok: true, expression: new Expression(text, checked.root, checked.references, checked.frameSize, step) };
  } catch (error) {
    if (!(error instanceof InstantiationError)) throw error;
    return { ok: false, issues: [], message: error.message, isInstantiation: true };
  }
}

class Expression implements CompiledExpression {
  readonly text: string;
  readonly type: CelType;
  readonly references: ReadonlySet<string>;
  readonly usesVariable: (name: string) => boolean;
  readonly #root: Checked;
  readonly #frameSize: number;
  readonly #step: EvaluationStep;

  constructor(text: string, root: Checked, references: ReadonlySet<string>, frameSize: number, step: EvaluationStep) {
    this.text = text;
    this.type = root.type;
    this.references = references;
    this.usesVariable = (name) => references.has(name);
    this.#root = root;
    this.#frameSize = frameSize;
    this.#step = step;
  }

  selects(variable: string, path: readonly string[]): boolean {
    return selectsField(this.#root, variable, path);
  }

  estimateCost(sizes: (path: readonly string[], type: CelType) => ValueEstimate | undefined): EstimateRange {
    return estimateCost(this.#root, sizes);
  }

  evaluate(variables: Variables, { budget = Infinity }: EvaluationOptions = {}): Evaluation {
    const frame = new Frame(variables, this.#frameSize, budget);
    try {
      const outcome = this.#step(frame);
      if (frame.isOverBudget) return overBudget(frame.cost);
      if (outcome instanceof EvaluationFailure)
        return { ok: false, error: new EvaluationError(outcome.message), cost: frame.cost, isOverBudget: false };
      return { ok: true, value: outcome, cost: frame.cost };
    } catch (error) {
      if (error instanceof OverBudget) return overBudget(frame.cost);
      throw error;
    }
  }
}

function overBudget(cost: number): Evaluation {
  const error = new EvaluationError('operation cancelled: actual cost limit exceeded');
  return { ok: false, error, cost, isOverBudget: true };
}
