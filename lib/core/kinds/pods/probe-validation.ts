// Probes of containers and hooks of their life: exactly one action each, and numbers that make sense.
// As pkg/apis/core/validation/validation.go, validateProbe, validateHandler and validateLifecycle.
import { collect } from '../../errors/collect.js';
import { fieldForbidden, fieldInvalid, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import type { IntOrString } from '../../objects/int-or-string.js';
import { validateNonNegative } from '../../objects/meta-validation.js';
import type { Frozen } from '../../objects/meta.js';
import { isHttpHeaderName, isPortName, isPortNumber } from '../../objects/names.js';
import type { Container, HTTPGetAction, Lifecycle, LifecycleHandler, Probe } from '../../types/core-v1.generated.js';
import { noErrors, validateOneOf, required, ruled } from './field-checks.js';
import type { FieldErrors } from './field-checks.js';

/** Hooks and probes of a container that runs along with the pod. The grace period bounds how long hooks may sleep. */
export function validateLifeAndProbes(
  container: Frozen<Container>,
  path: FieldPath,
  gracePeriod: number | undefined,
): FieldErrors {
  const { lifecycle, livenessProbe, readinessProbe, startupProbe } = container;
  if (
    lifecycle === undefined &&
    livenessProbe === undefined &&
    readinessProbe === undefined &&
    startupProbe === undefined
  )
    return noErrors;
  return [
    ...validateLifecycle(lifecycle, path.child('lifecycle'), gracePeriod),
    ...validateOnceSuccessful(livenessProbe, path.child('livenessProbe'), gracePeriod),
    ...validateReadinessProbe(readinessProbe, path.child('readinessProbe'), gracePeriod),
    ...validateOnceSuccessful(startupProbe, path.child('startupProbe'), gracePeriod),
  ];
}

/** A port by number or by name. As ValidatePortNumOrName. */
function validatePortNumberOrName(port: IntOrString, path: FieldPath): FieldErrors {
  if (typeof port === 'string') return ruled(port, isPortName, path);
  return isPortNumber(port).map((wrong) => fieldInvalid(path, port, wrong));
}

function validateLifecycle(
  lifecycle: Frozen<Lifecycle> | undefined,
  path: FieldPath,
  gracePeriod: number | undefined,
): FieldErrors {
  const { postStart, preStop } = lifecycle ?? {};
  return [
    ...(postStart === undefined ? noErrors : validateHandler(postStart, path.child('postStart'), gracePeriod)),
    ...(preStop === undefined ? noErrors : validateHandler(preStop, path.child('preStop'), gracePeriod)),
  ];
}

/** Probes that start something over: one success is enough, and must be. */
function validateOnceSuccessful(
  probe: Frozen<Probe> | undefined,
  path: FieldPath,
  gracePeriod: number | undefined,
): FieldErrors {
  if (probe === undefined) return noErrors;
  const errors = validateProbe(probe, path, gracePeriod);
  const { successThreshold = 0 } = probe;
  return successThreshold === 1
    ? errors
    : [...errors, fieldInvalid(path.child('successThreshold'), successThreshold, 'must be 1')];
}

function validateReadinessProbe(
  probe: Frozen<Probe> | undefined,
  path: FieldPath,
  gracePeriod: number | undefined,
): FieldErrors {
  if (probe === undefined) return noErrors;
  const errors = validateProbe(probe, path, gracePeriod);
  const { terminationGracePeriodSeconds: seconds } = probe;
  if (seconds === undefined) return errors;
  return [
    ...errors,
    fieldInvalid(path.child('terminationGracePeriodSeconds'), seconds, 'must not be set for readinessProbes'),
  ];
}

const probeNumbers = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
] as const;

function validateProbe(probe: Frozen<Probe>, path: FieldPath, gracePeriod: number | undefined): FieldErrors {
  const errors: FieldError[] = [
    ...validateHandler(probe, path, gracePeriod),
    ...collect(probeNumbers, (field) => validateNonNegative(probe[field] ?? 0, path.child(field))),
  ];
  const { terminationGracePeriodSeconds: seconds } = probe;
  if (seconds !== undefined && seconds <= 0) {
    errors.push(fieldInvalid(path.child('terminationGracePeriodSeconds'), seconds, 'must be greater than 0'));
  }
  return errors;
}

type Handler = Frozen<Pick<Probe, 'exec' | 'httpGet' | 'tcpSocket' | 'grpc'> & Pick<LifecycleHandler, 'sleep'>>;

function validateHandler(handler: Handler, path: FieldPath, gracePeriod: number | undefined): FieldErrors {
  const errors: FieldError[] = [];
  let actions = 0;
  const action = (name: keyof Handler, check: (path: FieldPath) => FieldErrors): void => {
    if (handler[name] === undefined) return;
    if (actions > 0) errors.push(fieldForbidden(path.child(name), 'may not specify more than 1 handler type'));
    else errors.push(...check(path.child(name)));
    actions += 1;
  };
  const { exec, httpGet, tcpSocket, grpc, sleep } = handler;
  action('exec', (at) => required(exec?.command, at.child('command')));
  action('httpGet', (at) => (httpGet === undefined ? noErrors : validateHttpGet(httpGet, at)));
  action('tcpSocket', (at) => validatePortNumberOrName(tcpSocket?.port ?? 0, at.child('port')));
  action('grpc', (at) => validatePortNumberOrName(grpc?.port ?? 0, at.child('port')));
  action('sleep', (at) => validateSleep(sleep?.seconds ?? 0, at, gracePeriod));
  return actions > 0 ? errors : [fieldRequired(path, 'must specify a handler type')];
}

function validateHttpGet(
  { path: target, port, scheme, httpHeaders = [] }: Frozen<HTTPGetAction>,
  path: FieldPath,
): FieldErrors {
  return [
    ...required(target, path.child('path')),
    ...validatePortNumberOrName(port, path.child('port')),
    ...validateOneOf(scheme ?? '', ['HTTP', 'HTTPS'], path.child('scheme')),
    ...collect(httpHeaders, ({ name }) => ruled(name, isHttpHeaderName, path.child('httpHeaders'))),
  ];
}

function validateSleep(seconds: number, path: FieldPath, gracePeriod: number | undefined): FieldErrors {
  if (gracePeriod === undefined || (seconds >= 0 && seconds <= gracePeriod)) return noErrors;
  return [
    fieldInvalid(path, seconds, `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriod})`),
  ];
}
