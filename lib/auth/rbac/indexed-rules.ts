// The rules of a role, or of a user, filed so that a question costs what could match it and not what else they say.
// Sizes stay linear in what was written: the lists of a rule are never multiplied with each other, which a hostile role
// could be made for.
import type { Frozen } from '../../core/index.js';
import type { PolicyRule } from '../../core/types/index.js';
import type { AccessAttributes } from '../authorizer.js';
import { resourcePatterns, urlMatches } from './rule-matching.js';

/**
 * One verb on one resource, one object or one path: what rules are made of. The patterns are those that give the
 * resource.
 */
export type Permission =
  | {
      readonly verb: string;
      readonly group: string;
      readonly resource: string;
      readonly patterns: readonly string[];
      readonly name?: string;
    }
  | { readonly verb: string; readonly url: string };

/** Rules that answer fast. */
export class IndexedRules {
  readonly #byResource = new Map<string, RuleTerms[]>();
  readonly #byUrl = new Map<string, RuleTerms[]>();
  /** Patterns for paths that end in `*`; rarely more than a few. */
  readonly #byUrlStart: (readonly [pattern: string, terms: RuleTerms])[] = [];
  readonly #all: RuleTerms[] = [];
  #byVerb: ReadonlyMap<string, readonly RuleTerms[]> | undefined;

  constructor(rules: readonly Frozen<PolicyRule>[]) {
    for (const rule of rules) this.#add(rule);
  }

  /** Whether one of the rules allows a request. */
  allow({ isResource, verb, path, group, resource, subresource, name }: AccessAttributes): boolean {
    if (!isResource) return this.#someOfUrl(path, (terms) => terms.hasVerb(verb));
    return this.#someOf(
      resourcePatterns(resource, subresource),
      verb,
      (terms) => terms.hasGroup(group) && (terms.names === undefined || terms.names.has(name)),
    );
  }

  /**
   * Whether one of the rules gives at least this. A `*` is only given by a `*`; a rule about named objects does not
   * give what is not about one. As component-helpers/auth/rbac/validation/policy_comparator.go, ruleCovers.
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

  /** Where many rules are about the resource, fewer may be about the verb. */
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

/** What rules may write to give a resource, which may be a pattern itself. */
export function coveringPatterns(resource: string): readonly string[] {
  const slash = resource.indexOf('/');
  return slash < 0 ? [resource, '*'] : [resource, `*${resource.slice(slash)}`, '*'];
}

/** Up to here a second index costs more than it saves. */
const fewRules = 16;

/** The lists of a rule as sets. */
class RuleTerms {
  readonly verbs: ReadonlySet<string>;
  readonly resources: ReadonlySet<string>;
  /** Undefined where the rule is about all objects. */
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
