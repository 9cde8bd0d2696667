// Selectors of objects by their labels: the AND of requirements. A Selector is an immutable value; its requirements
// are sorted by key, as Kubernetes prints them, and are bounded in number. Two selectors are special: `everything`
// has no requirements, `nothing` matches no object whatever its labels.
// The text form is parsed here; spec.selector objects are converted in structured-selector.ts.
// Behaviour as apimachinery/pkg/labels/selector.go.
import { matchesRequirement, printLabelRequirement } from './label-requirement.js';
import type { LabelRequirement, Labels } from './label-requirement.js';
import { parseRequirements } from './label-selector-parser.js';
import { refuseManyTerms } from './selector-bounds.js';

/** A label selector ready to match. */
export interface Selector {
  /** Sorted by key; those of one key in the order given. */
  readonly requirements: readonly LabelRequirement[];
  /** Matches no object. There are no requirements then. */
  readonly nothing: boolean;
}

/** Matches every object. */
export const everything: Selector = Object.freeze({ requirements: Object.freeze([]), nothing: false });

/** Matches no object: what an absent spec.selector means. */
export const nothing: Selector = Object.freeze({ requirements: Object.freeze([]), nothing: true });

/** Reads the text form, as in `?labelSelector=` and `kubectl -l`. Empty text is everything. Throws ParseError. */
export function parseLabelSelector(text: string): Selector {
  return selectorOf(parseRequirements(text));
}

/** The AND of requirements. Throws ParseError when they are too many. */
export function selectorOf(requirements: readonly LabelRequirement[]): Selector {
  if (requirements.length === 0) return everything;
  refuseManyTerms(requirements.length);
  return Object.freeze({ requirements: Object.freeze(requirements.toSorted(byKey)), nothing: false });
}

/** Matches objects that have all of these labels; no labels, no restriction. Unchecked, as labels.SelectorFromSet. */
export function selectorFromLabels(labels: Labels | undefined): Selector {
  const entries = Object.entries(labels ?? {});
  return selectorOf(
    entries.map(([key, value]) => Object.freeze({ key, operator: '=', values: Object.freeze([value]) })),
  );
}

/** Returns whether an object with these labels matches. About 40 ns a requirement. */
export function matchesLabels(selector: Selector, labels: Labels | undefined): boolean {
  if (selector.nothing) return false;
  for (const requirement of selector.requirements) {
    if (!matchesRequirement(requirement, labels)) return false;
  }
  return true;
}

/** The text form; parses to the same selector. `nothing` has no text and prints as everything does. */
export function printLabelSelector(selector: Selector): string {
  return selector.requirements.map(printLabelRequirement).join(',');
}

/** The labels an object must have to match, so that an index can find candidates. More may be required of them. */
export function exactMatches(selector: Selector): ReadonlyMap<string, string> {
  const exact = new Map<string, string>();
  for (const { key, operator, values } of selector.requirements) {
    const [value] = values;
    const isExact = values.length === 1 && (operator === '=' || operator === '==' || operator === 'in');
    if (isExact && value !== undefined && !exact.has(key)) exact.set(key, value);
  }
  return exact;
}

function byKey(a: LabelRequirement, b: LabelRequirement): number {
  if (a.key === b.key) return 0;
  return a.key < b.key ? -1 : 1;
}
