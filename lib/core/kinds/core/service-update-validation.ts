// What an update of a Service may not change: its first address and family, the class of its load balancer, the port of
// its health check. A second address may be added, and released by asking for a single stack. Services that were or
// become an ExternalName change freely. As ValidateServiceUpdate and the validateUpgradeDowngrade… functions in
// pkg/apis/core/validation/validation.go; the values that errors show are as Kubernetes shows them.
import { collect } from '../../errors/collect.js';
import { fieldForbidden, fieldInvalid } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import type { Frozen } from '../../objects/meta.js';
import { isQualifiedName } from '../../objects/names.js';
import type { Service, ServiceSpec } from '../../types/core-v1.generated.js';
import { invalidEach } from '../invalid-each.js';
import { printedWord } from '../printed-values.js';
import { isExternalName, isHeadless, needsHealthCheck } from './service-kind.js';

type FieldErrors = readonly FieldError[];

/** Validates the change of a Service. */
export function validateServiceChange(service: Frozen<Service>, old: Frozen<Service>): FieldErrors {
  const { spec = {} } = service;
  const { spec: before = {} } = old;
  const free = isExternalName(service) || isExternalName(old);
  return [
    ...(free || (isHeadless(old) && isHeadless(service)) ? [] : validateAddressChange(spec, before)),
    ...(free || isHeadless(old) || isHeadless(service) ? [] : validateFamilyChange(spec, before)),
    ...validateLoadBalancerClassChange(spec, before),
    ...validateLoadBalancerClass(spec),
    ...(needsHealthCheck(old) && needsHealthCheck(service) && spec.healthCheckNodePort !== before.healthCheckNodePort
      ? [fieldForbidden(fieldPath('spec', 'healthCheckNodePort'), 'field is immutable')]
      : []),
  ];
}

/** The class is for load balancers only. */
export function validateLoadBalancerClass({ type, loadBalancerClass: name }: Frozen<ServiceSpec>): FieldErrors {
  if (name === undefined) return [];
  const path = fieldPath('spec', 'loadBalancerClass');
  return type === 'LoadBalancer'
    ? invalidEach(path, name, isQualifiedName(name))
    : [fieldForbidden(path, "may only be used when `type` is 'LoadBalancer'")];
}

const fixed = 'may not change once set';

function validateLoadBalancerClassChange(spec: Frozen<ServiceSpec>, before: Frozen<ServiceSpec>): FieldErrors {
  const kept =
    before.type !== 'LoadBalancer' ||
    spec.type !== 'LoadBalancer' ||
    before.loadBalancerClass === spec.loadBalancerClass;
  return kept
    ? []
    : [
        fieldInvalid(
          fieldPath('spec', 'loadBalancerClass'),
          spec.loadBalancerClass === undefined ? undefined : printedWord(spec.loadBalancerClass),
          fixed,
        ),
      ];
}

function validateAddressChange(spec: Frozen<ServiceSpec>, before: Frozen<ServiceSpec>): FieldErrors {
  const { clusterIPs = [] } = spec;
  const { clusterIPs: old = [] } = before;
  const path = fieldPath('spec', 'clusterIPs');
  const shown = clusterIPs.length === 0 ? null : clusterIPs;
  if (old.length === clusterIPs.length) {
    return collect(old, (address, index) =>
      address === clusterIPs[index] ? [] : [fieldInvalid(path.index(index), shown, fixed)],
    );
  }
  const errors: FieldError[] = [];
  if (old.length > clusterIPs.length && clusterIPs.length === 0)
    errors.push(fieldInvalid(path.index(0), shown, 'primary clusterIP can not be unset'));
  if (old.length > 0 && clusterIPs.length > 0 && clusterIPs[0] !== old[0])
    errors.push(fieldInvalid(path.index(0), shown, fixed));
  if (old.length > clusterIPs.length && clusterIPs.length === 1) errors.push(...validateRelease(spec, 'clusterIP'));
  return errors;
}

function validateFamilyChange(spec: Frozen<ServiceSpec>, before: Frozen<ServiceSpec>): FieldErrors {
  const { ipFamilies = [], clusterIPs = [] } = spec;
  const { ipFamilies: old = [] } = before;
  const path = fieldPath('spec', 'ipFamilies').index(0);
  const shownFamilies = ipFamilies.length === 0 ? null : ipFamilies;
  if (old.length === ipFamilies.length) {
    return collect(old, (family, index) =>
      family === ipFamilies[index] ? [] : [fieldInvalid(path, shownFamilies, fixed)],
    );
  }
  const errors: FieldError[] = [];
  if (old.length > ipFamilies.length && clusterIPs.length === 0)
    errors.push(fieldInvalid(path, shownFamilies, 'primary ipFamily can not be unset'));
  if (old.length > 0 && ipFamilies.length > 0 && ipFamilies[0] !== old[0]) {
    errors.push(fieldInvalid(path, clusterIPs.length === 0 ? null : clusterIPs, fixed));
  }
  if (old.length > ipFamilies.length && ipFamilies.length === 1) errors.push(...validateRelease(spec, 'ipFamily'));
  return errors;
}

function validateRelease({ ipFamilyPolicy: policy }: Frozen<ServiceSpec>, what: string): FieldErrors {
  if (policy === 'SingleStack') return [];
  const shown = policy === undefined ? undefined : printedWord(policy);
  return [
    fieldInvalid(
      fieldPath('spec', 'ipFamilyPolicy'),
      shown,
      `must be set to 'SingleStack' when releasing the secondary ${what}`,
    ),
  ];
}
