// What is wrong with a StatefulSet. As pkg/apis/apps/validation/validation.go, ValidateStatefulSet and its parts. An
// update tolerates what the old object was already allowed: its claims, its service's name, and its whole template if
// anything was wrong with the old specification.
import { collect } from '../../errors/collect.js';
import { fieldForbidden, fieldInvalid, fieldNotSupported, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { FieldPath, fieldPath } from '../../errors/field-path.js';
import { deepEqual } from '../../objects/json.js';
import { validateAnnotations, validateLabels, validateNonNegative } from '../../objects/meta-validation.js';
import type { Frozen } from '../../objects/meta.js';
import { isDns1123Label } from '../../objects/names.js';
import type {
  StatefulSet,
  StatefulSetPersistentVolumeClaimRetentionPolicy,
  StatefulSetSpec,
  StatefulSetStatus,
  StatefulSetUpdateStrategy,
} from '../../types/apps-v1.generated.js';
import type { PodTemplateSpec, Volume } from '../../types/core-v1.generated.js';
import type { Loose } from '../loose.js';
import { validateClaimSpec } from '../pods/claim-template-validation.js';
import { validatePodAnnotations } from '../pods/pod-annotation-validation.js';
import { validatePodTemplateSpec } from '../pods/pod-template-validation.js';
import { podTemplateValidationOptions } from '../pods/pod-validation-options.js';
import type { PodValidationOptions } from '../pods/pod-validation-options.js';
import { printedSelector, printedWord } from '../printed-values.js';
import { validateCollisionCount, validateNonNegatives, validateNotMore } from './status-counts.js';
import {
  readSelector,
  validateRequiredSelector,
  validateRunsForever,
  validateTemplateLabels,
} from './template-validation.js';

type FieldErrors = readonly FieldError[];

/** What an update tolerates. */
export interface StatefulSetLeniency {
  readonly pods: PodValidationOptions;
  /** The object exists already: its claims and its service's name cannot change any more. */
  readonly exists?: true;
  /** The template was wrong before. */
  readonly skipTemplate?: boolean;
}

/** Validates a StatefulSet's specification. */
export function validateStatefulSetSpec(
  spec: Frozen<StatefulSetSpec>,
  path: FieldPath,
  leniency: StatefulSetLeniency,
): FieldErrors {
  const {
    podManagementPolicy,
    updateStrategy = {},
    persistentVolumeClaimRetentionPolicy,
    volumeClaimTemplates = [],
    ordinals,
    serviceName = '',
  } = spec;
  const isNew = leniency.exists !== true;
  return [
    ...validatePodManagementPolicy(podManagementPolicy, path.child('podManagementPolicy')),
    ...validateUpdateStrategy(updateStrategy, path.child('updateStrategy')),
    ...validateRetentionPolicy(
      persistentVolumeClaimRetentionPolicy,
      path.child('persistentVolumeClaimRetentionPolicy'),
    ),
    ...(isNew
      ? collect(volumeClaimTemplates, ({ spec: claim = {} }, index) =>
          validateClaimSpec(claim, path.child('volumeClaimTemplates').index(index).child('spec')),
        )
      : []),
    ...validateNonNegative(spec.replicas ?? 0, path.child('replicas')),
    ...validateNonNegative(spec.minReadySeconds ?? 0, path.child('minReadySeconds')),
    ...validateNonNegative(ordinals?.start ?? 0, path.child('ordinals.start')),
    ...(isNew && serviceName !== ''
      ? isDns1123Label(serviceName).map((wrong) => fieldInvalid(path.child('serviceName'), serviceName, wrong))
      : []),
    ...validateRequiredSelector(spec.selector, path.child('selector'), 'statefulset'),
    ...validateTemplate(spec, path, leniency),
    ...validateRunsForever(spec.template, path.child('template'), 'StatefulSet'),
  ];
}

/** Validates an update. */
export function validateStatefulSetUpdate(
  { spec }: Frozen<StatefulSet>,
  { spec: old }: Frozen<StatefulSet>,
): FieldErrors {
  if (spec === undefined || old === undefined) return [];
  const path = fieldPath('spec');
  const pods = podTemplateValidationOptions(spec.template, old.template);
  const skipTemplate = validateStatefulSetSpec(old, FieldPath.nil, { pods, exists: true }).length > 0;
  const errors = validateStatefulSetSpec(spec, path, { pods, exists: true, skipTemplate });
  return deepEqual(fixedPart(spec), fixedPart(old)) ? errors : [...errors, fieldForbidden(path, fixedSentence)];
}

/** Validates an update of the status. */
export function validateStatefulSetStatus(
  status: Loose<StatefulSetStatus>,
  old: Loose<StatefulSetStatus>,
): FieldErrors {
  const path = fieldPath('status');
  const { replicas = 0, readyReplicas = 0 } = status;
  const parts = ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'] as const;
  return [
    ...validateNonNegatives(status, path, ['replicas', ...parts, 'observedGeneration', 'collisionCount']),
    ...validateNotMore(status, path, { fields: parts, than: 'status.replicas', count: replicas }),
    ...validateNotMore(status, path, {
      fields: ['availableReplicas'],
      than: 'status.readyReplicas',
      count: readyReplicas,
    }),
    ...validateCollisionCount(status, old, path),
  ];
}

function validatePodManagementPolicy(policy: string | undefined, path: FieldPath): FieldErrors {
  if (policy === undefined) return [fieldRequired(path)];
  return policy === 'OrderedReady' || policy === 'Parallel'
    ? []
    : [fieldInvalid(path, printedWord(policy), "must be 'OrderedReady' or 'Parallel'")];
}

function validateUpdateStrategy(
  { type, rollingUpdate }: Loose<StatefulSetUpdateStrategy>,
  path: FieldPath,
): FieldErrors {
  // Kubernetes prints its internal types, by Go's names.
  const printed =
    rollingUpdate === undefined ? null : { Partition: rollingUpdate.partition ?? 0, MaxUnavailable: null };
  switch (type) {
    case undefined:
      return [fieldRequired(path)];
    case 'OnDelete':
      return printed === null
        ? []
        : [fieldInvalid(path.child('rollingUpdate'), printed, "only allowed for updateStrategy 'RollingUpdate'")];
    case 'RollingUpdate':
      return validateNonNegative(rollingUpdate?.partition ?? 0, path.child('rollingUpdate').child('partition'));
    default:
      return [fieldInvalid(path, { Type: type, RollingUpdate: printed }, "must be 'RollingUpdate' or 'OnDelete'")];
  }
}

function validateRetentionPolicy(
  policy: Loose<StatefulSetPersistentVolumeClaimRetentionPolicy> | undefined,
  path: FieldPath,
): FieldErrors {
  if (policy === undefined) return [];
  const words = ['Retain', 'Delete'];
  return collect(['whenDeleted', 'whenScaled'] as const, (field) => {
    const word = policy[field] ?? '';
    return words.includes(word) ? [] : [fieldNotSupported(path.child(field), printedWord(word), words)];
  });
}

function validateTemplate(spec: Frozen<StatefulSetSpec>, path: FieldPath, leniency: StatefulSetLeniency): FieldErrors {
  const selector = readSelector(spec.selector);
  if (selector === undefined) return [fieldInvalid(path.child('selector'), printedSelector(spec.selector), '')];
  const template = templateOfPods(spec);
  const at = path.child('template');
  const { labels = {}, annotations = {} } = template.metadata ?? {};
  return [
    ...validateTemplateLabels(template, selector, at),
    ...(leniency.skipTemplate === true ? [] : validatePodTemplateSpec(template, at, leniency.pods)),
    // Once more, as Kubernetes does: a wrong label is reported twice.
    ...validateLabels(labels, at.child('labels')),
    ...validateAnnotations(annotations, at.child('annotations')),
    ...validatePodAnnotations(annotations, template.spec ?? { containers: [] }, at.child('annotations'), leniency.pods),
  ];
}

/** The template as the controller will use it: host names are its own, and each claim is a volume. */
function templateOfPods({ template, volumeClaimTemplates = [] }: Frozen<StatefulSetSpec>): Frozen<PodTemplateSpec> {
  if (template.spec === undefined) return template;
  const { subdomain: _subdomain, hostname: _hostname, ...spec } = template.spec;
  if (volumeClaimTemplates.length === 0) return { ...template, spec };
  const claims = new Map<string, Frozen<Volume>>();
  for (const { metadata } of volumeClaimTemplates) {
    const name = metadata?.name ?? '';
    claims.set(name, { name, persistentVolumeClaim: { claimName: name } });
  }
  const volumes = [...claims.values(), ...(spec.volumes ?? []).filter(({ name }) => !claims.has(name))];
  return { ...template, spec: { ...spec, volumes } };
}

/** What never changes. */
function fixedPart(spec: Frozen<StatefulSetSpec>): unknown {
  const { replicas: _1, ordinals: _2, template: _3, updateStrategy: _4, revisionHistoryLimit: _5, ...rest } = spec;
  const { persistentVolumeClaimRetentionPolicy: _6, minReadySeconds: _7, ...fixed } = rest;
  return fixed;
}

const fixedSentence =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', " +
  "'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
