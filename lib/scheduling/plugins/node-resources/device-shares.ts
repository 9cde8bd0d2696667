// Devices that back extended resources, as NodeResourcesFit and NodeResourcesBalancedAllocation score them. Each device
// of the class that the node can use counts as one unit of the resource, and as used if it is allocated, exclusively or
// shared. Unlike for allocation, pools need not be complete and generations are ignored. As
// pkg/scheduler/framework/plugins/noderesources/resource_allocation.go, calculateDRAResourceTotals.
import type { ClusterView } from '../../cluster/cluster-view.js';
import type { ObjectLister } from '../../cluster/object-lister.js';
import type { NodeView } from '../../cluster/node-view.js';
import { memoizeByKinds } from '../memoize.js';
import { deviceClassBehind } from '../device-classes.js';
import { isDeviceReachable } from '../dynamic-resources/allocation/device-pools.js';
import { devicesOf } from '../dynamic-resources/allocation/devices.js';
import type { FrozenDeviceClass, OfferedDevice, Slice } from '../dynamic-resources/allocation/devices.js';
import { claimTracker } from '../dynamic-resources/claim-tracker.js';
import { SelectorError } from '../dynamic-resources/selectors/device-selectors.js';
import type { SelectorCompiler } from '../dynamic-resources/selectors/device-selectors.js';

/** The number of devices usable on a node, and how many of them are allocated. */
export interface DeviceShare {
  readonly capacity: number;
  readonly used: number;
}

/** Counts the devices that back a resource on a node; undefined if there are none. */
export type DeviceShares = (node: NodeView, resource: string, objects: ObjectLister) => DeviceShare | undefined;

/** Creates the counter for a cluster. A class whose selectors fail backs nothing. */
export function deviceShares(cluster: ClusterView, selectors: SelectorCompiler): DeviceShares {
  return (node, resource, objects) => {
    const deviceClass = deviceClassBehind(objects, resource);
    if (deviceClass === undefined) return undefined;
    try {
      const devices = devicesFor(node, objects).filter((device) => isOfClass(device, deviceClass, selectors));
      const taken = claimTracker(cluster).allocated();
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

function devicesFor(node: NodeView, objects: ObjectLister): readonly OfferedDevice[] {
  const { ofNode, ofMany } = slicesByNode(objects);
  return [...(ofNode.get(node.name) ?? []), ...ofMany].flatMap((slice) => {
    if (slice.spec.perDeviceNodeSelection === true)
      return devicesOf(slice).filter(({ spec }) => isDeviceReachable(spec, node));
    return isDeviceReachable(slice.spec, node) ? devicesOf(slice) : [];
  });
}

const slicesByNode = memoizeByKinds(
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
