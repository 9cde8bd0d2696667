// A plugin that has its time taken, in cycles that want to know. In all others it costs a look at the cycle. As the
// runtime of pkg/scheduler/framework has it, what takes down a plugin's time is around each call, not around each
// point.
import type { Cycle } from './cycle.js';
import type { PostFilterAnswer, SchedulingPlugin } from './plugin.js';
import type { RejectionCode } from './rejection.js';
import type { PointName, PointStatus, Timings } from './timings.js';

/** The same plugin, timed at all points that have a cycle. */
export function timedPlugin(plugin: SchedulingPlugin): SchedulingPlugin {
  const { name, events } = plugin;
  const one =
    <R>(point: PointName, ask: (cycle: Cycle) => R) =>
    (cycle: Cycle): R =>
      cycle.timings?.samples === true ? measured(cycle.timings, point, name, () => ask(cycle)) : ask(cycle);
  const two =
    <A, R>(point: PointName, ask: (cycle: Cycle, about: A) => R) =>
    (cycle: Cycle, about: A): R =>
      cycle.timings?.samples === true
        ? measured(cycle.timings, point, name, () => ask(cycle, about))
        : ask(cycle, about);
  const three =
    <A, B, R>(point: PointName, ask: (cycle: Cycle, about: A, beside: B) => R) =>
    (cycle: Cycle, about: A, beside: B): R =>
      cycle.timings?.samples === true
        ? measured(cycle.timings, point, name, () => ask(cycle, about, beside))
        : ask(cycle, about, beside);

  const timed: { -readonly [K in keyof SchedulingPlugin]: SchedulingPlugin[K] } = { name };
  if (events !== undefined) timed.events = events;
  // Bound, since plugins may be objects with a memory of their own.
  if (plugin.preEnqueue !== undefined) timed.preEnqueue = plugin.preEnqueue.bind(plugin);
  if (plugin.compare !== undefined) timed.compare = plugin.compare.bind(plugin);
  if (plugin.preFilter !== undefined) timed.preFilter = one('PreFilter', plugin.preFilter.bind(plugin));
  if (plugin.fitsEverywhere !== undefined) timed.fitsEverywhere = plugin.fitsEverywhere.bind(plugin);
  if (plugin.filter !== undefined) timed.filter = two('Filter', plugin.filter.bind(plugin));
  if (plugin.addPod !== undefined) timed.addPod = three('PreFilterExtensionAddPod', plugin.addPod.bind(plugin));
  if (plugin.removePod !== undefined)
    timed.removePod = three('PreFilterExtensionRemovePod', plugin.removePod.bind(plugin));
  if (plugin.postFilter !== undefined) timed.postFilter = three('PostFilter', plugin.postFilter.bind(plugin));
  if (plugin.preScore !== undefined) timed.preScore = two('PreScore', plugin.preScore.bind(plugin));
  if (plugin.score !== undefined) timed.score = two('Score', plugin.score.bind(plugin));
  if (plugin.normalizeScores !== undefined)
    timed.normalizeScores = three('ScoreExtensionNormalize', plugin.normalizeScores.bind(plugin));
  if (plugin.reserve !== undefined) timed.reserve = two('Reserve', plugin.reserve.bind(plugin));
  if (plugin.unreserve !== undefined) timed.unreserve = two('Unreserve', plugin.unreserve.bind(plugin));
  if (plugin.permit !== undefined) timed.permit = two('Permit', plugin.permit.bind(plugin));
  if (plugin.preBindPreFlight !== undefined)
    timed.preBindPreFlight = two('PreBindPreFlight', plugin.preBindPreFlight.bind(plugin));
  if (plugin.preBind !== undefined) timed.preBind = three('PreBind', plugin.preBind.bind(plugin));
  if (plugin.bind !== undefined) timed.bind = three('Bind', plugin.bind.bind(plugin));
  if (plugin.postBind !== undefined) timed.postBind = two('PostBind', plugin.postBind.bind(plugin));
  return timed;
}

/** What an answer at PostFilter is to metrics. */
export function statusOfPostFilter({ done = false, rejection }: PostFilterAnswer): PointStatus {
  return done ? 'Success' : (rejection?.code ?? 'Unschedulable');
}

function measured<R>(timings: Timings, point: PointName, plugin: string, ask: () => R): R {
  const since = timings.now();
  const ended = (status: PointStatus): void => timings.plugin(point, plugin, status, since);
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
  return 'code' in answer ? (answer.code as RejectionCode) : 'Success'; // only rejections have one
}
