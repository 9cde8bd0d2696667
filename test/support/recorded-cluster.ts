// A cluster cache, and a plain record of the objects it was given. A new cache can be built from copies of the recorded
// objects at any time, so that no cached state is carried over.
import { deepFreeze } from '../../lib/core/index.js';
import type { Frozen } from '../../lib/core/index.js';
import type { Node, Pod } from '../../lib/core/types/index.js';
import { ClusterCache } from '../../lib/scheduling/cluster/cluster-cache.js';
import type { Nominations } from '../../lib/scheduling/cluster/cluster-cache.js';
import type { CachedKind } from '../../lib/scheduling/cluster/object-lister.js';
import { Nominator } from '../../lib/scheduling/queue/nominator.js';
import type { PodChange, Renomination, Step } from './random-clusters.js';
import { firstObjects } from './random-objects.js';
import type { Gone, CachedObject } from './random-objects.js';
import { nodeAt } from './random-pods.js';
import type { NodeKind, PodKind } from './random-pods.js';
import { TestCluster, podOf } from './scheduling.js';

/** A nominated pod. */
export interface Nominated {
  readonly pod: Frozen<Pod>;
  readonly node: string;
}

/** A cluster cache that is changed by steps. It starts with some objects and no nodes. */
export class RecordedCluster {
  readonly #kinds: readonly PodKind[];
  readonly cache: ClusterCache;
  readonly #nominator = new Nominator();
  readonly #nodes = new Map<string, { readonly node: Frozen<Node>; readonly shape: NodeKind }>();
  readonly #pods = new Map<string, Frozen<Pod>>();
  readonly #objects = new Map<string, CachedObject>();
  readonly #nominated = new Map<string, Nominated>();
  #made = 0;

  constructor(kinds: readonly PodKind[], changesMax: number) {
    this.#kinds = kinds;
    const nominations: Nominations = {
      nominatedTo: (name) => this.#nominator.podsOf(name, ({ uid, bare }) => this.#nominated.get(uid)?.pod ?? bare),
      nominatedNodes: () => this.#nominator.nodes(),
      nominationOf: (uid) => this.#nominator.nodeOf(uid),
      nominationChanges: this.#nominator.changes,
    };
    this.cache = new ClusterCache({ changesMax, nominations });
    for (const entry of firstObjects) this.#setObject(entry);
  }

  /** Nominated pods, in order of nomination. */
  get nominated(): readonly Nominated[] {
    return [...this.#nominated.values()];
  }

  /** Applies a step. */
  do(what: Exclude<Step, { readonly do: 'place' }>): void {
    switch (what.do) {
      case 'node':
        this.#setNode(what.at, what.shape);
        return;
      case 'alter-node': {
        const known = this.#nodes.get(`n${what.at}`);
        if (known !== undefined) this.#setNode(what.at, { ...known.shape, [what.what]: what.shape[what.what] });
        return;
      }
      case 'remove-node':
        this.#nodes.delete(`n${what.at}`);
        this.cache.removeNode(`n${what.at}`);
        return;
      case 'bind':
        this.#bind(what.kind, `n${what.at}`);
        return;
      case 'change-pod':
        this.#changePod(what.pod, what.change);
        return;
      case 'set-object':
        this.#setObject(what.set);
        return;
      case 'untell':
        this.#untell(what.gone);
        return;
      case 'nominate':
        this.nominate(this.podOf('nominated', what.kind), `n${what.at}`);
        return;
      case 'renominate':
        this.#renominate(what.pod, what.as);
        return;
      case 'forget-nominations':
        for (const { pod } of this.nominated) this.forgetNomination(pod);
    }
  }

  /** Creates a pod of a kind. */
  podOf(name: string, kind: number, nodeName?: string): Frozen<Pod> {
    this.#made += 1;
    const { spec, ...shape } = this.#kinds[kind % this.#kinds.length] ?? never();
    // Every third pod is decoded from JSON and shares nothing with the others of its kind.
    const own = this.#made % 3 === 0 ? copied({ ...spec }) : spec;
    return podOf(`${name}-${this.#made}`, { ...shape, spec: nodeName === undefined ? own : { ...own, nodeName } });
  }

  /** Returns the current version of a pod that has a node. */
  podNow(uid: string): Frozen<Pod> {
    return this.#pods.get(uid) ?? never();
  }

  setPod(pod: Frozen<Pod>): void {
    this.#pods.set(uidOf(pod), pod);
    this.cache.setPod(pod);
  }

  removePod(pod: Frozen<Pod>): void {
    this.#pods.delete(uidOf(pod));
    this.cache.removePod(pod);
  }

  /** The pod is assumed on the node; no watch event has confirmed it. */
  assume(pod: Frozen<Pod>, nodeName: string): void {
    this.#pods.set(uidOf(pod), deepFreeze({ ...pod, spec: { containers: [], ...pod.spec, nodeName } }));
  }

  nominate(pod: Frozen<Pod>, node: string): void {
    if (this.#nominated.get(uidOf(pod))?.node !== node) this.#nominated.delete(uidOf(pod));
    this.#nominated.set(uidOf(pod), { pod, node });
    this.#nominator.set(pod, node);
  }

  forgetNomination(pod: Frozen<Pod>): void {
    this.#nominator.delete(pod);
    this.#nominated.delete(uidOf(pod));
  }

  /** Builds a new cache from the record. Only the order of nodes, and of the pods on them, is taken over. */
  anew(): TestCluster {
    const order = this.cache.nodes.map(({ name }) => name);
    same('nodes', [...this.#nodes.keys()].sort(), order.toSorted());
    const anew = new TestCluster({ nodes: order.map((name) => copied(this.#nodes.get(name)?.node ?? never())) });
    for (const { kind, object } of this.#objects.values()) anew.objects.set(kind, object);
    const onNodes = this.cache.nodes.flatMap(({ pods }) => pods.map(({ uid }) => uid));
    same(
      'pods',
      [...this.#pods.values()]
        .filter(({ spec }) => this.#nodes.has(spec?.nodeName ?? ''))
        .map(uidOf)
        .sort(),
      onNodes.toSorted(),
    );
    for (const uid of onNodes) anew.addPod(copied(this.podNow(uid)));
    for (const { pod, node } of this.nominated) anew.nominate(copied(pod), node);
    return anew;
  }

  /** Most pods have started, some of them at the same time. */
  #bind(kind: number, nodeName: string): void {
    const pod = this.podOf('bound', kind, nodeName);
    const day = this.#made % 4;
    this.setPod(day === 0 ? pod : deepFreeze({ ...pod, status: { startTime: `2026-01-0${day}T00:00:00Z` } }));
  }

  #setNode(at: number, shape: NodeKind): void {
    const node = nodeAt(at, shape);
    this.#nodes.set(`n${at}`, { node, shape });
    this.cache.setNode(node);
  }

  #setObject(entry: CachedObject): void {
    const { namespace, name } = entry.object.metadata ?? {};
    this.#objects.set(`${entry.kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`, entry);
    const set = <K extends CachedKind>({ kind, object }: CachedObject<K>): void =>
      void this.cache.objects.of(kind).set(object);
    set(entry);
  }

  #untell({ kind, key }: Gone): void {
    this.#objects.delete(`${kind} ${key}`);
    this.cache.objects.of(kind).delete(key);
  }

  #changePod(index: number, change: PodChange): void {
    const pod = [...this.#pods.values()][this.#pods.size === 0 ? 0 : index % this.#pods.size];
    if (pod === undefined) return;
    const { metadata, status } = pod;
    if (change.to === 'leave' || change.to === 'unbind') {
      if (change.to === 'unbind' && !this.cache.forget(uidOf(pod))) return;
      this.removePod(pod);
    } else if (change.to === 'terminate')
      this.setPod(deepFreeze({ ...pod, metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }));
    else if (change.to === 'relabel')
      this.setPod(deepFreeze({ ...pod, metadata: { ...metadata, labels: { ...metadata?.labels, app: change.app } } }));
    else if (change.to === 'start')
      this.setPod(deepFreeze({ ...pod, status: { ...status, startTime: `2026-01-0${change.day + 1}T00:00:00Z` } }));
    else if (change.to === 'touch') this.setPod(copied({ ...pod, status: { ...status, phase: 'Running' } }));
    else {
      const container = {
        name: 'c',
        image: '',
        imageID: '',
        ready: true,
        restartCount: 0,
        allocatedResources: { cpu: change.cpu },
        resources: { requests: { cpu: change.cpu } },
      };
      this.setPod(deepFreeze({ ...pod, status: { ...status, containerStatuses: [container] } }));
    }
  }

  /** An update of a waiting pod, as the queue receives it. */
  #renominate(index: number, as: Renomination): void {
    const known = [...this.#nominated.values()][this.#nominated.size === 0 ? 0 : index % this.#nominated.size];
    if (known === undefined) return;
    const { pod: old, node } = known;
    const metadata = {
      ...old.metadata,
      ...(as === 'relabelled' && { labels: { app: 'c' } }),
      ...(as === 'leaving' && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
    };
    const grown = { ...old.spec, containers: [{ name: 'c', resources: { requests: { cpu: '2' } } }] };
    const pod = deepFreeze({
      ...old,
      metadata,
      ...(as === 'grown' && { spec: grown }),
      status: { ...old.status, nominatedNodeName: node },
    });
    this.#nominated.set(uidOf(pod), { pod, node });
    this.#nominator.update(old, pod);
  }
}

/** Throws if two values differ. */
export function same(what: string, reference: unknown, found: unknown): void {
  const [one, other] = [JSON.stringify(reference), JSON.stringify(found)];
  if (one !== other) throw new Error(`${what}\nreference: ${one}\nscheduler: ${other}`);
}

/** Returns a deep copy; the same one for the same object. */
export function copied<T extends object>(object: T): T {
  const known = copies.get(object) as T | undefined; // a copy has the type of its object
  if (known !== undefined) return known;
  const copy = deepFreeze(JSON.parse(JSON.stringify(object)) as T) as T; // as above
  copies.set(object, copy);
  return copy;
}

const copies = new WeakMap<object, object>();

function uidOf({ metadata }: Frozen<Pod>): string {
  return metadata?.uid ?? '';
}

/** Returns a value that must exist; throws otherwise. */
export function never(): never {
  throw new Error('it must be there');
}
