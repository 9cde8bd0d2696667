// What a node agent, or anybody with its rights, may not write into a pod's status.
// As pkg/apis/core/validation/validation.go, ValidatePodStatusUpdate. Parts behind gates that are off in v1.36 are
// dropped before anybody looks.
import { visitUntilFull } from '../../errors/collect.js';
import {
  fieldDuplicate,
  fieldForbidden,
  fieldInternal,
  fieldInvalid,
  fieldRequired,
} from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import { parseIp } from '../../objects/ip-address.js';
import { validateLegacyIp } from '../../objects/ip-validation.js';
import { validateImmutable } from '../../objects/meta-validation.js';
import type { Frozen } from '../../objects/meta.js';
import { isDns1123Label, isDns1123Subdomain, isQualifiedName } from '../../objects/names.js';
import type {
  Pod,
  PodCondition,
  PodExtendedResourceClaimStatus,
  PodResourceClaim,
  PodResourceClaimStatus,
  PodSpec,
  PodStatus,
} from '../../types/core-v1.generated.js';
import { validateFinalizerNames } from '../finalizer-names.js';
import { validateContainerStatuses } from './container-status-validation.js';
import { each, noErrors, ruled } from './field-checks.js';
import type { FieldErrors } from './field-checks.js';
import { validatePodAnnotationUpdate } from './pod-annotation-validation.js';
import { regularContainers } from './pod-containers.js';
import { podValidationOptions } from './pod-validation-options.js';
import { metadataPath, podSpecOf, statusPath } from './pod-validation.js';

/** Validates an update of the status, beyond its metadata. */
export function validatePodStatusUpdate(pod: Frozen<Pod>, old: Frozen<Pod>): readonly FieldError[] {
  const status = pod.status ?? {};
  const before = old.status ?? {};
  const spec = podSpecOf(pod);
  const { observedGeneration = 0 } = status;
  return [
    ...validateFinalizerNames(pod.metadata),
    ...validateAnnotations(pod, old),
    ...each(status.conditions, statusPath.child('conditions'), validateCondition),
    ...validateNominatedNode(status, before, podSpecOf(old)),
    ...(observedGeneration < 0
      ? [fieldInvalid(statusPath.child('observedGeneration'), observedGeneration, 'must be a non-negative integer')]
      : noErrors),
    ...validateImmutable(status.qosClass ?? '', before.qosClass ?? '', statusPath.child('qosClass')),
    ...validateContainerStatuses(status, before, { spec, oldSpec: podSpecOf(old), before: 'claims' }),
    ...validateClaimStatuses(
      status.resourceClaimStatuses,
      spec.resourceClaims ?? [],
      statusPath.child('resourceClaimStatuses'),
    ),
    ...validateExtendedClaim(status.extendedResourceClaimStatus, spec, statusPath.child('extendedResourceClaimStatus')),
    ...validateIps(status.podIPs, before.podIPs, statusPath.child('podIPs')),
    ...validateHostIps(status, before),
    ...validateContainerStatuses(status, before, { spec, oldSpec: podSpecOf(old), before: 'end' }),
  ];
}

/** Most pods have none, before and after, of which nothing can be said. */
function validateAnnotations(pod: Frozen<Pod>, old: Frozen<Pod>): FieldErrors {
  if (pod.metadata?.annotations === undefined && old.metadata?.annotations === undefined) return noErrors;
  return validatePodAnnotationUpdate(pod, old, metadataPath.child('annotations'), podValidationOptions(old));
}

const systemConditions: ReadonlySet<string> = new Set(['PodScheduled', 'Ready', 'Initialized']);

function validateCondition({ type, observedGeneration = 0 }: Frozen<PodCondition>, path: FieldPath): FieldErrors {
  const wrongGeneration =
    observedGeneration < 0
      ? [fieldInvalid(path.child('observedGeneration'), observedGeneration, 'must be a non-negative integer')]
      : noErrors;
  return systemConditions.has(type)
    ? wrongGeneration
    : [...wrongGeneration, ...ruled(type, isQualifiedName, path.child('Type'))];
}

/** The node that is kept free for the pod: none once it has one. */
function validateNominatedNode(
  { nominatedNodeName: node = '' }: Frozen<PodStatus>,
  old: Frozen<PodStatus>,
  oldSpec: Frozen<PodSpec>,
): FieldErrors {
  if (node === '' || node === old.nominatedNodeName) return noErrors;
  const at = statusPath.child('nominatedNodeName');
  const wrong = ruled(node, isDns1123Subdomain, at);
  if ((oldSpec.nodeName ?? '') === '') return wrong;
  return [...wrong, fieldForbidden(at, 'may not be set on pods that are already bound to a node')];
}

function validateClaimStatuses(
  statuses: readonly Frozen<PodResourceClaimStatus>[] | undefined,
  claims: readonly Frozen<PodResourceClaim>[],
  path: FieldPath,
): FieldErrors {
  const seen = new Set<string>();
  return each(statuses, path, ({ name, resourceClaimName }, at) => {
    const errors: FieldError[] = [];
    if (!claims.some((claim) => claim.name === name)) {
      errors.push(fieldInvalid(at.child('name'), name, 'must match the name of an entry in `spec.resourceClaims`'));
    }
    if (seen.has(name)) errors.push(fieldDuplicate(at.child('name'), name));
    seen.add(name);
    return resourceClaimName === undefined
      ? errors
      : [...errors, ...ruled(resourceClaimName, isDns1123Subdomain, at.child('resourceClaimName'))];
  });
}

function validateExtendedClaim(
  status: Frozen<PodExtendedResourceClaimStatus> | undefined,
  spec: Frozen<PodSpec>,
  path: FieldPath,
): FieldErrors {
  if (status === undefined) return noErrors;
  const loose: Partial<Frozen<PodExtendedResourceClaimStatus>> = status;
  const mappings = loose.requestMappings ?? [];
  const containers = new Map(
    [...(spec.initContainers ?? []), ...regularContainers(spec)].map((container) => [container.name, container]),
  );
  const at = path.child('requestMappings');
  const seen = new Set<string>();
  const errors: FieldError[] =
    mappings.length === 0 ? [fieldRequired(at, 'at least one request mapping is required')] : [];
  visitUntilFull(mappings, errors, ({ containerName, resourceName, requestName }, index) => {
    const mapping = at.index(index);
    const container = containers.get(containerName);
    if (container === undefined) {
      const detail = 'must match the name of an entry in spec.initContainers.name or spec.containers.name';
      errors.push(fieldInvalid(mapping.child('containerName'), containerName, detail));
    } else if (!Object.hasOwn(container.resources?.requests ?? {}, resourceName)) {
      const places = 'spec.initContainers.resources.requests or spec.containers.resources.requests';
      errors.push(
        fieldInvalid(
          mapping.child('resourceName'),
          resourceName,
          `must match the extended resource name of an entry in ${places}`,
        ),
      );
    }
    errors.push(...ruled(requestName, isDns1123Label, path.child('requestName')));
    const key = JSON.stringify([containerName, resourceName, requestName]);
    if (seen.has(key)) {
      errors.push(fieldDuplicate(mapping.child('containerName'), containerName));
      errors.push(fieldDuplicate(mapping.child('resourceName'), resourceName));
      errors.push(fieldDuplicate(mapping.child('requestName'), requestName));
    }
    seen.add(key);
  });
  const name = path.child('resourceClaimName');
  return [
    ...errors,
    ...(status.resourceClaimName === ''
      ? [fieldRequired(name)]
      : ruled(status.resourceClaimName, isDns1123Subdomain, name)),
  ];
}

type Ips = readonly { readonly ip: string }[];

/** One address, or one of each family. */
function validateIps(ips: Ips = [], old: Ips = [], path: FieldPath): FieldErrors {
  const known = old.map(({ ip }) => ip);
  const errors: FieldError[] = [...each(ips, path, ({ ip }, at) => validateLegacyIp(ip, at, known))];
  if (ips.length < 2) return errors;
  const parsed = ips.map(({ ip }) => parseIp(ip));
  const unreadable = parsed.indexOf(undefined);
  if (unreadable >= 0) {
    errors.push(
      fieldInternal(
        path,
        `failed to check for dual stack with error:invalid IP[${unreadable}]: ${ips[unreadable]?.ip ?? ''}`,
      ),
    );
  }
  const dualStack = unreadable < 0 && parsed.some((ip) => ip?.family === 4) && parsed.some((ip) => ip?.family === 6);
  if (dualStack && ips.length <= 2) return errors;
  return [
    ...errors,
    fieldInvalid(
      path,
      ips.map(({ ip }) => ({ IP: ip })),
      'may specify no more than one IP for each IP family',
    ),
  ];
}

function validateHostIps({ hostIP = '', hostIPs }: Frozen<PodStatus>, old: Frozen<PodStatus>): FieldErrors {
  const first = hostIPs?.[0]?.ip;
  if (first === undefined) return noErrors;
  const path = statusPath.child('hostIPs');
  const wrong =
    hostIP === first ? noErrors : [fieldInvalid(path.index(0).child('ip'), first, 'must be equal to `hostIP`')];
  return [...wrong, ...validateIps(hostIPs, old.hostIPs, path)];
}
