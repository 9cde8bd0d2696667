// Which writes a policy or a binding is about, compiled once per generation: rules that include and exclude, and
// selectors. What depends on the sort of a write only is computed once for each sort (`sortMatch`); names and selectors
// are left for each request. As apiserver/pkg/admission/plugin/policy/matching.
import { once, selectorFromStructured } from '../../core/index.js';
import type { Frozen, ReviewedWrite, Scheme, Selector } from '../../core/index.js';
import type { MatchResources, Namespace } from '../../core/types/index.js';
import type { FollowedResource } from '../followed-resource.js';
import { ruleMatches } from '../rule-matching.js';
import type { MatchedRules, RuleMatch } from '../rule-matching.js';
import { matchesNamespace, matchesObject } from '../selector-matching.js';

/** Match resources, compiled. */
export interface CompiledMatch {
  /** Undefined for all resources. */
  readonly included: MatchedRules | undefined;
  readonly excluded: MatchedRules;
  /** Returns the selector. Throws ParseError where a stored one is wrong. */
  readonly namespaceSelector: () => Selector;
  /** Likewise. */
  readonly objectSelector: () => Selector;
}

/** Compiles match resources. Without any, all writes match. */
export function compileMatch(match: Frozen<MatchResources> = {}): CompiledMatch {
  const { resourceRules = [], excludeResourceRules = [], matchPolicy = 'Equivalent' } = match;
  const matchesEquivalent = matchPolicy === 'Equivalent';
  return {
    included: resourceRules.length === 0 ? undefined : { rules: resourceRules, matchesEquivalent },
    excluded: { rules: excludeResourceRules, matchesEquivalent },
    namespaceSelector: once(() => selectorFromStructured(match.namespaceSelector ?? {})),
    objectSelector: once(() => selectorFromStructured(match.objectSelector ?? {})),
  };
}

/** What rules match of a sort of write. */
export interface SortMatch {
  readonly included: readonly RuleMatch[];
  readonly excluded: readonly RuleMatch[];
}

/** Returns what the rules match of a sort of write; undefined where they match none of it. */
export function sortMatch(
  { included, excluded }: CompiledMatch,
  review: ReviewedWrite,
  scheme: Scheme,
): SortMatch | undefined {
  const own: RuleMatch = { resource: review.resource, kind: undefined, names: undefined };
  const matches = included === undefined ? [own] : ruleMatches(included, review, scheme);
  if (matches.length === 0) return undefined;
  const exclusions = excluded.rules.length === 0 ? none : ruleMatches(excluded, review, scheme);
  if (exclusions.some(({ names }) => names === undefined)) return undefined;
  return { included: matches, excluded: exclusions };
}

const none: readonly RuleMatch[] = [];

/** Returns the first match for an object of that name; undefined where it is excluded, or no rule names it. */
export function nameMatch({ included, excluded }: SortMatch, name: string): RuleMatch | undefined {
  const isNamed = ({ names }: RuleMatch): boolean => names === undefined || names.has(name);
  return excluded.some(isNamed) ? undefined : included.find(isNamed);
}

/**
 * Returns whether the selectors match a write. Throws and rejects where a selector is wrong or a namespace is missing.
 */
export function matchesSelectors(
  { namespaceSelector, objectSelector }: CompiledMatch,
  review: ReviewedWrite,
  namespaces: FollowedResource<Namespace>,
): boolean | Promise<boolean> {
  if (!matchesObject(objectSelector(), review)) return false;
  return matchesNamespace(namespaceSelector(), review, namespaces);
}
