// What the queue asks of the plugins of all profiles: their order, their gates, which events they wait for, and whether
// one of those helps. A plugin that says nothing about events is told of all.
import type { Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import { podFacts } from '../pod/pod-facts.js';
import { actions, covers } from '../queue/cluster-event.js';
import type { ClusterEvent } from '../queue/cluster-event.js';
import type { Happening } from '../queue/in-flight.js';
import type { QueuePlugins } from '../queue/scheduling-queue.js';
import type { EventInterest } from './event-interest.js';
import { PluginError } from './plugin-error.js';
import type { SchedulingPlugin } from './plugin.js';
import type { Implementing, ProfilePlugins } from './profile-plugins.js';
import { statusOfRejection } from './timings.js';
import type { FrameworkTimings, HintResult, PointStatus, Timings } from './timings.js';

/** The name under which extenders refuse. They cannot say what would help, so everything may. */
export const extenderName = 'Extender';

/**
 * The hooks of the queue, by the schedulerName that pods ask for. What they take is told to `timings`, if there are
 * any.
 */
export function queueHooks(profiles: ReadonlyMap<string, ProfilePlugins>, timings?: FrameworkTimings): QueuePlugins {
  const interests = new Map(Array.from(profiles, ([name, plugins]) => [name, interestsOf(plugins)]));
  const [sorter] = Array.from(profiles.values()).flatMap(({ queueSort }) => queueSort);
  if (sorter === undefined) throw new PluginError('', 'no profile has a queue sort plugin');
  const helps = (
    plugin: string,
    { hint }: HintedEvent,
    { event, old, new: current }: Happening,
    pod: Frozen<Pod>,
  ): boolean => {
    const since = timings?.now() ?? 0;
    let result: HintResult = 'Error';
    try {
      result = hint === undefined || hint(podFacts(pod), old, current) === 'queue' ? 'Queue' : 'QueueSkip';
      return result === 'Queue';
    } finally {
      timings?.hinted(plugin, event, result, since);
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
      times?.point('PreEnqueue', gated?.status ?? 'Success', since);
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

type HintedEvent = ClusterEvent & Partial<Pick<EventInterest, 'hint'>>;

/** Only who can refuse a pod has something to wait for. */
function interestsOf({ all }: ProfilePlugins): ReadonlyMap<string, readonly HintedEvent[]> {
  const refusing = Array.from(all.values()).filter(canRefuse);
  return new Map([...refusing.map((plugin) => [plugin.name, eventsOf(plugin)] as const), [extenderName, [everything]]]);
}

function canRefuse(plugin: SchedulingPlugin): boolean {
  return refusals.some((name) => plugin[name] !== undefined);
}

const refusals = ['preEnqueue', 'preFilter', 'filter', 'reserve', 'permit'] as const;

/** Who waits for new nodes also hears of taints: a node may have come with one, and lost it since. */
function eventsOf({ events }: SchedulingPlugin): readonly HintedEvent[] {
  if (events === undefined) return [everything];
  const ofNodes = events.filter(({ resource }) => resource === 'Node').reduce((bits, { action }) => bits | action, 0);
  const isDeaf = (ofNodes & actions.add) !== 0 && (ofNodes & actions.updateNodeTaint) === 0;
  return isDeaf ? [...events, { resource: 'Node', action: actions.updateNodeTaint }] : events;
}

type Gate = Implementing<'preEnqueue'>;
const none: readonly Gate[] = [];

/** The gate that is shut, and what it said. The one that gated last is asked first. */
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

/** A gate that breaks stays shut: the pod waits for something that may change the plugin's mind. */
function statusOfGate(plugin: Gate, pod: Frozen<Pod>, timings: Timings | undefined): PointStatus {
  const since = timings?.samples === true ? timings.now() : 0;
  let status: PointStatus;
  try {
    status = statusOfRejection(plugin.preEnqueue(podFacts(pod)));
  } catch {
    status = 'Error';
  }
  if (timings?.samples === true) timings.plugin('PreEnqueue', plugin.name, status, since);
  return status;
}

function schedulerName(pod: Frozen<Pod>): string {
  return pod.spec?.schedulerName ?? 'default-scheduler';
}

const everything: ClusterEvent = { resource: '*', action: actions.all };
