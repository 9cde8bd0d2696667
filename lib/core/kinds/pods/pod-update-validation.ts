// What may change about a pod: images, deadlines, more tolerations, fewer gates, and where a gated pod may go.
// As pkg/apis/core/validation/validation.go, ValidatePodUpdate.
import { collect } from '../../errors/collect.js';
import { fieldForbidden, fieldInvalid, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import type { Frozen } from '../../objects/meta.js';
import type {
  Container,
  NodeAffinity,
  NodeSelectorTerm,
  Pod,
  PodSpec,
  Toleration,
} from '../../types/core-v1.generated.js';
import { internalForm } from '../internal-form.js';
import { printedMap } from '../printed-values.js';
import { trimSpace } from '../../go/trim-space.js';
import { validateFinalizerNames } from '../finalizer-names.js';
import { int32Max, noErrors } from './field-checks.js';
import type { FieldErrors } from './field-checks.js';
import { validatePodAnnotationUpdate } from './pod-annotation-validation.js';
import { regularContainers } from './pod-containers.js';
import { semanticEqual, withField } from './pod-equality.js';
import { podSpecDifference } from './pod-spec-difference.js';
import { podValidationOptions } from './pod-validation-options.js';
import { metadataPath, podSpecOf, specPath, validatePodAgain } from './pod-validation.js';
import { validateTolerations } from './toleration-validation.js';

/** Validates the update, beyond its metadata. */
export function validatePodUpdate(pod: Frozen<Pod>, old: Frozen<Pod>): readonly FieldError[] {
  const options = podValidationOptions(old);
  const errors: FieldError[] = [
    ...validateFinalizerNames(pod.metadata),
    ...validatePodAgain(pod, options),
    ...validatePodAnnotationUpdate(pod, old, metadataPath.child('annotations'), options),
  ];
  const spec = podSpecOf(pod);
  const before = podSpecOf(old);
  for (const list of ['containers', 'initContainers'] as const) {
    const { wrong, stop } = validateContainerUpdates(listOf(spec, list), listOf(before, list), specPath.child(list));
    errors.push(...wrong);
    if (stop) return errors;
  }
  const deadline = validateDeadline(
    spec.activeDeadlineSeconds,
    before.activeDeadlineSeconds,
    specPath.child('activeDeadlineSeconds'),
  );
  errors.push(...deadline);
  if (deadline.length > 0 && spec.activeDeadlineSeconds !== undefined) return errors;
  const allowComparisons = options.allowTolerationComparisons === true;
  return [
    ...errors,
    ...validateOnlyAdded(spec.tolerations, before.tolerations, specPath.child('tolerations'), allowComparisons),
    ...validateOnlyDeletedGates(spec, before, specPath.child('schedulingGates')),
    ...validateRest(spec, before),
  ];
}

function listOf(spec: Frozen<PodSpec>, list: 'containers' | 'initContainers'): readonly Frozen<Container>[] {
  return list === 'containers' ? regularContainers(spec) : (spec.initContainers ?? []);
}

function validateContainerUpdates(
  containers: readonly Frozen<Container>[],
  old: readonly Frozen<Container>[],
  path: FieldPath,
): { wrong: FieldErrors; stop: boolean } {
  if (containers.length !== old.length)
    return { wrong: [fieldForbidden(path, 'pod updates may not add or remove containers')], stop: true };
  const wrong = collect(containers, ({ image = '' }, index) => {
    const at = path.index(index).child('image');
    if (image === '') return [fieldRequired(at)];
    return trimSpace(image) === image
      ? noErrors
      : [fieldInvalid(at, image, 'must not have leading or trailing whitespace')];
  });
  return { wrong, stop: false };
}

/** A deadline may come, and come nearer. */
function validateDeadline(seconds: number | undefined, old: number | undefined, path: FieldPath): FieldErrors {
  if (seconds === undefined) {
    return old === undefined
      ? noErrors
      : [fieldInvalid(path, null, 'must not update from a positive integer to nil value')];
  }
  if (seconds < 0 || seconds > int32Max)
    return [fieldInvalid(path, seconds, `must be between 0 and ${int32Max}, inclusive`)];
  return old !== undefined && old < seconds
    ? [fieldInvalid(path, seconds, 'must be less than or equal to previous value')]
    : noErrors;
}

function validateOnlyAdded(
  tolerations: readonly Frozen<Toleration>[] = [],
  old: readonly Frozen<Toleration>[] = [],
  path: FieldPath,
  allowComparisons: boolean,
): FieldErrors {
  const fields = ['key', 'operator', 'value', 'effect'] as const;
  const kept = old.every((before) =>
    tolerations.some((now) => fields.every((field) => (now[field] ?? '') === (before[field] ?? ''))),
  );
  if (!kept) return [fieldForbidden(path, 'existing toleration can not be modified except its tolerationSeconds')];
  return validateTolerations(tolerations, path, { allowComparisons });
}

function validateOnlyDeletedGates(spec: Frozen<PodSpec>, old: Frozen<PodSpec>, path: FieldPath): FieldErrors {
  const known = new Set((old.schedulingGates ?? []).map(({ name }) => name));
  const added = new Map((spec.schedulingGates ?? []).map(({ name }, index) => [name, index]));
  return collect(
    [...added].filter(([name]) => !known.has(name)),
    ([name, index]) => [
      fieldForbidden(
        path.index(index).child('name'),
        `only deletion is allowed, but found new scheduling gate '${name}'`,
      ),
    ],
  );
}

const updatable =
  '`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing ' +
  'tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

/** With everything put back that may change, nothing may have changed. */
function validateRest(spec: Frozen<PodSpec>, old: Frozen<PodSpec>): FieldErrors {
  if (semanticEqual(spec, old)) return noErrors;
  const errors: FieldError[] = [];
  let rest = withImages(spec, old);
  for (const field of ['activeDeadlineSeconds', 'schedulingGates', 'tolerations'] as const)
    rest = withField(rest, field, old[field]);
  if ((old.terminationGracePeriodSeconds ?? 0) < 0 && rest.terminationGracePeriodSeconds === 1) {
    rest = withField(rest, 'terminationGracePeriodSeconds', old.terminationGracePeriodSeconds);
  }
  if ((old.schedulingGates ?? []).length > 0) {
    errors.push(...validateNodeSelectorChange(rest.nodeSelector, old.nodeSelector));
    rest = withField(rest, 'nodeSelector', old.nodeSelector);
    errors.push(...validateNodeAffinityChange(rest.affinity?.nodeAffinity, old.affinity?.nodeAffinity));
    rest = withNodeAffinity(rest, old);
  }
  if (semanticEqual(rest, old)) return errors;
  return [
    ...errors,
    fieldForbidden(
      specPath,
      `pod updates may not change fields other than ${updatable}\n${podSpecDifference(old, rest)}`,
    ),
  ];
}

function withImages(spec: Frozen<PodSpec>, old: Frozen<PodSpec>): Frozen<PodSpec> {
  const oldImages = (list: 'containers' | 'initContainers'): readonly Frozen<Container>[] =>
    listOf(spec, list).map((container, index) => withField(container, 'image', listOf(old, list)[index]?.image));
  const changed = withField(
    spec,
    'initContainers',
    spec.initContainers === undefined ? undefined : oldImages('initContainers'),
  );
  return regularContainers(spec).length === 0 ? changed : { ...changed, containers: oldImages('containers') };
}

/** The rest keeps the old node affinity; an affinity without anything else vanishes with it. */
function withNodeAffinity(rest: Frozen<PodSpec>, old: Frozen<PodSpec>): Frozen<PodSpec> {
  const before = old.affinity?.nodeAffinity;
  if (semanticEqual(rest.affinity?.nodeAffinity, before)) return rest;
  if (rest.affinity === undefined)
    return withField(rest, 'affinity', before === undefined ? undefined : { nodeAffinity: before });
  const others = rest.affinity.podAffinity !== undefined || rest.affinity.podAntiAffinity !== undefined;
  if (old.affinity === undefined && !others) return withField(rest, 'affinity', undefined);
  return { ...rest, affinity: withField(rest.affinity, 'nodeAffinity', before) };
}

type Labels = Readonly<Record<string, string>>;

function validateNodeSelectorChange(selector: Labels | undefined, old: Labels = {}): FieldErrors {
  const kept = Object.entries(old).every(
    ([key, value]) => Object.hasOwn(selector ?? {}, key) && selector?.[key] === value,
  );
  if (kept) return noErrors;
  const detail = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
  return [fieldInvalid(specPath.child('nodeSelector'), printedMap(selector), detail)];
}

/** Terms that must match may only get stricter. */
function validateNodeAffinityChange(
  affinity: Frozen<NodeAffinity> | undefined,
  old: Frozen<NodeAffinity> | undefined,
): FieldErrors {
  const before = termsOf(old);
  if (before.length === 0 || semanticEqual(affinity, old)) return noErrors;
  const terms = termsOf(affinity);
  const path = specPath
    .child('affinity')
    .child('nodeAffinity')
    .child('requiredDuringSchedulingIgnoredDuringExecution')
    .child('nodeSelectorTerms');
  if (terms.length !== before.length) {
    const shown = terms.length === 0 ? null : terms.map((term) => internalForm('NodeSelectorTerm', term));
    return [fieldInvalid(path, shown, 'no additions/deletions to non-empty NodeSelectorTerms list are allowed')];
  }
  return collect(terms, (term, index) =>
    onlyAdds(term, before[index] ?? {})
      ? noErrors
      : [
          fieldInvalid(
            path.index(index),
            internalForm('NodeSelectorTerm', term),
            'only additions are allowed (no mutations or deletions)',
          ),
        ],
  );
}

function termsOf(affinity: Frozen<NodeAffinity> | undefined): readonly Frozen<NodeSelectorTerm>[] {
  const selector: Partial<Frozen<{ nodeSelectorTerms: NodeSelectorTerm[] }>> =
    affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? {};
  return selector.nodeSelectorTerms ?? [];
}

function onlyAdds(term: Frozen<NodeSelectorTerm>, old: Frozen<NodeSelectorTerm>): boolean {
  const parts = (['matchExpressions', 'matchFields'] as const).map((field) => ({
    now: term[field] ?? [],
    before: old[field] ?? [],
  }));
  // A term without requirements matches nothing: adding some would make it match.
  if (parts.every(({ before }) => before.length === 0) && parts.some(({ now }) => now.length > 0)) return false;
  return parts.every(({ now, before }) => semanticEqual(now.slice(0, before.length), before));
}
