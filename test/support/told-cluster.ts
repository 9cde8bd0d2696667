// A cluster as the scheduler knows it, and beside it the plain record of what it was told. From the record the same
// cluster can be built anew at any time, on copies of all objects, so that nothing is kept from before.
import { deepFreeze } from '../../lib/core/index.js';
import type { Frozen } from '../../lib/core/index.js';
import type { Node, Pod } from '../../lib/core/types/index.js';
import { ClusterCache } from '../../lib/scheduling/cluster/cluster-cache.js';
import type { Nominations } from '../../lib/scheduling/cluster/cluster-cache.js';
import type { KnownKind } from '../../lib/scheduling/cluster/known-objects.js';
import { Nominator } from '../../lib/scheduling/queue/nominator.js';
import type { PodChange, Renomination, Step } from './random-clusters.js';
import { firstObjects } from './random-objects.js';
import type { Gone, Told } from './random-objects.js';
import { nodeAt } from './random-pods.js';
import type { NodeKind, PodKind } from './random-pods.js';
import { TestCluster, podOf } from './scheduling.js';

/** Somebody who is to come to a node. */
export interface Nominated {
  readonly pod: Frozen<Pod>;
  readonly node: string;
}

/** A cluster that is told of things. It begins with some objects and no nodes. */
export class ToldCluster {
  readonly #kinds: readonly PodKind[];
  readonly cache: ClusterCache;
  readonly #nominator = new Nominator();
  readonly #nodes = new Map<string, { readonly node: Frozen<Node>; readonly shape: NodeKind }>();
  readonly #pods = new Map<string, Frozen<Pod>>();
  readonly #objects = new Map<string, Told>();
  readonly #nominated = new Map<string, Nominated>();
  #made = 0;

  constructor(kinds: readonly PodKind[], changesMax: number) {
    this.#kinds = kinds;
    const nominations: Nominations = {
      nominatedTo: (name) => this.#nominator.shownOf(name, ({ uid, bare }) => this.#nominated.get(uid)?.pod ?? bare),
      nominatedNodes: () => this.#nominator.nodes(),
      nominationOf: (uid) => this.#nominator.nodeOf(uid),
      nominationChanges: this.#nominator.changes,
    };
    this.cache = new ClusterCache({ changesMax, nominations });
    for (const told of firstObjects) this.#tell(told);
  }

  /** Those who are to come somewhere, in the order of nomination. */
  get nominated(): readonly Nominated[] {
    return [...this.#nominated.values()];
  }

  /** Does a step. */
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
      case 'tell':
        this.#tell(what.told);
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

  /** A new pod of a kind. */
  podOf(name: string, kind: number, nodeName?: string): Frozen<Pod> {
    this.#made += 1;
    const { spec, ...shape } = this.#kinds[kind % this.#kinds.length] ?? never();
    // Every third comes over the wire, and shares nothing with the others of its kind.
    const own = this.#made % 3 === 0 ? copied({ ...spec }) : spec;
    return podOf(`${name}-${this.#made}`, { ...shape, spec: nodeName === undefined ? own : { ...own, nodeName } });
  }

  /** A pod that has a node, as it is by now. */
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

  /** The pod counts on the node, though nobody has told of it. */
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

  /** The cluster as it was told. Only the order of nodes, and of pods on them, is taken over. */
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

  #tell(told: Told): void {
    const { namespace, name } = told.object.metadata ?? {};
    this.#objects.set(`${told.kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`, told);
    const set = <K extends KnownKind>({ kind, object }: Told<K>): void => void this.cache.objects.of(kind).set(object);
    set(told);
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

  /** As the queue hears of a pod that waits. */
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

/** Throws where two things differ. */
export function same(what: string, reference: unknown, found: unknown): void {
  const [one, other] = [JSON.stringify(reference), JSON.stringify(found)];
  if (one !== other) throw new Error(`${what}\nreference: ${one}\nscheduler: ${other}`);
}

/** A copy that shares nothing, the same for the same object. */
export function copied<T extends object>(object: T): T {
  const known = copies.get(object) as T | undefined; // what is kept for an object is like it
  if (known !== undefined) return known;
  const copy = deepFreeze(JSON.parse(JSON.stringify(object)) as T) as T; // as it was
  copies.set(object, copy);
  return copy;
}

const copies = new WeakMap<object, object>();

function uidOf({ metadata }: Frozen<Pod>): string {
  return metadata?.uid ?? '';
}

/** For what must be there. */
export function never(): never {
  throw new Error('it must be there');
}
