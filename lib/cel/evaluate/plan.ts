// Compiles a checked expression into closures, once. What is constant is computed here: literals, and conversions
// of constants. Costs are those of Kubernetes: 1 for a variable and for each selection, 10 for a list, 30 for a map, 40
// for a struct, and what a function costs. An attribute (a variable with selections) that is only passed on, as a
// branch of `?:` or an index, does not count its variable.
import type { CallNode, Checked, LocalNode } from '../check/checked.js';
import { EvaluationFailure } from '../values/failure.js';
import { planSelection, planIndex } from './attributes.js';
import { planCall } from './calls.js';
import type { Plan, PlanOptions, Planner } from './planner.js';
import { InstantiationError, asStep, isIndex } from './planner.js';
import { planComprehension, planOptionalMap } from './comprehensions.js';
import { LazyValue } from './frame.js';
import type { Frame, StepOutcome, EvaluationStep } from './frame.js';
import { planConditional, planLogical } from './logic.js';
import { planList, planMap, planStruct } from './aggregates.js';

const counted: PlanOptions = { isCounted: true, isLenient: false };

/** Compiles a node. */
export function planNode(node: Checked, options: PlanOptions = counted): Plan {
  switch (node.kind) {
    case 'constant':
      return { constant: node.value };
    case 'variable':
      return { step: planVariable(node.name, options.isCounted) };
    case 'local':
      return { step: planLocal(node, options.isCounted) };
    case 'select':
      return planSelection(planner, node, options);
    case 'call':
      return isIndex(node) ? planIndex(planner, node, options) : planFoldable(node);
    case 'logical':
      return planLogical(planner, node);
    case 'conditional':
      return planConditional(planner, node);
    case 'list':
      return planList(planner, node);
    case 'map':
      return planMap(planner, node);
    case 'struct':
      return planStruct(planner, node);
    case 'comprehension':
      return planComprehension(planner, node);
    case 'bind': {
      const value = stepOf(node.value);
      const body = stepOf(node.body);
      const { slot } = node;
      return {
        step: (frame) => {
          frame.locals[slot] = new LazyValue(value);
          return body(frame);
        },
      };
    }
    case 'optionalMap':
      return planOptionalMap(planner, node);
  }
}

/** Compiles a node into a step. */
export function stepOf(node: Checked, options?: PlanOptions): EvaluationStep {
  return asStep(planNode(node, options));
}

const planner: Planner = { plan: planNode, step: stepOf };

const folded: ReadonlySet<string> = new Set('bool bytes double duration dyn int string timestamp type uint'.split(' '));

/** Compiles a call; conversions of constants are constants. */
function planFoldable(node: CallNode): Plan {
  const [argument] = node.values;
  if (!folded.has(node.name) || node.values.length !== 1 || argument === undefined) return planCall(planner, node);
  const plan = planNode(argument);
  const call = planCall(planner, node, [plan]);
  if (!('constant' in plan) || !('step' in call)) return call;
  const outcome = call.step(constantFrame());
  if (outcome instanceof EvaluationFailure) throw new InstantiationError(outcome.message);
  return { constant: outcome };
}

/** A frame for calls whose arguments are constants. */
function constantFrame(): Frame {
  const frame = { cost: 0, locals: [], spend: () => undefined };
  return frame as unknown as Frame;
}

function planVariable(name: string, isCounted: boolean): EvaluationStep {
  if (!isCounted) return (frame) => frame.read(name);
  return (frame) => {
    frame.cost += 1;
    return frame.read(name);
  };
}

function planLocal({ slot, isLazy }: LocalNode, isCounted: boolean): EvaluationStep {
  const read: EvaluationStep = isLazy ? (frame) => readLazy(frame, slot) : (frame) => frame.locals[slot] as StepOutcome;
  if (!isCounted) return read;
  return (frame) => {
    frame.cost += 1;
    return read(frame);
  };
}

function readLazy(frame: Frame, slot: number): StepOutcome {
  const value = frame.locals[slot] ?? null;
  if (!(value instanceof LazyValue)) return value;
  const outcome = value.step(frame);
  frame.locals[slot] = outcome;
  return outcome;
}
