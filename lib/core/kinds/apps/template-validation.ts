// What all workloads that keep pods running ask of their selector and of their template: the selector selects
// something, the template's pods are among it, restart always and have no deadline.
// As pkg/apis/apps/validation/validation.go, ValidatePodTemplateSpecForReplicaSet, and its sisters of other kinds. Each
// caller keeps the order and the words of its own kind.
import { fieldForbidden, fieldInvalid, fieldNotSupported, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import { deepEqual } from '../../objects/json.js';
import type { Selector } from '../../objects/label-selector.js';
import { matchesLabels } from '../../objects/label-selector.js';
import type { Frozen } from '../../objects/meta.js';
import { isParseError } from '../../objects/parse-error.js';
import { selectorFromStructured } from '../../objects/structured-selector.js';
import type { PodTemplateSpec } from '../../types/core-v1.generated.js';
import type { LabelSelector } from '../../types/meta-v1.generated.js';
import { validateLabelSelector } from '../label-selector-validation.js';
import { validatePodTemplateSpec } from '../pods/pod-template-validation.js';
import type { PodValidationOptions } from '../pods/pod-validation-options.js';
import { printedMap, printedSelector, printedWord } from '../printed-values.js';

/** A selector that must be there and select something; `kind` is the word of the message. */
export function validateRequiredSelector(
  selector: Frozen<LabelSelector> | undefined,
  path: FieldPath,
  kind: string,
): readonly FieldError[] {
  if (selector === undefined) return [fieldRequired(path)];
  const wrong = validateLabelSelector(selector, path);
  return isEmptySelector(selector)
    ? [...wrong, fieldInvalid(path, printedSelector(selector), `empty selector is invalid for ${kind}`)]
    : wrong;
}

/** Returns whether a selector is there and selects everything. */
export function isEmptySelector({ matchLabels = {}, matchExpressions = [] }: Frozen<LabelSelector>): boolean {
  return Object.keys(matchLabels).length + matchExpressions.length === 0;
}

/** A selector that keeps its first value. */
export function validateImmutableSelector(
  selector: Frozen<LabelSelector> | undefined,
  old: Frozen<LabelSelector> | undefined,
  path: FieldPath,
): readonly FieldError[] {
  return deepEqual(selector, old) ? [] : [fieldInvalid(path, printedSelector(selector), 'field is immutable')];
}

/** The selector ready to match, or undefined if it cannot be one. */
export function readSelector(selector: Frozen<LabelSelector> | undefined): Selector | undefined {
  try {
    return selectorFromStructured(selector);
  } catch (error) {
    if (isParseError(error)) return undefined;
    throw error;
  }
}

/** The template's labels must be selected, by an absent selector too; `path` is the template's. */
export function validateTemplateLabels(
  template: Frozen<PodTemplateSpec>,
  selector: Selector,
  path: FieldPath,
): readonly FieldError[] {
  const labels = template.metadata?.labels;
  if (matchesLabels(selector, labels)) return [];
  return [
    fieldInvalid(
      path.child('metadata').child('labels'),
      printedMap(labels),
      '`selector` does not match template `labels`',
    ),
  ];
}

/** Pods that are replaced forever restart always and have no deadline; `kind` is the word of the message. */
export function validateRunsForever(
  { spec }: Frozen<PodTemplateSpec>,
  path: FieldPath,
  kind: string,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  const restartPolicy = spec?.restartPolicy ?? '';
  if (restartPolicy !== 'Always')
    errors.push(fieldNotSupported(path.child('spec').child('restartPolicy'), printedWord(restartPolicy), ['Always']));
  if (spec?.activeDeadlineSeconds !== undefined) {
    errors.push(
      fieldForbidden(
        path.child('spec').child('activeDeadlineSeconds'),
        `activeDeadlineSeconds in ${kind} is not Supported`,
      ),
    );
  }
  return errors;
}

/** The template of a Deployment, a ReplicaSet or a ReplicationController. */
export function validateReplicaTemplate(
  template: Frozen<PodTemplateSpec>,
  path: FieldPath,
  {
    selector,
    kind,
    options,
  }: { readonly selector: Selector; readonly kind: string; readonly options: PodValidationOptions },
): readonly FieldError[] {
  return [
    ...validateTemplateLabels(template, selector, path),
    ...validatePodTemplateSpec(template, path, options),
    ...validateRunsForever(template, path, kind),
  ];
}
