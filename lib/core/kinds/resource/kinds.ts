// The kinds of this group: their defaults and strategies, by `apiVersion/kind`.
import {
  resourceClaimTemplateV1beta1,
  resourceClaimV1beta1,
  resourceSliceV1beta1,
} from '../../scheme/conversions/dynamic-resources.js';
import type { KindParticulars } from '../../scheme/kind-definition.js';
import type { ResourceClaim, ResourceClaimTemplate } from '../../types/resource-v1.generated.js';
import type * as v1beta1 from '../../types/resource-v1beta1.generated.js';
import { uncheckedExpressions } from '../expression-check.js';
import type { ExpressionCheck } from '../expression-check.js';
import { deviceClass } from './device-class.js';
import { resourceClaimTemplate } from './resource-claim-template.js';
import { resourceClaim, resourceClaimDefaults, resourceClaimV1beta1Defaults } from './resource-claim.js';
import { resourceSlice } from './resource-slice.js';

/** The strategy of each kind of the group. */
export const resourceKinds: Readonly<Record<string, KindParticulars>> = kinds(uncheckedExpressions);

function kinds(check: ExpressionCheck): Readonly<Record<string, KindParticulars>> {
  const setClaimDefaults = (claim: ResourceClaim): void => resourceClaimDefaults(claim);
  const setTemplateDefaults = ({ spec }: ResourceClaimTemplate): void => resourceClaimDefaults(spec);
  return {
    'resource.k8s.io/v1/DeviceClass': { strategy: deviceClass(check) },
    'resource.k8s.io/v1/ResourceClaim': { setDefaults: setClaimDefaults, strategy: resourceClaim(check) },
    'resource.k8s.io/v1/ResourceClaimTemplate': {
      setDefaults: setTemplateDefaults,
      strategy: resourceClaimTemplate(check),
    },
    'resource.k8s.io/v1/ResourceSlice': { strategy: resourceSlice },
    'resource.k8s.io/v1beta1/ResourceClaim': {
      conversion: resourceClaimV1beta1,
      setDefaults: (claim: v1beta1.ResourceClaim) => resourceClaimV1beta1Defaults(claim),
    },
    'resource.k8s.io/v1beta1/ResourceClaimTemplate': {
      conversion: resourceClaimTemplateV1beta1,
      setDefaults: ({ spec }: v1beta1.ResourceClaimTemplate) => resourceClaimV1beta1Defaults(spec),
    },
    'resource.k8s.io/v1beta1/ResourceSlice': { conversion: resourceSliceV1beta1 },
    'resource.k8s.io/v1beta2/DeviceTaintRule': { storage: { group: 'resource.k8s.io', version: 'v1alpha3' } },
    'resource.k8s.io/v1beta2/ResourceClaim': { setDefaults: setClaimDefaults },
    'resource.k8s.io/v1beta2/ResourceClaimTemplate': { setDefaults: setTemplateDefaults },
  };
}
