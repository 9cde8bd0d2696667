// A cluster whose pods are placed twice: by what the scheduler keeps, and by a reference that keeps nothing. For every pod the
// reference builds the cluster anew from the objects as they were told, on copies of them and with plugins of its own, and asks
// every plugin about every node. The two must not differ in the node, in a count, in a reason, nor in who has to leave.
import { deepFreeze, random } from '../../lib/core/index.js';
import type { Frozen } from '../../lib/core/index.js';
import type { Node, Pod, PodCondition } from '../../lib/core/types/index.js';
import { ClusterCache } from '../../lib/scheduling/cluster/cluster-cache.js';
import type { Nominations } from '../../lib/scheduling/cluster/cluster-cache.js';
import type { ClusterView } from '../../lib/scheduling/cluster/cluster-view.js';
import type { KnownKind } from '../../lib/scheduling/cluster/known-objects.js';
import { clusterColumns } from '../../lib/scheduling/columns/cluster-columns.js';
import { columnPlacer } from '../../lib/scheduling/columns/column-placer.js';
import type { Cycle } from '../../lib/scheduling/framework/cycle.js';
import type { Framework } from '../../lib/scheduling/framework/framework.js';
import { isPlaced } from '../../lib/scheduling/framework/placement.js';
import type { Diagnosis, NoPlacement, Placement, Placer } from '../../lib/scheduling/framework/placement.js';
import { plainPlacer } from '../../lib/scheduling/framework/plain-placer.js';
import type { PluginDefinition } from '../../lib/scheduling/framework/plugin-definition.js';
import { profileFilters } from '../../lib/scheduling/framework/profile-filters.js';
import { profilePlugins } from '../../lib/scheduling/framework/profile-plugins.js';
import { fitErrorText, podFacts } from '../../lib/scheduling/index.js';
import type { PodFacts, SchedulerProfile } from '../../lib/scheduling/index.js';
import { isCandidate } from '../../lib/scheduling/preemption/candidates.js';
import { victimFinder } from '../../lib/scheduling/preemption/victim-finder.js';
import type { VictimFinder } from '../../lib/scheduling/preemption/victim-finder.js';
import { Nominator } from '../../lib/scheduling/queue/nominator.js';
import { naivePreemption } from './naive-preemption.js';
import type { NaiveVictims } from './naive-preemption.js';
import type { PodChange, Step } from './random-clusters.js';
import { firstObjects } from './random-objects.js';
import type { Told } from './random-objects.js';
import { nodeAt } from './random-pods.js';
import type { NodeKind, PodKind } from './random-pods.js';
import { TestCluster, cycleOf, podOf, toolsOf } from './scheduling.js';

/** How a cluster is scheduled. */
export interface ScheduledTwiceOptions {
  readonly profile: SchedulerProfile;
  readonly kinds: readonly PodKind[];
  /** By name. What the reference uses of them may be watched. */
  readonly definitions: ReadonlyMap<string, PluginDefinition>;
  readonly watched?: ReadonlyMap<string, PluginDefinition>;
  readonly changesMax?: number;
  readonly percentage?: number;
  readonly start?: number;
  /** Whether pods that fit nowhere may make others leave. */
  readonly preempts?: boolean;
}

interface Nominated {
  readonly pod: Frozen<Pod>;
  readonly node: string;
}

/** A cluster that steps are done to. What differs is thrown. */
export class ScheduledTwice {
  readonly #options: ScheduledTwiceOptions;
  readonly cluster: ClusterCache;
  readonly #nominator = new Nominator();
  readonly #framework: Framework;
  readonly #columns: Placer;
  readonly #finder: VictimFinder;
  /** What was told, for the reference; shapes for nodes that change a little. */
  readonly #nodes = new Map<string, { readonly node: Frozen<Node>; readonly shape: NodeKind }>();
  readonly #pods = new Map<string, Frozen<Pod>>();
  readonly #objects = new Map<string, Told>();
  readonly #nominated = new Map<string, Nominated>();
  readonly #rotation: { start: number };
  readonly #random = random('ties');
  #made = 0;
  /** Where preemption begins to try nodes: a number that may be too large. */
  #from = 0;
  placed = 0;
  refused = 0;
  preempted = 0;

  constructor(options: ScheduledTwiceOptions) {
    const { definitions, changesMax = 16_384, percentage = 100, start = 0 } = options;
    this.#options = options;
    this.#rotation = { start };
    const nominations: Nominations = {
      nominatedTo: (name) => this.#nominator.shownOf(name, ({ uid, bare }) => this.#nominated.get(uid)?.pod ?? bare),
      nominatedNodes: () => this.#nominator.nodes(),
      nominationOf: (uid) => this.#nominator.nodeOf(uid),
      nominationChanges: this.#nominator.changes,
    };
    this.cluster = new ClusterCache({ changesMax, nominations });
    this.#framework = this.#frameworkOf(this.cluster, definitions);
    this.#columns = columnPlacer({ framework: this.#framework, search: { percentageOfNodesToScore: percentage, rotation: { start }, random: random('ties') }, columns: clusterColumns(this.cluster) });
    this.#finder = victimFinder({ filters: profileFilters, cluster: this.cluster });
    for (const told of firstObjects) this.#tell(told);
  }

  /** Does a step. */
  do(what: Step): void {
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
        this.cluster.removeNode(`n${what.at}`);
        return;
      case 'bind':
        this.#setPod(this.#podOf('bound', what.kind, `n${what.at}`));
        return;
      case 'change-pod':
        this.#changePod(what.pod, what.change);
        return;
      case 'tell':
        this.#tell(what.told);
        return;
      case 'untell':
        this.#objects.delete(`${what.gone.kind} ${what.gone.key}`);
        this.cluster.objects.of(what.gone.kind).delete(what.gone.key);
        return;
      case 'nominate':
        this.#nominate(this.#podOf('nominated', what.kind), `n${what.at}`);
        return;
      case 'renominate':
        this.#renominate(what.pod, what.as);
        return;
      case 'forget-nominations':
        for (const { pod } of this.#nominated.values()) this.#nominator.delete(pod);
        this.#nominated.clear();
        return;
      case 'place':
        this.#place(what.kind, what.hint);
    }
  }

  #setNode(at: number, shape: NodeKind): void {
    const node = nodeAt(at, shape);
    this.#nodes.set(`n${at}`, { node, shape });
    this.cluster.setNode(node);
  }

  #tell(told: Told): void {
    const { namespace, name } = told.object.metadata ?? {};
    this.#objects.set(`${told.kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`, told);
    const set = <K extends KnownKind>({ kind, object }: Told<K>): void => void this.cluster.objects.of(kind).set(object);
    set(told);
  }

  #podOf(name: string, kind: number, nodeName?: string): Frozen<Pod> {
    this.#made += 1;
    const { spec, ...shape } = this.#options.kinds[kind % this.#options.kinds.length] ?? never();
    // Every third comes over the wire, and shares nothing with the others of its kind.
    const own = this.#made % 3 === 0 ? copied({ ...spec }) : spec;
    return podOf(`${name}-${this.#made}`, { ...shape, spec: nodeName === undefined ? own : { ...own, nodeName } });
  }

  #setPod(pod: Frozen<Pod>): void {
    this.#pods.set(uidOf(pod), pod);
    this.cluster.setPod(pod);
  }

  #changePod(index: number, change: PodChange): void {
    const pod = [...this.#pods.values()][this.#pods.size === 0 ? 0 : index % this.#pods.size];
    if (pod === undefined) return;
    const { metadata, status } = pod;
    if (change.to === 'leave' || change.to === 'unbind') {
      if (change.to === 'unbind' && !this.cluster.forget(uidOf(pod))) return;
      this.#pods.delete(uidOf(pod));
      this.cluster.removePod(pod);
    } else if (change.to === 'terminate') this.#setPod(deepFreeze({ ...pod, metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }));
    else if (change.to === 'relabel') this.#setPod(deepFreeze({ ...pod, metadata: { ...metadata, labels: { ...metadata?.labels, app: change.app } } }));
    else if (change.to === 'start') this.#setPod(deepFreeze({ ...pod, status: { ...status, startTime: `2026-01-0${change.day + 1}T00:00:00Z` } }));
    else if (change.to === 'touch') this.#setPod(copied({ ...pod, status: { ...status, phase: 'Running' } }));
    else {
      const container = { name: 'c', image: '', imageID: '', ready: true, restartCount: 0, allocatedResources: { cpu: change.cpu }, resources: { requests: { cpu: change.cpu } } };
      this.#setPod(deepFreeze({ ...pod, status: { ...status, containerStatuses: [container] } }));
    }
  }

  #nominate(pod: Frozen<Pod>, node: string): void {
    if (this.#nominated.get(uidOf(pod))?.node !== node) this.#nominated.delete(uidOf(pod));
    this.#nominated.set(uidOf(pod), { pod, node });
    this.#nominator.set(pod, node);
  }

  /** As the queue hears of a pod that waits. */
  #renominate(index: number, as: 'same' | 'relabelled' | 'leaving'): void {
    const known = [...this.#nominated.values()][this.#nominated.size === 0 ? 0 : index % this.#nominated.size];
    if (known === undefined) return;
    const { pod: old, node } = known;
    const metadata = as === 'same' ? old.metadata : as === 'relabelled' ? { ...old.metadata, labels: { app: 'c' } } : { ...old.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' };
    const pod = deepFreeze({ ...old, ...(metadata && { metadata }), status: { ...old.status, nominatedNodeName: node } });
    this.#nominated.set(uidOf(pod), { pod, node });
    this.#nominator.update(old, pod);
  }

  #forgetNomination(pod: Frozen<Pod>): void {
    this.#nominator.delete(pod);
    this.#nominated.delete(uidOf(pod));
  }

  /** Some are nominated themselves, and then others may have been told that they will come; some come once more. */
  #place(kind: number, hint: number): void {
    const waiting = hint > 34 ? [...this.#nominated.values()][hint % Math.max(this.#nominated.size, 1)]?.pod : undefined;
    const made = waiting ?? this.#podOf('pod', kind);
    const pod = hint < 12 ? deepFreeze({ ...made, status: { nominatedNodeName: `n${hint}` } }) : made;
    if (hint < 6) this.#nominate(pod, `n${hint}`);
    this.#from = hint;

    const reference = this.#reference();
    const [asked, kept] = [cycleOf(reference, copied(pod)), cycleOf(this.cluster, pod)];
    const framework = this.#frameworkOf(reference, this.#options.watched ?? this.#options.definitions);
    const { percentage = 100 } = this.#options;
    const one = outcomeOf(plainPlacer({ plugins: framework.plugins, percentageOfNodesToScore: percentage, rotation: this.#rotation, random: this.#random }), asked);
    const other = outcomeOf(this.#columns, kept);
    same('places', one.told, other.told);
    if (one.nodeName !== undefined) this.#assume(kept.pod, one.nodeName);
    else {
      this.refused += 1;
      if (this.#options.preempts === true && one.diagnosis !== undefined && other.diagnosis !== undefined) this.#preempt({ asked, kept }, one.diagnosis, other.diagnosis);
    }
  }

  #assume(pod: PodFacts, nodeName: string): void {
    this.placed += 1;
    this.#forgetNomination(pod.object);
    this.cluster.assume(pod, nodeName);
    this.#pods.set(pod.uid, deepFreeze({ ...pod.object, spec: { containers: [], ...pod.object.spec, nodeName } }));
  }

  #preempt({ asked, kept }: { readonly asked: Cycle; readonly kept: Cycle }, one: Diagnosis, other: Diagnosis): void {
    const naive = attempted(() => naivePreemption(asked, one, this.#options.profile, this.#from));
    const plugin = this.#framework.plugins.postFilter.find(({ name }) => name === 'DefaultPreemption') ?? never();
    const answer = attempted(() => plugin.postFilter(kept, other, neverStopped));
    if (typeof answer === 'string' || typeof naive === 'string' || answer instanceof Promise) {
      same('preempts', naive, answer);
      return;
    }
    same('preempts', [naive.nodeName, naive.message], [answer.nominatedNodeName === '' ? undefined : answer.nominatedNodeName, answer.rejection?.reasons.join(', ')]);
    const possible = this.#finder.candidatesFor(kept);
    for (const [name, victims] of naive.byNode) {
      const found = possible.at(this.cluster.node(name)?.slot ?? never());
      same(`victims on ${name}`, victimText(victims), victimText(isCandidate(found) ? found.victims : found));
    }
    const victims = naive.byNode.get(naive.nodeName ?? '');
    if (naive.nodeName === undefined || victims === undefined || !('pods' in victims)) return;
    this.preempted += 1;
    this.#makeRoom(kept.pod, naive.nodeName, victims.pods);
  }

  /** Some victims go at once, others take their time. */
  #makeRoom(preemptor: PodFacts, nodeName: string, victims: readonly PodFacts[]): void {
    for (const { pod, node } of [...this.#nominated.values()]) if (node === nodeName && podFacts(pod).priority < preemptor.priority) this.#forgetNomination(pod);
    this.#nominate(preemptor.object, nodeName);
    for (const [index, { uid }] of victims.entries()) {
      const pod = this.#pods.get(uid) ?? never();
      if ((index + this.#from) % 2 === 0) {
        this.#pods.delete(uid);
        this.cluster.removePod(pod);
      } else {
        const conditions: PodCondition[] = [{ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' }];
        this.#setPod(deepFreeze({ ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' }, status: { ...pod.status, conditions } }));
      }
    }
  }

  /** The cluster as it was told. Only the order of nodes, and of pods on them, is taken over. */
  #reference(): TestCluster {
    const order = this.cluster.nodes.map(({ name }) => name);
    same('nodes', [...this.#nodes.keys()].sort(), order.toSorted());
    const reference = new TestCluster({ nodes: order.map((name) => copied(this.#nodes.get(name)?.node ?? never())) });
    for (const told of this.#objects.values()) reference.objects.set(told.kind, told.object);
    const onNodes = this.cluster.nodes.flatMap(({ pods }) => pods.map(({ uid }) => uid));
    same('pods', [...this.#pods.values()].filter(({ spec }) => this.#nodes.has(spec?.nodeName ?? '')).map(uidOf).sort(), onNodes.toSorted());
    for (const uid of onNodes) reference.addPod(copied(this.#pods.get(uid) ?? never()));
    for (const { pod, node } of this.#nominated.values()) reference.nominate(copied(pod), node);
    return reference;
  }

  #frameworkOf(cluster: ClusterView, definitions: ReadonlyMap<string, PluginDefinition>): Framework {
    const { profile } = this.#options;
    const chance = { ...plugged.random, integer: (end: number): number => this.#from % end };
    const plugins = profilePlugins(profile, definitions, (name) => ({ ...plugged, ...(name === 'DefaultPreemption' && { random: chance }), cluster, profile }));
    return { profile, plugins };
  }
}

const plugged = toolsOf(new TestCluster(), { filters: profileFilters, background: () => undefined });
const neverStopped = new AbortController().signal;

interface Outcome {
  readonly told: unknown;
  readonly nodeName?: string;
  readonly diagnosis?: Diagnosis;
}

function outcomeOf(placer: Placer, cycle: Cycle): Outcome {
  const outcome = attempted((): Placement | NoPlacement => placer.place(cycle));
  if (typeof outcome === 'string') return { told: outcome };
  if (isPlaced(outcome)) return { told: { node: outcome.node.name, evaluated: outcome.evaluated, feasible: outcome.feasible }, nodeName: outcome.node.name };
  const { diagnosis } = outcome;
  const { nodeCount, preFilterMessage = '', reasons, rejectors, pending } = diagnosis;
  const byNode = cycle.cluster.nodes.map((each) => {
    const { plugin, code, reasons: said } = diagnosis.rejectionOf(each) ?? {};
    return { plugin, code, said, again: preFilterMessage === '' ? whatIf(cycle, each.name) : '' };
  });
  return { told: { message: fitErrorText({ nodeCount, preFilterMessage, reasons }), rejectors: [...rejectors].sort(), pending: [...pending].sort(), byNode }, diagnosis };
}

/** What preemption would ask: does the pod fit once the first pod of the node is gone? */
function whatIf(cycle: Cycle, name: string): string {
  const copy: Cycle = { ...cycle, memory: cycle.memory.copy() };
  const draft = cycle.cluster.node(name)?.copy();
  const [first] = draft?.pods ?? [];
  if (draft === undefined || first === undefined) return '';
  draft.remove(first);
  profileFilters.removePod(copy, first, draft);
  return profileFilters.filter(copy, draft)?.reasons.join() ?? 'fits';
}

function victimText(found: NaiveVictims): unknown {
  return 'reasons' in found ? found.reasons : [found.violations, ...found.pods.map(({ name }) => name)];
}

/** The answer, or the text of what is thrown. */
function attempted<T>(work: () => T): T | string {
  try {
    return work();
  } catch (error) {
    return String(error);
  }
}

function same(what: string, reference: unknown, found: unknown): void {
  const [one, other] = [JSON.stringify(reference), JSON.stringify(found)];
  if (one !== other) throw new Error(`${what}\nreference: ${one}\nscheduler: ${other}`);
}

/** A copy that shares nothing, the same for the same object. */
function copied<T extends object>(object: T): T {
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

function never(): never {
  throw new Error('it must be there');
}
