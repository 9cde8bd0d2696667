// A node with the pods on it, and sums over them that are brought up to date with every pod that comes or goes. One
// record serves as the view that everybody reads, and copies of it as drafts for what-if. Whoever reads never writes.
// Sums are exact as long as they are whole numbers below 2^53; past that they are counted anew rather than subtracted.
// As pkg/scheduler/framework/types.go, NodeInfo.
import type { Frozen, Labels } from '../../core/index.js';
import type { Node, Taint } from '../../core/types/index.js';
import type { HostPort } from '../pod/host-ports.js';
import type { PodFacts } from '../pod/pod-facts.js';
import { nodeCapacity } from './node-capacity.js';
import type { ImageState, NodeCapacity, NodeDraft } from './node-view.js';

/** Counts changes across all nodes. */
export interface Generations {
  /** A number above all before. */
  next(): number;
}

/** What a node is at the beginning. */
export interface NodeStateOptions {
  readonly name: string;
  readonly slot: number;
  readonly object: Frozen<Node>;
  readonly images: ReadonlyMap<string, ImageState>;
  readonly generations: Generations;
}

/** A node and who is on it. The cluster cache writes the one that is shown; drafts are written by who made them. */
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
  podsWithAffinity: ReadonlySet<PodFacts> = nobody;
  podsWithRequiredAntiAffinity: ReadonlySet<PodFacts> = nobody;
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

  /** Follows the object. */
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
    const here = this.pods[at];
    if (here === undefined) return;
    this.pods.splice(at, 1);
    // The sets that a copy shares with its origin are the empty ones: nothing is in them.
    (this.podsWithAffinity as Set<PodFacts>).delete(here);
    (this.podsWithRequiredAntiAffinity as Set<PodFacts>).delete(here);
    if (here.hostPorts.length > 0) this.ports = this.pods.flatMap(({ hostPorts }) => hostPorts);
    if (this.#isExact()) this.#count(here, -1);
    else this.#recount();
    this.generation = this.#generations.next();
  }

  /** Puts newer facts in the place of those of the same pod that mean the same to scheduling. */
  replace(old: PodFacts, current: PodFacts): void {
    const at = this.#indexOf(old);
    if (at < 0) return;
    this.pods[at] = current;
    // Both sets are this node's own when anything is in them.
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

  #count({ held, nonZeroHeld, namespace, volumeClaims, attachable }: PodFacts, sign: 1 | -1): void {
    const { requested, nonZeroRequested } = this;
    requested.milliCpu += sign * held.milliCpu;
    requested.memory += sign * held.memory;
    requested.ephemeralStorage += sign * held.ephemeralStorage;
    nonZeroRequested.milliCpu += sign * nonZeroHeld.milliCpu;
    nonZeroRequested.memory += sign * nonZeroHeld.memory;
    if (held.scalars.size > 0)
      for (const [name, amount] of held.scalars) requested.scalars = counted(requested.scalars, name, sign * amount);
    if (attachable === 0) return;
    this.attachable += sign * attachable;
    for (const { claim, ephemeral } of volumeClaims) {
      if (!ephemeral) this.claimUses = counted(this.claimUses, `${namespace}/${claim}`, sign);
    }
  }

  /** Whether subtracting gives back what was there before adding. */
  #isExact(): boolean {
    const { ephemeralStorage, scalars } = this.requested;
    const { milliCpu, memory } = this.nonZeroRequested; // never less than what is requested
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

  /** From the end: who came last leaves, or is confirmed, first. */
  #indexOf(pod: PodFacts): number {
    const at = this.pods.lastIndexOf(pod);
    return at >= 0 ? at : this.pods.findLastIndex(({ uid }) => uid === pod.uid);
  }
}

/** Whether a pod has any term about other pods. */
export function hasAffinity({ affinity, antiAffinity }: PodFacts): boolean {
  return (
    affinity.required.length > 0 ||
    affinity.preferred.length > 0 ||
    antiAffinity.required.length > 0 ||
    antiAffinity.preferred.length > 0
  );
}

/** Whether a pod keeps others away. */
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
/** Shared by all nodes until they have something of their own. */
const none: ReadonlyMap<string, number> = new Map();
const nobody: ReadonlySet<PodFacts> = new Set();
const noPorts: readonly HostPort[] = [];
const noTaints: readonly Frozen<Taint>[] = [];
const noLabels: Labels = Object.freeze({});

/** The set with one more; of its own where it was the shared one. */
function withPod(pods: ReadonlySet<PodFacts>, pod: PodFacts): ReadonlySet<PodFacts> {
  // only the shared one is not the node's own
  return pods === nobody ? new Set([pod]) : (pods as Set<PodFacts>).add(pod);
}

/** The map with a count changed; of its own where it was the shared one. What comes to nothing is left out. */
function counted(counts: ReadonlyMap<string, number>, name: string, change: number): ReadonlyMap<string, number> {
  const own = counts === none ? new Map<string, number>() : (counts as Map<string, number>); // as above
  const count = (own.get(name) ?? 0) + change;
  if (count === 0) own.delete(name);
  else own.set(name, count);
  return own;
}
