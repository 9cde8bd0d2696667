// Hints of topology mode Auto: endpoints are shared out between zones in proportion to the CPUs of their nodes. Every
// ready endpoint starts with its own zone; zones that have more than their share give endpoints to those that have
// less. If a zone would be overloaded by more than 20 %, no endpoint has hints. Where Kubernetes goes through zones in
// no order, this goes through them by name. As endpointslice/topologycache.
import type { Stored } from '../../client/index.js';
import { milliValue } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Endpoint, EndpointSlice, Node } from '../../core/types/index.js';
import { nodeZoneLabel } from './pod-endpoint.js';
import { draftOfSlice, replaceHints } from './slice-hints.js';
import type { SlicePlan } from './slice-plan.js';

/** The share of each zone of all CPUs. Undefined if nodes lack a zone or CPUs, or if all are in one zone. */
export type ZoneRatios = ReadonlyMap<string, number> | undefined;

/** The number of endpoints with hints for each zone. */
export type ZoneCounts = ReadonlyMap<string, number>;

/** A plan with hints for zones, or without hints and the reason. */
export type ZoneAllocation =
  | { readonly plan: SlicePlan; readonly counts: ZoneCounts }
  | { readonly plan: SlicePlan; readonly counts?: undefined; readonly problem: string };

/** Returns the share of each zone. Nodes that are not ready, and those of the control plane, do not count. */
export function zoneRatios(nodes: Iterable<Frozen<Node>>): ZoneRatios {
  const byZone = new Map<string, number>();
  let total = 0;
  for (const node of nodes) {
    const { labels = {} } = node.metadata ?? {};
    if (excludedLabels.some((label) => Object.hasOwn(labels, label)) || !isNodeReady(node)) continue;
    const cpu = milliValue(node.status?.allocatable?.cpu ?? '0');
    const zone = labels[nodeZoneLabel] ?? '';
    if (zone === '' || cpu === 0) return undefined;
    byZone.set(zone, (byZone.get(zone) ?? 0) + cpu);
    total += cpu;
  }
  if (total === 0 || byZone.size < 2) return undefined;
  return new Map([...byZone].toSorted(byName).map(([zone, cpu]) => [zone, cpu / total]));
}

/** Returns whether a node is ready. */
export function isNodeReady({ status }: Frozen<Node>): boolean {
  return status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
}

/** Adds the hints of a plan for one family. */
export function allocateZones(plan: SlicePlan, ratios: ZoneRatios): ZoneAllocation {
  const withoutHints = (problem: string): ZoneAllocation => ({
    plan: replaceHints(
      plan,
      () => undefined,
      ({ endpoints = [] }) => endpoints.every(({ hints }) => hints === undefined),
    ),
    problem,
  });
  const ready = [...plan.creates, ...plan.updates, ...plan.unchanged].flatMap(({ endpoints = [] }) =>
    endpoints.filter(isReady),
  ).length;
  const allocations = allocationsOf(ready, ratios);
  if (typeof allocations === 'string') return withoutHints(allocations);
  const counts = new Map<string, number>();
  const unchanged: Stored<EndpointSlice>[] = [];
  const wrong: Stored<EndpointSlice>[] = [];
  for (const slice of plan.unchanged) {
    const hints = validHints(slice, counts, allocations);
    if (hints === undefined) wrong.push(slice);
    else unchanged.push(slice);
    for (const [zone, count] of hints ?? []) counts.set(zone, (counts.get(zone) ?? 0) + count);
  }
  const updates = [...plan.updates, ...wrong.map(draftOfSlice)];
  const written = [...plan.creates, ...updates].flatMap(({ endpoints }) => endpoints.filter(isReady));
  if (written.some(({ zone = '' }) => zone === ''))
    return withoutHints('One or more endpoints do not have a zone specified');
  for (const { zone = '' } of written) counts.set(zone, (counts.get(zone) ?? 0) + 1);
  const moved = redistribute(written, exchanges(allocations, counts));
  for (const [{ zone = '' }, receiving] of moved) {
    counts.set(zone, (counts.get(zone) ?? 0) - 1);
    counts.set(receiving, (counts.get(receiving) ?? 0) + 1);
  }
  if (counts.size === 0) return withoutHints('No hints allocated for zones');
  const hinted = replaceHints(
    { ...plan, updates, unchanged },
    (endpoint) =>
      isReady(endpoint) ? { forZones: [{ name: moved.get(endpoint) ?? endpoint.zone ?? '' }] } : endpoint.hints,
    () => true,
  );
  return { plan: hinted, counts };
}

/** Returns whether a zone has too few endpoints for its share. */
export function isOverloaded(counts: ZoneCounts, ratios: ZoneRatios): boolean {
  if (counts.size === 0) return false;
  if (ratios === undefined) return true;
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return [...ratios].some(([zone, ratio]) => {
    const count = counts.get(zone);
    return count === undefined || count < Math.ceil(total * ratio * (1 / (1 + overloadMax)));
  });
}

interface Allocation {
  readonly maximum: number;
  readonly desired: number;
}

const overloadMax = 0.2;
const excludedLabels = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master'];

/** The endpoints of each zone, or why there can be no hints. */
function allocationsOf(count: number, ratios: ZoneRatios): ReadonlyMap<string, Allocation> | string {
  if (ratios === undefined)
    return 'Insufficient Node information: allocatable CPU or zone not specified on one or more nodes';
  const numbers = `(${count} endpoints, ${ratios.size} zones)`;
  if (ratios.size > count) return `Insufficient number of endpoints ${numbers}`;
  const shares = [...ratios].map(([zone, ratio]) => {
    const minimum = Math.ceil(ratio * count * (1 / (1 + overloadMax)));
    return { zone, minimum, desired: Math.max(ratio * count, minimum) };
  });
  const spare = count - shares.reduce((sum, { minimum }) => sum + minimum, 0);
  if (spare < 0)
    return `Unable to allocate minimum required endpoints to each zone without exceeding overload threshold ${numbers}`;
  return new Map(shares.map(({ zone, minimum, desired }) => [zone, { maximum: minimum + spare, desired }]));
}

/** The hints of a slice by zone; undefined if they are missing, or more than a zone may have. */
function validHints(
  { endpoints = [] }: Stored<EndpointSlice>,
  counts: ZoneCounts,
  allocations: ReadonlyMap<string, Allocation>,
): ZoneCounts | undefined {
  const hints = new Map<string, number>();
  for (const endpoint of endpoints) {
    if (!isReady(endpoint)) continue;
    const { forZones = [] } = endpoint.hints ?? {};
    if (forZones.length === 0) return undefined;
    for (const { name } of forZones) hints.set(name, (hints.get(name) ?? 0) + 1);
  }
  const fits = [...hints].every(
    ([zone, count]) => count + (counts.get(zone) ?? 0) <= (allocations.get(zone)?.maximum ?? -1),
  );
  return fits ? hints : undefined;
}

interface Exchanges {
  readonly giving: Map<string, number>;
  readonly receiving: Map<string, number>;
}

/** How many endpoints zones give and receive. Less than half an endpoint is not moved. */
function exchanges(allocations: ReadonlyMap<string, Allocation>, counts: ZoneCounts): Exchanges {
  const surplus = [...allocations].map(([zone, { desired }]) => ({ zone, amount: (counts.get(zone) ?? 0) - desired }));
  const givers = surplus.filter(({ amount }) => amount > 0);
  const receivers = surplus.filter(({ amount }) => amount < 0).map(({ zone, amount }) => ({ zone, amount: -amount }));
  const result: Exchanges = { giving: new Map(), receiving: new Map() };
  for (;;) {
    const [giver, receiver] = [most(givers), most(receivers)];
    if (giver === undefined || receiver === undefined) return result;
    const isLittle = giver.amount < 1 && receiver.amount < 1;
    if (isLittle || giver.amount < 0.5 || receiver.amount < 0.5) return result;
    giver.amount -= 1;
    receiver.amount -= 1;
    result.giving.set(giver.zone, (result.giving.get(giver.zone) ?? 0) + 1);
    result.receiving.set(receiver.zone, (result.receiving.get(receiver.zone) ?? 0) + 1);
  }
}

interface ZoneAmount {
  readonly zone: string;
  amount: number;
}

function most(zones: readonly ZoneAmount[]): ZoneAmount | undefined {
  let found: ZoneAmount | undefined;
  for (const zone of zones) if (zone.amount > (found?.amount ?? 0)) found = zone;
  return found;
}

/** The endpoints that another zone than their own receives. */
function redistribute(endpoints: readonly Endpoint[], { giving, receiving }: Exchanges): Map<Frozen<Endpoint>, string> {
  const moved = new Map<Frozen<Endpoint>, string>();
  for (const endpoint of endpoints) {
    const { zone = '' } = endpoint;
    const toGive = giving.get(zone) ?? 0;
    const receiver = [...receiving].find(([, count]) => count > 0);
    if (receiver === undefined) return moved;
    if (toGive === 0) continue;
    const [name, count] = receiver;
    giving.set(zone, toGive - 1);
    receiving.set(name, count - 1);
    moved.set(endpoint, name);
  }
  return moved;
}

function isReady({ conditions }: Frozen<Endpoint>): boolean {
  return conditions?.ready === true;
}

function byName([one]: readonly [string, number], [other]: readonly [string, number]): number {
  return one < other ? -1 : Number(one > other);
}
