// Which requests a webhook or a policy is about: operations, groups, versions, resources, names, selectors.
// As pkg/apis/admissionregistration/validation/validation.go, validateRuleWithOperations and validateMatchResources.
import { collect, visitUntilFull } from '../../errors/collect.js';
import { fieldDuplicate, fieldInvalid, fieldNotSupported, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import type { Frozen } from '../../objects/meta.js';
import { isPathSegment } from '../../objects/names.js';
import type {
  MatchResources,
  NamedRuleWithOperations,
  RuleWithOperations,
} from '../../types/admissionregistration-v1.generated.js';
import { validateLabelSelector } from '../label-selector-validation.js';
import { printedWord } from '../printed-values.js';

/** A rule of a webhook. */
export function validateRule(rule: Frozen<RuleWithOperations>, path: FieldPath): readonly FieldError[] {
  const { operations = [], apiGroups = [], apiVersions = [], resources = [], scope } = rule;
  const errors = [...validateExclusive(operations, path.child('operations'), 'operations')];
  visitUntilFull(operations, errors, (operation, index) => {
    errors.push(...validateWord(operation, path.child('operations').index(index), allOperations));
  });
  errors.push(...validateExclusive(apiGroups, path.child('apiGroups'), 'API groups'));
  errors.push(...validateExclusive(apiVersions, path.child('apiVersions'), 'API versions'));
  visitUntilFull(apiVersions, errors, (version, index) => {
    if (version === '') errors.push(fieldRequired(path.child('apiVersions').index(index)));
  });
  errors.push(...validateResources(resources, path.child('resources')));
  return [...errors, ...validateWord(scope, path.child('scope'), scopes)];
}

/** What a policy or a binding is about; an absent one is about everything. */
export function validateMatchResources(
  match: Frozen<MatchResources> | undefined,
  path: FieldPath,
): readonly FieldError[] {
  if (match === undefined) return [];
  const { matchPolicy, namespaceSelector, objectSelector, resourceRules = [], excludeResourceRules = [] } = match;
  const errors =
    matchPolicy === undefined
      ? [fieldRequired(path.child('matchPolicy'))]
      : [...validateWord(matchPolicy, path.child('matchPolicy'), matchPolicies)];
  for (const [name, selector] of Object.entries({ namespaceSelector, objectSelector })) {
    errors.push(
      ...(selector === undefined
        ? [fieldRequired(path.child(name))]
        : validateLabelSelector(selector, path.child(name))),
    );
  }
  for (const [name, rules] of Object.entries({ resourceRules, excludeResourceRules })) {
    visitUntilFull(rules, errors, (rule, index) =>
      errors.push(...validateNamedRule(rule, path.child(name).index(index))),
    );
  }
  return errors;
}

/** Nothing can be mutated when it is deleted. The path names no rule, as Kubernetes' does not. */
export function validateMutatingOperations(
  match: Frozen<MatchResources> | undefined,
  path: FieldPath,
): readonly FieldError[] {
  const at = path.child('resourceRules').child('operations');
  return collect(match?.resourceRules ?? [], ({ operations = [] }) =>
    collect(operations, (operation) => validateWord(operation, at, mutatingOperations)),
  );
}

/** A word that must be one of a few where it is given. */
export function validateWord(
  word: string | undefined,
  path: FieldPath,
  words: readonly string[],
): readonly FieldError[] {
  return word === undefined || words.includes(word) ? [] : [fieldNotSupported(path, printedWord(word), words)];
}

/** How exactly rules are read. */
export const matchPolicies: readonly string[] = ['Equivalent', 'Exact'];

const allOperations: readonly string[] = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const mutatingOperations: readonly string[] = ['*', 'CONNECT', 'CREATE', 'UPDATE'];
const scopes: readonly string[] = ['*', 'Cluster', 'Namespaced'];

/** At least one item; `*` only alone. */
function validateExclusive(items: readonly string[], path: FieldPath, noun: string): readonly FieldError[] {
  if (items.length === 0) return [fieldRequired(path)];
  if (items.length === 1 || !items.includes('*')) return [];
  return [fieldInvalid(path, items, `if '*' is present, must not specify other ${noun}`)];
}

// Resources, possibly with a subresource after a slash; either part may be `*`, which excludes what it covers after it.
function validateResources(resources: readonly string[], path: FieldPath): readonly FieldError[] {
  if (resources.length === 0) return [fieldRequired(path)];
  const errors: FieldError[] = [];
  const wholeResources = new Set<string>();
  const wholeSubresources = new Set<string>();
  // Only the last resource without a subresource counts, as in Kubernetes.
  let lastPlain = '*';
  visitUntilFull(resources, errors, (entry, index) => {
    const at = path.index(index);
    const slash = entry.indexOf('/');
    if (entry === '') errors.push(fieldRequired(at));
    else if (slash < 0) lastPlain = entry;
    else {
      const [resource, subresource] = [entry.slice(0, slash), entry.slice(slash + 1)];
      if (wholeResources.has(resource))
        errors.push(fieldInvalid(at, entry, `if '${resource}/*' is present, must not specify ${entry}`));
      if (wholeSubresources.has(subresource))
        errors.push(fieldInvalid(at, entry, `if '*/${subresource}' is present, must not specify ${entry}`));
      if (subresource === '*') wholeResources.add(resource);
      if (resource === '*') wholeSubresources.add(subresource);
    }
  });
  if (resources.length > 1 && resources.includes('*/*')) {
    errors.push(fieldInvalid(path, resources, "if '*/*' is present, must not specify other resources"));
  }
  if (resources.includes('*') && lastPlain !== '*') {
    errors.push(
      fieldInvalid(path, resources, "if '*' is present, must not specify other resources without subresources"),
    );
  }
  return errors;
}

function validateNamedRule(rule: Frozen<NamedRuleWithOperations>, path: FieldPath): readonly FieldError[] {
  const seen = new Set<string>();
  const errors: FieldError[] = [];
  visitUntilFull(rule.resourceNames ?? [], errors, (name, index) => {
    const at = path.child('resourceNames').index(index);
    errors.push(...isPathSegment(name).map((wrong) => fieldInvalid(at, name, wrong)));
    if (seen.has(name)) errors.push(fieldDuplicate(at, name));
    seen.add(name);
  });
  return [...errors, ...validateRule(rule, path)];
}
