// Pods that are placed twice: by what the scheduler keeps, and by a reference that keeps nothing. For every pod the
// reference builds the cluster anew, makes plugins of its own, and asks every plugin about every node. The two must not
// differ in the node, in a count, in a reason, in what plugins are said to have judged, nor in who has to leave.
import { deepFreeze, random } from '../../lib/core/index.js';
import type { PodCondition } from '../../lib/core/types/index.js';
import type { ClusterView } from '../../lib/scheduling/cluster/cluster-view.js';
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
import { naivePreemption } from './naive-preemption.js';
import type { NaiveVictims } from './naive-preemption.js';
import type { Step } from './random-clusters.js';
import type { PodKind } from './random-pods.js';
import { TestCluster, cycleOf, toolsOf } from './scheduling.js';
import { TakenTimes } from './taken-times.js';
import { ToldCluster, copied, never, same } from './told-cluster.js';

/** How a cluster is scheduled. */
export interface ScheduledTwiceOptions {
  /** Pods take turns with them. */
  readonly profiles: readonly SchedulerProfile[];
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

/** A profile, and how its pods are placed. */
interface KeptProfile {
  readonly framework: Framework;
  readonly placer: Placer;
  readonly finder: VictimFinder;
}

/** A cluster that steps are done to. What differs is thrown. */
export class ScheduledTwice {
  readonly #options: ScheduledTwiceOptions;
  readonly #cluster: ToldCluster;
  readonly #profiles: readonly KeptProfile[];
  readonly #rotation: { start: number };
  readonly #random = random('ties');
  /** Where preemption begins to try nodes: a number that may be too large. */
  #from = 0;
  placed = 0;
  refused = 0;
  preempted = 0;

  constructor(options: ScheduledTwiceOptions) {
    const { profiles, kinds, definitions, changesMax = 16_384, percentage = 100, start = 0 } = options;
    this.#options = options;
    this.#rotation = { start };
    this.#cluster = new ToldCluster(kinds, changesMax);
    const { cache } = this.#cluster;
    const columns = clusterColumns(cache);
    const search = { percentageOfNodesToScore: percentage, rotation: { start }, random: random('ties') };
    this.#profiles = profiles.map((profile) => {
      const framework = this.#frameworkOf(profile, cache, definitions);
      return {
        framework,
        placer: columnPlacer({ framework, search, columns }),
        finder: victimFinder({ filters: profileFilters, cluster: cache }),
      };
    });
  }

  /** Does a step. */
  do(what: Step): void {
    if (what.do === 'place') this.#place(what.kind, what.hint);
    else this.#cluster.do(what);
  }

  /** Some are nominated themselves, and then others may have been told that they will come; some come once more. */
  #place(kind: number, hint: number): void {
    const { nominated, cache } = this.#cluster;
    const waiting = hint > 34 ? nominated[hint % Math.max(nominated.length, 1)]?.pod : undefined;
    const made = waiting ?? this.#cluster.podOf('pod', kind);
    const pod = hint < 12 ? deepFreeze({ ...made, status: { nominatedNodeName: `n${hint}` } }) : made;
    if (hint < 6) this.#cluster.nominate(pod, `n${hint}`);
    this.#from = hint;

    const profile = this.#profiles[hint % this.#profiles.length] ?? never();
    const reference = this.#cluster.anew();
    const [taken, told] = [new TakenTimes(), new TakenTimes()];
    const asked: Cycle = { ...cycleOf(reference, copied(pod)), timings: taken };
    const kept: Cycle = { ...cycleOf(cache, pod), timings: told };
    const { watched, definitions, percentage = 100, preempts = false } = this.#options;
    const { plugins } = this.#frameworkOf(profile.framework.profile, reference, watched ?? definitions);
    const one = outcomeOf(
      plainPlacer({ plugins, percentageOfNodesToScore: percentage, rotation: this.#rotation, random: this.#random }),
      asked,
    );
    const other = outcomeOf(profile.placer, kept);
    same('places', one.told, other.told);
    const wentWrong = typeof one.told === 'string';
    same('judges', taken.told(plugins, wentWrong), told.told(plugins, wentWrong));
    if (one.nodeName !== undefined) this.#assume(kept.pod, one.nodeName);
    else {
      this.refused += 1;
      if (preempts && one.diagnosis !== undefined && other.diagnosis !== undefined)
        this.#preempt(profile, { asked, kept }, one.diagnosis, other.diagnosis);
    }
  }

  #assume(pod: PodFacts, nodeName: string): void {
    this.placed += 1;
    this.#cluster.forgetNomination(pod.object);
    this.#cluster.cache.assume(pod, nodeName);
    this.#cluster.assume(pod.object, nodeName);
  }

  #preempt(
    { framework, finder }: KeptProfile,
    { asked, kept }: { readonly asked: Cycle; readonly kept: Cycle },
    one: Diagnosis,
    other: Diagnosis,
  ): void {
    const naive = attempted(() => naivePreemption(asked, one, framework.profile, this.#from));
    const plugin = framework.plugins.postFilter.find(({ name }) => name === 'DefaultPreemption') ?? never();
    const answer = attempted(() => plugin.postFilter(kept, other, neverStopped));
    if (typeof answer === 'string' || typeof naive === 'string' || answer instanceof Promise) {
      same('preempts', naive, answer);
      return;
    }
    same(
      'preempts',
      [naive.nodeName, naive.message],
      [answer.nominatedNodeName === '' ? undefined : answer.nominatedNodeName, answer.rejection?.reasons.join(', ')],
    );
    const possible = finder.candidatesFor(kept);
    for (const [name, victims] of naive.byNode) {
      const found = possible.at(this.#cluster.cache.node(name)?.slot ?? never());
      same(`victims on ${name}`, victimText(victims), victimText(isCandidate(found) ? found.victims : found));
    }
    const victims = naive.byNode.get(naive.nodeName ?? '');
    if (naive.nodeName === undefined || victims === undefined || !('pods' in victims)) return;
    this.preempted += 1;
    this.#makeRoom(kept.pod, naive.nodeName, victims.pods);
  }

  /** Some victims go at once, others take their time. */
  #makeRoom(preemptor: PodFacts, nodeName: string, victims: readonly PodFacts[]): void {
    for (const { pod, node } of this.#cluster.nominated)
      if (node === nodeName && podFacts(pod).priority < preemptor.priority) this.#cluster.forgetNomination(pod);
    this.#cluster.nominate(preemptor.object, nodeName);
    for (const [index, { uid }] of victims.entries()) {
      const pod = this.#cluster.podNow(uid);
      const conditions: PodCondition[] = [
        { type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' },
      ];
      if ((index + this.#from) % 2 === 0) this.#cluster.removePod(pod);
      else
        this.#cluster.setPod(
          deepFreeze({
            ...pod,
            metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
            status: { ...pod.status, conditions },
          }),
        );
    }
  }

  #frameworkOf(
    profile: SchedulerProfile,
    cluster: ClusterView,
    definitions: ReadonlyMap<string, PluginDefinition>,
  ): Framework {
    const chance = { ...plugged.random, integer: (end: number): number => this.#from % end };
    const plugins = profilePlugins(profile, definitions, (name) => ({
      ...plugged,
      ...(name === 'DefaultPreemption' && { random: chance }),
      cluster,
      profile,
    }));
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
  if (isPlaced(outcome))
    return {
      told: { node: outcome.node.name, evaluated: outcome.evaluated, feasible: outcome.feasible },
      nodeName: outcome.node.name,
    };
  const { diagnosis } = outcome;
  const { nodeCount, preFilterMessage = '', reasons, rejectors, pending } = diagnosis;
  const byNode = cycle.cluster.nodes.map((each) => {
    const { plugin, code, reasons: said } = diagnosis.rejectionOf(each) ?? {};
    return { plugin, code, said, again: preFilterMessage === '' ? whatIf(cycle, each.name) : '' };
  });
  return {
    told: {
      message: fitErrorText({ nodeCount, preFilterMessage, reasons }),
      rejectors: [...rejectors].sort(),
      pending: [...pending].sort(),
      byNode,
    },
    diagnosis,
  };
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
