// The graph of objects and nodes. Pods, attachments and slices relate objects to their node; a volume relates its
// objects to every node that its claim is related to. Relations are kept per object, so that a decision is one look-up
// and an update costs what the changed object refers to. plugin/pkg/auth/authorizer/node/graph.go searches the graph at
// each decision instead.

/** Relations between objects (keys made by `reference`) and node names. */
export class NodeGraph {
  /** By object: the related nodes, with the number of sources of each relation. */
  readonly #nodes = new Map<string, Map<string, number>>();
  /** By source: its node and the objects it relates to it. */
  readonly #given = new Map<string, { readonly node: string; readonly objects: ReadonlySet<string> }>();
  /** By volume: its claim, and the objects related to the nodes of that claim. */
  readonly #volumes = new Map<string, { readonly claim: string; readonly objects: ReadonlySet<string> }>();
  /** By claim: its volumes. */
  readonly #volumesOf = new Map<string, Set<string>>();

  isRelated(node: string, object: string): boolean {
    return this.#nodes.get(object)?.has(node) === true;
  }

  /** Relates objects to the node of a source; replaces the former relations of the source. */
  give(source: string, node: string, objects: ReadonlySet<string>): void {
    this.take(source);
    this.#given.set(source, { node, objects });
    for (const object of objects) this.#relate(object, node);
  }

  /** Removes the relations of a source. */
  take(source: string): void {
    const given = this.#given.get(source);
    if (given === undefined) return;
    this.#given.delete(source);
    for (const object of given.objects) this.#unrelate(object, given.node);
  }

  /** Relates the objects of a volume to the present and future nodes of a claim; replaces its former relations. */
  bind(volume: string, claim: string, objects: ReadonlySet<string>): void {
    this.unbind(volume);
    this.#volumes.set(volume, { claim, objects });
    const volumes = this.#volumesOf.get(claim);
    if (volumes === undefined) this.#volumesOf.set(claim, new Set([volume]));
    else volumes.add(volume);
    for (const node of this.#nodes.get(claim)?.keys() ?? []) this.#relateAll(objects, node);
  }

  /** Removes the relations of a volume. */
  unbind(volume: string): void {
    const bound = this.#volumes.get(volume);
    if (bound === undefined) return;
    this.#volumes.delete(volume);
    const volumes = this.#volumesOf.get(bound.claim);
    volumes?.delete(volume);
    if (volumes?.size === 0) this.#volumesOf.delete(bound.claim);
    for (const node of this.#nodes.get(bound.claim)?.keys() ?? []) this.#unrelateAll(bound.objects, node);
  }

  /** The number of objects that are related to a node. */
  get size(): number {
    return this.#nodes.size;
  }

  #relate(object: string, node: string): void {
    const nodes = this.#nodes.get(object) ?? new Map<string, number>();
    this.#nodes.set(object, nodes);
    const ways = nodes.get(node) ?? 0;
    nodes.set(node, ways + 1);
    if (ways === 0) for (const { objects } of this.#boundTo(object)) this.#relateAll(objects, node);
  }

  #unrelate(object: string, node: string): void {
    const nodes = this.#nodes.get(object);
    const ways = nodes?.get(node) ?? 0;
    if (nodes === undefined || ways === 0) return;
    if (ways > 1) {
      nodes.set(node, ways - 1);
      return;
    }
    nodes.delete(node);
    if (nodes.size === 0) this.#nodes.delete(object);
    for (const { objects } of this.#boundTo(object)) this.#unrelateAll(objects, node);
  }

  #relateAll(objects: ReadonlySet<string>, node: string): void {
    for (const object of objects) this.#relate(object, node);
  }

  #unrelateAll(objects: ReadonlySet<string>, node: string): void {
    for (const object of objects) this.#unrelate(object, node);
  }

  *#boundTo(claim: string): Iterable<{ readonly objects: ReadonlySet<string> }> {
    for (const volume of this.#volumesOf.get(claim) ?? []) {
      const bound = this.#volumes.get(volume);
      if (bound !== undefined) yield bound;
    }
  }
}
