// What the API server makes of a new pod before it looks whether it is valid: gates become a condition, label keys
// become part of selectors, annotations become fields. As pkg/registry/core/pod/strategy.go, PrepareForCreate.
import { FieldPath } from '../../errors/field-path.js';
import { deepEqual } from '../../objects/json.js';
import { printTime } from '../../objects/time.js';
import type {
  Container,
  EphemeralContainer,
  Pod,
  PodAffinityTerm,
  PodSpec,
  PodStatus,
} from '../../types/core-v1.generated.js';
import type { LabelSelector } from '../../types/meta-v1.generated.js';
import { podQosClass } from './pod-qos.js';
import { appArmorAnnotationPrefix, appArmorProfileOf, validateAppArmorProfile } from './security-profile-validation.js';

/** A new pod: its status, and what depends on its labels and annotations. In place. */
export function preparePod(pod: Pod, now: number): void {
  const { spec, metadata } = pod;
  if (spec === undefined) return;
  pod.status = { phase: 'Pending', qosClass: podQosClass(spec) };
  if ((spec.schedulingGates ?? []).length > 0) pod.status.conditions = [gatedCondition(now)];
  mergeLabelKeys(spec, metadata?.labels ?? {});
  takeAppArmorAnnotations(spec, metadata?.annotations ?? {});
}

function allContainers(spec: PodSpec): readonly (Container | EphemeralContainer)[] {
  const loose: Partial<PodSpec> = spec;
  return [...(spec.initContainers ?? []), ...(loose.containers ?? []), ...(spec.ephemeralContainers ?? [])];
}

function gatedCondition(now: number): NonNullable<PodStatus['conditions']>[number] {
  return {
    type: 'PodScheduled',
    status: 'False',
    lastTransitionTime: printTime(now),
    reason: 'SchedulingGated',
    message: 'Scheduling is blocked due to non-empty scheduling gates',
  };
}

type Labels = Readonly<Record<string, string>>;

/** Keys in matchLabelKeys and mismatchLabelKeys stand for the pod's own values from now on. */
function mergeLabelKeys({ affinity, topologySpreadConstraints = [] }: PodSpec, labels: Labels): void {
  for (const terms of [affinity?.podAffinity, affinity?.podAntiAffinity]) {
    for (const { podAffinityTerm } of terms?.preferredDuringSchedulingIgnoredDuringExecution ?? [])
      mergeTermKeys(podAffinityTerm, labels);
    for (const term of terms?.requiredDuringSchedulingIgnoredDuringExecution ?? []) mergeTermKeys(term, labels);
  }
  for (const { labelSelector, matchLabelKeys } of topologySpreadConstraints)
    mergeKeys(labelSelector, matchLabelKeys, 'In', labels);
}

function mergeTermKeys({ labelSelector, matchLabelKeys, mismatchLabelKeys }: PodAffinityTerm, labels: Labels): void {
  mergeKeys(labelSelector, matchLabelKeys, 'In', labels);
  mergeKeys(labelSelector, mismatchLabelKeys, 'NotIn', labels);
}

function mergeKeys(
  selector: LabelSelector | undefined,
  keys: readonly string[] = [],
  operator: 'In' | 'NotIn',
  labels: Labels,
): void {
  if (selector === undefined) return;
  const requirements = keys
    .filter((key) => Object.hasOwn(labels, key))
    .map((key) => ({ key, operator, values: [labels[key] ?? ''] }));
  if (requirements.length > 0) selector.matchExpressions = [...(selector.matchExpressions ?? []), ...requirements];
}

/** Valid annotations become the profile of containers without one, unless the pod's own says the same. */
function takeAppArmorAnnotations(spec: PodSpec, annotations: Labels): void {
  if (spec.os?.name === 'windows') return;
  for (const container of allContainers(spec)) {
    const annotation = annotations[`${appArmorAnnotationPrefix}${container.name}`];
    if (annotation === undefined || container.securityContext?.appArmorProfile !== undefined) continue;
    const profile = appArmorProfileOf(annotation);
    if (profile === undefined || validateAppArmorProfile(profile, FieldPath.nil).length > 0) continue;
    if (deepEqual(profile, spec.securityContext?.appArmorProfile)) continue;
    container.securityContext = { ...container.securityContext, appArmorProfile: profile };
  }
}
