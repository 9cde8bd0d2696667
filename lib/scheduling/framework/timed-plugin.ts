// Wraps a plugin so that its calls are timed in sampled cycles. In other cycles the wrapper costs one property read per
// call. As in pkg/scheduler/framework/runtime, each call is timed by itself.
import type { Cycle } from './cycle-state.js';
import type { PostFilterResult, SchedulingPlugin } from './plugin.js';
import type { RejectionCode } from './rejection.js';
import type { PointName, PointStatus, Timings } from './timings.js';

/** Returns the plugin with timing at all points that have a cycle. */
export function timedPlugin(plugin: SchedulingPlugin): SchedulingPlugin {
  const { name, events } = plugin;
  const withCycle =
    <R>(point: PointName, ask: (cycle: Cycle) => R) =>
    (cycle: Cycle): R =>
      cycle.timings?.timesPlugins === true ? measured(cycle.timings, point, name, () => ask(cycle)) : ask(cycle);
  const withOneArgument =
    <A, R>(point: PointName, ask: (cycle: Cycle, about: A) => R) =>
    (cycle: Cycle, about: A): R =>
      cycle.timings?.timesPlugins === true
        ? measured(cycle.timings, point, name, () => ask(cycle, about))
        : ask(cycle, about);
  const withTwoArguments =
    <A, B, R>(point: PointName, ask: (cycle: Cycle, about: A, beside: B) => R) =>
    (cycle: Cycle, about: A, beside: B): R =>
      cycle.timings?.timesPlugins === true
        ? measured(cycle.timings, point, name, () => ask(cycle, about, beside))
        : ask(cycle, about, beside);

  const timed: { -readonly [K in keyof SchedulingPlugin]: SchedulingPlugin[K] } = { name };
  if (events !== undefined) timed.events = events;
  // Bound, because plugins may be class instances.
  if (plugin.preEnqueue !== undefined) timed.preEnqueue = plugin.preEnqueue.bind(plugin);
  if (plugin.compare !== undefined) timed.compare = plugin.compare.bind(plugin);
  if (plugin.preFilter !== undefined) timed.preFilter = withCycle('PreFilter', plugin.preFilter.bind(plugin));
  if (plugin.fitsEverywhere !== undefined) timed.fitsEverywhere = plugin.fitsEverywhere.bind(plugin);
  if (plugin.filter !== undefined) timed.filter = withOneArgument('Filter', plugin.filter.bind(plugin));
  if (plugin.addPod !== undefined)
    timed.addPod = withTwoArguments('PreFilterExtensionAddPod', plugin.addPod.bind(plugin));
  if (plugin.removePod !== undefined)
    timed.removePod = withTwoArguments('PreFilterExtensionRemovePod', plugin.removePod.bind(plugin));
  if (plugin.postFilter !== undefined)
    timed.postFilter = withTwoArguments('PostFilter', plugin.postFilter.bind(plugin));
  if (plugin.preScore !== undefined) timed.preScore = withOneArgument('PreScore', plugin.preScore.bind(plugin));
  if (plugin.score !== undefined) timed.score = withOneArgument('Score', plugin.score.bind(plugin));
  if (plugin.normalizeScores !== undefined)
    timed.normalizeScores = withTwoArguments('ScoreExtensionNormalize', plugin.normalizeScores.bind(plugin));
  if (plugin.reserve !== undefined) timed.reserve = withOneArgument('Reserve', plugin.reserve.bind(plugin));
  if (plugin.unreserve !== undefined) timed.unreserve = withOneArgument('Unreserve', plugin.unreserve.bind(plugin));
  if (plugin.permit !== undefined) timed.permit = withOneArgument('Permit', plugin.permit.bind(plugin));
  if (plugin.preBindPreFlight !== undefined)
    timed.preBindPreFlight = withOneArgument('PreBindPreFlight', plugin.preBindPreFlight.bind(plugin));
  if (plugin.preBind !== undefined) timed.preBind = withTwoArguments('PreBind', plugin.preBind.bind(plugin));
  if (plugin.bind !== undefined) timed.bind = withTwoArguments('Bind', plugin.bind.bind(plugin));
  if (plugin.postBind !== undefined) timed.postBind = withOneArgument('PostBind', plugin.postBind.bind(plugin));
  return timed;
}

/** Returns the metrics status of a PostFilter result. */
export function statusOfPostFilter({ done = false, rejection }: PostFilterResult): PointStatus {
  return done ? 'Success' : (rejection?.code ?? 'Unschedulable');
}

function measured<R>(timings: Timings, point: PointName, plugin: string, ask: () => R): R {
  const since = timings.now();
  const ended = (status: PointStatus): void => timings.recordPlugin(point, plugin, status, since);
  let answer: R;
  try {
    answer = ask();
  } catch (error) {
    ended('Error');
    throw error;
  }
  if (answer instanceof Promise)
    void answer.then(
      (later: unknown) => ended(statusOf(point, later)),
      () => ended('Error'),
    );
  else ended(statusOf(point, answer));
  return answer;
}

function statusOf(point: PointName, answer: unknown): PointStatus {
  if (answer === 'skip') return 'Skip';
  if (typeof answer !== 'object' || answer === null) return 'Success';
  if (point === 'PostFilter') return statusOfPostFilter(answer);
  if ('waitMs' in answer) return 'Wait';
  return 'code' in answer ? (answer.code as RejectionCode) : 'Success'; // only rejections have a code
}
