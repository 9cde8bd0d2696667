// What passes in an update although it would be refused in a new object, because the old object already has it.
// As pkg/api/pod/util.go, GetValidationOptionsFromPodSpecAndMeta; switches that are always on in v1.36 are left out.
import type { Frozen, ObjectMeta } from '../../objects/meta.js';
import type { Container, EphemeralContainer, PodSpec, PodTemplateSpec } from '../../types/core-v1.generated.js';
import { isHugePages } from '../resource-names.js';
import {
  hasInvalidAffinitySelector,
  hasInvalidMatchLabelKeys,
  hasInvalidSpreadSelector,
} from './affinity-validation.js';
import { hasInvalidNodeLabelValue } from './node-selector-validation.js';
import { validateUnreservedPath } from './path-validation.js';
import { hasValidDeletionCost } from './pod-annotation-validation.js';
import { isSidecar, regularContainers } from './pod-containers.js';
import { isWholePages } from './resource-validation.js';
import { hasHostSysctl } from './security-context-validation.js';
import { FieldPath } from '../../errors/field-path.js';

/** Leniencies of one validation of a pod specification. */
export interface PodValidationOptions {
  /** The object is a pod, not a template. */
  readonly isPod?: boolean;
  readonly allowInvalidDeletionCost?: boolean;
  readonly allowIndivisibleHugePages?: boolean;
  /** Values in selectors of affinity that no label can have. */
  readonly allowInvalidSelectorValues?: boolean;
  readonly allowInvalidNodeAffinityValues?: boolean;
  readonly allowInvalidSpreadSelector?: boolean;
  /** The old matchLabelKeys follow the rule before the present one. */
  readonly oldMatchLabelKeysInvalid?: boolean;
  readonly allowNonLocalTokenPath?: boolean;
  readonly allowHostSysctls?: boolean;
  readonly allowVolumeDevicesWithUserNamespaces?: boolean;
  readonly allowTolerationComparisons?: boolean;
  /** Init containers that restart when they are resized. */
  readonly allowInitContainerRestarts?: boolean;
  /** The only seLinuxChangePolicy is Recursive. */
  readonly allowOnlyRecursiveSELinuxChange?: boolean;
}

/** A specification with the annotations it goes with. */
export interface DescribedPod {
  readonly metadata?: Frozen<ObjectMeta>;
  readonly spec?: Frozen<PodSpec>;
}

/** The options for a pod that replaces another, or is new. */
export function podValidationOptions(old?: DescribedPod): PodValidationOptions {
  return old === undefined ? forNewPod : { ...leniencies(old), isPod: true };
}

/** The options for a template that replaces another, or is new. As GetValidationOptionsFromPodTemplate. */
export function podTemplateValidationOptions(
  _template: Frozen<PodTemplateSpec> | undefined,
  old?: Frozen<PodTemplateSpec>,
): PodValidationOptions {
  return leniencies(old);
}

const forNew: PodValidationOptions = { allowOnlyRecursiveSELinuxChange: true };
const forNewPod: PodValidationOptions = { ...forNew, isPod: true };

function leniencies(old: DescribedPod | undefined): PodValidationOptions {
  if (old === undefined) return forNew;
  const { metadata, spec } = old;
  const allowInvalidDeletionCost = !hasValidDeletionCost(metadata?.annotations ?? {});
  if (spec === undefined) return { ...forNew, allowInvalidDeletionCost };
  return {
    allowInvalidDeletionCost,
    allowIndivisibleHugePages: hasPartialHugePages(spec),
    allowInvalidSelectorValues: hasInvalidAffinitySelector(spec),
    allowInvalidNodeAffinityValues: hasInvalidNodeLabelValue(
      spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution,
    ),
    allowInvalidSpreadSelector: hasInvalidSpreadSelector(spec),
    oldMatchLabelKeysInvalid: hasInvalidMatchLabelKeys(spec),
    allowNonLocalTokenPath: hasNonLocalTokenPath(spec),
    allowHostSysctls: hasHostSysctl(spec),
    allowVolumeDevicesWithUserNamespaces:
      spec.hostUsers === false && allContainers(spec).some(({ volumeDevices = [] }) => volumeDevices.length > 0),
    allowTolerationComparisons: (spec.tolerations ?? []).some(({ operator }) => operator === 'Lt' || operator === 'Gt'),
    allowInitContainerRestarts: (spec.initContainers ?? []).some(
      (container) =>
        !isSidecar(container) &&
        (container.resizePolicy ?? []).some(({ restartPolicy }) => restartPolicy === 'RestartContainer'),
    ),
    allowOnlyRecursiveSELinuxChange: spec.securityContext?.seLinuxChangePolicy === undefined,
  };
}

function allContainers(spec: Frozen<PodSpec>): readonly Frozen<Container | EphemeralContainer>[] {
  return [...(spec.initContainers ?? []), ...regularContainers(spec), ...(spec.ephemeralContainers ?? [])];
}

function hasPartialHugePages(spec: Frozen<PodSpec>): boolean {
  const lists = [
    ...allContainers(spec).flatMap(({ resources }) => [resources?.limits, resources?.requests]),
    spec.overhead,
  ];
  return lists.some((list) =>
    Object.entries(list ?? {}).some(([name, amount]) => isHugePages(name) && !isWholePages(name, amount)),
  );
}

function hasNonLocalTokenPath(spec: Frozen<PodSpec>): boolean {
  return (spec.volumes ?? []).some(({ projected }) =>
    (projected?.sources ?? []).some(
      ({ serviceAccountToken }) =>
        serviceAccountToken !== undefined && validateUnreservedPath(serviceAccountToken.path, FieldPath.nil).length > 0,
    ),
  );
}
