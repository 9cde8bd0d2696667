// Words for devices. A driver offers them in ResourceSlices, which belong together in pools; a device is known by
// driver, pool and its own name. Claims ask for devices by class and are given some by an allocation, which stands in
// their status.
import type { Frozen } from '../../../../core/index.js';
import type { resourceV1 } from '../../../../core/types/index.js';
import type { KnownKinds } from '../../../cluster/known-objects.js';

/** A claim for devices. */
export type FrozenResourceClaim = Frozen<KnownKinds['ResourceClaim']>;
/** A part of a pool. */
export type Slice = Frozen<KnownKinds['ResourceSlice']>;
/** What kind of devices may be asked for. */
export type FrozenDeviceClass = Frozen<KnownKinds['DeviceClass']>;
/** What a claim was given. */
export type Allocation = Frozen<resourceV1.AllocationResult>;

/** A device that a slice offers. */
export interface OfferedDevice {
  /** `driver/pool/device`: no other device has it. */
  readonly id: string;
  readonly driver: string;
  readonly pool: string;
  readonly name: string;
  readonly spec: Frozen<resourceV1.Device>;
  readonly slice: Slice;
}

/** The name by which nobody else is known. Drivers and devices have no slash in theirs; pools may. */
export function deviceId(driver: string, pool: string, device: string): string {
  return `${poolId(driver, pool)}/${device}`;
}

/** The name by which a pool is known. */
export function poolId(driver: string, pool: string): string {
  return `${driver}/${pool}`;
}

/** The devices of a slice. Asked again with the same slice, the same devices. */
export function devicesOf(slice: Slice): readonly OfferedDevice[] {
  const known = devicesBySlice.get(slice);
  if (known !== undefined) return known;
  const { driver, pool, devices = [] } = slice.spec;
  const offered = devices.map((spec) => ({
    id: deviceId(driver, pool.name, spec.name),
    driver,
    pool: pool.name,
    name: spec.name,
    spec,
    slice,
  }));
  devicesBySlice.set(slice, offered);
  return offered;
}

const devicesBySlice = new WeakMap<Slice, readonly OfferedDevice[]>();
