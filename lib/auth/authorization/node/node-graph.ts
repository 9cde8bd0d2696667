// Which objects have to do with which nodes. Pods, attachments and slices give objects to the node they are on; a
// volume passes on what it names to every node that its claim is related to. Kept so that a question is one look-up,
// and a change costs what the changed object names. As plugin/pkg/auth/authorizer/node/graph.go, which searches at each
// question instead.

/** Objects and nodes, and what relates them. Objects are texts (`reference`), nodes go by their names. */
export class NodeGraph {
  /** By object: the nodes related to it, and in how many ways. */
  readonly #nodes = new Map<string, Map<string, number>>();
  /** By source: what it gave, and to which node. */
  readonly #given = new Map<string, { readonly node: string; readonly objects: ReadonlySet<string> }>();
  /** By volume: its claim, and what the volume passes on to the nodes of that claim. */
  readonly #volumes = new Map<string, { readonly claim: string; readonly objects: ReadonlySet<string> }>();
  /** By claim: its volumes. */
  readonly #volumesOf = new Map<string, Set<string>>();

  isRelated(node: string, object: string): boolean {
    return this.#nodes.get(object)?.has(node) === true;
  }

  /** Relates a node to objects on account of a source, and to nothing else that the source gave before. */
  give(source: string, node: string, objects: ReadonlySet<string>): void {
    this.take(source);
    this.#given.set(source, { node, objects });
    for (const object of objects) this.#relate(object, node);
  }

  /** Takes back what a source gave. */
  take(source: string): void {
    const given = this.#given.get(source);
    if (given === undefined) return;
    this.#given.delete(source);
    for (const object of given.objects) this.#unrelate(object, given.node);
  }

  /** Lets a volume pass objects on to the nodes of a claim, present and to come, and to nobody else. */
  bind(volume: string, claim: string, objects: ReadonlySet<string>): void {
    this.unbind(volume);
    this.#volumes.set(volume, { claim, objects });
    const volumes = this.#volumesOf.get(claim);
    if (volumes === undefined) this.#volumesOf.set(claim, new Set([volume]));
    else volumes.add(volume);
    for (const node of this.#nodes.get(claim)?.keys() ?? []) this.#relateAll(objects, node);
  }

  /** A volume passes nothing on any more. */
  unbind(volume: string): void {
    const bound = this.#volumes.get(volume);
    if (bound === undefined) return;
    this.#volumes.delete(volume);
    const volumes = this.#volumesOf.get(bound.claim);
    volumes?.delete(volume);
    if (volumes?.size === 0) this.#volumesOf.delete(bound.claim);
    for (const node of this.#nodes.get(bound.claim)?.keys() ?? []) this.#unrelateAll(bound.objects, node);
  }

  /** How many objects are related to some node: what the graph holds. */
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
