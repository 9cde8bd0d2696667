// The connectors of nodes, registered and replaced while the server runs.
import type { NodeConnector } from '../../client/index.js';

/** Where node agents register how their containers are reached. */
export interface NodeConnectors {
  /**
   * Registers the connector of one node or, without a name, of all nodes that have none of their own and of proxies to
   * Services. Replaces the one before; streams that are open go on. Returns how to take it back, which has no effect
   * once another has replaced it.
   */
  register(connector: NodeConnector, options?: { readonly node?: string }): () => void;
}

/** The connectors of one server. */
export class ConnectorRegistry implements NodeConnectors {
  readonly #byNode = new Map<string, NodeConnector>();

  register(connector: NodeConnector, { node = anyNode }: { readonly node?: string } = {}): () => void {
    this.#byNode.set(node, connector);
    return () => {
      if (this.#byNode.get(node) === connector) this.#byNode.delete(node);
    };
  }

  /** The connector of a node, or of no particular one; undefined where it cannot be reached. */
  find(node: string = anyNode): NodeConnector | undefined {
    return this.#byNode.get(node) ?? this.#byNode.get(anyNode);
  }
}

/** No node has an empty name. */
const anyNode = '';
