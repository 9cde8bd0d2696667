// A node with its pods and sums over them, updated with every added or removed pod. The same class serves as the view
// that plugins read and, copied, as the draft of simulations. Readers never write. Sums are exact for integers below
// 2^53; beyond that they are recomputed instead of subtracted. As pkg/scheduler/framework/types.go, NodeInfo.
import type { Frozen, Labels } from '../../core/index.js';
import type { Node, Taint } from '../../core/types/index.js';
import type { HostPort } from '../pod/host-ports.js';
import type { PodFacts } from '../pod/pod-facts.js';
import { nodeCapacity } from './node-capacity.js';
import type { ImageState, NodeCapacity, NodeDraft } from './node-view.js';

/** Counts changes across all nodes. */
export interface Generations {
  /** Returns a number above all earlier ones. */
  next(): number;
}

/** Initial values of a node. */
export interface NodeStateOptions {
  readonly name: string;
  readonly slot: number;
  readonly object: Frozen<Node>;
  readonly images: ReadonlyMap<string, ImageState>;
  readonly generations: Generations;
}

/** A node and its pods. Only the cluster cache writes the visible state; a draft belongs to the caller of `copy`. */
export class NodeState implements NodeDraft {
  readonly name: string;
  readonly slot: number;
  generation: number;
  object: Frozen<Node>;
  labels: Labels;
  taints: readonly Frozen<Taint>[];
  unschedulable: boolean;
  allocatable: NodeCapacity;
  images: ReadonlyMap<string, ImageState>;
  requested: Amounts = { milliCpu: 0, memory: 0, ephemeralStorage: 0, scalars: none };
  nonZeroRequested: { milliCpu: number; memory: number } = { milliCpu: 0, memory: 0 };
  pods: PodFacts[] = [];
  podsWithAffinity: ReadonlySet<PodFacts> = noPods;
  podsWithRequiredAntiAffinity: ReadonlySet<PodFacts> = noPods;
  ports: readonly HostPort[] = noPorts;
  claimUses: ReadonlyMap<string, number> = none;
  attachable = 0;
  readonly #generations: Generations;

  constructor({ name, slot, object, images, generations }: NodeStateOptions) {
    this.name = name;
    this.slot = slot;
    this.#generations = generations;
    this.object = object;
    this.labels = object.metadata?.labels ?? noLabels;
    this.taints = object.spec?.taints ?? noTaints;
    this.unschedulable = object.spec?.unschedulable ?? false;
    this.allocatable = nodeCapacity(object);
    this.images = images;
    this.generation = generations.next();
  }

  get podCount(): number {
    return this.pods.length;
  }

  /** Applies an update of the object. */
  setObject(object: Frozen<Node>, images: ReadonlyMap<string, ImageState>): void {
    this.object = object;
    this.labels = object.metadata?.labels ?? noLabels;
    this.taints = object.spec?.taints ?? noTaints;
    this.unschedulable = object.spec?.unschedulable ?? false;
    this.allocatable = nodeCapacity(object);
    this.images = images;
    this.generation = this.#generations.next();
  }

  add(pod: PodFacts): void {
    this.pods.push(pod);
    if (hasAffinity(pod)) this.podsWithAffinity = withPod(this.podsWithAffinity, pod);
    if (hasRequiredAntiAffinity(pod))
      this.podsWithRequiredAntiAffinity = withPod(this.podsWithRequiredAntiAffinity, pod);
    if (pod.hostPorts.length > 0) this.ports = [...this.ports, ...pod.hostPorts];
    this.#count(pod, 1);
    this.generation = this.#generations.next();
  }

  remove(pod: PodFacts): void {
    const at = this.#indexOf(pod);
    const present = this.pods[at];
    if (present === undefined) return;
    this.pods.splice(at, 1);
    // The sets that a copy shares with its origin are empty.
    (this.podsWithAffinity as Set<PodFacts>).delete(present);
    (this.podsWithRequiredAntiAffinity as Set<PodFacts>).delete(present);
    if (present.hostPorts.length > 0) this.ports = this.pods.flatMap(({ hostPorts }) => hostPorts);
    if (this.#isExact()) this.#count(present, -1);
    else this.#recount();
    this.generation = this.#generations.next();
  }

  /** Replaces the facts of a pod with newer ones that are equal for scheduling. */
  replace(old: PodFacts, current: PodFacts): void {
    const at = this.#indexOf(old);
    if (at < 0) return;
    this.pods[at] = current;
    // A non-empty set belongs to this node alone.
    if ((this.podsWithAffinity as Set<PodFacts>).delete(old))
      this.podsWithAffinity = withPod(this.podsWithAffinity, current);
    if ((this.podsWithRequiredAntiAffinity as Set<PodFacts>).delete(old)) {
      this.podsWithRequiredAntiAffinity = withPod(this.podsWithRequiredAntiAffinity, current);
    }
  }

  copy(): NodeDraft {
    const { name, slot, object, images } = this;
    const copy = new NodeState({ name, slot, object, images, generations: this.#generations });
    copy.generation = this.generation;
    copy.pods = this.pods.slice();
    const { milliCpu, memory, ephemeralStorage, scalars } = this.requested;
    copy.requested = { milliCpu, memory, ephemeralStorage, scalars: scalars.size === 0 ? none : new Map(scalars) };
    copy.nonZeroRequested = { milliCpu: this.nonZeroRequested.milliCpu, memory: this.nonZeroRequested.memory };
    if (this.podsWithAffinity.size > 0) copy.podsWithAffinity = new Set(this.podsWithAffinity);
    if (this.podsWithRequiredAntiAffinity.size > 0)
      copy.podsWithRequiredAntiAffinity = new Set(this.podsWithRequiredAntiAffinity);
    copy.ports = this.ports;
    if (this.claimUses.size > 0) copy.claimUses = new Map(this.claimUses);
    copy.attachable = this.attachable;
    return copy;
  }

  #count({ requestsOnNode, nonZeroRequestsOnNode, namespace, volumeClaims, attachable }: PodFacts, sign: 1 | -1): void {
    const { requested, nonZeroRequested } = this;
    requested.milliCpu += sign * requestsOnNode.milliCpu;
    requested.memory += sign * requestsOnNode.memory;
    requested.ephemeralStorage += sign * requestsOnNode.ephemeralStorage;
    nonZeroRequested.milliCpu += sign * nonZeroRequestsOnNode.milliCpu;
    nonZeroRequested.memory += sign * nonZeroRequestsOnNode.memory;
    if (requestsOnNode.scalars.size > 0)
      for (const [name, amount] of requestsOnNode.scalars)
        requested.scalars = counted(requested.scalars, name, sign * amount);
    if (attachable === 0) return;
    this.attachable += sign * attachable;
    for (const { claim, ephemeral } of volumeClaims) {
      if (!ephemeral) this.claimUses = counted(this.claimUses, `${namespace}/${claim}`, sign);
    }
  }

  /** Whether subtraction restores the sums before the addition. */
  #isExact(): boolean {
    const { ephemeralStorage, scalars } = this.requested;
    const { milliCpu, memory } = this.nonZeroRequested; // at least the requested amounts
    if (milliCpu > exactMax || memory > exactMax || ephemeralStorage > exactMax) return false;
    if (scalars.size > 0) for (const amount of scalars.values()) if (amount > exactMax) return false;
    return true;
  }

  #recount(): void {
    this.requested = { milliCpu: 0, memory: 0, ephemeralStorage: 0, scalars: none };
    this.nonZeroRequested = { milliCpu: 0, memory: 0 };
    this.claimUses = none;
    this.attachable = 0;
    for (const pod of this.pods) this.#count(pod, 1);
  }

  /** Searches from the end: the pod added last is removed, or confirmed, first. */
  #indexOf(pod: PodFacts): number {
    const at = this.pods.lastIndexOf(pod);
    return at >= 0 ? at : this.pods.findLastIndex(({ uid }) => uid === pod.uid);
  }
}

/** Whether a pod has any affinity or anti-affinity term. */
export function hasAffinity({ affinity, antiAffinity }: PodFacts): boolean {
  return (
    affinity.required.length > 0 ||
    affinity.preferred.length > 0 ||
    antiAffinity.required.length > 0 ||
    antiAffinity.preferred.length > 0
  );
}

/** Whether a pod has required anti-affinity terms. */
export function hasRequiredAntiAffinity({ antiAffinity }: PodFacts): boolean {
  return antiAffinity.required.length > 0;
}

interface Amounts {
  milliCpu: number;
  memory: number;
  ephemeralStorage: number;
  scalars: ReadonlyMap<string, number>;
}

const exactMax = Number.MAX_SAFE_INTEGER;
/** Shared by all nodes without entries. */
const none: ReadonlyMap<string, number> = new Map();
const noPods: ReadonlySet<PodFacts> = new Set();
const noPorts: readonly HostPort[] = [];
const noTaints: readonly Frozen<Taint>[] = [];
const noLabels: Labels = Object.freeze({});

/** Returns the set with the pod added. The shared empty set is not modified. */
function withPod(pods: ReadonlySet<PodFacts>, pod: PodFacts): ReadonlySet<PodFacts> {
  // all other sets belong to the node
  return pods === noPods ? new Set([pod]) : (pods as Set<PodFacts>).add(pod);
}

/** Returns the map with a count changed. The shared empty map is not modified; a count of 0 is removed. */
function counted(counts: ReadonlyMap<string, number>, name: string, change: number): ReadonlyMap<string, number> {
  const own = counts === none ? new Map<string, number>() : (counts as Map<string, number>); // as in `withPod`
  const count = (own.get(name) ?? 0) + change;
  if (count === 0) own.delete(name);
  else own.set(name, count);
  return own;
}
