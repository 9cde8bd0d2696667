// The Services whose endpoints have hints by the CPUs of zones: their numbers of endpoints by zone, and the Events that
// say when hints begin and end. When nodes change, Services with a zone that has become overloaded are found. As
// endpointslice/topologycache/topologycache.go.
import type { EventDetails } from '../../client/index.js';
import { objectReference, parseObjectKey } from '../../core/index.js';
import type { Frozen, NamespacedName } from '../../core/index.js';
import type { Node, Service } from '../../core/types/index.js';
import type { SlicePlan } from './slice-plan.js';
import { allocateZones, isOverloaded, zoneRatios } from './zone-allocation.js';
import type { ZoneCounts, ZoneRatios } from './zone-allocation.js';

/** One family of the endpoints of a Service. */
export interface ServiceFamily {
  readonly key: string;
  readonly service: Frozen<Service>;
  readonly family: string;
}

/** The hints of topology mode Auto. */
export class ZoneHints {
  readonly #record: (details: EventDetails) => void;
  readonly #nodes: () => Iterable<Frozen<Node>>;
  readonly #counts = new Map<string, Map<string, ZoneCounts>>();
  readonly #populated = new Set<string>();
  /** Undefined in `known` until it is needed. */
  #ratios: { readonly known: ZoneRatios } | undefined;

  constructor(options: { nodes: () => Iterable<Frozen<Node>>; record: (details: EventDetails) => void }) {
    this.#nodes = options.nodes;
    this.#record = options.record;
  }

  /** Forgets the ratios of zones, and returns the Services that the nodes of now overload. */
  nodesChanged(): readonly NamespacedName[] {
    this.#ratios = undefined;
    const overloaded = [...this.#counts].filter(([, families]) =>
      [...families.values()].some((counts) => isOverloaded(counts, this.#currentRatios())),
    );
    return overloaded.flatMap(([key]) => parseObjectKey(key) ?? []);
  }

  /** Adds hints to a plan, or removes them where zones cannot be served evenly. */
  allocate(target: ServiceFamily, plan: SlicePlan): SlicePlan {
    const { key, family } = target;
    const allocated = allocateZones(plan, this.#currentRatios());
    if (allocated.counts === undefined) {
      this.forgetFamily(key, family);
      this.#event(target, 'Warning', 'TopologyAwareHintsDisabled', allocated.problem);
      return allocated.plan;
    }
    const families = this.#counts.get(key) ?? new Map<string, ZoneCounts>();
    this.#counts.set(key, families.set(family, allocated.counts));
    if (!this.#populated.has(key))
      this.#event(target, 'Normal', 'TopologyAwareHintsEnabled', 'Topology Aware Hints has been enabled');
    this.#populated.add(key);
    return allocated.plan;
  }

  /** The Service does not use these hints, or no longer. */
  disable(target: ServiceFamily): void {
    if (this.#populated.has(target.key))
      this.#event(target, 'Warning', 'TopologyAwareHintsDisabled', 'Topology Aware Hints has been disabled');
    this.forgetFamily(target.key, target.family);
  }

  /** Forgets the hints of one family of a Service. */
  forgetFamily(key: string, family: string): void {
    const families = this.#counts.get(key);
    families?.delete(family);
    if (families?.size === 0) this.#counts.delete(key);
    this.#populated.delete(key);
  }

  /** Forgets a Service. */
  forget(key: string): void {
    this.#counts.delete(key);
    this.#populated.delete(key);
  }

  #currentRatios(): ZoneRatios {
    return (this.#ratios ??= { known: zoneRatios(this.#nodes()) }).known;
  }

  #event({ service, family }: ServiceFamily, type: EventDetails['type'], reason: string, message: string): void {
    const regarding = objectReference({ apiVersion: 'v1', kind: 'Service' }, service);
    this.#record({ regarding, type, reason, message: `${message}, addressType: ${family}` });
  }
}
