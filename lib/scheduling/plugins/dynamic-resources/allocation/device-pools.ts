// The pools whose devices a node can reach. Only the newest generation of a pool counts, and only when all of its
// slices are there; a pool that contradicts itself is of no use to anybody. What is found for a node is kept until
// slices or the node change. As dynamic-resource-allocation/structured, GatherPools.
import { parseQuantity } from '../../../../core/index.js';
import type { Frozen, Quantity } from '../../../../core/index.js';
import type { NodeSelector, resourceV1 } from '../../../../core/types/index.js';
import type { KnownObjects } from '../../../cluster/known-objects.js';
import type { NodeView } from '../../../cluster/node-view.js';
import { compileNodeTerms, matchesAnyTerm } from '../../../pod/node-affinity.js';
import type { NodeTerm } from '../../../pod/node-affinity.js';
import { computedFrom } from '../../computed-from.js';
import { devicesOf, poolId } from './devices.js';
import type { OfferedDevice, Slice } from './devices.js';

/** What devices of a pool have in common and use up, by set and counter. */
export type Counters = ReadonlyMap<string, ReadonlyMap<string, Quantity>>;

/** A pool as a node sees it. */
export interface NodePool {
  readonly pool: DevicePool;
  /** None where the pool is not usable. */
  readonly devices: readonly OfferedDevice[];
  /** Why there are none: slices are missing, or they contradict each other. */
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

/**
 * The pools with anything for a node: by driver and name, but those with devices that take time to be bound come last.
 */
export function poolsOf(node: NodeView, objects: KnownObjects): readonly NodePool[] {
  const { ofNode, ofMany, found } = poolIndex(objects);
  const known = found[node.slot];
  if (known?.object === node.object) return known.pools;
  const candidates = [...(ofNode.get(node.name) ?? []), ...ofMany].sort(byId);
  const pools = candidates.flatMap((pool) => nodePool(pool, node));
  const inOrder = [...pools.filter((pool) => !takesTime(pool)), ...pools.filter(takesTime)];
  found[node.slot] = { object: node.object, pools: inOrder };
  return inOrder;
}

/** Whether a node is one of those that a slice or a device names. */
export function isDeviceReachable(
  { nodeName = '', allNodes = false, nodeSelector }: NodeReach,
  node: NodeView,
): boolean {
  if (nodeName !== '') return node.name === nodeName;
  if (allNodes) return true;
  return nodeSelector !== undefined && matchesAnyTerm(termsOf(nodeSelector), node.labels, node.name);
}

/** From where a device can be used. */
interface NodeReach {
  readonly nodeName?: string;
  readonly allNodes?: boolean;
  readonly nodeSelector?: Frozen<NodeSelector>;
}

/** The terms of a selector, compiled once. */
export function termsOf(selector: Frozen<NodeSelector>): readonly NodeTerm[] {
  const known = termsBySelector.get(selector);
  if (known !== undefined) return known;
  const { terms } = compileNodeTerms(selector.nodeSelectorTerms);
  termsBySelector.set(selector, terms);
  return terms;
}

const termsBySelector = new WeakMap<Frozen<NodeSelector>, readonly NodeTerm[]>();

interface PoolIndex {
  /** Pools all of whose slices with devices are for one node. */
  readonly ofNode: ReadonlyMap<string, readonly DevicePool[]>;
  readonly ofMany: readonly DevicePool[];
  /** What was found for nodes, by slot, as long as they are as they were. */
  readonly found: { readonly object: NodeView['object']; readonly pools: readonly NodePool[] }[];
}

const poolIndex = computedFrom(['ResourceSlice'], (objects): PoolIndex => {
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

/** Counters by name. */
export function amounts(counters: Readonly<Record<string, Frozen<resourceV1.Counter>>>): ReadonlyMap<string, Quantity> {
  return new Map(Object.entries(counters).map(([name, { value }]) => [name, parseQuantity(value)]));
}

function areKnown(consumed: readonly Frozen<resourceV1.DeviceCounterConsumption>[], counters: Counters): boolean {
  return consumed.every(
    ({ counterSet, counters: values }) =>
      Object.keys(values).every((name) => counters.get(counterSet)?.has(name)) && counters.has(counterSet),
  );
}

/**
 * The node that a pool is for, if it is for one alone. Slices that only count are for everybody who has the devices.
 */
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
 * By driver and then by name, which is not quite the order of `driver/pool`: a slash comes before letters, not before
 * dots.
 */
function byId({ slices: [one] }: DevicePool, { slices: [other] }: DevicePool): number {
  const [a, b] = [one?.spec, other?.spec];
  if (a === undefined || b === undefined) return 0;
  if (a.driver !== b.driver) return a.driver < b.driver ? -1 : 1;
  return a.pool.name < b.pool.name ? -1 : 1;
}
