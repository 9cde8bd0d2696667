// The `resize` subresource: cpu and memory of containers that run, and of the pod as a whole, and nothing else.
// As pkg/registry/core/pod/strategy.go, podResizeStrategy, and pkg/apis/core/validation/validation.go,
// ValidatePodResize.
import { collect } from '../../errors/collect.js';
import { fieldForbidden, fieldInvalid } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import type { FieldPath } from '../../errors/field-path.js';
import type { Frozen } from '../../objects/meta.js';
import type { Container, Pod, PodSpec, PodStatus, ResourceRequirements } from '../../types/core-v1.generated.js';
import type { UpdateStrategy } from '../kind-strategy.js';
import { printedWord } from '../printed-values.js';
import { keepMetadata } from '../status-metadata.js';
import { validateFinalizerNames } from '../finalizer-names.js';
import { noErrors } from './field-checks.js';
import type { FieldErrors } from './field-checks.js';
import { mirrorAnnotation } from './pod-annotation-validation.js';
import { isSidecar, regularContainers } from './pod-containers.js';
import { semanticEqual, withField } from './pod-equality.js';
import { podQosClass } from './pod-qos.js';
import { podValidationOptions } from './pod-validation-options.js';
import { podSpecOf, specPath, validatePodAgain } from './pod-validation.js';

/** How pods are resized. */
export const podResize: UpdateStrategy<Pod> = {
  prepareForUpdate: (pod, old) => keepAllButResources(pod, old),
  validateUpdate: (pod, old) => validateResize(pod, old),
};

/**
 * Everything but resources is the old one's, unless containers came, went, or changed names: validation refuses that.
 */
function keepAllButResources(pod: Pod, old: Frozen<Pod>): void {
  const spec = podSpecOf(pod);
  const before = podSpecOf(old);
  if (regularContainers(spec).length !== regularContainers(before).length) return;
  if ((spec.initContainers ?? []).length !== (before.initContainers ?? []).length) return;
  let kept = withField(before, 'resources', spec.resources);
  kept = { ...kept, containers: withResources(regularContainers(spec), regularContainers(before)) };
  if (spec.initContainers !== undefined)
    kept = { ...kept, initContainers: withResources(spec.initContainers, before.initContainers ?? []) };
  pod.spec = kept as PodSpec;
  if (old.status === undefined) delete pod.status;
  else pod.status = old.status as PodStatus;
  keepMetadata(pod, old);
}

function withResources(
  containers: readonly Frozen<Container>[],
  old: readonly Frozen<Container>[],
): readonly Frozen<Container>[] {
  if (containers.some(({ name }, index) => name !== old[index]?.name)) return containers;
  return containers.map(({ resources, resizePolicy }, index) =>
    withField(withField({ name: '', ...old[index] }, 'resources', resources), 'resizePolicy', resizePolicy),
  );
}

function validateResize(pod: Frozen<Pod>, old: Frozen<Pod>): readonly FieldError[] {
  const options = podValidationOptions(old);
  const spec = podSpecOf(pod);
  const before = podSpecOf(old);
  // These two answers stand alone.
  if (Object.hasOwn(old.metadata?.annotations ?? {}, mirrorAnnotation))
    return [fieldForbidden(fieldPath(''), 'static pods cannot be resized')];
  if (before.os?.name === 'windows') return [fieldForbidden(fieldPath(''), 'windows pods cannot be resized')];

  const errors: FieldError[] = [...validateFinalizerNames(pod.metadata), ...validatePodAgain(pod, options)];
  if ((old.status?.qosClass ?? podQosClass(before)) !== podQosClass(spec)) {
    errors.push(
      fieldInvalid(
        specPath,
        printedWord(pod.status?.qosClass ?? ''),
        'Pod QOS Class may not change as a result of resizing',
      ),
    );
  }
  const running = (old.status?.containerStatuses ?? []).find(({ state }) => state?.running !== undefined);
  if (running !== undefined && running.resources === undefined) {
    errors.push(fieldForbidden(specPath, 'Pod running on node without support for resize'));
  }
  const { wrong, resources } = validatePodLevel(spec.resources, before.resources);
  errors.push(...wrong);
  if ((old.status?.nodeAllocatableResourceClaimStatuses ?? []).length > 0) {
    errors.push(fieldForbidden(specPath, 'pods with node allocatable resource claims cannot be resized'));
  }
  const order = validateOrder(spec, before);
  if (order.length > 0) return [...errors, ...order];
  errors.push(...validateContainers(spec, before));
  if (errors.length > 0) return errors;
  const rest = { ...withField(spec, 'resources', resources), containers: before.containers };
  const same = semanticEqual(withField(rest, 'initContainers', before.initContainers), before);
  return same ? noErrors : [fieldForbidden(specPath, 'only cpu and memory resources are mutable')];
}

type Requirements = Frozen<ResourceRequirements> | undefined;

/** Resources of the pod as a whole; `resources` are the new ones with the old cpu and memory. */
function validatePodLevel(resources: Requirements, old: Requirements): { wrong: FieldErrors; resources: Requirements } {
  if (!hasAmounts(resources) && !hasAmounts(old)) return { wrong: noErrors, resources };
  const path = specPath.child('resources');
  if (resources === undefined)
    return {
      wrong: old === undefined ? noErrors : [fieldForbidden(path, 'pod-level resources cannot be removed')],
      resources,
    };
  const wrong: FieldError[] = [];
  for (const part of ['requests', 'limits'] as const) {
    if (old !== undefined && isRemoved(resources[part], old[part])) {
      wrong.push(fieldForbidden(path.child(part), `pod-level resource ${part} cannot be removed`));
    }
  }
  const masked = withOldCompute(resources, old);
  const kept = old === undefined && !hasAmounts(masked) && (masked.claims ?? []).length === 0 ? undefined : masked;
  if (!semanticEqual(kept, old))
    wrong.push(fieldForbidden(specPath, 'only cpu and memory resources are mutable at pod-level'));
  return { wrong, resources: kept };
}

function hasAmounts(resources: Requirements): boolean {
  return Object.keys(resources?.requests ?? {}).length + Object.keys(resources?.limits ?? {}).length > 0;
}

function validateOrder(spec: Frozen<PodSpec>, old: Frozen<PodSpec>): FieldErrors {
  const lists = [
    { field: 'containers', now: regularContainers(spec), before: regularContainers(old) },
    { field: 'initContainers', now: spec.initContainers ?? [], before: old.initContainers ?? [] },
  ] as const;
  return collect(lists, ({ field, now, before }) => {
    const at = specPath.child(field);
    if (now.length !== before.length) return [fieldForbidden(at, `${field} may not be added or removed on resize`)];
    return collect(before, ({ name }, index) =>
      now[index]?.name === name
        ? noErrors
        : [fieldForbidden(at.index(index).child('name'), `${field} may not be renamed or reordered on resize`)],
    );
  });
}

function validateContainers(spec: Frozen<PodSpec>, old: Frozen<PodSpec>): FieldErrors {
  const pairs = (
    now: readonly Frozen<Container>[],
    before: readonly Frozen<Container>[],
    path: FieldPath,
  ): readonly Pair[] =>
    now.flatMap((container, index) => {
      const earlier = before[index];
      return earlier === undefined ? [] : [{ now: container, before: earlier, at: path.index(index) }];
    });
  const init = pairs(spec.initContainers ?? [], old.initContainers ?? [], specPath.child('initContainers'));
  const regular = pairs(regularContainers(spec), regularContainers(old), specPath.child('containers'));
  return [
    ...collect([...init, ...regular], validateNothingRemoved),
    ...collect(regular, (pair) =>
      isOnlyCompute(pair) ? noErrors : [fieldForbidden(specPath, 'only cpu and memory resources are mutable')],
    ),
    ...collect(init, validateInitContainer),
  ];
}

interface Pair {
  readonly now: Frozen<Container>;
  readonly before: Frozen<Container>;
  readonly at: FieldPath;
}

function validateNothingRemoved({ now, before, at }: Pair): FieldErrors {
  return collect(['requests', 'limits'] as const, (part) =>
    isRemoved(now.resources?.[part], before.resources?.[part])
      ? [fieldForbidden(at.child('resources').child(part), `resource ${part} cannot be removed`)]
      : noErrors,
  );
}

function validateInitContainer({ now, before, at }: Pair): FieldErrors {
  const errors: FieldError[] = [];
  if (!isOnlyCompute({ now, before, at })) {
    errors.push(fieldForbidden(at, 'only cpu and memory resources for init or sidecar containers are mutable'));
  }
  if (isSidecar(now) || semanticEqual(now, before)) return errors;
  for (const { restartPolicy } of now.resizePolicy ?? []) {
    if (restartPolicy !== 'RestartContainer') continue;
    errors.push(
      fieldForbidden(at, 'non-sidecar init containers with a resize policy of RestartContainer cannot be resized'),
    );
  }
  return errors;
}

type Amounts = Readonly<Record<string, string>> | undefined;

function isRemoved(amounts: Amounts, old: Amounts): boolean {
  return Object.keys(old ?? {}).some((name) => !Object.hasOwn(amounts ?? {}, name));
}

/** Returns whether only cpu and memory differ. Claims count as different, since they are not compared here. */
function isOnlyCompute({ now, before }: Pair): boolean {
  const { limits, requests } = withOldCompute(now.resources ?? {}, before.resources);
  return semanticEqual(
    withField(now, 'resources', { ...(limits && { limits }), ...(requests && { requests }) }),
    before,
  );
}

function withOldCompute(resources: Frozen<ResourceRequirements>, old: Requirements): Frozen<ResourceRequirements> {
  const masked = (part: 'limits' | 'requests'): Amounts => {
    const { cpu: _cpu, memory: _memory, ...others }: Readonly<Record<string, string>> = resources[part] ?? {};
    const { cpu, memory }: { readonly cpu?: string; readonly memory?: string } = old?.[part] ?? {};
    const amounts = { ...others, ...(cpu !== undefined && { cpu }), ...(memory !== undefined && { memory }) };
    return Object.keys(amounts).length === 0 ? undefined : amounts;
  };
  return withField(withField(resources, 'limits', masked('limits')), 'requests', masked('requests'));
}
