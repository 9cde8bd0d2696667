// The device pools that a node can use. Only the newest generation of a pool counts, and only if all its slices are
// known; a pool with contradictions is invalid. Results are cached per node until slices or the node change. As
// dynamic-resource-allocation/structured, GatherPools.
import { compileNodeTerms, matchesAnyTerm, parseQuantity } from '../../../../core/index.js';
import type { Frozen, NodeTerm, Quantity } from '../../../../core/index.js';
import type { NodeSelector, resourceV1 } from '../../../../core/types/index.js';
import type { ObjectLister } from '../../../cluster/object-lister.js';
import type { NodeView } from '../../../cluster/node-view.js';
import { memoizeByKinds } from '../../memoize.js';
import { devicesOf, poolId } from './devices.js';
import type { OfferedDevice, Slice } from './devices.js';

/** Counters by counter set and name. */
export type Counters = ReadonlyMap<string, ReadonlyMap<string, Quantity>>;

/** A pool and its devices for one node. */
export interface NodePool {
  readonly pool: DevicePool;
  /** Empty if the pool is unusable. */
  readonly devices: readonly OfferedDevice[];
  /** Why the pool is unusable: slices are missing, or contradict each other. */
  readonly unusable?: 'incomplete' | 'invalid';
}

/** The newest generation of a pool. */
export interface DevicePool {
  /** `driver/pool`. */
  readonly id: string;
  /** By name. */
  readonly slices: readonly Slice[];
  readonly counters: Counters;
  readonly unusable?: 'incomplete' | 'invalid';
}

/** Returns the pools with devices for a node, by driver and name; pools with binding conditions come last. */
export function poolsOf(node: NodeView, objects: ObjectLister): readonly NodePool[] {
  const { ofNode, ofMany, found } = poolIndex(objects);
  const known = found[node.slot];
  if (known?.object === node.object) return known.pools;
  const candidates = [...(ofNode.get(node.name) ?? []), ...ofMany].sort(byId);
  const pools = candidates.flatMap((pool) => nodePool(pool, node));
  const inOrder = [...pools.filter((pool) => !takesTime(pool)), ...pools.filter(takesTime)];
  found[node.slot] = { object: node.object, pools: inOrder };
  return inOrder;
}

/** Returns whether the node selection of a slice or device includes a node. */
export function isDeviceReachable(
  { nodeName = '', allNodes = false, nodeSelector }: NodeReach,
  node: NodeView,
): boolean {
  if (nodeName !== '') return node.name === nodeName;
  if (allNodes) return true;
  return nodeSelector !== undefined && matchesAnyTerm(termsOf(nodeSelector), node.labels, node.name);
}

/** The node selection of a slice or device. */
interface NodeReach {
  readonly nodeName?: string;
  readonly allNodes?: boolean;
  readonly nodeSelector?: Frozen<NodeSelector>;
}

/** Returns the compiled terms of a selector, cached by object. */
export function termsOf(selector: Frozen<NodeSelector>): readonly NodeTerm[] {
  const known = termsBySelector.get(selector);
  if (known !== undefined) return known;
  const { terms } = compileNodeTerms(selector.nodeSelectorTerms);
  termsBySelector.set(selector, terms);
  return terms;
}

const termsBySelector = new WeakMap<Frozen<NodeSelector>, readonly NodeTerm[]>();

interface PoolIndex {
  /** Pools whose slices with devices are all for one node. */
  readonly ofNode: ReadonlyMap<string, readonly DevicePool[]>;
  readonly ofMany: readonly DevicePool[];
  /** Cached results by node slot, valid while the node object is the same. */
  readonly found: { readonly object: NodeView['object']; readonly pools: readonly NodePool[] }[];
}

const poolIndex = memoizeByKinds(['ResourceSlice'], (objects): PoolIndex => {
  const newest = new Map<string, Slice[]>();
  for (const slice of objects.list('ResourceSlice')) {
    const { driver, pool } = slice.spec;
    const id = poolId(driver, pool.name);
    const known = newest.get(id);
    const generation = known?.[0]?.spec.pool.generation ?? -1;
    if (known !== undefined && pool.generation === generation) known.push(slice);
    else if (pool.generation > generation) newest.set(id, [slice]);
  }
  const ofNode = new Map<string, DevicePool[]>();
  const ofMany: DevicePool[] = [];
  for (const [id, slices] of newest) {
    const pool = devicePool(id, slices);
    const nodeName = onlyNode(pool);
    if (nodeName === undefined) ofMany.push(pool);
    else ofNode.set(nodeName, [...(ofNode.get(nodeName) ?? []), pool]);
  }
  return { ofNode, ofMany, found: [] };
});

function devicePool(id: string, unsorted: readonly Slice[]): DevicePool {
  const slices = [...unsorted].sort((one, other) =>
    (one.metadata?.name ?? '') < (other.metadata?.name ?? '') ? -1 : 1,
  );
  if (slices.length !== slices[0]?.spec.pool.resourceSliceCount)
    return { id, slices, counters: new Map(), unusable: 'incomplete' };
  const sets = slices.flatMap(({ spec }) => spec.sharedCounters ?? []);
  const counters = new Map(sets.map(({ name, counters: values }) => [name, amounts(values)]));
  const isValid =
    counters.size === sets.length &&
    slices.every(({ spec }) =>
      (spec.devices ?? []).every(({ consumesCounters = [] }) => areKnown(consumesCounters, counters)),
    );
  return { id, slices, counters, ...(isValid ? {} : { unusable: 'invalid' }) };
}

/** Returns counters by name. */
export function amounts(counters: Readonly<Record<string, Frozen<resourceV1.Counter>>>): ReadonlyMap<string, Quantity> {
  return new Map(Object.entries(counters).map(([name, { value }]) => [name, parseQuantity(value)]));
}

function areKnown(consumed: readonly Frozen<resourceV1.DeviceCounterConsumption>[], counters: Counters): boolean {
  return consumed.every(
    ({ counterSet, counters: values }) =>
      Object.keys(values).every((name) => counters.get(counterSet)?.has(name)) && counters.has(counterSet),
  );
}

/** Returns the node of a pool that is for one node only. Slices with shared counters are ignored. */
function onlyNode({ slices }: DevicePool): string | undefined {
  const names = new Set(
    slices.filter(({ spec }) => (spec.sharedCounters ?? []).length === 0).map(({ spec }) => spec.nodeName),
  );
  const [name] = names;
  return names.size === 1 ? name : undefined;
}

function nodePool(pool: DevicePool, node: NodeView): readonly NodePool[] {
  const slices = pool.slices.filter((slice) => isForNode(slice, node));
  if (slices.length === 0) return [];
  if (pool.unusable !== undefined) return [{ pool, devices: [], unusable: pool.unusable }];
  const all = slices.flatMap((slice) => devicesOf(slice));
  if (new Set(all.map(({ name }) => name)).size < all.length) return [{ pool, devices: [], unusable: 'invalid' }];
  return [
    {
      pool,
      devices: all.filter(
        ({ spec, slice }) => slice.spec.perDeviceNodeSelection !== true || isDeviceReachable(spec, node),
      ),
    },
  ];
}

function isForNode({ spec }: Slice, node: NodeView): boolean {
  if (spec.perDeviceNodeSelection === true)
    return (spec.devices ?? []).some((device) => isDeviceReachable(device, node));
  return isDeviceReachable(spec, node);
}

function takesTime({ devices }: NodePool): boolean {
  return devices.some(({ spec }) => spec.bindingConditions !== undefined);
}

/**
 * Compares by driver, then by name. This differs from the order of `driver/pool`, because a slash sorts before letters
 * but not before dots.
 */
function byId({ slices: [one] }: DevicePool, { slices: [other] }: DevicePool): number {
  const [a, b] = [one?.spec, other?.spec];
  if (a === undefined || b === undefined) return 0;
  if (a.driver !== b.driver) return a.driver < b.driver ? -1 : 1;
  return a.pool.name < b.pool.name ? -1 : 1;
}
