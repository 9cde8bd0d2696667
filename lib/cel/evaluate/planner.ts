// What the compilers of the kinds of nodes share: they compile the nodes inside of theirs by a `Planner`.
import type { CelValue } from '../cel-value.js';
import type { CallNode, Checked } from '../check/checked.js';
import type { EvaluationStep } from './frame.js';

/** A constant, or a step that computes. */
export type Plan = { readonly constant: CelValue } | { readonly step: EvaluationStep };

/** A conversion of a constant that fails: the expression cannot be evaluated at all. */
export class InstantiationError extends Error {}

/** How a node is compiled. */
export interface PlanOptions {
  /** Whether the variable of an attribute costs. */
  readonly isCounted: boolean;
  /** Whether a selection that fails costs nothing, as inside of `has()`. */
  readonly isLenient: boolean;
}

/** Compiles nodes. */
export interface Planner {
  plan(node: Checked, options?: PlanOptions): Plan;
  step(node: Checked, options?: PlanOptions): EvaluationStep;
}

/** Returns the step of a plan. */
export function asStep(plan: Plan): EvaluationStep {
  if ('step' in plan) return plan.step;
  const { constant } = plan;
  return () => constant;
}

/** Returns whether a node is an attribute: a variable, a selection, an index or a choice between them. */
export function isAttribute(node: Checked): boolean {
  switch (node.kind) {
    case 'variable':
    case 'local':
    case 'conditional':
      return true;
    case 'select':
      return node.mode !== 'test';
    case 'call':
      return isIndex(node);
    default:
      return false;
  }
}

/** Compiles a node that is passed on: the variable of an attribute is not counted. */
export function planPassedOn(planner: Planner, node: Checked): Plan {
  return isAttribute(node) ? planner.plan(node, { isCounted: false, isLenient: false }) : planner.plan(node);
}

/** Returns whether a call is an index: `a[k]` or `a[?k]`. */
export function isIndex({ name }: CallNode): boolean {
  return name === '_[_]' || name === '_[?_]';
}
