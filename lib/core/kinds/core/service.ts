// Services. Addresses and ports on nodes are allocated outside of the strategy, before it is asked
// (lib/server/allocation); here fields are dropped that a change of type makes meaningless, and everything is checked.
// As pkg/registry/core/service/strategy.go and pkg/api/service/warnings.go.
import { fieldPath } from '../../errors/field-path.js';
import { quote } from '../../errors/go-format.js';
import { warningsForCidr, warningsForIp } from '../../objects/ip-validation.js';
import type { Frozen } from '../../objects/meta.js';
import { nameIsDnsLabel } from '../../objects/names.js';
import type { Service, ServiceSpec } from '../../types/core-v1.generated.js';
import type { KindStrategy } from '../kind-strategy.js';
import { validateLoadBalancerStatus } from './load-balancer-status.js';
import { serviceTable } from './service-table.js';
import { dropFieldsOfOldType } from './service-type-change.js';
import { validateServiceChange } from './service-update-validation.js';
import { validateService } from './service-validation.js';

/** What is particular to Services. */
export const service: KindStrategy<Service> = {
  nameRule: nameIsDnsLabel,
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
        return (status?.loadBalancer?.ingress ?? []).flatMap(({ ip }, index) =>
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
    found.push(...clusterIPs.flatMap((ip, index) => warningsForIp(ip, specPath.child('clusterIPs').index(index))));
  }
  if (headless) found.push(...headlessWarnings(spec));
  found.push(...externalIPs.flatMap((ip, index) => warningsForIp(ip, specPath.child('externalIPs').index(index))));
  if (externalIPs.length > 0 && !headless && !external) {
    found.push('spec.externalIPs is deprecated and may no longer be implemented in some clusters');
  }
  if (loadBalancerIP !== '') found.push(...warningsForIp(loadBalancerIP, specPath.child('loadBalancerIP')));
  found.push(
    ...loadBalancerSourceRanges.flatMap((cidr, index) =>
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
