// Places every pod twice: with the scheduler's caches, and with a reference that caches nothing. For every pod the
// reference builds a new cluster cache and new plugins, and runs every plugin on every node. The results must be equal:
// the node, the counts, the reasons, the plugin evaluations and the victims.
import { deepFreeze, random } from '../../lib/core/index.js';
import type { PodCondition } from '../../lib/core/types/index.js';
import type { ClusterView } from '../../lib/scheduling/cluster/cluster-view.js';
import { clusterColumns } from '../../lib/scheduling/fast-path/cluster-columns.js';
import { fastPlacer } from '../../lib/scheduling/fast-path/fast-placer.js';
import type { Cycle } from '../../lib/scheduling/framework/cycle-state.js';
import type { Framework } from '../../lib/scheduling/framework/framework.js';
import { isPlaced } from '../../lib/scheduling/framework/placement.js';
import type { Diagnosis, NoPlacement, Placement, Placer } from '../../lib/scheduling/framework/placement.js';
import { plainPlacer } from '../../lib/scheduling/framework/plain-placer.js';
import type { PluginDefinition } from '../../lib/scheduling/framework/plugin-definition.js';
import { profileFilters } from '../../lib/scheduling/framework/profile-filters.js';
import { profilePlugins } from '../../lib/scheduling/framework/profile-plugins.js';
import { fitErrorText } from '../../lib/scheduling/fit-error.js';
import { podFacts } from '../../lib/scheduling/pod/pod-facts.js';
import type { PodFacts, SchedulerProfile } from '../../lib/scheduling/public.js';
import { isCandidate } from '../../lib/scheduling/preemption/candidates.js';
import { victimFinder } from '../../lib/scheduling/preemption/victim-finder.js';
import type { VictimFinder } from '../../lib/scheduling/preemption/victim-finder.js';
import { referencePreemption } from './reference-preemption.js';
import type { NaiveVictims } from './reference-preemption.js';
import type { Step } from './random-clusters.js';
import type { PodKind } from './random-pods.js';
import { TestCluster, cycleOf, toolsOf } from './scheduling.js';
import { RecordingTimings } from './recording-timings.js';
import { RecordedCluster, copied, never, same } from './recorded-cluster.js';

/** How a cluster is scheduled. */
export interface ScheduledTwiceOptions {
  /** Pods use them in turn. */
  readonly profiles: readonly SchedulerProfile[];
  readonly kinds: readonly PodKind[];
  /** By name. The reference may use wrapped ones. */
  readonly definitions: ReadonlyMap<string, PluginDefinition>;
  readonly watched?: ReadonlyMap<string, PluginDefinition>;
  readonly changesMax?: number;
  readonly percentage?: number;
  readonly start?: number;
  /** Whether pods without a feasible node may preempt others. */
  readonly preempts?: boolean;
}

/** A profile and its placers. */
interface KeptProfile {
  readonly framework: Framework;
  readonly placer: Placer;
  readonly finder: VictimFinder;
}

/** A cluster that steps are applied to. Differences are thrown. */
export class ScheduledTwice {
  readonly #options: ScheduledTwiceOptions;
  readonly #cluster: RecordedCluster;
  readonly #profiles: readonly KeptProfile[];
  readonly #rotation: { start: number };
  readonly #random = random('ties');
  /** The offset at which preemption starts to try nodes; may exceed their number. */
  #from = 0;
  placed = 0;
  refused = 0;
  preempted = 0;

  constructor(options: ScheduledTwiceOptions) {
    const { profiles, kinds, definitions, changesMax = 16_384, percentage = 100, start = 0 } = options;
    this.#options = options;
    this.#rotation = { start };
    this.#cluster = new RecordedCluster(kinds, changesMax);
    const { cache } = this.#cluster;
    const columns = clusterColumns(cache);
    const search = { percentageOfNodesToScore: percentage, rotation: { start }, random: random('ties') };
    this.#profiles = profiles.map((profile) => {
      const framework = this.#frameworkOf(profile, cache, definitions);
      return {
        framework,
        placer: fastPlacer({ framework, search, columns }),
        finder: victimFinder({ filters: profileFilters, cluster: cache }),
      };
    });
  }

  /** Applies a step. */
  do(what: Step): void {
    if (what.do === 'place') this.#place(what.kind, what.hint);
    else this.#cluster.do(what);
  }

  /** Some pods are nominated, known to the queue or not; some are placed again. */
  #place(kind: number, hint: number): void {
    const { nominated, cache } = this.#cluster;
    const waiting = hint > 34 ? nominated[hint % Math.max(nominated.length, 1)]?.pod : undefined;
    const made = waiting ?? this.#cluster.podOf('pod', kind);
    const pod = hint < 12 ? deepFreeze({ ...made, status: { nominatedNodeName: `n${hint}` } }) : made;
    if (hint < 6) this.#cluster.nominate(pod, `n${hint}`);
    this.#from = hint;

    const profile = this.#profiles[hint % this.#profiles.length] ?? never();
    const reference = this.#cluster.anew();
    const [plainTimes, fastTimes] = [new RecordingTimings(), new RecordingTimings()];
    const asked: Cycle = { ...cycleOf(reference, copied(pod)), timings: plainTimes };
    const kept: Cycle = { ...cycleOf(cache, pod), timings: fastTimes };
    const { watched, definitions, percentage = 100, preempts = false } = this.#options;
    const { plugins } = this.#frameworkOf(profile.framework.profile, reference, watched ?? definitions);
    const one = outcomeOf(
      plainPlacer({ plugins, percentageOfNodesToScore: percentage, rotation: this.#rotation, random: this.#random }),
      asked,
    );
    const other = outcomeOf(profile.placer, kept);
    same('places', one.summary, other.summary);
    const wentWrong = typeof one.summary === 'string';
    same('judges', plainTimes.summary(plugins, wentWrong), fastTimes.summary(plugins, wentWrong));
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
    const naive = attempted(() => referencePreemption(asked, one, framework.profile, this.#from));
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

  /** Some victims are deleted at once, others keep terminating. */
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

const plugged = toolsOf(new TestCluster(), { filters: profileFilters, runInBackground: () => undefined });
const neverStopped = new AbortController().signal;

interface Outcome {
  readonly summary: unknown;
  readonly nodeName?: string;
  readonly diagnosis?: Diagnosis;
}

function outcomeOf(placer: Placer, cycle: Cycle): Outcome {
  const outcome = attempted((): Placement | NoPlacement => placer.place(cycle));
  if (typeof outcome === 'string') return { summary: outcome };
  if (isPlaced(outcome))
    return {
      summary: { node: outcome.node.name, evaluated: outcome.evaluated, feasible: outcome.feasible },
      nodeName: outcome.node.name,
    };
  const { diagnosis } = outcome;
  const { nodeCount, preFilterMessage = '', reasons, rejectors, pending } = diagnosis;
  const byNode = cycle.cluster.nodes.map((each) => {
    const { plugin, code, reasons: said } = diagnosis.rejectionOf(each) ?? {};
    return { plugin, code, said, again: preFilterMessage === '' ? whatIf(cycle, each.name) : '' };
  });
  return {
    summary: {
      message: fitErrorText({ nodeCount, preFilterMessage, reasons }),
      rejectors: [...rejectors].sort(),
      pending: [...pending].sort(),
      byNode,
    },
    diagnosis,
  };
}

/** A question that preemption would ask: is the pod feasible without the first pod of the node? */
function whatIf(cycle: Cycle, name: string): string {
  const copy: Cycle = { ...cycle, state: cycle.state.copy() };
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

/** Returns the result, or the text of the error. */
function attempted<T>(work: () => T): T | string {
  try {
    return work();
  } catch (error) {
    return String(error);
  }
}
