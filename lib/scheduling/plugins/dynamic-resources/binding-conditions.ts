// Devices that must be prepared before binding, such as those behind a fabric. The driver writes conditions to the
// status of the claim: all binding conditions must be true, and no failure condition. As
// pkg/scheduler/framework/plugins/dynamicresources, isClaimReadyForBinding and isClaimTimeout.
import { parseTime, quote } from '../../../core/index.js';
import type { FrozenResourceClaim } from './allocation/devices.js';

/** Returns whether all devices of a claim are ready; `failed` with a message if one has failed. */
export function readiness({
  metadata,
  status,
}: FrozenResourceClaim): 'ready' | 'not yet' | { readonly failed: string } {
  if (status?.allocation === undefined) return 'not yet';
  for (const { driver, pool, device, bindingConditions = [], bindingFailureConditions = [] } of status.allocation
    .devices?.results ?? []) {
    if (bindingConditions.length === 0) continue;
    const deviceStatus = status.devices?.find(
      (each) => each.driver === driver && each.pool === pool && each.device === device,
    );
    if (deviceStatus === undefined) return 'not yet';
    const trueConditions = new Map(
      (deviceStatus.conditions ?? []).filter((each) => each.status === 'True').map((each) => [each.type, each]),
    );
    const failure = bindingFailureConditions.flatMap((type) => trueConditions.get(type) ?? [])[0];
    if (failure !== undefined)
      return {
        failed: `device binding failed: claim=${metadata?.name ?? ''}, reason=${failure.reason}, message=${quote(failure.message)}`,
      };
    if (!bindingConditions.every((type) => trueConditions.has(type))) return 'not yet';
  }
  return 'ready';
}

/** Returns whether a claim has exceeded its time limit for binding conditions. */
export function isOverdue({ status }: FrozenResourceClaim, nowMs: number, timeoutMs: number): boolean {
  const since = status?.allocation?.allocationTimestamp;
  return since !== undefined && hasBindingConditions(status?.allocation) && parseTime(since) + timeoutMs < nowMs;
}

/** Returns whether any device of an allocation has binding conditions. */
export function hasBindingConditions(allocation: NonNullable<FrozenResourceClaim['status']>['allocation']): boolean {
  return allocation?.devices?.results?.some(({ bindingConditions = [] }) => bindingConditions.length > 0) ?? false;
}
