// The specification of a pod, part by part, in a pod or a template.
// As pkg/apis/core/validation/validation.go, ValidatePodSpec: the order of errors is its order.
import { fieldRequired } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import { validateLabels } from '../../objects/meta-validation.js';
import type { Frozen, ObjectMeta } from '../../objects/meta.js';
import { isDns1123Label, isDns1123Subdomain } from '../../objects/names.js';
import type { PodSpec } from '../../types/core-v1.generated.js';
import { validateAffinity, validateTopologySpread } from './affinity-validation.js';
import {
  validateContainers,
  validateEphemeralContainers,
  validateInitContainers,
} from './container-list-validation.js';
import type { ContainerContext } from './container-validation.js';
import { validateEnvFileVolumes } from './env-validation.js';
import { inRange, int32Max, noErrors, requiredOneOf, ruled, ruledIfGiven } from './field-checks.js';
import type { FieldErrors } from './field-checks.js';
import { regularContainers } from './pod-containers.js';
import {
  validateDnsConfig,
  validateHostAliases,
  validateHostNetworkPorts,
  validateHostUsers,
  validateHostnameOverride,
  validateReadinessGates,
  validateResourceClaims,
  validateSchedulingGates,
} from './pod-field-validation.js';
import type { PodValidationOptions } from './pod-validation-options.js';
import { validateContainerResources, validatePodResources } from './resource-validation.js';
import { validatePodSecurityContext } from './security-context-validation.js';
import { validateTolerations } from './toleration-validation.js';
import { validateVolumes } from './volume-validation.js';
import { validateHostProcess, validateOs } from './windows-validation.js';

/** Validates a specification. `metadata` is that of a real pod; templates have none. */
export function validatePodSpec(
  spec: Frozen<PodSpec>,
  path: FieldPath,
  { metadata, options }: { readonly metadata?: Frozen<ObjectMeta> | undefined; readonly options: PodValidationOptions },
): FieldErrors {
  const { name: podName } = metadata ?? {};
  const { errors: wrongVolumes, volumes } = validateVolumes(spec.volumes, path.child('volumes'), { podName, options });
  const context: ContainerContext = {
    options,
    volumes,
    claimNames: new Set((spec.resourceClaims ?? []).map(({ name }) => name).filter((name) => name !== '')),
    restartPolicy: spec.restartPolicy ?? '',
    gracePeriod: spec.terminationGracePeriodSeconds,
    hostUsers: spec.hostUsers !== false,
  };
  return [
    ...(spec.terminationGracePeriodSeconds === undefined
      ? [fieldRequired(path.child('terminationGracePeriodSeconds'))]
      : noErrors),
    ...wrongVolumes,
    ...validateResourceClaims(spec.resourceClaims, path.child('resourceClaims'), metadata),
    ...validateContainers(regularContainers(spec), path.child('containers'), context),
    ...validateInitContainers(spec, path.child('initContainers'), context),
    ...validateEphemeralContainers(spec, path.child('ephemeralContainers'), context),
    ...validatePodResources(spec, path, context),
    ...validateHostNetworkPorts(spec, path, options),
    ...requiredOneOf(spec.restartPolicy, ['Always', 'OnFailure', 'Never'], path.child('restartPolicy')),
    ...requiredOneOf(
      spec.dnsPolicy,
      ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'],
      path.child('dnsPolicy'),
    ),
    ...(spec.nodeSelector === undefined ? noErrors : validateLabels(spec.nodeSelector, path.child('nodeSelector'))),
    ...validatePodSecurityContext(spec, path.child('securityContext'), options),
    ...validateAffinity(spec.affinity, path.child('affinity'), options),
    ...validateDnsConfig(spec, path.child('dnsConfig')),
    ...validateReadinessGates(spec.readinessGates, path.child('readinessGates')),
    ...validateSchedulingGates(spec.schedulingGates, path.child('schedulingGates')),
    ...validateTopologySpread(spec.topologySpreadConstraints, path.child('topologySpreadConstraints'), options),
    ...validateHostProcess(spec, path),
    ...validateHostUsers(spec, path, options),
    ...validateHostnameOverride(spec, path.child('hostnameOverride')),
    ...validateNamesAndNumbers(spec, path, context),
    ...validateOs(spec, path),
    ...validateEnvFileVolumes(spec, path),
  ];
}

function validateNamesAndNumbers(spec: Frozen<PodSpec>, path: FieldPath, context: ContainerContext): FieldErrors {
  const { runtimeClassName, activeDeadlineSeconds, overhead } = spec;
  const allowComparisons = context.options.allowTolerationComparisons === true;
  return [
    ...ruledIfGiven(spec.serviceAccountName, isDns1123Subdomain, path.child('serviceAccountName')),
    ...ruledIfGiven(spec.nodeName, isDns1123Subdomain, path.child('nodeName')),
    ...inRange(activeDeadlineSeconds, 1, int32Max, path.child('activeDeadlineSeconds')),
    ...ruledIfGiven(spec.hostname, isDns1123Label, path.child('hostname')),
    ...ruledIfGiven(spec.subdomain, isDns1123Label, path.child('subdomain')),
    ...validateTolerations(spec.tolerations, path.child('tolerations'), { allowComparisons }),
    ...validateHostAliases(spec.hostAliases, path.child('hostAliases')),
    ...ruledIfGiven(spec.priorityClassName, isDns1123Subdomain, path.child('priorityClassName')),
    ...(runtimeClassName === undefined
      ? noErrors
      : ruled(runtimeClassName, isDns1123Subdomain, path.child('runtimeClassName'))),
    ...validatePreemptionPolicy(spec.preemptionPolicy, path.child('preemptionPolicy')),
    ...(overhead === undefined
      ? noErrors
      : validateContainerResources({ limits: overhead }, path.child('overhead'), context)),
  ];
}

function validatePreemptionPolicy(policy: string | undefined, path: FieldPath): FieldErrors {
  return policy === undefined ? noErrors : requiredOneOf(policy, ['PreemptLowerPriority', 'Never'], path);
}
