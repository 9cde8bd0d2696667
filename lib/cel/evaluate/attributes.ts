// Selections and indexes: `a.b`, `a.?b`, `has(a.b)`, `a[k]`, `a[?k]`. On an optional, they select from its value.
import type { FieldDeclaration } from '../cel-type.js';
import type { CelValue } from '../cel-value.js';
import { FieldsValue, MapValue, OptionalValue, optionalOf } from '../cel-value.js';
import type { CallNode, Checked, SelectNode } from '../check/checked.js';
import { EvaluationFailure, noSuchOverload } from '../values/failure.js';
import { isList } from '../values/lists.js';
import { isJsonMap } from '../values/maps.js';
import { lookUp, qualify } from '../values/qualify.js';
import { attempt } from './frame.js';
import type { StepOutcome, EvaluationStep } from './frame.js';
import type { Plan, PlanOptions, Planner } from './planner.js';
import { InstantiationError, asStep, isAttribute, planPassedOn } from './planner.js';

const none = optionalOf(undefined);

/** Compiles the owner of a selection. What is no attribute itself costs one more. */
function planOwner(planner: Planner, node: Checked, { isCounted, isLenient }: PlanOptions): EvaluationStep {
  if (isAttribute(node)) return planner.step(node, { isCounted, isLenient });
  const step = planner.step(node);
  if (!isCounted) return step;
  return (frame) => {
    const outcome = step(frame);
    frame.cost += 1;
    return outcome;
  };
}

/** Compiles a selection of a field. */
export function planSelection(planner: Planner, node: SelectNode, options: PlanOptions): Plan {
  const { field, declaration, mode } = node;
  if (mode === 'test') return { step: planTest(planner, node) };
  const owner = planOwner(planner, node.operand, options);
  const { isLenient } = options;
  if (mode === 'optional') {
    return {
      step: (frame) => {
        const value = owner(frame);
        if (value instanceof EvaluationFailure) return value;
        const found = selectOptional(value, field, declaration);
        if (found !== none && !(found instanceof EvaluationFailure)) frame.cost += 1;
        return found;
      },
    };
  }
  const isPlain = declaration === undefined;
  return {
    step: (frame) => {
      const value = owner(frame);
      // Nearly every selection is from a JSON object.
      if (
        isPlain &&
        typeof value === 'object' &&
        value !== null &&
        isPlainObject(value) &&
        Object.hasOwn(value, field)
      ) {
        const member = value[field];
        if (member !== undefined) {
          frame.cost += 1;
          return member;
        }
      }
      if (value instanceof EvaluationFailure) return value;
      const found = select(value, field, declaration);
      if (found !== none && !(isLenient && found instanceof EvaluationFailure)) frame.cost += 1;
      return found;
    },
  };
}

function isPlainObject(value: object): value is Readonly<Record<string, CelValue>> {
  return Object.getPrototypeOf(value) === Object.prototype;
}

function select(owner: CelValue, field: string, declaration: FieldDeclaration | undefined): StepOutcome {
  if (owner instanceof OptionalValue) return selectOptional(owner, field, declaration);
  const found = fieldOf(owner, field, declaration);
  return found === undefined ? qualify(owner, field) : found;
}

function selectOptional(owner: CelValue, field: string, declaration: FieldDeclaration | undefined): StepOutcome {
  const value = owner instanceof OptionalValue ? owner.value : owner;
  if (value === undefined) return none;
  const found = fieldOf(value, field, declaration);
  if (found === undefined) return none;
  return found instanceof EvaluationFailure ? found : new OptionalValue(found);
}

/** Returns a field; undefined where it is absent. */
function fieldOf(owner: CelValue, field: string, declaration: FieldDeclaration | undefined): StepOutcome | undefined {
  if (typeof owner !== 'object' || owner === null) return undefined;
  if (!isJsonMap(owner)) return lookUp(owner, field);
  const property = declaration?.property ?? field;
  if (!Object.hasOwn(owner, property)) return undefined;
  const value = owner[property];
  // A null of a declared field counts as absent.
  if (value === null && declaration !== undefined) return undefined;
  const read = declaration?.read;
  return read === undefined || value === undefined ? value : attempt(() => read(value) as CelValue);
}

/** Compiles `has(a.b)`: the selection itself is free. */
function planTest(planner: Planner, { operand, field, declaration }: SelectNode): EvaluationStep {
  const owner = planOwner(planner, operand, { isCounted: true, isLenient: true });
  const property = declaration?.property ?? field;
  return (frame) => {
    const outcome = owner(frame);
    return outcome instanceof EvaluationFailure
      ? outcome
      : hasField(outcome, field, property, declaration !== undefined);
  };
}

function hasField(owner: CelValue, field: string, property: string, isDeclared: boolean): StepOutcome {
  const value = owner instanceof OptionalValue ? owner.value : owner;
  if (typeof value !== 'object' || value === null) return false;
  if (isJsonMap(value)) {
    const found = Object.hasOwn(value, property) ? value[property] : undefined;
    return found !== undefined && !(isDeclared && found === null);
  }
  if (value instanceof MapValue || value instanceof FieldsValue) return value.has(field);
  return isList(value) ? new EvaluationFailure(`unsupported index type 'string' in list`) : false;
}

/** Compiles `a[k]` and `a[?k]`. */
export function planIndex(planner: Planner, node: CallNode, options: PlanOptions): Plan {
  const [ownerNode, keyNode] = node.values;
  if (ownerNode === undefined || keyNode === undefined) return { constant: null };
  const owner = planOwner(planner, ownerNode, options);
  const keyPlan = planPassedOn(planner, keyNode);
  // As the reference, which refuses the one constant that no list or map has as its key.
  if ('constant' in keyPlan && keyPlan.constant === null)
    throw new InstantiationError('invalid qualifier type: types.Null');
  const key = asStep(keyPlan);
  const isOptional = node.name === '_[?_]';
  const { isLenient } = options;
  return {
    step: (frame) => {
      const value = owner(frame);
      if (value instanceof EvaluationFailure) return value;
      const position = key(frame);
      if (position instanceof EvaluationFailure) {
        frame.cost += 1;
        return position;
      }
      const found =
        isOptional || value instanceof OptionalValue ? indexOptional(value, position) : qualify(value, position);
      if (found !== none && !(isLenient && found instanceof EvaluationFailure)) frame.cost += 1;
      return found;
    },
  };
}

function indexOptional(owner: CelValue, key: CelValue): StepOutcome {
  const value = owner instanceof OptionalValue ? owner.value : owner;
  if (value === undefined) return none;
  const found = lookUp(value, key);
  if (found === undefined) return none;
  return found instanceof EvaluationFailure ? found : new OptionalValue(found);
}

/** Compiles `a.or(b)` and `a.orValue(b)`: b is evaluated only where a has no value. Neither costs. */
export function planOr(isValue: boolean, [first, second]: readonly Plan[]): Plan {
  if (first === undefined || second === undefined) return { constant: null };
  const one = asStep(first);
  const other = asStep(second);
  return {
    step: (frame) => {
      const outcome = one(frame);
      if (outcome instanceof EvaluationFailure) return outcome;
      if (!(outcome instanceof OptionalValue)) return noSuchOverload;
      if (outcome.value === undefined) return other(frame);
      return isValue ? outcome.value : outcome;
    },
  };
}
