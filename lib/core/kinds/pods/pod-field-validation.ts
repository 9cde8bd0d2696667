// Smaller parts of a pod's specification: names it resolves, claims on devices, gates, ports and users of the host.
// As the functions of pkg/apis/core/validation/validation.go of the same names.
import { findingsMax } from '../../errors/collect.js';
import { fieldDuplicate, fieldForbidden, fieldInvalid, fieldRequired, fieldTooLong } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import type { FieldPath } from '../../errors/field-path.js';
import { utf8Length, isDns1123Label, isDns1123Subdomain, isQualifiedName } from '../../objects/names.js';
import { validateLegacyIp } from '../../objects/ip-validation.js';
import type { Frozen, ObjectMeta } from '../../objects/meta.js';
import type { SyntaxRule } from '../../objects/names.js';
import type { HostAlias, PodResourceClaim, PodSchedulingGate, PodSpec } from '../../types/core-v1.generated.js';
import { internalForm } from '../internal-form.js';
import { each, noErrors, required, ruled } from './field-checks.js';
import type { FieldErrors } from './field-checks.js';
import { mirrorAnnotation } from './pod-annotation-validation.js';
import { containersOf, regularContainers } from './pod-containers.js';
import type { PodValidationOptions } from './pod-validation-options.js';

/** Claims on devices. Mirrors of static pods have none; templates have no metadata here. */
export function validateResourceClaims(
  claims: readonly Frozen<PodResourceClaim>[] | undefined,
  path: FieldPath,
  metadata: Frozen<ObjectMeta> | undefined,
): FieldErrors {
  const names = new Set<string>();
  const isMirror = Object.hasOwn(metadata?.annotations ?? {}, mirrorAnnotation);
  return each(claims, path, (claim, at) => {
    if (isMirror) return [fieldForbidden(fieldPath(''), 'static pods do not support resource claims')];
    const { name, resourceClaimName, resourceClaimTemplateName } = claim;
    const errors: FieldError[] = [];
    if (name === '') errors.push(fieldRequired(at.child('name')));
    else if (names.has(name)) errors.push(fieldDuplicate(at.child('name'), name));
    else errors.push(...ruled(name, isDns1123Label, at.child('name')));
    names.add(name);
    if (resourceClaimName !== undefined && resourceClaimTemplateName !== undefined) {
      errors.push(
        fieldInvalid(
          at,
          internalForm('PodResourceClaim', claim),
          'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified',
        ),
      );
    }
    if (resourceClaimName === undefined && resourceClaimTemplateName === undefined) {
      errors.push(
        fieldInvalid(
          at,
          internalForm('PodResourceClaim', claim),
          'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`',
        ),
      );
    }
    if (resourceClaimName !== undefined)
      errors.push(...ruled(resourceClaimName, isDns1123Subdomain, at.child('resourceClaimName')));
    if (resourceClaimTemplateName !== undefined) {
      errors.push(...ruled(resourceClaimTemplateName, isDns1123Subdomain, at.child('resourceClaimTemplateName')));
    }
    return errors;
  });
}

/** On the host's network ports are the host's. Templates may leave them out. */
export function validateHostNetworkPorts(
  spec: Frozen<PodSpec>,
  path: FieldPath,
  options: PodValidationOptions,
): FieldErrors {
  if (spec.hostNetwork !== true) return noErrors;
  return each(regularContainers(spec), path.child('containers'), ({ ports }, at) =>
    each(ports, at.child('ports'), ({ hostPort = 0, containerPort }, port) =>
      hostPort === containerPort || (options.isPod !== true && hostPort === 0)
        ? noErrors
        : [fieldInvalid(port.child('hostPort'), hostPort, 'must match `containerPort` when `hostNetwork` is true')],
    ),
  );
}

/** How the pod resolves names. */
export function validateDnsConfig(spec: Frozen<PodSpec>, path: FieldPath): FieldErrors {
  const { dnsConfig, dnsPolicy } = spec;
  if (dnsPolicy === 'None' && dnsConfig === undefined)
    return [fieldRequired(path, 'must provide `dnsConfig` when `dnsPolicy` is None')];
  const { nameservers = [], searches = [], options } = dnsConfig ?? {};
  if (dnsPolicy === 'None' && nameservers.length === 0) {
    return [
      fieldRequired(path.child('nameservers'), 'must provide at least one DNS nameserver when `dnsPolicy` is None'),
    ];
  }
  const errors: FieldError[] = [];
  if (nameservers.length > 3)
    errors.push(fieldInvalid(path.child('nameservers'), nameservers, 'must not have more than 3 nameservers'));
  errors.push(...each(nameservers, path.child('nameservers'), (server, at) => validateLegacyIp(server, at)));
  if (searches.length > 32)
    errors.push(fieldInvalid(path.child('searches'), searches, 'must not have more than 32 search paths'));
  if (utf8Length(searches.join(' ')) > 2048) {
    errors.push(
      fieldInvalid(
        path.child('searches'),
        searches,
        'must not have more than 2048 characters (including spaces) in the search list',
      ),
    );
  }
  errors.push(
    ...each(searches, path.child('searches'), (search, at) =>
      search === '.' ? noErrors : ruled(search.replace(/\.$/, ''), isSearchDomain, at),
    ),
  );
  return [
    ...errors,
    ...each(options, path.child('options'), ({ name }, at) => required(name, at, 'must not be empty')),
  ];
}

/** Conditions that must hold before the pod is ready. */
export function validateReadinessGates(
  gates: readonly { readonly conditionType: string }[] | undefined,
  path: FieldPath,
): FieldErrors {
  return each(gates, path, ({ conditionType }, at) => ruled(conditionType, isQualifiedName, at.child('conditionType')));
}

/** What must be taken away before the pod is scheduled. */
export function validateSchedulingGates(
  gates: readonly Frozen<PodSchedulingGate>[] | undefined,
  path: FieldPath,
): FieldErrors {
  const seen = new Set<string>();
  return each(gates, path, ({ name }, at) => {
    const errors = ruled(name, isQualifiedName, at);
    const repeated = seen.has(name);
    seen.add(name);
    return repeated ? [...errors, fieldDuplicate(at, name)] : errors;
  });
}

/** Own users exclude other namespaces of the host. The names in two paths are Kubernetes' own. */
export function validateHostUsers(spec: Frozen<PodSpec>, path: FieldPath, options: PodValidationOptions): FieldErrors {
  if (spec.hostUsers !== false) return noErrors;
  const detail = 'when `hostUsers` is false';
  const errors: FieldError[] = [];
  if (spec.hostNetwork === true) errors.push(fieldForbidden(path.child('hostNetwork'), detail));
  if (spec.hostPID === true) errors.push(fieldForbidden(path.child('HostPID'), detail));
  if (spec.hostIPC === true) errors.push(fieldForbidden(path.child('HostIPC'), detail));
  if (options.allowVolumeDevicesWithUserNamespaces === true) return errors;
  for (const { container, at } of containersOf(spec, path)) {
    if (errors.length > findingsMax) break;
    if ((container.volumeDevices ?? []).length > 0) errors.push(fieldForbidden(at.child('volumeDevices'), detail));
  }
  return errors;
}

/** A host name that overrides all others. */
export function validateHostnameOverride(spec: Frozen<PodSpec>, path: FieldPath): FieldErrors {
  const { hostnameOverride: name } = spec;
  if (name === undefined) return noErrors;
  const errors: FieldError[] = [];
  if (spec.setHostnameAsFQDN === true)
    errors.push(fieldForbidden(path, 'may not be specified when setHostnameAsFQDN is true'));
  if (spec.hostNetwork === true) errors.push(fieldForbidden(path, 'may not be specified when hostNetwork is true'));
  if (utf8Length(name) > 64) errors.push(fieldTooLong(path, 64));
  return [...errors, ...ruled(name, isDns1123Subdomain, path)];
}

/** Names for addresses. */
export function validateHostAliases(aliases: readonly Frozen<HostAlias>[] | undefined, path: FieldPath): FieldErrors {
  return each(aliases, path, ({ ip, hostnames }, at) => [
    ...validateLegacyIp(ip, at.child('ip')),
    ...each(hostnames, at.child('hostnames'), (name, namePath) => ruled(name, isDns1123Subdomain, namePath)),
  ]);
}

const searchDomainLabel = /^_?[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?$/;

/** A subdomain in which labels may have underscores. As IsDNS1123SubdomainWithUnderscore. */
const isSearchDomain: SyntaxRule = (value) => {
  const tooLong = utf8Length(value) > 253 ? ['must be no more than 253 characters'] : [];
  return value.split('.').every((label) => searchDomainLabel.test(label))
    ? tooLong
    : [...tooLong, searchDomainSentence];
};

const searchDomainSentence =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric " +
  "character (e.g. 'example.com', regex used for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')";
