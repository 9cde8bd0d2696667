// Devices that take time to be made ready, such as those behind a fabric. Their conditions stand in the status of the
// claim, written by the driver: all that the device names must come true, and none of those that mean failure.
// As pkg/scheduler/framework/plugins/dynamicresources, isClaimReadyForBinding and isClaimTimeout.
import { parseTime, quote } from '../../../core/index.js';
import type { FrozenResourceClaim } from './allocation/devices.js';

/** Whether all devices of a claim are ready; `failed` with the words where one never will be. */
export function readiness({
  metadata,
  status,
}: FrozenResourceClaim): 'ready' | 'not yet' | { readonly failed: string } {
  if (status?.allocation === undefined) return 'not yet';
  for (const { driver, pool, device, bindingConditions = [], bindingFailureConditions = [] } of status.allocation
    .devices?.results ?? []) {
    if (bindingConditions.length === 0) continue;
    const told = status.devices?.find((each) => each.driver === driver && each.pool === pool && each.device === device);
    if (told === undefined) return 'not yet';
    const trueOf = new Map(
      (told.conditions ?? []).filter((each) => each.status === 'True').map((each) => [each.type, each]),
    );
    const failure = bindingFailureConditions.flatMap((type) => trueOf.get(type) ?? [])[0];
    if (failure !== undefined)
      return {
        failed: `device binding failed: claim=${metadata?.name ?? ''}, reason=${failure.reason}, message=${quote(failure.message)}`,
      };
    if (!bindingConditions.every((type) => trueOf.has(type))) return 'not yet';
  }
  return 'ready';
}

/** Whether a claim has been waiting for its devices longer than it may. */
export function isOverdue({ status }: FrozenResourceClaim, nowMs: number, timeoutMs: number): boolean {
  const since = status?.allocation?.allocationTimestamp;
  return since !== undefined && takesTime(status?.allocation) && parseTime(since) + timeoutMs < nowMs;
}

/** Whether any device of an allocation has to be made ready. */
export function takesTime(allocation: NonNullable<FrozenResourceClaim['status']>['allocation']): boolean {
  return allocation?.devices?.results?.some(({ bindingConditions = [] }) => bindingConditions.length > 0) ?? false;
}
