// Calls of functions. A call that was resolved to one overload by static types runs it directly; where an argument is
// dyn, the overload is chosen by the values. Arguments are evaluated even where another one fails.
import type { CelType } from '../cel-type.js';
import type { CelValue } from '../cel-value.js';
import type { CallNode } from '../check/checked.js';
import { fitsType, literalType } from '../check/literal-type.js';
import { typeName } from '../check/type-names.js';
import type { Overload } from '../library.js';
import { costSize, traversal } from '../standard/costs.js';
import type { StandardOperation, StandardOverload } from '../standard/declare.js';
import { equalValues } from '../values/equality.js';
import { EvaluationFailure } from '../values/failure.js';
import { isList } from '../values/lists.js';
import { KeyedMap } from '../values/keyed-map.js';
import { planOr } from './attributes.js';
import { attempt } from './frame.js';
import type { Frame, StepOutcome, EvaluationStep } from './frame.js';
import type { Plan, Planner } from './planner.js';
import { asStep } from './planner.js';

/** Compiles a call. */
export function planCall(
  planner: Planner,
  node: CallNode,
  plans: readonly Plan[] = node.values.map((value) => planner.plan(value)),
): Plan {
  if ((node.name === 'or' || node.name === 'orValue') && node.isMember && node.overloads.every(isStandard))
    return planOr(node.name === 'orValue', plans);
  if (node.name === '@in') {
    const [value, range] = plans;
    const members =
      range && 'constant' in range && node.values[1]?.kind === 'list' ? constantMembers(range.constant) : undefined;
    if (members !== undefined && value !== undefined) return planMembership(asStep(value), members, value);
  }
  const steps = plans.map(asStep);
  if (node.name === '_==_' || node.name === '_!=_') return { step: planEquality(steps, node.name === '_==_') };
  const direct = planDirect(node, steps);
  if (direct !== undefined) return { step: direct };
  return { step: planSteps(steps, invocation(node), costing(node), failureCosting(node, plans[1])) };
}

type Invoke = (values: readonly CelValue[]) => StepOutcome;
type Cost = ((values: readonly CelValue[], result: CelValue | undefined) => number) | undefined;

/** Only a call that is resolved to one overload has a cost of its own. */
function costing({ overloads }: CallNode): Cost {
  const [only, ...others] = overloads;
  return others.length === 0 && only?.cost !== undefined
    ? (values, result) => only.cost?.(values, result) ?? 1
    : undefined;
}

/** The cost of a call with a failed argument, which counts as a value of size 1. */
type FailureCost = ((values: readonly CelValue[]) => number) | undefined;

function failureCosting(node: CallNode, second: Plan | undefined): FailureCost {
  const [only, ...others] = node.overloads;
  if (only === undefined || others.length > 0 || !isStandard(only)) return undefined;
  // A constant pattern is compiled beforehand; then a match that fails is not counted.
  if (node.name === 'matches' && second !== undefined && 'constant' in second) return () => 0;
  return (values) => only.cost?.(values, undefined) ?? 1;
}

function withoutFailure(outcome: StepOutcome): CelValue {
  return outcome instanceof EvaluationFailure ? null : outcome;
}

function isStandard(overload: Overload): overload is StandardOverload {
  return 'operation' in overload;
}

/** Returns the implementation that all overloads of a call share, as those of an operator do. */
function sharedOperation({ overloads }: CallNode): StandardOperation | undefined {
  const [first] = overloads;
  if (first === undefined || !isStandard(first)) return undefined;
  const { operation } = first;
  return overloads.every((overload) => isStandard(overload) && overload.operation === operation)
    ? operation
    : undefined;
}

const orders: Readonly<Record<string, (one: number, other: number) => boolean>> = {
  '_<_': (one, other) => one < other,
  '_<=_': (one, other) => one <= other,
  '_>_': (one, other) => one > other,
  '_>=_': (one, other) => one >= other,
};

/** Compiles a call of an operator with a fixed cost without collecting its arguments. */
function planDirect(node: CallNode, [first, second, third]: readonly EvaluationStep[]): EvaluationStep | undefined {
  const operation = sharedOperation(node);
  if (operation === undefined || first === undefined || third !== undefined || costing(node) !== undefined)
    return undefined;
  if (second === undefined) {
    return (frame) => {
      const value = first(frame);
      frame.cost += 1;
      return value instanceof EvaluationFailure ? value : operation(value);
    };
  }
  const order = orders[node.name];
  return (frame) => {
    const one = first(frame);
    const other = second(frame);
    frame.cost += 1;
    // NaN has no order: only numbers that are equal to themselves are compared here.
    if (order !== undefined && typeof one === 'number' && typeof other === 'number' && one - one === other - other)
      return order(one, other);
    if (one instanceof EvaluationFailure) return one;
    return other instanceof EvaluationFailure ? other : operation(one, other);
  };
}

function invocation(node: CallNode): Invoke {
  const { overloads } = node;
  const [only] = overloads;
  const operation = sharedOperation(node);
  if (operation !== undefined) return (values) => operation(...values);
  const isDynamic =
    overloads.length > 1 || node.values.some((value, i) => isOpen(value.type) && !isOpen(only?.parameters[i]));
  if (only !== undefined && !isDynamic) return (values) => attempt(() => only.evaluate(...values));
  return (values) => {
    const chosen = overloads.find((overload) =>
      overload.parameters.every((type, i) => fitsType(values[i] ?? null, type)),
    );
    if (chosen !== undefined) return attempt(() => chosen.evaluate(...values));
    const types = values.map((value) => typeName(literalType(value))).join(', ');
    return new EvaluationFailure(`no such overload: ${node.name}(${types})`);
  };
}

/** Returns whether values of a type are of any type. */
function isOpen(type: CelType | undefined): boolean {
  return type === undefined || type.kind === 'dyn' || type.kind === 'parameter';
}

function planSteps(
  steps: readonly EvaluationStep[],
  invoke: Invoke,
  cost: Cost,
  failureCost: FailureCost,
): EvaluationStep {
  const finish = (frame: Frame, values: readonly CelValue[]): StepOutcome => {
    const result = invoke(values);
    if (cost === undefined) frame.cost += 1;
    else frame.spend(cost(values, result instanceof EvaluationFailure ? undefined : result));
    return result;
  };
  const [first, second] = steps;
  if (first !== undefined && steps.length === 1) {
    return (frame) => {
      const value = first(frame);
      if (!(value instanceof EvaluationFailure)) return finish(frame, [value]);
      frame.spend(failureCost?.([null]) ?? 1);
      return value;
    };
  }
  if (first !== undefined && second !== undefined && steps.length === 2) {
    return (frame) => {
      const one = first(frame);
      const other = second(frame);
      if (!(one instanceof EvaluationFailure) && !(other instanceof EvaluationFailure))
        return finish(frame, [one, other]);
      frame.spend(failureCost?.([withoutFailure(one), withoutFailure(other)]) ?? 1);
      return one instanceof EvaluationFailure ? one : other;
    };
  }
  return (frame) => {
    const values: CelValue[] = [];
    for (const step of steps) {
      const value = step(frame);
      if (value instanceof EvaluationFailure) {
        // Only a call whose arguments were all evaluated costs.
        if (values.length === steps.length - 1) frame.cost += 1;
        return value;
      }
      values.push(value);
    }
    return finish(frame, values);
  };
}

function planEquality([first, second]: readonly EvaluationStep[], isEqual: boolean): EvaluationStep {
  return (frame) => {
    const one = first?.(frame) ?? null;
    const other = second?.(frame) ?? null;
    frame.spend(equalityCost(withoutFailure(one), withoutFailure(other)));
    if (one instanceof EvaluationFailure || other instanceof EvaluationFailure)
      return one instanceof EvaluationFailure ? one : other;
    return equalValues(one, other) === isEqual;
  };
}

function equalityCost(one: CelValue, other: CelValue): number {
  if (typeof one === 'string' && typeof other === 'string') {
    const shorter = Math.min(one.length, other.length);
    if (shorter <= 10) return shorter === 0 ? 0 : 1;
  } else if (typeof one === 'number' && typeof other === 'number') return 1;
  return traversal(Math.min(costSize(one), costSize(other)));
}

/** Returns the members of a constant list of numbers, strings and bools. */
function constantMembers(list: CelValue): KeyedMap | undefined {
  if (!isList(list) || !Array.isArray(list)) return undefined;
  const members = new KeyedMap();
  for (const element of list as readonly CelValue[]) {
    const isSimple = typeof element !== 'object' || ['int', 'uint', 'double'].includes(literalType(element).kind);
    if (!isSimple) return undefined;
    members.set(element, true);
  }
  return members;
}

/** Compiles `x in [constants]`: a look-up that costs nothing. */
function planMembership(value: EvaluationStep, members: KeyedMap, plan: Plan): Plan {
  if ('constant' in plan) return { constant: members.has(plan.constant) };
  if (members.size === 0) return { constant: false };
  return {
    step: (frame) => {
      const outcome = value(frame);
      return outcome instanceof EvaluationFailure ? outcome : members.has(outcome);
    },
  };
}
