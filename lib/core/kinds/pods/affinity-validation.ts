// Where a pod wants to be: near or far from nodes and from other pods, and spread over a topology.
// As pkg/apis/core/validation/validation.go, validateAffinity and validateTopologySpreadConstraints.
import { collect, findingsMax, visitUntilFull } from '../../errors/collect.js';
import { fieldDuplicate, fieldForbidden, fieldInvalid, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { FieldPath } from '../../errors/field-path.js';
import type { Frozen } from '../../objects/meta.js';
import { isDns1123Label } from '../../objects/names.js';
import type {
  Affinity,
  PodAffinity,
  PodAffinityTerm,
  PodSpec,
  TopologySpreadConstraint,
} from '../../types/core-v1.generated.js';
import type { LabelSelector } from '../../types/meta-v1.generated.js';
import { validateLabelName, validateLabelSelector } from '../label-selector-validation.js';
import { each, noErrors, validateOneOf, required, ruled } from './field-checks.js';
import type { FieldErrors } from './field-checks.js';
import { validateNodeSelector, validatePreferredSchedulingTerms, validateWeight } from './node-selector-validation.js';
import type { PodValidationOptions } from './pod-validation-options.js';

/** Affinity to nodes and pods, and the opposite. */
export function validateAffinity(
  affinity: Frozen<Affinity> | undefined,
  path: FieldPath,
  options: PodValidationOptions,
): FieldErrors {
  if (affinity === undefined) return noErrors;
  const { nodeAffinity } = affinity;
  const errors: FieldError[] = [];
  if (nodeAffinity !== undefined) {
    const at = path.child('nodeAffinity');
    const must = nodeAffinity[requiredField];
    const allow = { allowInvalidValues: options.allowInvalidNodeAffinityValues === true };
    if (must !== undefined) errors.push(...validateNodeSelector(must, at.child(requiredField), allow));
    errors.push(...validatePreferredSchedulingTerms(nodeAffinity[preferredField], at.child(preferredField)));
  }
  for (const field of ['podAffinity', 'podAntiAffinity'] as const) {
    const terms = affinity[field];
    if (terms !== undefined) errors.push(...validatePodAffinity(terms, path.child(field), options));
  }
  return errors;
}

/** Constraints on how pods spread. */
export function validateTopologySpread(
  constraints: readonly Frozen<TopologySpreadConstraint>[] | undefined,
  path: FieldPath,
  options: PodValidationOptions,
): FieldErrors {
  // One topology and one way to fail make one constraint; the earlier of two is reported.
  const kindOf = ({ topologyKey, whenUnsatisfiable }: Frozen<TopologySpreadConstraint>): string =>
    JSON.stringify([topologyKey, whenUnsatisfiable]);
  const last = new Map((constraints ?? []).map((constraint, index) => [kindOf(constraint), index]));
  return each(constraints, path, (constraint, at, index) => {
    const { maxSkew, topologyKey, whenUnsatisfiable, minDomains, labelSelector, matchLabelKeys } = constraint;
    const errors: FieldError[] = [...validatePositive(maxSkew, at.child('maxSkew'))];
    errors.push(...required(topologyKey, at.child('topologyKey'), 'can not be empty'));
    errors.push(
      ...validateOneOf(whenUnsatisfiable, ['DoNotSchedule', 'ScheduleAnyway'], at.child('whenUnsatisfiable')),
    );
    if ((last.get(kindOf(constraint)) ?? index) > index)
      errors.push(
        fieldDuplicate(at.child('{topologyKey, whenUnsatisfiable}'), `{${topologyKey}, ${whenUnsatisfiable}}`),
      );
    if (minDomains !== undefined)
      errors.push(...validateMinDomains(minDomains, whenUnsatisfiable, at.child('minDomains')));
    errors.push(...validateOneOf(constraint.nodeAffinityPolicy, ['Honor', 'Ignore'], at.child('nodeAffinityPolicy')));
    errors.push(...validateOneOf(constraint.nodeTaintsPolicy, ['Honor', 'Ignore'], at.child('nodeTaintsPolicy')));
    errors.push(
      ...(options.oldMatchLabelKeysInvalid === true
        ? validateMatchLabelKeysOfOld(matchLabelKeys, labelSelector, at.child('matchLabelKeys'))
        : validateMatchLabelKeys({ match: matchLabelKeys, mismatch: undefined, selector: labelSelector }, at)),
    );
    if (options.allowInvalidSpreadSelector !== true)
      errors.push(...validateLabelSelector(labelSelector, at.child('labelSelector')));
    return errors;
  });
}

/** Returns whether the selectors of any affinity term are refused in new pods. */
export function hasInvalidAffinitySelector({ affinity }: Frozen<PodSpec>): boolean {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].some(
    (terms) =>
      terms !== undefined &&
      [
        ...(terms[requiredField] ?? []),
        ...(terms[preferredField] ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
      ].some((term) => validateTermSelectors(term, FieldPath.nil, false).length > 0),
  );
}

/** Returns whether any selector of a spread constraint is refused in new pods. */
export function hasInvalidSpreadSelector({ topologySpreadConstraints = [] }: Frozen<PodSpec>): boolean {
  return topologySpreadConstraints.some(
    ({ labelSelector }) => validateLabelSelector(labelSelector, FieldPath.nil).length > 0,
  );
}

/** Returns whether any matchLabelKeys of a spread constraint are refused in new pods. */
export function hasInvalidMatchLabelKeys({ topologySpreadConstraints = [] }: Frozen<PodSpec>): boolean {
  return topologySpreadConstraints.some(
    ({ matchLabelKeys, labelSelector }) =>
      validateMatchLabelKeys({ match: matchLabelKeys, mismatch: undefined, selector: labelSelector }, FieldPath.nil)
        .length > 0,
  );
}

const requiredField = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferredField = 'preferredDuringSchedulingIgnoredDuringExecution';

function validatePodAffinity(
  affinity: Frozen<PodAffinity>,
  path: FieldPath,
  options: PodValidationOptions,
): FieldErrors {
  const allow = options.allowInvalidSelectorValues === true;
  return [
    ...each(affinity[requiredField], path.child(requiredField), (term, at) => validateTerm(term, at, allow)),
    ...each(affinity[preferredField], path.child(preferredField), ({ weight, podAffinityTerm }, at) => [
      ...validateWeight(weight, at.child('weight')),
      ...validateTerm(podAffinityTerm, at.child('podAffinityTerm'), allow),
    ]),
  ];
}

function validateTerm(term: Frozen<PodAffinityTerm>, path: FieldPath, allowInvalidValues: boolean): FieldErrors {
  const { namespaces = [], matchLabelKeys, mismatchLabelKeys, labelSelector, topologyKey } = term;
  const at = path.child('topologyKey');
  return [
    ...validateTermSelectors(term, path, allowInvalidValues),
    ...collect(namespaces, (namespace) => ruled(namespace, isDns1123Label, path.child('namespace'))),
    ...validateMatchLabelKeys({ match: matchLabelKeys, mismatch: mismatchLabelKeys, selector: labelSelector }, path),
    ...(topologyKey === '' ? [fieldRequired(at, 'can not be empty')] : noErrors),
    ...validateLabelName(topologyKey, at),
  ];
}

function validateTermSelectors(
  term: Frozen<PodAffinityTerm>,
  path: FieldPath,
  allowInvalidValues: boolean,
): FieldErrors {
  return [
    ...validateLabelSelector(term.labelSelector, path.child('labelSelector'), { allowInvalidValues }),
    ...validateLabelSelector(term.namespaceSelector, path.child('namespaceSelector'), { allowInvalidValues }),
  ];
}

interface LabelKeys {
  readonly match: readonly string[] | undefined;
  readonly mismatch: readonly string[] | undefined;
  readonly selector: Frozen<LabelSelector> | undefined;
}

/**
 * Keys whose values are taken from the pod. They are part of the selector already, so a key that is there twice
 * clashes.
 */
function validateMatchLabelKeys({ match = [], mismatch = [], selector }: LabelKeys, path: FieldPath): FieldErrors {
  if (match.length === 0 && mismatch.length === 0) return noErrors;
  const errors: FieldError[] = [
    ...validateLabelKeys(match, selector, path.child('matchLabelKeys')),
    ...validateLabelKeys(mismatch, selector, path.child('mismatchLabelKeys')),
  ];
  const seen = new Set(Object.keys(selector?.matchLabels ?? {}));
  const places = new Map(match.map((key, index) => [key, index]));
  for (const { key } of selector?.matchExpressions ?? []) {
    if (errors.length > findingsMax) break;
    const index = places.get(key);
    if (index !== undefined && seen.has(key))
      errors.push(fieldInvalid(path.index(index), key, 'exists in both matchLabelKeys and labelSelector'));
    seen.add(key);
  }
  const mismatches = new Set(mismatch);
  visitUntilFull(match, errors, (key, index) => {
    if (mismatches.has(key)) {
      errors.push(
        fieldInvalid(
          path.child('matchLabelKeys').index(index),
          key,
          'exists in both matchLabelKeys and mismatchLabelKeys',
        ),
      );
    }
  });
  return errors;
}

function validateLabelKeys(
  keys: readonly string[],
  selector: Frozen<LabelSelector> | undefined,
  path: FieldPath,
): FieldErrors {
  if (keys.length === 0) return noErrors;
  if (selector === undefined) return [fieldForbidden(path, 'must not be specified when labelSelector is not set')];
  return each(keys, path, validateLabelName);
}

/** The rule before keys became part of the selector, for pods that are older than that. */
function validateMatchLabelKeysOfOld(
  keys: readonly string[] = [],
  selector: Frozen<LabelSelector> | undefined,
  path: FieldPath,
): FieldErrors {
  if (keys.length === 0) return noErrors;
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  const selected = new Set([...Object.keys(matchLabels), ...matchExpressions.map(({ key }) => key)]);
  return [
    ...(selector === undefined
      ? [fieldForbidden(path, 'must not be specified when labelSelector is not set')]
      : noErrors),
    ...each(keys, path, (key, at) => [
      ...validateLabelName(key, at),
      ...(selected.has(key) ? [fieldInvalid(at, key, 'exists in both matchLabelKeys and labelSelector')] : noErrors),
    ]),
  ];
}

function validateMinDomains(minDomains: number, whenUnsatisfiable: string, path: FieldPath): FieldErrors {
  const positive = validatePositive(minDomains, path);
  if (whenUnsatisfiable === 'DoNotSchedule') return positive;
  const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`;
  return [...positive, fieldInvalid(path, minDomains, detail)];
}

function validatePositive(value: number, path: FieldPath): FieldErrors {
  return value > 0 ? noErrors : [fieldInvalid(path, value, 'must be greater than zero')];
}
