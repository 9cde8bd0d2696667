// Composition root of a scheduler: connects queue, cache, plugins, placers and writers. Nothing runs yet.
import { Outlet, objectKey } from '../../core/index.js';
import type { Clock, Frozen, Random } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import { fetchTransport } from '../../client/index.js';
import type { Informers } from '../../client/index.js';
import { createClusterCache } from '../cluster/cluster-cache.js';
import type { Nominations } from '../cluster/cluster-cache.js';
import { clusterColumns } from '../fast-path/cluster-columns.js';
import { fastPlacer } from '../fast-path/fast-placer.js';
import type { FastPlacerOptions } from '../fast-path/fast-placer.js';
import { builtinPlugins } from '../configuration/extension-points.js';
import type { SchedulerConfiguration } from '../configuration/scheduler-configuration.js';
import { createFrameworks } from '../framework/framework.js';
import type { Framework, SharedTools } from '../framework/framework.js';
import { nodeRotation } from '../framework/node-sampling.js';
import type { NodeRotation } from '../framework/node-sampling.js';
import { plainPlacer } from '../framework/plain-placer.js';
import { definitionOf } from '../framework/plugin-definition.js';
import type { PluginDefinition } from '../framework/plugin-definition.js';
import type { PodEventDetails } from '../framework/plugin.js';
import { queueHooks } from '../framework/queue-hooks.js';
import type { FrameworkTimings } from '../framework/timings.js';
import { builtinPluginFactories } from '../plugins/default-plugins.js';
import { createSchedulingQueue } from '../queue/create-queue.js';
import type { SchedulingQueue } from '../queue/scheduling-queue.js';
import type { SchedulerActivity } from './scheduler-activity.js';
import { extenderPlacer } from './extender-placer.js';
import { extenderClient } from './extender-client.js';
import { WaitingPodsMap } from './waiting-pods.js';
import { PodEventRecorder } from './event-recorder.js';
import type { SchedulerMetrics } from './scheduler-metrics.js';
import type { SchedulerOptions } from './scheduler-options.js';
import type { PlacingProfile, SchedulerParts } from './scheduler-parts.js';
import { PodStatusWriter } from './pod-status-writer.js';

/** Scheduler options with all defaults filled in. */
export interface CompletedOptions extends Omit<SchedulerOptions, 'clock' | 'random' | 'configuration' | 'informers'> {
  readonly informers: Informers;
  readonly clock: Clock;
  readonly random: Random;
  readonly configuration: SchedulerConfiguration;
}

/** A scheduler that does not run yet: its parts, and the outlets that `run()` subscribes to. */
export interface Assembly {
  readonly parts: SchedulerParts;
  readonly eventRecorder: PodEventRecorder;
  readonly activities: Outlet<SchedulerActivity>;
  readonly background: Outlet<BackgroundWork>;
  /** Creates new plugin instances of all profiles, for a simulation. */
  readonly createFrameworks: (tools: SharedTools) => ReadonlyMap<string, Framework>;
}

/** Work that a plugin runs in the background. */
export interface BackgroundWork {
  readonly work: (signal: AbortSignal) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** Assembles the parts of a scheduler. */
export function assemble(options: CompletedOptions, metrics: SchedulerMetrics): Assembly {
  const {
    client,
    clock,
    random,
    configuration,
    extenderTransport = () => fetchTransport,
    instance = 'vivarium',
  } = options;
  const activities = new Outlet<SchedulerActivity>();
  const background = new Outlet<BackgroundWork>();
  const waitingPods = new WaitingPodsMap(clock);
  const eventRecorder = new PodEventRecorder({ client, clock, random: random.stream('events'), instance });
  const statusWriter = new PodStatusWriter({ client, clock, random: random.stream('statuses') });
  const emit = (activity: SchedulerActivity): void => activities.emit(activity);
  const recordEvent = (event: PodEventDetails): void => {
    eventRecorder.record(event, reportingController(event, configuration));
    if (event.reason === 'Preempted')
      emit({ type: 'preempted', pod: event.regarding, ...(event.related && { by: event.related }) });
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
  const currentPod = (pod: Frozen<Pod>): Frozen<Pod> | undefined => {
    const now = cache.pods.get(objectKey(pod));
    return now?.metadata?.uid === pod.metadata?.uid ? now : undefined;
  };
  const extenders = configuration.extenders.map((extender) =>
    extenderClient(extender, { transport: extenderTransport(extender), clock }),
  );
  const tools: SharedTools = {
    client,
    clock,
    random: random.stream('plugins'),
    cluster: cache,
    waitingPods,
    currentPod,
    activate: (pods) => queue.activate(pods),
    nominate: (pod, nodeName) => queue.nominate(pod, nodeName),
    recordEvent,
    extenders: extenders.filter(({ preempts }) => preempts),
    recordActivity: (activity) => metrics.recordPluginActivity(activity),
    runInBackground: (work, onError) => background.emit({ work, onError }),
  };
  const definitions = [...builtinDefinitions, ...(options.plugins ?? []).map(definitionOf)];
  const customPlugins = new Set(options.plugins?.map(({ name }) => name));
  const createFrameworksWith = (given: SharedTools): ReadonlyMap<string, Framework> =>
    createFrameworks(configuration.profiles, definitions, { ...given, customPlugins });
  const frameworks = createFrameworksWith(tools);
  const queue = queueOf(options, frameworks, metrics.timings);
  const rotation = nodeRotation();
  const shared = {
    plain: options.placing === 'plain',
    rotation,
    columns: clusterColumns(cache),
    foreign: customPlugins,
    extenders,
    emit,
  };
  const profiles = new Map(
    Array.from(frameworks, ([name, framework]) => [
      name,
      withPlacer(framework, { ...shared, random: random.stream(`placing/${name}`) }),
    ]),
  );
  return {
    parts: {
      configuration,
      clock,
      profiles,
      extenders,
      cache,
      queue,
      waitingPods,
      statusWriter,
      metrics,
      recordEvent,
      currentPod,
      emit,
    },
    eventRecorder,
    activities,
    background,
    createFrameworks: createFrameworksWith,
  };
}

const builtinDefinitions: readonly PluginDefinition[] = Array.from(builtinPluginFactories, ([name, create]) => ({
  name,
  points: builtinPlugins.get(name) ?? [],
  create,
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
  extends Pick<SchedulerParts, 'extenders' | 'emit'>, Pick<FastPlacerOptions, 'columns' | 'foreign'> {
  readonly plain: boolean;
  readonly random: Random;
  readonly rotation: NodeRotation;
}

function withPlacer(
  framework: Framework,
  { plain, random, rotation, extenders, emit, ...columns }: PlacingParts,
): PlacingProfile {
  const { profile, plugins } = framework;
  const search = { plugins, percentageOfNodesToScore: profile.percentageOfNodesToScore, rotation, random };
  const placer = plain ? plainPlacer(search) : fastPlacer({ framework, search, ...columns });
  return extenders.length === 0
    ? { ...framework, placer }
    : { ...framework, placer, extenderPlacer: extenderPlacer({ ...search, extenders, onIgnored: emit }) };
}

/**
 * Returns the reporting controller of an Event: the scheduler of the related pod, such as the preemptor, or of the pod
 * itself.
 */
function reportingController(
  { regarding, related = regarding }: PodEventDetails,
  { profiles }: SchedulerConfiguration,
): string {
  const name = related.spec?.schedulerName ?? '';
  return profiles.has(name) ? name : (regarding.spec?.schedulerName ?? name);
}
