// Services. Addresses and ports on nodes are allocated outside of the strategy, before it is asked
// (lib/server/allocation); here fields are dropped that a change of type makes meaningless, and everything is checked.
// As pkg/registry/core/service/strategy.go and pkg/api/service/warnings.go.
import { collect } from '../../errors/collect.js';
import type { FieldPath } from '../../errors/field-path.js';
import { fieldPath } from '../../errors/field-path.js';
import { quote } from '../../go/format.js';
import { validateLegacyIp, warningsForCidr, warningsForIp } from '../../objects/ip-validation.js';
import type { Frozen } from '../../objects/meta.js';
import { isDns1123Subdomain, nameIsDnsLabel } from '../../objects/names.js';
import type { LoadBalancerIngress, LoadBalancerStatus, Service, ServiceSpec } from '../../types/core-v1.generated.js';
import type { KindStrategy } from '../kind-strategy.js';
import { serviceTable } from './service-table.js';
import { validateServiceChange } from './service-update-validation.js';
import { validateService } from './service-validation.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldForbidden, fieldInvalid, fieldNotSupported, fieldRequired } from '../../errors/field-error.js';
import { parseIp } from '../../objects/ip-address.js';
import { invalidEach } from '../invalid-each.js';
import { printedWord } from '../printed-values.js';
import { deepEqual } from '../../objects/json.js';
import { isExternalName, isExternallyAccessible, needsHealthCheck, sameTexts, usesNodePorts } from './service-kind.js';

/** The strategy of Services. */
export const service: KindStrategy<Service> = {
  nameRule: nameIsDnsLabel,
  defaultsStatusFromSpec: true,
  prepareForCreate: dropInternalPolicy,
  validate: (object) => validateService(object),
  warningsOnCreate: warnings,
  prepareForUpdate: (object, old) => {
    dropFieldsOfOldType(object, old);
    dropInternalPolicy(object);
  },
  validateUpdate: (object, old) => [...validateServiceChange(object, old), ...validateService(object, old)],
  warningsOnUpdate: warnings,
  subresources: {
    status: {
      validateUpdate: ({ spec, status }, old) =>
        validateLoadBalancerStatus(status?.loadBalancer, {
          old: old.status?.loadBalancer,
          allowed: spec?.type === 'LoadBalancer',
          path: fieldPath('status', 'loadBalancer'),
        }),
      warningsOnUpdate: ({ status }) => {
        const path = fieldPath('status', 'loadBalancer', 'ingress');
        return collect(status?.loadBalancer?.ingress ?? [], ({ ip }, index) =>
          ip === undefined ? [] : warningsForIp(ip, path.index(index)),
        );
      },
    },
  },
  createsOnUpdate: true,
  answersDeleted: true,
  selectableFields: {
    'spec.clusterIP': ({ spec }) => spec?.clusterIP ?? '',
    'spec.type': ({ spec }) => spec?.type ?? '',
  },
  table: serviceTable,
};

/**
 * An alias has no traffic. Kubernetes stores the policy all the same, but never shows it; a wrong one is still refused.
 */
function dropInternalPolicy({ spec }: Service): void {
  const { internalTrafficPolicy: policy } = spec ?? {};
  if (spec?.type === 'ExternalName' && (policy === 'Cluster' || policy === 'Local')) delete spec.internalTrafficPolicy;
}

const specPath = fieldPath('spec');
const oldTopologyAnnotation = 'service.kubernetes.io/topology-aware-hints';
const topologyAnnotation = 'service.kubernetes.io/topology-mode';

function warnings({ metadata, spec = {} }: Frozen<Service>): readonly string[] {
  const {
    clusterIP = '',
    clusterIPs = [],
    externalIPs = [],
    loadBalancerIP = '',
    loadBalancerSourceRanges = [],
    externalName = '',
  } = spec;
  const external = spec.type === 'ExternalName';
  const headless = spec.type === 'ClusterIP' && clusterIP === 'None';
  const found: string[] = [];
  if (Object.hasOwn(metadata?.annotations ?? {}, oldTopologyAnnotation)) {
    found.push(`annotation ${oldTopologyAnnotation} is deprecated, please use ${topologyAnnotation} instead`);
  }
  if (clusterIP !== '' && clusterIP !== 'None') {
    found.push(...collect(clusterIPs, (ip, index) => warningsForIp(ip, specPath.child('clusterIPs').index(index))));
  }
  if (headless) found.push(...headlessWarnings(spec));
  found.push(...collect(externalIPs, (ip, index) => warningsForIp(ip, specPath.child('externalIPs').index(index))));
  if (externalIPs.length > 0 && !headless && !external) {
    found.push('spec.externalIPs is deprecated and may no longer be implemented in some clusters');
  }
  if (loadBalancerIP !== '') found.push(...warningsForIp(loadBalancerIP, specPath.child('loadBalancerIP')));
  found.push(
    ...collect(loadBalancerSourceRanges, (cidr, index) =>
      warningsForCidr(cidr, specPath.child('loadBalancerSourceRanges').index(index)),
    ),
  );
  if (external && externalIPs.length > 0)
    found.push(`spec.externalIPs is ignored when spec.type is ${quote('ExternalName')}`);
  if (!external && externalName !== '')
    found.push(`spec.externalName is ignored when spec.type is not ${quote('ExternalName')}`);
  if (spec.trafficDistribution === 'PreferClose')
    found.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  return found;
}

function headlessWarnings({
  loadBalancerIP = '',
  externalIPs = [],
  sessionAffinity,
}: Frozen<ServiceSpec>): readonly string[] {
  return [
    ...(loadBalancerIP === '' ? [] : ['spec.loadBalancerIP is ignored for headless services']),
    ...(externalIPs.length === 0 ? [] : ['spec.externalIPs is ignored for headless services']),
    ...(sessionAffinity === 'None' ? [] : ['spec.SessionAffinity is ignored for headless services']),
  ];
}

/**
 * Validates the status of a load balancer. Addresses that it had before are not checked again. As
 * ValidateLoadBalancerStatus in pkg/apis/core/validation/validation.go.
 */
function validateLoadBalancerStatus(
  status: Frozen<LoadBalancerStatus> | undefined,
  { old, allowed, path }: { old: Frozen<LoadBalancerStatus> | undefined; allowed: boolean; path: FieldPath },
): readonly FieldError[] {
  const { ingress = [] } = status ?? {};
  const at = path.child('ingress');
  if (!allowed)
    return ingress.length === 0 ? [] : [fieldForbidden(at, "may only be used when `spec.type` is 'LoadBalancer'")];
  const known = (old?.ingress ?? []).flatMap(({ ip = '' }) => (ip === '' ? [] : [ip]));
  return collect(ingress, (each, index) => validateIngress(each, at.index(index), known));
}

function validateIngress(
  { ip = '', ipMode, hostname = '' }: Frozen<LoadBalancerIngress>,
  path: FieldPath,
  known: readonly string[],
): readonly FieldError[] {
  const errors: FieldError[] = ip === '' ? [] : [...validateLegacyIp(ip, path.child('ip'), known)];
  const modePath = path.child('ipMode');
  if (ipMode === undefined) {
    if (ip !== '') errors.push(fieldRequired(modePath, 'must be specified when `ip` is set'));
  } else if (ip === '') errors.push(fieldForbidden(modePath, 'may not be specified when `ip` is not set'));
  else if (ipMode !== 'VIP' && ipMode !== 'Proxy')
    errors.push(fieldNotSupported(modePath, printedWord(ipMode), ['Proxy', 'VIP']));
  if (hostname === '') return errors;
  errors.push(...invalidEach(path.child('hostname'), hostname, isDns1123Subdomain(hostname)));
  if (parseIp(hostname) !== undefined)
    errors.push(fieldInvalid(path.child('hostname'), hostname, 'must be a DNS name, not an IP address'));
  return errors;
}

/**
 * Drops, in place, the fields that only the old type needed. Clients that change the type send back what the server
 * filled in; a field that no longer applies is dropped unless the client changed it too, which validation then refuses.
 * As dropTypeDependentFields in pkg/registry/core/service/strategy.go.
 */
function dropFieldsOfOldType(service: Service, old: Frozen<Service>): void {
  const { spec } = service;
  if (spec === undefined) return;
  const before = old.spec ?? {};
  const same = (field: keyof ServiceSpec): boolean => deepEqual(spec[field] ?? null, before[field] ?? null);

  if (!isExternalName(old) && isExternalName(service)) {
    if (same('clusterIP') && sameTexts(spec.clusterIPs, before.clusterIPs)) {
      delete spec.clusterIP;
      delete spec.clusterIPs;
    }
    if (same('ipFamilies')) delete spec.ipFamilies;
    if (same('ipFamilyPolicy')) delete spec.ipFamilyPolicy;
  }
  if (usesNodePorts(old) && !usesNodePorts(service) && hasNoNewNodePort(spec, before)) {
    spec.ports = spec.ports?.map(({ nodePort: _dropped, ...port }) => port) ?? [];
    if (spec.ports.length === 0) delete spec.ports;
  }
  if (needsHealthCheck(old) && !needsHealthCheck(service) && same('healthCheckNodePort'))
    delete spec.healthCheckNodePort;
  if (before.type === 'LoadBalancer' && spec.type !== 'LoadBalancer') {
    if (same('allocateLoadBalancerNodePorts')) delete spec.allocateLoadBalancerNodePorts;
    if (same('loadBalancerClass')) delete spec.loadBalancerClass;
  }
  if (isExternallyAccessible(old) && !isExternallyAccessible(service) && same('externalTrafficPolicy'))
    delete spec.externalTrafficPolicy;
  // A load balancer goes later, but its address is no longer this Service's.
  if (spec.type !== 'LoadBalancer') service.status = { ...service.status, loadBalancer: {} };
}

/** Ports may come, go and change, as long as no node port is new. */
function hasNoNewNodePort(spec: ServiceSpec, before: Frozen<ServiceSpec>): boolean {
  const known = new Set(before.ports?.map(({ nodePort = 0 }) => nodePort));
  return (spec.ports ?? []).every(({ nodePort = 0 }) => nodePort === 0 || known.has(nodePort));
}
