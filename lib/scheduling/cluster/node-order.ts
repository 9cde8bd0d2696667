// The order in which nodes are looked at: zones in turn, one node of each, so that a search that ends early has seen
// every zone. Zones stand in the order in which they appeared, nodes of a zone in the order in which they came to it.
// As pkg/scheduler/backend/cache/node_tree.go and component-helpers/node/topology.
import type { Labels } from '../../core/index.js';
import { domainOf } from './topology-domain.js';

/** What has a place in the order. */
export interface PlacedNode {
  readonly labels: Labels;
}

/** Nodes by zone, and the order that follows from it. */
export class NodeOrder<N extends PlacedNode> {
  readonly #zones = new Map<string, Set<N>>();
  /** Where each node was put: its labels may have changed since. */
  readonly #zoneOf = new Map<N, string>();
  #listed: readonly N[] | undefined = [];

  /** All nodes in order: the same array until the order changes. Built when asked for. */
  get list(): readonly N[] {
    return (this.#listed ??= inTurn(this.#zones.values(), this.#zoneOf.size));
  }

  /** Puts a node where its labels say: a new one, or one whose labels may have changed. */
  place(node: N): void {
    const zone = zoneKey(node.labels);
    if (this.#zoneOf.get(node) === zone) return;
    this.remove(node);
    const nodes = this.#zones.get(zone) ?? new Set<N>();
    this.#zones.set(zone, nodes.add(node));
    this.#zoneOf.set(node, zone);
    this.#listed = undefined;
  }

  /** Takes a node out. A zone without nodes is forgotten, and its place with it. */
  remove(node: N): void {
    const zone = this.#zoneOf.get(node);
    if (zone === undefined) return;
    this.#zoneOf.delete(node);
    const nodes = this.#zones.get(zone);
    nodes?.delete(node);
    if (nodes?.size === 0) this.#zones.delete(zone);
    this.#listed = undefined;
  }
}

/** Region and zone as one text. The labels of old win where a node has both. */
function zoneKey(labels: Labels): string {
  const zone =
    domainOf(labels, 'failure-domain.beta.kubernetes.io/zone') ?? domainOf(labels, 'topology.kubernetes.io/zone') ?? '';
  const region =
    domainOf(labels, 'failure-domain.beta.kubernetes.io/region') ??
    domainOf(labels, 'topology.kubernetes.io/region') ??
    '';
  return `${region}\0${zone}`;
}

function inTurn<N>(zones: Iterable<ReadonlySet<N>>, count: number): readonly N[] {
  const listed: N[] = [];
  let left = Array.from(zones, (nodes) => [...nodes]);
  for (let turn = 0; listed.length < count; turn += 1) {
    left = left.filter(({ length }) => turn < length);
    for (const nodes of left) listed.push(nodes[turn] as N); // it is longer than that
  }
  return listed;
}
