// The estimated costs of all rules of a schema. Together they may cost ten times what one may.
import { fieldForbidden } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';

/** Collects the costs of rules by their paths. */
export class RuleCosts {
  #total = 0;
  /** The rules that cost most, the most expensive first. */
  #expensive: readonly { readonly path: FieldPath; readonly cost: number }[] = [];

  /** Adds the cost of an expression. */
  add(path: FieldPath, cost: number): void {
    this.#total += cost;
    if (cost > namedCostMin)
      this.#expensive = [...this.#expensive, { path, cost }].sort((a, b) => b.cost - a.cost).slice(0, namedMax);
  }

  /** Returns what is wrong with the sum, at the path of the schema and of the rules that contribute most. */
  validate(path: FieldPath): readonly FieldError[] {
    if (this.#total <= costMax) return [];
    const total = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    const share = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    return [
      ...this.#expensive.map((rule) => fieldForbidden(rule.path, share)),
      fieldForbidden(path, costMessage(total, this.#total, costMax)),
    ];
  }
}

/** The sentence about a cost that is too high. */
export function costMessage(name: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const printed = factor > 100 ? 'more than 100x' : `${factor.toFixed(factor < 1.5 ? 6 : 1)}x`;
  const advice =
    'try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared';
  return `${name} exceeds budget by factor of ${printed} (${advice})`;
}

const costMax = 100_000_000;
/** Rules that cost less are not named, and of the others the most expensive. */
const namedCostMin = 1_000_000;
const namedMax = 4;
