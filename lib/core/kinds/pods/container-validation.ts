// What every container must be, whatever its sort: named, with an image, and every part of it well-formed.
// As pkg/apis/core/validation/validation.go, validateContainerCommon.
import { fieldDuplicate, fieldInvalid, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import type { Frozen } from '../../objects/meta.js';
import { isDns1123Label, isPortName, isPortNumber } from '../../objects/names.js';
import type {
  Container,
  ContainerPort,
  ContainerResizePolicy,
  EphemeralContainer,
} from '../../types/core-v1.generated.js';
import { printedWord } from '../printed-values.js';
import { trimSpace } from '../../go/trim-space.js';
import { validateEnv, validateEnvFrom } from './env-validation.js';
import { each, noErrors, validateOneOf, required, requiredAndRuled, requiredOneOf } from './field-checks.js';
import type { FieldErrors } from './field-checks.js';
import { validateContainerResources } from './resource-validation.js';
import type { ResourceContext } from './resource-validation.js';
import { validateSecurityContext } from './security-context-validation.js';
import { validateVolumeDevices, validateVolumeMounts } from './volume-mount-validation.js';
import type { VolumesByName } from './volume-mount-validation.js';

/** What a check of a container must know about its pod. */
export interface ContainerContext extends ResourceContext {
  readonly volumes: VolumesByName;
  readonly restartPolicy: string;
  /** How long the pod may take to end. */
  readonly gracePeriod: number | undefined;
  /** Whether the users of containers are those of the node. */
  readonly hostUsers: boolean;
}

/** What holds for containers of any sort. */
export function validateContainerParts(
  container: Frozen<Container | EphemeralContainer>,
  path: FieldPath,
  context: ContainerContext,
): FieldErrors {
  return [
    ...requiredAndRuled(container.name, isDns1123Label, path.child('name')),
    ...required(container.image, path.child('image')),
    ...requiredOneOf(
      container.terminationMessagePolicy,
      ['File', 'FallbackToLogsOnError'],
      path.child('terminationMessagePolicy'),
    ),
    ...validatePorts(container.ports, path.child('ports')),
    ...validateEnv(container.env, path.child('env')),
    ...validateEnvFrom(container.envFrom, path.child('envFrom')),
    ...validateVolumeMounts(container, context.volumes, path.child('volumeMounts')),
    ...validateVolumeDevices(container, context.volumes, path.child('volumeDevices')),
    ...requiredOneOf(container.imagePullPolicy, ['Always', 'IfNotPresent', 'Never'], path.child('imagePullPolicy')),
    ...validateContainerResources(container.resources, path.child('resources'), context),
    ...validateResizePolicy(container.resizePolicy, path.child('resizePolicy'), context.restartPolicy),
    ...validateSecurityContext(container.securityContext, path.child('securityContext'), context.hostUsers),
  ];
}

/** What holds for images of containers in a pod; templates may hold placeholders. */
export function validateImageOfPod(container: Frozen<Container | EphemeralContainer>, path: FieldPath): FieldErrors {
  const { image = '' } = container;
  if (trimSpace(image) === image) return noErrors;
  return [fieldInvalid(path.child('image'), image, 'must not have leading or trailing whitespace')];
}

function validatePorts(ports: readonly Frozen<ContainerPort>[] | undefined, path: FieldPath): FieldErrors {
  const names = new Set<string>();
  return each(ports, path, ({ name = '', containerPort, hostPort = 0, protocol = '' }, at) => {
    const errors: FieldError[] = [];
    if (name !== '') {
      const wrong = isPortName(name);
      if (wrong.length > 0) errors.push(...wrong.map((sentence) => fieldInvalid(at.child('name'), name, sentence)));
      else if (names.has(name)) errors.push(fieldDuplicate(at.child('name'), name));
      else names.add(name);
    }
    if (containerPort === 0) errors.push(fieldRequired(at.child('containerPort')));
    else
      errors.push(
        ...isPortNumber(containerPort).map((wrong) => fieldInvalid(at.child('containerPort'), containerPort, wrong)),
      );
    if (hostPort !== 0)
      errors.push(...isPortNumber(hostPort).map((wrong) => fieldInvalid(at.child('hostPort'), hostPort, wrong)));
    errors.push(...requiredOneOf(protocol, ['SCTP', 'TCP', 'UDP'], at.child('protocol')));
    return errors;
  });
}

/** Most errors are reported at the list. */
function validateResizePolicy(
  policies: readonly Frozen<ContainerResizePolicy>[] | undefined,
  path: FieldPath,
  podRestartPolicy: string,
): FieldErrors {
  const seen = new Set<string>();
  return each(policies, path, (policy, at) => {
    const { resourceName } = policy;
    const restartPolicy: string = policy.restartPolicy;
    const errors: FieldError[] = [];
    if (seen.has(resourceName)) errors.push(fieldDuplicate(at, printedWord(resourceName)));
    seen.add(resourceName);
    errors.push(
      ...(resourceName === '' ? [fieldRequired(path)] : validateOneOf(resourceName, ['cpu', 'memory'], path)),
    );
    errors.push(
      ...(restartPolicy === ''
        ? [fieldRequired(path)]
        : validateOneOf(restartPolicy, ['NotRequired', 'RestartContainer'], path)),
    );
    if (podRestartPolicy === 'Never' && restartPolicy !== 'NotRequired') {
      errors.push(
        fieldInvalid(path, printedWord(restartPolicy), "must be 'NotRequired' when pod `restartPolicy` is 'Never'"),
      );
    }
    return errors;
  });
}
