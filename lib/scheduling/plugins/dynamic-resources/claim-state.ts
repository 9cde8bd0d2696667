// The cycle state of DynamicResources: the pod's claims, those that need an allocation, and the devices found on each
// node. Pods without claims share one empty state.
import { stateKey } from '../../framework/cycle-state.js';
import type { StateKey, StateData } from '../../framework/cycle-state.js';
import type { Rejection } from '../../framework/rejection.js';
import type { Choice } from './allocation/allocator.js';
import type { DeviceClaimDemands } from './allocation/device-demands.js';
import type { CachedChoices } from './allocation/choice-cache.js';
import type { Allocation, FrozenResourceClaim } from './allocation/devices.js';
import type { AllocatedDevices } from './allocation/allocated-devices.js';
import type { ExtendedClaim, ExtendedDemands } from './extended-resources.js';

/** A claim of the pod. */
export interface PodClaim {
  /** The known version, or the response after it was written here. */
  claim: FrozenResourceClaim;
  /** Its requests, if it is not allocated yet. */
  readonly demands?: DeviceClaimDemands;
  /** The allocation to be written. */
  allocation?: Allocation;
}

/** The devices found on a node. */
export interface FoundDevices {
  /** The requests of the unallocated claims. */
  readonly demands: readonly DeviceClaimDemands[];
  readonly choice: Choice;
  /** The last of them, if devices back extended resources of the pod. */
  readonly extended: ExtendedDemands | undefined;
}

/** The cycle state of DynamicResources. */
export interface ClaimState extends StateData {
  readonly claims: readonly PodClaim[];
  /** The claim to be created for extended resources. */
  readonly extended: ExtendedClaim | undefined;
  /** The requests of the unallocated claims. */
  readonly unallocated: readonly DeviceClaimDemands[];
  /** Cached results for claims with equal requests. */
  readonly cachedChoices: CachedChoices<FoundDevices | Rejection>;
  /** The allocated devices at the start of the cycle. */
  readonly allocated: AllocatedDevices;
  /** Whether nodes may differ in the alternatives they satisfy. */
  readonly isRanked: boolean;
  /** The devices found, by node name. */
  readonly found: Map<string, FoundDevices>;
  /** Claims whose devices some node cannot use, or that failed to become ready. */
  readonly unavailable: Set<PodClaim>;
}

/** The key of the state. */
export const claimState: StateKey<ClaimState> = stateKey<ClaimState>('DynamicResources');
