// `&&`, `||` and `?:`. A failure of one operand is absorbed where another one decides the result, in either order.
import type { ConditionalNode, LogicalNode } from '../check/checked.js';
import { EvaluationFailure, noSuchOverload } from '../values/failure.js';
import type { StepOutcome } from './frame.js';
import type { Plan, Planner } from './planner.js';
import { asStep, planPassedOn } from './planner.js';

/** Compiles `a && b && …` or `a || b || …`. */
export function planLogical(planner: Planner, { operator, operands }: LogicalNode): Plan {
  const steps = operands.map((operand) => planner.step(operand));
  const decisive = operator === '_||_';
  return {
    step: (frame) => {
      let result: StepOutcome = !decisive;
      for (const step of steps) {
        const outcome = step(frame);
        if (outcome === decisive) return decisive;
        if (typeof outcome === 'boolean' || result instanceof EvaluationFailure) continue;
        result = outcome instanceof EvaluationFailure ? outcome : noSuchOverload;
      }
      return result;
    },
  };
}

/** Compiles `c ? a : b`. */
export function planConditional(planner: Planner, { condition, yes, no }: ConditionalNode): Plan {
  const decide = planner.step(condition);
  const first = asStep(planPassedOn(planner, yes));
  const second = asStep(planPassedOn(planner, no));
  return {
    step: (frame) => {
      const outcome = decide(frame);
      if (outcome === true) return first(frame);
      if (outcome === false) return second(frame);
      return outcome instanceof EvaluationFailure ? outcome : noSuchOverload;
    },
  };
}
