// List, map and struct literals. Lists and maps of constants are constants and cost nothing.
import type { CelValue } from '../cel-value.js';
import { OptionalValue } from '../cel-value.js';
import type { ListNode, MapNode, StructNode } from '../check/checked.js';
import { EvaluationFailure, noSuchOverload } from '../values/failure.js';
import { MapBuilder, setProperty } from '../values/keyed-map.js';
import type { Plan, Planner } from './planner.js';
import { asStep } from './planner.js';

const listCost = 10;
const mapCost = 30;
const structCost = 40;

/** Compiles a list literal. */
export function planList(planner: Planner, { elements }: ListNode): Plan {
  const plans = elements.map(({ value }) => planner.plan(value));
  if (elements.every(({ isOptional }) => !isOptional)) {
    const constants = plans.flatMap((plan) => ('constant' in plan ? [plan.constant] : []));
    if (constants.length === plans.length) return { constant: constants };
  }
  const parts = plans.map((plan, i) => ({ step: asStep(plan), isOptional: elements[i]?.isOptional === true }));
  return {
    step: (frame) => {
      frame.cost += listCost;
      const list: CelValue[] = [];
      for (const { step, isOptional } of parts) {
        const value = step(frame);
        if (value instanceof EvaluationFailure) return value;
        if (!isOptional) list.push(value);
        else if (!(value instanceof OptionalValue)) return noSuchOverload;
        else if (value.value !== undefined) list.push(value.value);
      }
      return list;
    },
  };
}

/** Compiles a map literal. */
export function planMap(planner: Planner, { entries }: MapNode): Plan {
  const plans = entries.map(({ key, value }) => [planner.plan(key), planner.plan(value)] as const);
  if (entries.every(({ isOptional }) => !isOptional)) {
    const constants = plans.flatMap(([key, value]) =>
      'constant' in key && 'constant' in value ? [[key.constant, value.constant] as const] : [],
    );
    if (constants.length === plans.length) return { constant: constantMap(constants) };
  }
  const parts = plans.map(([key, value], i) => ({
    key: asStep(key),
    value: asStep(value),
    isOptional: entries[i]?.isOptional === true,
  }));
  return {
    step: (frame) => {
      frame.cost += mapCost;
      const builder = new MapBuilder();
      for (const part of parts) {
        const key = part.key(frame);
        if (key instanceof EvaluationFailure) return key;
        const value = part.value(frame);
        if (value instanceof EvaluationFailure) return value;
        if (!part.isOptional) builder.set(key, value);
        else if (!(value instanceof OptionalValue)) return noSuchOverload;
        else if (value.value !== undefined) builder.set(key, value.value);
      }
      return builder.map;
    },
  };
}

/** Compiles a struct literal into a value of its type: a JSON object, or what the type makes of one. */
export function planStruct(planner: Planner, { type, fields }: StructNode): Plan {
  const objectType = type.kind === 'object' ? type : undefined;
  const parts = fields.map(({ property, value, isOptional }) => ({ property, step: planner.step(value), isOptional }));
  return {
    step: (frame) => {
      frame.cost += structCost;
      const object: Record<string, CelValue> = {};
      for (const { property, step, isOptional } of parts) {
        const value = step(frame);
        if (value instanceof EvaluationFailure) return value;
        if (!isOptional) setProperty(object, property, value);
        else if (!(value instanceof OptionalValue)) return noSuchOverload;
        else if (value.value !== undefined) setProperty(object, property, value.value);
      }
      return objectType?.construct?.(object) ?? object;
    },
  };
}

function constantMap(entries: readonly (readonly [CelValue, CelValue])[]): CelValue {
  const builder = new MapBuilder();
  for (const [key, value] of entries) builder.set(key, value);
  return builder.map;
}
