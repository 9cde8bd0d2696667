// Indexes the rules of a role or user, so that a decision examines only the rules that could match. The index is linear
// in the size of the rules: lists of a rule are never multiplied, because a hostile role could exploit that.
import type { Frozen } from '../../core/index.js';
import type { PolicyRule } from '../../core/types/index.js';
import type { AccessAttributes } from '../authorizer.js';
import { resourcePatterns, urlMatches } from './rule-matching.js';

/** One verb on one resource, object or path: the unit of rules. `patterns` are those that match the resource. */
export type Permission =
  | {
      readonly verb: string;
      readonly group: string;
      readonly resource: string;
      readonly patterns: readonly string[];
      readonly name?: string;
    }
  | { readonly verb: string; readonly url: string };

/** An index of rules. */
export class IndexedRules {
  readonly #byResource = new Map<string, RuleTerms[]>();
  readonly #byUrl = new Map<string, RuleTerms[]>();
  /** Path patterns that end in `*`; usually a few. */
  readonly #byUrlStart: (readonly [pattern: string, terms: RuleTerms])[] = [];
  readonly #all: RuleTerms[] = [];
  #byVerb: ReadonlyMap<string, readonly RuleTerms[]> | undefined;

  constructor(rules: readonly Frozen<PolicyRule>[]) {
    for (const rule of rules) this.#add(rule);
  }

  /** Returns true if one of the rules allows the request. */
  allow({ isResource, verb, path, group, resource, subresource, name }: AccessAttributes): boolean {
    if (!isResource) return this.#someOfUrl(path, (terms) => terms.hasVerb(verb));
    return this.#someOf(
      resourcePatterns(resource, subresource),
      verb,
      (terms) => terms.hasGroup(group) && (terms.names === undefined || terms.names.has(name)),
    );
  }

  /**
   * Returns true if one of the rules covers the permission. `*` is covered only by `*`, and a rule with resource names
   * does not cover a permission without one. As component-helpers/auth/rbac/validation/policy_comparator.go,
   * ruleCovers.
   */
  cover(permission: Permission): boolean {
    const { verb } = permission;
    if ('url' in permission)
      return this.#someOfUrl(permission.url, (terms) => terms.names === undefined && terms.hasVerb(verb));
    const { group, patterns, name } = permission;
    return this.#someOf(
      patterns,
      verb,
      (terms) => terms.hasGroup(group) && (terms.names === undefined || (name !== undefined && terms.names.has(name))),
    );
  }

  #add(rule: Frozen<PolicyRule>): void {
    const terms = new RuleTerms(rule);
    this.#all.push(terms);
    for (const resource of new Set(rule.resources)) file(this.#byResource, resource, terms);
    for (const url of new Set(rule.nonResourceURLs)) {
      file(this.#byUrl, url, terms);
      if (url.endsWith('*')) this.#byUrlStart.push([url, terms]);
    }
  }

  #someOf(patterns: readonly string[], verb: string, fits: (terms: RuleTerms) => boolean): boolean {
    let candidates = 0;
    for (const pattern of patterns) candidates += this.#byResource.get(pattern)?.length ?? 0;
    if (candidates > fewRules) return this.#someOfVerb(patterns, verb, fits, candidates);
    for (const pattern of patterns) {
      const filed = this.#byResource.get(pattern);
      if (filed !== undefined) for (const terms of filed) if (terms.hasVerb(verb) && fits(terms)) return true;
    }
    return false;
  }

  /** Second index by verb, for resources with many rules. */
  #someOfVerb(patterns: readonly string[], verb: string, fits: (terms: RuleTerms) => boolean, most: number): boolean {
    this.#byVerb ??= filedByVerb(this.#all);
    const ofVerb = this.#byVerb.get(verb) ?? [];
    const ofAny = verb === '*' ? [] : (this.#byVerb.get('*') ?? []);
    if (ofVerb.length + ofAny.length < most) {
      const match = (terms: RuleTerms): boolean =>
        patterns.some((pattern) => terms.resources.has(pattern)) && fits(terms);
      return ofVerb.some(match) || ofAny.some(match);
    }
    return patterns.some(
      (pattern) => this.#byResource.get(pattern)?.some((terms) => terms.hasVerb(verb) && fits(terms)) === true,
    );
  }

  #someOfUrl(url: string, fits: (terms: RuleTerms) => boolean): boolean {
    const exact = this.#byUrl.get(url);
    if (exact?.some(fits) === true) return true;
    return this.#byUrlStart.some(([pattern, terms]) => urlMatches(pattern, url) && fits(terms));
  }
}

/** Returns the patterns that match a resource, which may be a pattern itself. */
export function coveringPatterns(resource: string): readonly string[] {
  const slash = resource.indexOf('/');
  return slash < 0 ? [resource, '*'] : [resource, `*${resource.slice(slash)}`, '*'];
}

/** Below this number of rules a second index costs more than it saves. */
const fewRules = 16;

/** The lists of a rule as sets. */
class RuleTerms {
  readonly verbs: ReadonlySet<string>;
  readonly resources: ReadonlySet<string>;
  /** Undefined if the rule has no resource names. */
  readonly names: ReadonlySet<string> | undefined;
  readonly #groups: ReadonlySet<string>;
  readonly #anyVerb: boolean;
  readonly #anyGroup: boolean;

  constructor({ verbs, apiGroups = [], resources = [], resourceNames = [] }: Frozen<PolicyRule>) {
    this.verbs = new Set(verbs);
    this.resources = new Set(resources);
    this.names = resourceNames.length === 0 ? undefined : new Set(resourceNames);
    this.#groups = new Set(apiGroups);
    this.#anyVerb = this.verbs.has('*');
    this.#anyGroup = this.#groups.has('*');
  }

  hasVerb(verb: string): boolean {
    return this.#anyVerb || this.verbs.has(verb);
  }

  hasGroup(group: string): boolean {
    return this.#anyGroup || this.#groups.has(group);
  }
}

function file<T>(index: Map<string, T[]>, key: string, value: T): void {
  const filed = index.get(key);
  if (filed === undefined) index.set(key, [value]);
  else filed.push(value);
}

function filedByVerb(all: readonly RuleTerms[]): ReadonlyMap<string, readonly RuleTerms[]> {
  const byVerb = new Map<string, RuleTerms[]>();
  for (const terms of all) for (const verb of terms.verbs) file(byVerb, verb, terms);
  return byVerb;
}
