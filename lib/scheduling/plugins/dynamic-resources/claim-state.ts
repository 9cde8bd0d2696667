// What is remembered of a pod's claims while it is placed: those that have devices, those for which devices are looked
// for node by node, and what was found where. Most pods have none, and share one memory that says so.
import { memoryKey } from '../../framework/cycle.js';
import type { MemoryKey, Remembered } from '../../framework/cycle.js';
import type { Rejection } from '../../framework/rejection.js';
import type { Choice } from './allocation/allocator.js';
import type { DeviceClaimDemands } from './allocation/device-demands.js';
import type { ChoicesOfKind } from './allocation/kept-choices.js';
import type { Allocation, FrozenResourceClaim } from './allocation/devices.js';
import type { TakenDevices } from './allocation/taken-devices.js';
import type { ExtendedClaim, ExtendedDemands } from './extended-resources.js';

/** A claim of the pod. */
export interface PodClaim {
  /** As it is, or once it was written here as the API answered. */
  claim: FrozenResourceClaim;
  /** What it demands, where it has no devices yet. */
  readonly demands?: DeviceClaimDemands;
  /** What was decided for it and is to be written. */
  decided?: Allocation;
}

/** Devices on a node. */
export interface FoundDevices {
  /** In the order of the claims that need devices. */
  readonly demands: readonly DeviceClaimDemands[];
  readonly choice: Choice;
  /** The last of them, where extended resources of the pod are left to devices. */
  readonly extended: ExtendedDemands | undefined;
}

/** What is remembered. */
export interface ClaimState extends Remembered {
  readonly claims: readonly PodClaim[];
  /** The one that is made for extended resources. */
  readonly extended: ExtendedClaim | undefined;
  /** What the claims demand that have no devices yet. */
  readonly open: readonly DeviceClaimDemands[];
  /** What was found before for claims that demand the same. */
  readonly kept: ChoicesOfKind<FoundDevices | Rejection>;
  /** As of the beginning of the cycle. */
  readonly taken: TakenDevices;
  /** Whether nodes may differ in how well their devices are what the pod asked for. */
  readonly isRanked: boolean;
  /** By node. */
  readonly found: Map<string, FoundDevices>;
  /** Claims whose devices some node cannot use, or that will not become ready. */
  readonly unavailable: Set<PodClaim>;
}

/** Where it is. */
export const claimState: MemoryKey<ClaimState> = memoryKey<ClaimState>('DynamicResources');
