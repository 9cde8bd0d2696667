// Extended resources that a node does not have itself but devices stand for, as scores see them. Each device of the
// class that the node can reach counts as one of the resource, and as in use where somebody has it, alone or with
// others. Other than for allocation, pools need not be complete, and generations make no difference.
// As pkg/scheduler/framework/plugins/noderesources/resource_allocation.go, calculateDRAResourceTotals.
import type { ClusterView } from '../../cluster/cluster-view.js';
import type { KnownObjects } from '../../cluster/known-objects.js';
import type { NodeView } from '../../cluster/node-view.js';
import { computedFrom } from '../computed-from.js';
import { deviceClassBehind } from '../device-classes.js';
import { isDeviceReachable } from '../dynamic-resources/allocation/device-pools.js';
import { devicesOf } from '../dynamic-resources/allocation/devices.js';
import type { FrozenDeviceClass, OfferedDevice, Slice } from '../dynamic-resources/allocation/devices.js';
import { claimLedger } from '../dynamic-resources/claim-ledger.js';
import { SelectorError } from '../dynamic-resources/selectors/device-selectors.js';
import type { SelectorCompiler } from '../dynamic-resources/selectors/device-selectors.js';

/** How many devices there are for a node, and how many of them somebody has. */
export interface DeviceShare {
  readonly capacity: number;
  readonly used: number;
}

/** Counts the devices that stand for a resource on a node; undefined where none do. */
export type DeviceShares = (node: NodeView, resource: string, objects: KnownObjects) => DeviceShare | undefined;

/** For a cluster. A class whose selectors fail stands for nothing. */
export function deviceShares(cluster: ClusterView, selectors: SelectorCompiler): DeviceShares {
  return (node, resource, objects) => {
    const deviceClass = deviceClassBehind(objects, resource);
    if (deviceClass === undefined) return undefined;
    try {
      const devices = devicesFor(node, objects).filter((device) => isOfClass(device, deviceClass, selectors));
      const taken = claimLedger(cluster).taken();
      return { capacity: devices.length, used: devices.filter(({ id }) => taken.has(id)).length };
    } catch (error) {
      if (error instanceof SelectorError) return undefined;
      throw error;
    }
  };
}

function isOfClass(device: OfferedDevice, { spec }: FrozenDeviceClass, compiler: SelectorCompiler): boolean {
  return (spec.selectors ?? []).every(({ cel }) => cel === undefined || compiler.compile(cel.expression)(device));
}

function devicesFor(node: NodeView, objects: KnownObjects): readonly OfferedDevice[] {
  const { ofNode, ofMany } = slicesByNode(objects);
  return [...(ofNode.get(node.name) ?? []), ...ofMany].flatMap((slice) => {
    if (slice.spec.perDeviceNodeSelection === true)
      return devicesOf(slice).filter(({ spec }) => isDeviceReachable(spec, node));
    return isDeviceReachable(slice.spec, node) ? devicesOf(slice) : [];
  });
}

const slicesByNode = computedFrom(
  ['ResourceSlice'],
  (objects): { readonly ofNode: ReadonlyMap<string, readonly Slice[]>; readonly ofMany: readonly Slice[] } => {
    const ofNode = new Map<string, Slice[]>();
    const ofMany: Slice[] = [];
    for (const slice of objects.list('ResourceSlice')) {
      const { nodeName = '' } = slice.spec;
      const list = nodeName === '' ? ofMany : (ofNode.get(nodeName) ?? []);
      list.push(slice);
      if (nodeName !== '') ofNode.set(nodeName, list);
    }
    return { ofNode, ofMany };
  },
);
