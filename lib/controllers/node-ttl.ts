// Sets the annotation `node.alpha.kubernetes.io/ttl` of nodes: for how many seconds a kubelet may use Secrets and
// ConfigMaps from its cache. It grows with the cluster, in steps; a cluster must shrink by a tenth below a step before
// the value becomes smaller again. As pkg/controller/ttl/ttl_controller.go.
import { defer } from 'rxjs';
import { awaitChange, controller, informers, watching } from '../client/index.js';
import type { ControllerActivity, ObjectEvent, Stored } from '../client/index.js';
import { namespacedName } from '../core/index.js';
import type { NamespacedName, Part } from '../core/index.js';
import type { Node } from '../core/types/index.js';
import type { ControllerEnvironment } from './controller-environment.js';
import { ignoreError } from './ignore-error.js';

/** The annotation of a node was set. */
export interface NodeTtlSet {
  readonly type: 'ttl-set';
  readonly node: string;
  readonly seconds: number;
}

/** Creates the controller. */
export function nodeTtl({
  client,
  clock,
  random,
  informers: shared = informers(client, { clock, random }),
  steps$,
}: ControllerEnvironment): Part<ControllerActivity<NamespacedName, NodeTtlSet>> {
  const nodes = shared.kind('v1', 'Node');
  const name = 'ttl-controller';
  const run = (size: ClusterSize): Part<ControllerActivity<NamespacedName, NodeTtlSet>> =>
    controller<NamespacedName, NodeTtlSet>({
      name,
      clock,
      steps$,
      concurrency: 5,
      watches: [
        watching(nodes, (event) => {
          const isStepped = size.observe(event);
          // Kubernetes waits for the next heartbeat of the other nodes; here nodes may have none.
          if (isStepped && event.type !== 'listed') return nodes.list().map(namespacedName);
          // How many nodes there are is known when the list is complete.
          const isWrong = event.type === 'listed' || ttlOf(event.object) !== size.ttlSeconds;
          return isWrong && event.type !== 'deleted' ? [namespacedName(event.object)] : [];
        }),
      ],
      reconcile: async (item, { emit, signal, cause }) => {
        const node = nodes.get(item.name);
        const seconds = size.ttlSeconds;
        if (node === undefined || ttlOf(node) === seconds) return awaitChange;
        const strategic = { metadata: { annotations: { [annotation]: String(seconds) } } };
        const patch = client.kind('v1', 'Node').patch(item.name, { strategic }, { signal, cause });
        if ((await ignoreError('NotFound', patch)) !== undefined) emit({ type: 'ttl-set', node: item.name, seconds });
        return awaitChange;
      },
    });
  return { name, run: () => defer(() => run(new ClusterSize()).run()) };
}

const annotation = 'node.alpha.kubernetes.io/ttl';

/** A step is left downwards below `sizeMin` nodes and upwards above `sizeMax`. */
const steps = [
  { sizeMin: 0, sizeMax: 100, ttlSeconds: 0 },
  { sizeMin: 90, sizeMax: 500, ttlSeconds: 15 },
  { sizeMin: 450, sizeMax: 1000, ttlSeconds: 30 },
  { sizeMin: 900, sizeMax: 2000, ttlSeconds: 60 },
  { sizeMin: 1800, sizeMax: Infinity, ttlSeconds: 300 },
] as const;

/** How many nodes there are, and on which step that is. Starts on the lowest. */
class ClusterSize {
  #count = 0;
  #step: (typeof steps)[number] = steps[0];

  get ttlSeconds(): number {
    return this.#step.ttlSeconds;
  }

  /** Counts an event. Returns whether the step has changed. */
  observe(event: ObjectEvent<Stored<Node>>): boolean {
    if (event.type === 'deleted') this.#count -= 1;
    else if (event.old === undefined) this.#count += 1;
    const { sizeMin, sizeMax } = this.#step;
    const direction = this.#count > sizeMax ? 1 : this.#count < sizeMin ? -1 : 0;
    const next = steps[steps.indexOf(this.#step) + direction] ?? this.#step;
    const isStepped = next !== this.#step;
    this.#step = next;
    return isStepped;
  }
}

/** Returns the value of the annotation; undefined if there is none or it is not a number. */
function ttlOf({ metadata }: Stored<Node>): number | undefined {
  const text = metadata.annotations?.[annotation];
  return text !== undefined && /^[-+]?\d+$/.test(text) ? Number(text) : undefined;
}
