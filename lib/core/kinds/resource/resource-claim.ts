// ResourceClaim: a request for devices, which the scheduler fulfils by an allocation in the status. The specification
// never changes. As pkg/registry/resource/resourceclaim/strategy.go.
//
// Not asked here: whether the namespace may have admin access to devices, and whether the writer of a status may bind
// or report for a driver. Both need to read other objects or the authorizer.
import { fieldInvalid } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import { deepEqual } from '../../objects/json.js';
import type { Frozen } from '../../objects/meta.js';
import { nameIsDnsSubdomain } from '../../objects/names.js';
import type { ExactDeviceRequest, ResourceClaim, ResourceClaimSpec } from '../../types/resource-v1.generated.js';
import type * as v1beta1 from '../../types/resource-v1beta1.generated.js';
import type { ExpressionCheck } from '../expression-check.js';
import type { KindStrategy } from '../kind-strategy.js';
import { keepMetadata } from '../status-metadata.js';
import { age, ageColumn, nameColumn, textColumn } from '../table-cells.js';
import { validateDeviceClaim } from './device-claim.js';
import { printResourceClaim } from './internal-form.js';
import { allocatedDevices, sharedDeviceId, validateResourceClaimStatus } from './resource-claim-status.js';

/** The strategy of ResourceClaims. */
export function resourceClaim(check: ExpressionCheck): KindStrategy<ResourceClaim> {
  return {
    nameRule: nameIsDnsSubdomain,
    validate: ({ spec }, { checkExpression = check }) =>
      validateDeviceClaim(spec.devices ?? {}, fieldPath('spec', 'devices'), { check: checkExpression, stored: false }),
    validateUpdate: validateSame,
    subresources: {
      status: {
        prepareForUpdate(claim, old) {
          keepMetadata(claim, old);
          forgetReleasedDevices(claim, old);
        },
        validateUpdate: validateResourceClaimStatus,
      },
    },
    answersDeleted: true,
    table: {
      columns: [nameColumn, textColumn('State', 'Whether it is pending, allocated, reserved or deleted.'), ageColumn],
      row: (claim, now) => ({ cells: [claim.metadata?.name ?? '', state(claim), age(claim, now)] }),
    },
  };
}

/** The defaults of a claim. As pkg/apis/resource/v1/defaults.go. */
export function resourceClaimDefaults({ spec }: { spec: ResourceClaimSpec }): void {
  for (const { exactly, firstAvailable = [] } of spec.devices?.requests ?? []) {
    if (exactly !== undefined) setCount(exactly);
    for (const subrequest of firstAvailable) setCount(subrequest);
  }
}

/** The defaults of a claim in v1beta1, whose requests count devices only where they name a class. */
export function resourceClaimV1beta1Defaults({ spec }: { spec: v1beta1.ResourceClaimSpec }): void {
  for (const request of spec.devices?.requests ?? []) {
    if (request.deviceClassName !== undefined && request.deviceClassName !== '') setCount(request);
    for (const subrequest of request.firstAvailable ?? []) setCount(subrequest);
  }
}

/** One device by default. */
function setCount(request: Pick<ExactDeviceRequest, 'allocationMode' | 'count'>): void {
  request.allocationMode ??= 'ExactCount';
  if (request.allocationMode === 'ExactCount') request.count ??= 1;
}

function validateSame({ spec }: Frozen<ResourceClaim>, old: Frozen<ResourceClaim>): readonly FieldError[] {
  return deepEqual(spec, old.spec)
    ? []
    : [fieldInvalid(fieldPath('spec'), printResourceClaim('ClaimSpec', spec), 'field is immutable')];
}

/**
 * What drivers said of devices that are no longer allocated goes with the allocation, so that schedulers need not know
 * of it.
 */
function forgetReleasedDevices({ status }: ResourceClaim, old: Frozen<ResourceClaim>): void {
  if (status?.devices === undefined) return;
  const [before, now] = [allocatedDevices(old.status?.allocation), allocatedDevices(status.allocation)];
  const kept = status.devices.filter((device) => {
    const id = JSON.stringify(sharedDeviceId(device));
    return now.has(id) || !before.has(id);
  });
  if (kept.length > 0) status.devices = kept;
  else delete status.devices;
}

function state({ metadata, status }: Frozen<ResourceClaim>): string {
  const deleted = metadata?.deletionTimestamp !== undefined;
  const states = deleted ? ['deleted'] : [];
  if (status?.allocation === undefined) return deleted ? 'deleted' : 'pending';
  states.push('allocated');
  if ((status.reservedFor ?? []).length > 0) states.push('reserved');
  return states.join(',');
}
