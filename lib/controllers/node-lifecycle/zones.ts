// Zones of nodes, and the rate at which nodes of a zone get a NoExecute taint, which evicts their pods. The more nodes
// of a zone are not ready, the likelier the fault is the network or this controller's, so that the rate drops:
//
//   Normal             the primary rate, one node in 10 s
//   PartialDisruption  at least 55 % and three nodes not ready: the secondary rate, or none in a zone of up to 50 nodes
//   FullDisruption     no node ready: the primary rate, unless all zones are so
//
// If all zones are fully disrupted no node is tainted, and taints are removed. As pkg/controller/nodelifecycle,
// ComputeZoneState, handleDisruption and scheduler/rate_limited_queue.go.
import type { Frozen } from '../../core/index.js';
import type { Node } from '../../core/types/index.js';

/** The state of a zone; Initial until it is first assessed. */
export type ZoneState = 'Initial' | 'Normal' | 'PartialDisruption' | 'FullDisruption';

/** The rates of evictions and the limits of zone states. Rates are nodes per second. */
export interface EvictionRates {
  /** `--node-eviction-rate`. */
  readonly evictionRate: number;
  /** `--secondary-node-eviction-rate`. */
  readonly secondaryEvictionRate: number;
  /** `--large-cluster-size-threshold`: a zone of more nodes has a secondary rate. */
  readonly largeClusterThreshold: number;
  /** `--unhealthy-zone-threshold`: the part of nodes that are not ready from which a zone is partially disrupted. */
  readonly unhealthyZoneThreshold: number;
}

/** Whether all zones are fully disrupted now, and whether they were before. */
export interface DisruptionChange {
  readonly states: ReadonlyMap<string, ZoneState>;
  readonly areAllDisrupted: boolean;
  readonly wereAllDisrupted: boolean;
}

/** Returns a key for the region and zone of a node, from its labels. As component-helpers/node/topology, GetZoneKey. */
export function zoneKeyOf({ metadata }: Frozen<Node>): string {
  const { labels = {} } = metadata ?? {};
  const read = (name: string): string =>
    labels[`failure-domain.beta.kubernetes.io/${name}`] ?? labels[`topology.kubernetes.io/${name}`] ?? '';
  const [region, zone] = [read('region'), read('zone')];
  return region === '' && zone === '' ? '' : `${region}:\u0000:${zone}`;
}

/** Returns the state of a zone by which of its nodes are ready. */
export function zoneStateOf(areReady: readonly boolean[], threshold: number): ZoneState {
  const notReady = areReady.filter((isReady) => !isReady).length;
  if (notReady > 0 && notReady === areReady.length) return 'FullDisruption';
  return notReady > 2 && notReady / areReady.length >= threshold ? 'PartialDisruption' : 'Normal';
}

/** Returns the new states of all zones that have nodes. */
export function assessZones(
  before: ReadonlyMap<string, ZoneState>,
  readyByZone: ReadonlyMap<string, readonly boolean[]>,
  threshold: number,
): DisruptionChange {
  const states = new Map(Array.from(readyByZone, ([zone, areReady]) => [zone, zoneStateOf(areReady, threshold)]));
  const isFull = (state: ZoneState | undefined): boolean => state === 'FullDisruption';
  return {
    states,
    areAllDisrupted: [...states.values()].every(isFull),
    wereAllDisrupted: [...states.keys()].every((zone) => isFull(before.get(zone))),
  };
}

/** Returns the rate of a zone. */
export function evictionRateOf(state: ZoneState, size: number, rates: EvictionRates): number {
  if (state !== 'PartialDisruption') return rates.evictionRate;
  return size > rates.largeClusterThreshold ? rates.secondaryEvictionRate : 0;
}

/** The nodes of a zone that wait for a NoExecute taint, and when the next may get it. One node may get it at once. */
export class EvictionQueue {
  readonly #names = new Set<string>();
  #perSecond: number;
  #nextMs = 0;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** When the next node may be tainted; Infinity if none waits or the rate is 0. */
  get dueMs(): number {
    return this.#names.size === 0 || this.#perSecond <= 0 ? Infinity : this.#nextMs;
  }

  /** Adds a node behind the others. */
  add(name: string): void {
    this.#names.delete(name);
    this.#names.add(name);
  }

  /** Removes a node that need not be tainted. */
  remove(name: string): void {
    this.#names.delete(name);
  }

  /** Returns the node that is to be tainted now, and charges the rate; undefined if none may be. */
  take(nowMs: number): string | undefined {
    if (nowMs < this.dueMs) return undefined;
    const [name] = this.#names;
    this.#nextMs = nowMs + 1000 / this.#perSecond;
    return name;
  }

  /** Changes the rate. What was charged of the old rate is charged of the new one. */
  setRate(perSecond: number, nowMs: number): void {
    if (perSecond === this.#perSecond) return;
    const mayTaint = this.#perSecond > 0 && nowMs >= this.#nextMs;
    this.#perSecond = perSecond;
    if (perSecond > 0) this.#nextMs = mayTaint ? nowMs : nowMs + 1000 / perSecond;
  }
}
