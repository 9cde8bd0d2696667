// ResourceSlice: devices that a driver offers on one node or on several. As
// pkg/registry/resource/resourceslice/strategy.go.
import { deepEqual } from '../../objects/json.js';
import type { Frozen } from '../../objects/meta.js';
import { nameIsDnsSubdomain } from '../../objects/names.js';
import { quote } from '../../go/format.js';
import { printTime } from '../../objects/time.js';
import type { Device, ResourceSlice } from '../../types/resource-v1.generated.js';
import type { KindStrategy } from '../kind-strategy.js';
import { age, ageColumn, nameColumn, textColumn } from '../table-cells.js';
import { validateResourceSlice } from './resource-slice-validation.js';

/** The strategy of ResourceSlices. */
export const resourceSlice: KindStrategy<ResourceSlice> = {
  nameRule: nameIsDnsSubdomain,
  prepareForCreate: (slice, { now }) => prepare(slice, now),
  prepareForUpdate: (slice, _, { now }) => prepare(slice, now),
  validate: (slice) => validateResourceSlice(slice, undefined),
  validateUpdate: validateResourceSlice,
  warningsOnCreate: warnings,
  warningsOnUpdate: warnings,
  changesGeneration: (slice, old) => !deepEqual(slice.spec, old.spec),
  answersDeleted: true,
  selectableFields: {
    'spec.nodeName': ({ spec }) => spec.nodeName ?? '',
    'spec.driver': ({ spec }) => spec.driver,
  },
  table: {
    columns: [
      nameColumn,
      textColumn('Node', 'The node the devices belong to.'),
      textColumn('Driver', 'Who offers them.'),
      textColumn('Pool', 'The pool they are in.'),
      ageColumn,
    ],
    row: (slice, now) => ({
      cells: [
        slice.metadata?.name ?? '',
        slice.spec.nodeName ?? '',
        slice.spec.driver,
        slice.spec.pool.name,
        age(slice, now),
      ],
    }),
  },
};

/**
 * Dates new taints, and drops what is still behind switches that are off: attributes with several values, node
 * resources.
 */
function prepare({ spec }: ResourceSlice, now: number): void {
  for (const device of spec.devices ?? []) {
    for (const taint of device.taints ?? []) taint.timeAdded ??= printTime(now);
    dropDisabledFields(device);
  }
}

function dropDisabledFields(device: Device): void {
  delete device.nodeAllocatableResourceMappings;
  for (const attribute of Object.values(device.attributes ?? {})) {
    delete attribute.ints;
    delete attribute.bools;
    delete attribute.strings;
    delete attribute.versions;
  }
}

function warnings({ spec: { driver } }: Frozen<ResourceSlice>): readonly string[] {
  if (driver === driver.toLowerCase()) return [];
  return [`spec.driver: driver names should be lowercase; ${quote(driver)} contains uppercase characters`];
}
