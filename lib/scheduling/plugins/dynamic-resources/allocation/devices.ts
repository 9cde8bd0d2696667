// Types of dynamic resource allocation. Drivers offer devices in ResourceSlices, which form pools; a device is
// identified by driver, pool and name. Claims request devices by class and receive an allocation in their status.
import type { Frozen } from '../../../../core/index.js';
import type { resourceV1 } from '../../../../core/types/index.js';
import type { CachedKinds } from '../../../cluster/object-lister.js';

/** A ResourceClaim. */
export type FrozenResourceClaim = Frozen<CachedKinds['ResourceClaim']>;
/** A ResourceSlice. */
export type Slice = Frozen<CachedKinds['ResourceSlice']>;
/** A DeviceClass. */
export type FrozenDeviceClass = Frozen<CachedKinds['DeviceClass']>;
/** The allocation of a claim. */
export type Allocation = Frozen<resourceV1.AllocationResult>;

/** A device of a slice. */
export interface OfferedDevice {
  /** `driver/pool/device`, unique in the cluster. */
  readonly id: string;
  readonly driver: string;
  readonly pool: string;
  readonly name: string;
  readonly spec: Frozen<resourceV1.Device>;
  readonly slice: Slice;
}

/** Returns the id of a device. Drivers and devices contain no slash; pools may. */
export function deviceId(driver: string, pool: string, device: string): string {
  return `${poolId(driver, pool)}/${device}`;
}

/** Returns the id of a pool. */
export function poolId(driver: string, pool: string): string {
  return `${driver}/${pool}`;
}

/** Returns the devices of a slice, cached by object. */
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
