// The registry of node connectors, which may be registered and replaced while the server runs.
import type { NodeConnector } from '../../core/index.js';

/** The registry in which node agents register their connectors. */
export interface NodeConnectors {
  /**
   * Registers the connector of one node or, without a name, of all nodes without one and of proxies to Services.
   * Replaces the previous one; open streams continue. Returns the function that removes it, which has no effect after
   * it was replaced.
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

  /** Returns the connector of a node, or of any node; undefined where it is unreachable. */
  find(node: string = anyNode): NodeConnector | undefined {
    return this.#byNode.get(node) ?? this.#byNode.get(anyNode);
  }
}

/** The key of the connector of all nodes: no node has an empty name. */
const anyNode = '';
