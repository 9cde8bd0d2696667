// Puts a scheduler together: queue, cache and plugins know of each other here and nowhere else. Nothing is set going.
import { Outlet, objectKey } from '../../core/index.js';
import type { Clock, Frozen, Random } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import { fetchTransport } from '../../client/index.js';
import type { Informers } from '../../client/index.js';
import { createClusterCache } from '../cluster/cluster-cache.js';
import type { Nominations } from '../cluster/cluster-cache.js';
import { clusterColumns } from '../columns/cluster-columns.js';
import { columnPlacer } from '../columns/column-placer.js';
import type { ColumnPlacerOptions } from '../columns/column-placer.js';
import { builtinPlugins } from '../configuration/extension-points.js';
import type { SchedulerConfiguration } from '../configuration/scheduler-configuration.js';
import { frameworksOf } from '../framework/framework.js';
import type { Framework, SharedTools } from '../framework/framework.js';
import { nodeRotation } from '../framework/node-sampling.js';
import type { NodeRotation } from '../framework/node-sampling.js';
import { plainPlacer } from '../framework/plain-placer.js';
import { definitionOf } from '../framework/plugin-definition.js';
import type { PluginDefinition } from '../framework/plugin-definition.js';
import type { PodNote } from '../framework/plugin.js';
import { queueHooks } from '../framework/queue-hooks.js';
import type { FrameworkTimings } from '../framework/timings.js';
import { builtinMakers } from '../plugins/default-plugins.js';
import { createSchedulingQueue } from '../queue/create-queue.js';
import type { SchedulingQueue } from '../queue/scheduling-queue.js';
import type { Attempt } from './attempt.js';
import { extendedPlacer } from './extended-placer.js';
import { extenderCalls } from './extender-calls.js';
import { HeldPods } from './held-pods.js';
import { PodNotes } from './pod-notes.js';
import type { SchedulerMetrics } from './scheduler-metrics.js';
import type { SchedulerOptions } from './scheduler-options.js';
import type { PlacingProfile, SchedulerParts } from './scheduler-parts.js';
import { StatusWrites } from './status-writes.js';

/** Options with all that was left out. */
export interface CompletedOptions extends Omit<SchedulerOptions, 'clock' | 'random' | 'configuration' | 'informers'> {
  readonly informers: Informers;
  readonly clock: Clock;
  readonly random: Random;
  readonly configuration: SchedulerConfiguration;
}

/** A scheduler that stands still: its parts, and what they want to set going. */
export interface Assembly {
  readonly parts: SchedulerParts;
  readonly notes: PodNotes;
  readonly attempts: Outlet<Attempt>;
  readonly background: Outlet<BackgroundWork>;
  /** Makes the plugins of all profiles anew, for whoever wants some of their own. */
  readonly frameworksWith: (tools: SharedTools) => ReadonlyMap<string, Framework>;
}

/** What plugins go on with. */
export interface BackgroundWork {
  readonly work: (signal: AbortSignal) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** Puts it together. */
export function assemble(options: CompletedOptions, metrics: SchedulerMetrics): Assembly {
  const {
    client,
    clock,
    random,
    configuration,
    extenderTransport = () => fetchTransport,
    instance = 'vivarium',
  } = options;
  const attempts = new Outlet<Attempt>();
  const background = new Outlet<BackgroundWork>();
  const held = new HeldPods(clock);
  const notes = new PodNotes({ client, clock, random: random.stream('events'), instance });
  const statusWrites = new StatusWrites({ client, clock, random: random.stream('statuses') });
  const emit = (attempt: Attempt): void => attempts.emit(attempt);
  const note = (told: PodNote): void => {
    notes.note(told, reporterOf(told, configuration));
    if (told.reason === 'Preempted')
      emit({ type: 'preempted', pod: told.about, ...(told.related && { by: told.related }) });
  };
  const nominations: Nominations = {
    nominatedTo: (nodeName) => queue.nominatedTo(nodeName),
    nominatedNodes: () => queue.nominatedNodes(),
    nominationOf: (uid) => queue.nominationOf(uid),
    get nominationChanges() {
      return queue.nominationChanges;
    },
  };
  const cache = createClusterCache({ nominations });
  const podNow = (pod: Frozen<Pod>): Frozen<Pod> | undefined => {
    const now = cache.pods.get(objectKey(pod));
    return now?.metadata?.uid === pod.metadata?.uid ? now : undefined;
  };
  const extenders = configuration.extenders.map((extender) =>
    extenderCalls(extender, { transport: extenderTransport(extender), clock }),
  );
  const tools: SharedTools = {
    client,
    clock,
    random: random.stream('plugins'),
    cluster: cache,
    waiting: held,
    podNow,
    activate: (pods) => queue.activate(pods),
    nominate: (pod, nodeName) => queue.nominate(pod, nodeName),
    note,
    extenders: extenders.filter(({ preempts }) => preempts),
    tell: (activity) => metrics.plugin(activity),
    background: (work, onError) => background.emit({ work, onError }),
  };
  const definitions = [...builtinDefinitions, ...(options.plugins ?? []).map(definitionOf)];
  const foreign = new Set(options.plugins?.map(({ name }) => name));
  const frameworksWith = (given: SharedTools): ReadonlyMap<string, Framework> =>
    frameworksOf(configuration.profiles, definitions, { ...given, foreign });
  const frameworks = frameworksWith(tools);
  const queue = queueOf(options, frameworks, metrics.timings);
  const rotation = nodeRotation();
  const shared = {
    plain: options.placing === 'plain',
    rotation,
    columns: clusterColumns(cache),
    foreign,
    extenders,
    emit,
  };
  const profiles = new Map(
    Array.from(frameworks, ([name, framework]) => [
      name,
      placing(framework, { ...shared, random: random.stream(`placing/${name}`) }),
    ]),
  );
  return {
    parts: { configuration, clock, profiles, extenders, cache, queue, held, statusWrites, metrics, note, podNow, emit },
    notes,
    attempts,
    background,
    frameworksWith,
  };
}

const builtinDefinitions: readonly PluginDefinition[] = Array.from(builtinMakers, ([name, make]) => ({
  name,
  points: builtinPlugins.get(name) ?? [],
  make,
}));

function queueOf(
  { clock, configuration, unschedulableMaxMs }: CompletedOptions,
  frameworks: ReadonlyMap<string, Framework>,
  timings: FrameworkTimings,
): SchedulingQueue {
  return createSchedulingQueue({
    clock,
    plugins: queueHooks(new Map(Array.from(frameworks, ([name, { plugins }]) => [name, plugins])), timings),
    initialBackoffMs: configuration.podInitialBackoffSeconds * 1000,
    maxBackoffMs: configuration.podMaxBackoffSeconds * 1000,
    ...(unschedulableMaxMs !== undefined && { unschedulableMaxMs }),
  });
}

interface PlacingParts
  extends Pick<SchedulerParts, 'extenders' | 'emit'>, Pick<ColumnPlacerOptions, 'columns' | 'foreign'> {
  readonly plain: boolean;
  readonly random: Random;
  readonly rotation: NodeRotation;
}

function placing(
  framework: Framework,
  { plain, random, rotation, extenders, emit, ...columns }: PlacingParts,
): PlacingProfile {
  const { profile, plugins } = framework;
  const search = { plugins, percentageOfNodesToScore: profile.percentageOfNodesToScore, rotation, random };
  const placer = plain ? plainPlacer(search) : columnPlacer({ framework, search, ...columns });
  return extenders.length === 0
    ? { ...framework, placer }
    : { ...framework, placer, extended: extendedPlacer({ ...search, extenders, onIgnored: emit }) };
}

/** The scheduler in whose name it is told: that of the pod that asks for something. */
function reporterOf({ about, related = about }: PodNote, { profiles }: SchedulerConfiguration): string {
  const name = related.spec?.schedulerName ?? '';
  return profiles.has(name) ? name : (about.spec?.schedulerName ?? name);
}
