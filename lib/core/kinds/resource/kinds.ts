// The kinds of this group: their defaults and strategies, by `apiVersion/kind`.
import type { KindParticulars } from '../../scheme/kind-definition.js';
import { uncheckedExpressions } from '../expression-check.js';
import type { ExpressionCheck } from '../expression-check.js';
import { deviceClass } from './device-class.js';
import { resourceClaimTemplate } from './resource-claim-template.js';
import { resourceClaim, resourceClaimDefaults } from './resource-claim.js';
import { resourceSlice } from './resource-slice.js';
import type { ResourceClaim, ResourceClaimTemplate } from '../../types/resource-v1.generated.js';

/** What is particular to each kind of the group. */
export const resourceKinds: Readonly<Record<string, KindParticulars>> = kinds(uncheckedExpressions);

function kinds(check: ExpressionCheck): Readonly<Record<string, KindParticulars>> {
  const setClaimDefaults = (claim: ResourceClaim): void => resourceClaimDefaults(claim);
  const setTemplateDefaults = ({ spec }: ResourceClaimTemplate): void => resourceClaimDefaults(spec);
  return {
    'resource.k8s.io/v1/DeviceClass': { strategy: deviceClass(check) },
    'resource.k8s.io/v1/ResourceClaim': { setDefaults: setClaimDefaults, strategy: resourceClaim(check) },
    'resource.k8s.io/v1/ResourceClaimTemplate': { setDefaults: setTemplateDefaults, strategy: resourceClaimTemplate(check) },
    'resource.k8s.io/v1/ResourceSlice': { strategy: resourceSlice },
    'resource.k8s.io/v1beta2/DeviceTaintRule': { storage: { group: 'resource.k8s.io', version: 'v1alpha3' } },
    'resource.k8s.io/v1beta2/ResourceClaim': { setDefaults: setClaimDefaults },
    'resource.k8s.io/v1beta2/ResourceClaimTemplate': { setDefaults: setTemplateDefaults },
  };
}
