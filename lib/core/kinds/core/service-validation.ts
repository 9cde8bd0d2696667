// Everything that can be wrong with a Service. Addresses and CIDRs that the old object had are not checked again.
// As validateService in pkg/apis/core/validation/validation.go; what an update may not change is in
// service-update-validation.ts, the fields of cluster addresses in cluster-ip-validation.ts.
import { collect } from '../../errors/collect.js';
import { fieldForbidden, fieldInvalid, fieldNotSupported, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import { validateLegacyCidr, validateLegacyIp } from '../../objects/ip-validation.js';
import { validateLabels } from '../../objects/meta-validation.js';
import type { Frozen } from '../../objects/meta.js';
import { isDns1123Subdomain, isPortNumber } from '../../objects/names.js';
import type { Service, ServiceSpec } from '../../types/core-v1.generated.js';
import { invalidEach } from '../invalid-each.js';
import { printedWord } from '../printed-values.js';
import { trimSpace } from '../../go/trim-space.js';
import { validateClusterIpFields } from './cluster-ip-validation.js';
import { validateEndpointIp } from './endpoint-ip.js';
import { isExternallyAccessible, isHeadless, needsHealthCheck } from './service-kind.js';
import { validateDistinctPorts, validateServicePorts } from './service-port-validation.js';
import { validateLoadBalancerClass } from './service-update-validation.js';

type FieldErrors = readonly FieldError[];

const specPath = fieldPath('spec');
const annotationsPath = fieldPath('metadata', 'annotations');

/** Validates a Service, new or about to replace the old one. */
export function validateService(service: Frozen<Service>, old?: Frozen<Service>): FieldErrors {
  const { spec = {} } = service;
  return [
    ...validateTopologyAnnotations(service),
    ...validateTypeFields(service),
    ...validateServicePorts(spec.ports ?? [], specPath.child('ports')),
    ...validateLabels(spec.selector ?? {}, specPath.child('selector')),
    ...validateAffinity(spec),
    ...validateClusterIpFields(service, old),
    ...validateExternalIps(spec, old?.spec),
    ...validateOneOf(spec.type, serviceTypes, 'type'),
    ...validateNodePorts(spec),
    ...validateDistinctPorts(spec.ports ?? [], specPath.child('ports')),
    ...validateSourceRanges(service, old),
    ...validateBalancerPorts(spec),
    ...validateLoadBalancerClass(spec),
    ...validateExternalTraffic(service),
    ...validateInternalTraffic(spec),
  ];
}

const serviceTypes = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const onlyBalancer = "may only be used when `type` is 'LoadBalancer'";
const oldHintsAnnotation = 'service.kubernetes.io/topology-aware-hints';
const topologyAnnotation = 'service.kubernetes.io/topology-mode';
const rangesAnnotation = 'service.beta.kubernetes.io/load-balancer-source-ranges';

function validateTopologyAnnotations({ metadata }: Frozen<Service>): FieldErrors {
  const { [topologyAnnotation]: mode, [oldHintsAnnotation]: hints } = metadata?.annotations ?? {};
  if (mode === undefined || hints === undefined || mode === hints) return [];
  return [
    fieldInvalid(
      annotationsPath.key(topologyAnnotation),
      mode,
      `must match annotations[${oldHintsAnnotation}] when both are specified`,
    ),
  ];
}

/** What the type demands and what it rules out. */
function validateTypeFields(service: Frozen<Service>): FieldErrors {
  const { ports = [], type, clusterIPs = [], ipFamilies = [], ipFamilyPolicy, externalName = '' } = service.spec ?? {};
  const headless = isHeadless(service);
  const errors: FieldError[] =
    ports.length === 0 && !headless && type !== 'ExternalName' ? [fieldRequired(specPath.child('ports'))] : [];
  if ((type === 'LoadBalancer' || type === 'NodePort') && headless) {
    errors.push(
      fieldInvalid(specPath.child('clusterIPs').index(0), 'None', `may not be set to 'None' for ${type} services`),
    );
  }
  if (type !== 'ExternalName') return errors;
  const refuse = (field: string): void => {
    errors.push(fieldForbidden(specPath.child(field), 'may not be set for ExternalName services'));
  };
  if (clusterIPs.length > 0) refuse('clusterIPs');
  if (ipFamilies.length > 0) refuse('ipFamilies');
  if (ipFamilyPolicy !== undefined) refuse('ipFamilyPolicy');
  // A dot at the end says that the name is complete.
  const name = externalName.endsWith('.') ? externalName.slice(0, -1) : externalName;
  const path = specPath.child('externalName');
  return [...errors, ...(name === '' ? [fieldRequired(path)] : invalidEach(path, name, isDns1123Subdomain(name)))];
}

function validateAffinity({ sessionAffinity, sessionAffinityConfig }: Frozen<ServiceSpec>): FieldErrors {
  const errors: FieldError[] = [...validateOneOf(sessionAffinity, ['ClientIP', 'None'], 'sessionAffinity')];
  const path = specPath.child('sessionAffinityConfig');
  if (sessionAffinity === 'None' && sessionAffinityConfig !== undefined) {
    errors.push(fieldForbidden(path, 'must not be set when session affinity is None'));
  }
  if (sessionAffinity !== 'ClientIP') return errors;
  const timeoutPath = path.child('clientIP').child('timeoutSeconds');
  const timeout = sessionAffinityConfig?.clientIP?.timeoutSeconds;
  if (timeout === undefined) return [...errors, fieldRequired(timeoutPath, 'when session affinity type is ClientIP')];
  if (timeout > 0 && timeout <= 86_400) return errors;
  return [...errors, fieldInvalid(timeoutPath, timeout, 'must be greater than 0 and less than 86400')];
}

function validateExternalIps(
  { externalIPs = [] }: Frozen<ServiceSpec>,
  old: Frozen<ServiceSpec> | undefined,
): FieldErrors {
  return collect(externalIPs, (ip, index) => {
    const path = specPath.child('externalIPs').index(index);
    const wrong = validateLegacyIp(ip, path, old?.externalIPs ?? []);
    return wrong.length > 0 ? wrong : validateEndpointIp(ip, path);
  });
}

function validateNodePorts({ type, ports = [] }: Frozen<ServiceSpec>): FieldErrors {
  if (type !== 'ClusterIP') return [];
  return collect(ports, ({ nodePort = 0 }, index) =>
    nodePort === 0
      ? []
      : [
          fieldForbidden(
            specPath.child('ports').index(index).child('nodePort'),
            "may not be used when `type` is 'ClusterIP'",
          ),
        ],
  );
}

/** In the field, or in the annotation that was before it. Spaces around a range are part of the API by now. */
function validateSourceRanges({ metadata, spec = {} }: Frozen<Service>, old: Frozen<Service> | undefined): FieldErrors {
  const { type, loadBalancerSourceRanges = [] } = spec;
  if (loadBalancerSourceRanges.length > 0) {
    // The capital letter is Kubernetes' own.
    const path = specPath.child('LoadBalancerSourceRanges');
    const known = (old?.spec?.loadBalancerSourceRanges ?? []).map(trimSpace);
    return [
      ...(type === 'LoadBalancer' ? [] : [fieldForbidden(path, onlyBalancer)]),
      ...collect(loadBalancerSourceRanges, (range, index) =>
        validateLegacyCidr(trimSpace(range), path.index(index), known),
      ),
    ];
  }
  const annotation = metadata?.annotations?.[rangesAnnotation];
  if (annotation === undefined) return [];
  const path = annotationsPath.key(rangesAnnotation);
  const text = old?.metadata?.annotations?.[rangesAnnotation] === annotation ? '' : trimSpace(annotation);
  return [
    ...(type === 'LoadBalancer' ? [] : [fieldForbidden(path, onlyBalancer)]),
    ...(text === '' ? [] : collect(text.split(','), (range) => validateLegacyCidr(trimSpace(range), path))),
  ];
}

function validateBalancerPorts({ type, allocateLoadBalancerNodePorts: allocate }: Frozen<ServiceSpec>): FieldErrors {
  const field = 'allocateLoadBalancerNodePorts';
  if (type !== 'LoadBalancer')
    return allocate === undefined ? [] : [fieldForbidden(specPath.child(field), onlyBalancer)];
  return allocate === undefined ? [fieldRequired(fieldPath(field))] : [];
}

function validateExternalTraffic(service: Frozen<Service>): FieldErrors {
  const { externalTrafficPolicy: policy = '', healthCheckNodePort: port = 0 } = service.spec ?? {};
  const errors: FieldError[] = [];
  if (isExternallyAccessible(service))
    errors.push(...validateOneOf(policy, ['Cluster', 'Local'], 'externalTrafficPolicy'));
  else if (policy !== '') {
    errors.push(
      fieldInvalid(
        specPath.child('externalTrafficPolicy'),
        printedWord(policy),
        'may only be set for externally-accessible services',
      ),
    );
  }
  const path = specPath.child('healthCheckNodePort');
  if (needsHealthCheck(service))
    errors.push(...(port === 0 ? [fieldRequired(path)] : invalidEach(path, port, isPortNumber(port))));
  else if (port !== 0) {
    errors.push(
      fieldInvalid(path, port, "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"),
    );
  }
  return errors;
}

function validateInternalTraffic({
  type,
  internalTrafficPolicy: policy,
  trafficDistribution,
}: Frozen<ServiceSpec>): FieldErrors {
  const errors: FieldError[] = [];
  const needed = type === 'NodePort' || type === 'LoadBalancer' || type === 'ClusterIP';
  if (policy !== undefined || needed) errors.push(...validatePolicy(policy));
  const distributions = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];
  if (trafficDistribution !== undefined && !distributions.includes(trafficDistribution)) {
    errors.push(fieldNotSupported(specPath.child('trafficDistribution'), trafficDistribution, distributions));
  }
  return errors;
}

function validatePolicy(policy: string | undefined): FieldErrors {
  const path = specPath.child('internalTrafficPolicy');
  if (policy === undefined) return [fieldRequired(path)];
  return policy === 'Cluster' || policy === 'Local'
    ? []
    : [fieldNotSupported(path, printedWord(policy), ['Cluster', 'Local'])];
}

function validateOneOf(value = '', supported: readonly string[], field: string): FieldErrors {
  if (value === '') return [fieldRequired(specPath.child(field))];
  return supported.includes(value) ? [] : [fieldNotSupported(specPath.child(field), printedWord(value), supported)];
}
