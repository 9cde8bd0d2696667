// The order in which nodes are evaluated: zones alternate, one node of each, so that a search that ends early covers
// all zones. Zones and the nodes of a zone are in order of addition. As pkg/scheduler/backend/cache/node_tree.go and
// component-helpers/node/topology.
import type { Labels } from '../../core/index.js';
import { domainOf } from './topology-domain.js';

/** A node with labels. */
export interface PlacedNode {
  readonly labels: Labels;
}

/** Nodes by zone, and the resulting order. */
export class NodeOrder<N extends PlacedNode> {
  readonly #zones = new Map<string, Set<N>>();
  /** The zone of each node at its last placement; its labels may have changed since. */
  readonly #zoneOf = new Map<N, string>();
  #listed: readonly N[] | undefined = [];

  /** All nodes in order. Built on demand; the same array until the order changes. */
  get list(): readonly N[] {
    return (this.#listed ??= alternate(this.#zones.values(), this.#zoneOf.size));
  }

  /** Adds a node, or moves it to the zone of its current labels. */
  place(node: N): void {
    const zone = zoneKey(node.labels);
    if (this.#zoneOf.get(node) === zone) return;
    this.remove(node);
    const nodes = this.#zones.get(zone) ?? new Set<N>();
    this.#zones.set(zone, nodes.add(node));
    this.#zoneOf.set(node, zone);
    this.#listed = undefined;
  }

  /** Removes a node. A zone without nodes loses its position. */
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

/** Region and zone as one key. The deprecated labels take precedence. */
function zoneKey(labels: Labels): string {
  const zone =
    domainOf(labels, 'failure-domain.beta.kubernetes.io/zone') ?? domainOf(labels, 'topology.kubernetes.io/zone') ?? '';
  const region =
    domainOf(labels, 'failure-domain.beta.kubernetes.io/region') ??
    domainOf(labels, 'topology.kubernetes.io/region') ??
    '';
  return `${region}\0${zone}`;
}

function alternate<N>(zones: Iterable<ReadonlySet<N>>, count: number): readonly N[] {
  const listed: N[] = [];
  let left = Array.from(zones, (nodes) => [...nodes]);
  for (let turn = 0; listed.length < count; turn += 1) {
    left = left.filter(({ length }) => turn < length);
    for (const nodes of left) listed.push(nodes[turn] as N); // longer than `turn`
  }
  return listed;
}
