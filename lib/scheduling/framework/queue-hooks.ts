// Connects the scheduling queue to the plugins of all profiles: queue order, PreEnqueue, event registrations and
// queueing hints. A plugin without registrations is registered for all events.
import type { Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import { podFacts } from '../pod/pod-facts.js';
import { actions, covers } from '../queue/cluster-event.js';
import type { ClusterEvent } from '../queue/cluster-event.js';
import type { ObservedEvent } from '../queue/in-flight.js';
import type { QueuePlugins } from '../queue/scheduling-queue.js';
import type { ClusterEventWithHint } from './queueing-hints.js';
import { PluginError } from './rejection.js';
import type { SchedulingPlugin } from './plugin.js';
import type { Implementing, ProfilePlugins } from './profile-plugins.js';
import { statusOfRejection } from './timings.js';
import type { FrameworkTimings, HintResult, PointStatus, Timings } from './timings.js';

/** The rejector name of extenders. Any event may make a pod schedulable that an extender rejected. */
export const extenderName = 'Extender';

/** Creates the hooks of the queue, by the schedulerName of pods. Latencies are recorded in `timings`. */
export function queueHooks(profiles: ReadonlyMap<string, ProfilePlugins>, timings?: FrameworkTimings): QueuePlugins {
  const interests = new Map(Array.from(profiles, ([name, plugins]) => [name, interestsOf(plugins)]));
  const [sorter] = Array.from(profiles.values()).flatMap(({ queueSort }) => queueSort);
  if (sorter === undefined) throw new PluginError('', 'no profile has a queue sort plugin');
  const helps = (
    plugin: string,
    { hint }: HintedEvent,
    { event, old, new: current }: ObservedEvent,
    pod: Frozen<Pod>,
  ): boolean => {
    const since = timings?.now() ?? 0;
    let result: HintResult = 'Error';
    try {
      result = hint === undefined || hint(podFacts(pod), old, current) === 'queue' ? 'Queue' : 'QueueSkip';
      return result === 'Queue';
    } finally {
      timings?.recordHint(plugin, event, result, since);
    }
  };
  return {
    registrations: interests,
    compare: (one, other) => sorter.compare(one, other),
    preEnqueue: (pod, gatedBy) => {
      const gates = profiles.get(schedulerName(pod))?.preEnqueue ?? none;
      const times = timings?.begin(schedulerName(pod));
      const since = times?.now() ?? 0;
      const gated = gateOf(gates, pod, gatedBy, times);
      times?.recordPoint('PreEnqueue', gated?.status ?? 'Success', since);
      return gated?.plugin;
    },
    hint: (plugin, happening, pod) => {
      const wanted = interests.get(schedulerName(pod))?.get(plugin) ?? [];
      return wanted.some((interest) => covers(interest, happening.event) && helps(plugin, interest, happening, pod))
        ? 'queue'
        : 'skip';
    },
  };
}

type HintedEvent = ClusterEvent & Partial<Pick<ClusterEventWithHint, 'hint'>>;

/** Only plugins that can reject a pod have registrations. */
function interestsOf({ all }: ProfilePlugins): ReadonlyMap<string, readonly HintedEvent[]> {
  const rejecting = Array.from(all.values()).filter(canReject);
  return new Map([...rejecting.map((plugin) => [plugin.name, eventsOf(plugin)] as const), [extenderName, [anyEvent]]]);
}

function canReject(plugin: SchedulingPlugin): boolean {
  return rejectingPoints.some((name) => plugin[name] !== undefined);
}

const rejectingPoints = ['preEnqueue', 'preFilter', 'filter', 'reserve', 'permit'] as const;

/**
 * A plugin registered for added nodes is also registered for taint updates: the node may have been added with a taint
 * that is removed later.
 */
function eventsOf({ events }: SchedulingPlugin): readonly HintedEvent[] {
  if (events === undefined) return [anyEvent];
  const ofNodes = events.filter(({ resource }) => resource === 'Node').reduce((bits, { action }) => bits | action, 0);
  const missesTaints = (ofNodes & actions.add) !== 0 && (ofNodes & actions.updateNodeTaint) === 0;
  return missesTaints ? [...events, { resource: 'Node', action: actions.updateNodeTaint }] : events;
}

type Gate = Implementing<'preEnqueue'>;
const none: readonly Gate[] = [];

/** Returns the first PreEnqueue plugin that rejects the pod. The plugin that rejected it last runs first. */
function gateOf(
  gates: readonly Gate[],
  pod: Frozen<Pod>,
  gatedBy: string | undefined,
  timings: Timings | undefined,
): { readonly plugin: string; readonly status: PointStatus } | undefined {
  const last = gatedBy === undefined ? undefined : gates.find(({ name }) => name === gatedBy);
  const status = last === undefined ? 'Success' : statusOfGate(last, pod, timings);
  if (last !== undefined && status !== 'Success') return { plugin: last.name, status };
  for (const gate of gates) {
    if (gate === last) continue;
    const said = statusOfGate(gate, pod, timings);
    if (said !== 'Success') return { plugin: gate.name, status: said };
  }
  return undefined;
}

/** A PreEnqueue plugin that throws counts as a rejection: the pod stays gated until one of its events. */
function statusOfGate(plugin: Gate, pod: Frozen<Pod>, timings: Timings | undefined): PointStatus {
  const since = timings?.timesPlugins === true ? timings.now() : 0;
  let status: PointStatus;
  try {
    status = statusOfRejection(plugin.preEnqueue(podFacts(pod)));
  } catch {
    status = 'Error';
  }
  if (timings?.timesPlugins === true) timings.recordPlugin('PreEnqueue', plugin.name, status, since);
  return status;
}

function schedulerName(pod: Frozen<Pod>): string {
  return pod.spec?.schedulerName ?? 'default-scheduler';
}

const anyEvent: ClusterEvent = { resource: '*', action: actions.all };
