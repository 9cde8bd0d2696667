// What a status may say about containers: one that ended stays so unless it may start again, users and groups exist,
// and resources are those the container requested. As pkg/apis/core/validation/validation.go,
// ValidateContainerStateTransition, validateContainerStatusUsers and validateContainerStatusAllocatedResourcesStatus.
import { collect } from '../../errors/collect.js';
import { fieldDuplicate, fieldForbidden, fieldInvalid, fieldRequired, fieldTooLong } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import { utf8Length } from '../../objects/names.js';
import type { Frozen } from '../../objects/meta.js';
import type { Container, ContainerStatus, PodSpec, PodStatus, ResourceStatus } from '../../types/core-v1.generated.js';
import { printedWord } from '../printed-values.js';
import { each, noErrors, validateOneOf, unixId } from './field-checks.js';
import type { FieldErrors } from './field-checks.js';
import { regularContainers } from './pod-containers.js';
import { statusPath } from './pod-validation.js';

/** Two rounds, between which Kubernetes looks at claims and addresses. */
export interface StatusContext {
  readonly spec: Frozen<PodSpec>;
  readonly oldSpec: Frozen<PodSpec>;
  readonly before: 'claims' | 'end';
}

/** Statuses of containers of all three sorts. */
export function validateContainerStatuses(
  status: Frozen<PodStatus>,
  old: Frozen<PodStatus>,
  { spec, oldSpec, before }: StatusContext,
): FieldErrors {
  if (!hasContainers(status) && !hasContainers(old)) return noErrors;
  const lists = [
    { field: 'containerStatuses', now: regularContainers(spec), then: regularContainers(oldSpec) },
    { field: 'initContainerStatuses', now: spec.initContainers ?? [], then: oldSpec.initContainers ?? [] },
    { field: 'ephemeralContainerStatuses', now: undefined, then: undefined },
  ] as const;
  if (before === 'claims') {
    const all = restartsAll(oldSpec);
    return collect(lists, ({ field, then }) =>
      all && then !== undefined
        ? noErrors
        : validateTransitions(status[field] ?? [], old[field], statusPath.child(field), {
            containers: then,
            spec: oldSpec,
          }),
    );
  }
  return [
    ...collect(lists, ({ field }) =>
      each(status[field], statusPath.child(field), (one, at) => validateUser(one, spec.os?.name ?? 'linux', at)),
    ),
    ...collect(lists, ({ field, now }) =>
      each(status[field], statusPath.child(field), (one, at) => validateAllocated(one, now, at)),
    ),
  ];
}

/** Returns whether a status says anything about containers. That of a pod that no node has seen does not. */
function hasContainers({
  containerStatuses,
  initContainerStatuses,
  ephemeralContainerStatuses,
}: Frozen<PodStatus>): boolean {
  return (
    containerStatuses !== undefined || initContainerStatuses !== undefined || ephemeralContainerStatuses !== undefined
  );
}

/** Returns whether some container may make all of them start again. */
function restartsAll(spec: Frozen<PodSpec>): boolean {
  return [...(spec.initContainers ?? []), ...regularContainers(spec)].some(({ restartPolicyRules = [] }) =>
    restartPolicyRules.some(({ action }) => action === 'RestartAllContainers'),
  );
}

interface Restarts {
  /** Those of the list; ephemeral ones never start again. */
  readonly containers: readonly Frozen<Container>[] | undefined;
  readonly spec: Frozen<PodSpec>;
}

function validateTransitions(
  statuses: readonly Frozen<ContainerStatus>[],
  old: readonly Frozen<ContainerStatus>[] | undefined,
  path: FieldPath,
  { containers, spec }: Restarts,
): FieldErrors {
  return each(old, path, ({ name, state }, at) => {
    const ended = state?.terminated;
    if (ended === undefined || !statuses.some((now) => now.name === name && now.state?.terminated === undefined))
      return noErrors;
    const container = containers?.find((one) => one.name === name);
    if (container !== undefined && mayRestart(container, spec, ended.exitCode)) return noErrors;
    return [fieldForbidden(at.child('state'), 'may not be transitioned to non-terminated state')];
  });
}

/** As pkg/api/v1/pod/util.go, ContainerShouldRestart. */
function mayRestart(
  { restartPolicy, restartPolicyRules = [] }: Frozen<Container>,
  spec: Frozen<PodSpec>,
  exitCode: number,
): boolean {
  if (restartPolicy !== undefined) {
    const rule = restartPolicyRules.find(({ exitCodes }) => {
      if (exitCodes === undefined) return false;
      const listed = (exitCodes.values ?? []).includes(exitCode);
      return (exitCodes.operator === 'In' && listed) || (exitCodes.operator === 'NotIn' && !listed);
    });
    if (rule?.action === 'Restart' || rule?.action === 'RestartAllContainers') return true;
  }
  switch (isPolicy(restartPolicy) ? restartPolicy : spec.restartPolicy) {
    case 'Never':
      return false;
    case 'OnFailure':
      return exitCode !== 0;
    default:
      return true;
  }
}

function isPolicy(text: string | undefined): boolean {
  return text === 'Always' || text === 'OnFailure' || text === 'Never';
}

function validateUser({ user }: Frozen<ContainerStatus>, os: string, path: FieldPath): FieldErrors {
  const linux = user?.linux;
  if (linux === undefined) return noErrors;
  const at = path.child('user').child('linux');
  if (os === 'windows') return [fieldForbidden(at, 'cannot be set for a windows pod')];
  if (os !== 'linux') return noErrors;
  return [
    ...unixId(linux.uid, at.child('uid')),
    ...unixId(linux.gid, at.child('gid')),
    ...each(linux.supplementalGroups, at.child('supplementalGroups'), unixId),
  ];
}

/** `containers` is undefined for ephemeral ones, which have no resources. */
function validateAllocated(
  status: Frozen<ContainerStatus>,
  containers: readonly Frozen<Container>[] | undefined,
  path: FieldPath,
): FieldErrors {
  const { name, allocatedResourcesStatus: allocated = [] } = status;
  const at = path.child('allocatedResourcesStatus');
  if (containers === undefined)
    return allocated.length === 0 ? noErrors : [fieldForbidden(at, 'must not be specified in container status')];
  const container = containers.find((one) => one.name === name);
  return each(allocated, at, (resource, resourcePath) => [
    ...(container === undefined
      ? noErrors
      : validateAllocatedName(resource.name, container, resourcePath.child('name'))),
    ...validateHealth(resource, resourcePath.child('resources')),
  ]);
}

function validateAllocatedName(name: string, { resources }: Frozen<Container>, path: FieldPath): FieldErrors {
  if (name.startsWith('claim:')) {
    const claims = (resources?.claims ?? []).map(
      (claim) => `claim:${claim.name}${(claim.request ?? '') === '' ? '' : `/${claim.request}`}`,
    );
    if (claims.includes(name)) return noErrors;
    const detail =
      "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty";
    return [fieldInvalid(path, printedWord(name), detail)];
  }
  if (Object.hasOwn(resources?.requests ?? {}, name)) return noErrors;
  return [fieldInvalid(path, printedWord(name), "must match one of the container's resource requests")];
}

const messageBytesMax = 1024;

function validateHealth({ resources }: Frozen<ResourceStatus>, path: FieldPath): FieldErrors {
  const seen = new Set<string>();
  return each(resources, path, ({ resourceID, health, message }, at) => {
    const errors: FieldError[] = [
      ...validateOneOf(health ?? '', ['Healthy', 'Unhealthy', 'Unknown'], at.child('health')),
    ];
    if (message === '') errors.push(fieldRequired(at.child('message'), 'must be non-empty if specified'));
    else if (message !== undefined && utf8Length(message) > messageBytesMax)
      errors.push(fieldTooLong(at.child('message'), messageBytesMax));
    if (seen.has(resourceID)) errors.push(fieldDuplicate(at.child('resourceID'), printedWord(resourceID)));
    seen.add(resourceID);
    return errors;
  });
}
