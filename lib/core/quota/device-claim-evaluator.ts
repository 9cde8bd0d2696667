// What ResourceClaims use of quotas: their number, and the devices of each class that they request. A request for all
// devices counts as the most that a claim can have; of alternatives the largest of each class counts. As
// pkg/quota/v1/evaluator/core/resource_claims.go.
import type { Frozen } from '../objects/meta.js';
import { addQuantities, compareQuantities, quantityFromInteger } from '../objects/quantity-arithmetic.js';
import type { Quantity } from '../objects/quantity-arithmetic.js';
import type { ApiObject } from '../objects/meta.js';
import type { QuotaEvaluator } from './quota-evaluator.js';
import { oneObject } from './quota-amounts.js';
import type { QuotaAmounts } from './quota-amounts.js';

/** Measures ResourceClaims. */
export const deviceClaimEvaluator: QuotaEvaluator = {
  resource: { group: 'resource.k8s.io', resource: 'resourceclaims' },
  measures: (name) => name === claimCount || name.endsWith(devicesSuffix),
  usageOf: (object) => usageOf(object),
  handles: ({ subresource }) => subresource === '',
};

const claimCount = 'count/resourceclaims.resource.k8s.io';
const devicesSuffix = '.deviceclass.resource.k8s.io/devices';
/** AllocationResultsMaxSize: no claim can have more devices. */
const devicesMax = 32;

/** What a request, or one of its alternatives, asks for. */
interface DeviceRequest {
  readonly deviceClassName?: string;
  readonly allocationMode?: string;
  readonly count?: number;
}

/** A claim of any version: in v1beta1 a request stands where later versions have `exactly`. */
type Claim = ApiObject & {
  readonly spec?: {
    readonly devices?: {
      readonly requests?: readonly (DeviceRequest & {
        readonly exactly?: DeviceRequest;
        readonly firstAvailable?: readonly DeviceRequest[];
      })[];
    };
  };
};

function usageOf({ spec }: Frozen<Claim>): QuotaAmounts {
  const usage = new Map<string, Quantity>([[claimCount, oneObject]]);
  for (const request of spec?.devices?.requests ?? []) {
    const alternatives = request.firstAvailable ?? [];
    const most = new Map<string, Quantity>();
    for (const each of alternatives.length > 0 ? alternatives : [request.exactly ?? request]) {
      if (each.deviceClassName === undefined || each.deviceClassName === '') continue;
      const name = `${each.deviceClassName}${devicesSuffix}`;
      const devices = devicesOf(each);
      const known = most.get(name);
      if (known === undefined || compareQuantities(devices, known) > 0) most.set(name, devices);
    }
    for (const [name, devices] of most) {
      const known = usage.get(name);
      usage.set(name, known === undefined ? devices : addQuantities(known, devices));
    }
  }
  return usage;
}

function devicesOf({ allocationMode, count = 0 }: DeviceRequest): Quantity {
  if (allocationMode === 'All') return quantityFromInteger(devicesMax);
  return quantityFromInteger(allocationMode === 'ExactCount' ? count : 0);
}
