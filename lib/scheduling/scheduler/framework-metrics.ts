// Latency and evaluation metrics of plugins, named as in kube-scheduler. Extension points are timed in every cycle,
// single plugins in one cycle of ten, sampled from a random stream of their own so that no other draw shifts. With the
// fast placer Filter is the time to apply changes and find feasible nodes, Score the time to choose. As
// pkg/scheduler/metrics/metrics.go and metric_recorder.go.
import { labelText } from '../../core/index.js';
import type { Histogram, MetricFamily, Random, Sample } from '../../core/index.js';
import { Evaluations } from '../framework/evaluations.js';
import type { FrameworkTimings, HintResult, PointName, PointStatus, Timings } from '../framework/timings.js';
import { labelOf } from '../queue/cluster-event.js';
import type { ClusterEvent } from '../queue/cluster-event.js';
import { LabelledHistograms, exponential, family, histograms } from './metric-families.js';

/** Records latencies, measured by a stopwatch in milliseconds. */
export class FrameworkMetrics implements FrameworkTimings {
  /** The current time of the stopwatch in milliseconds. */
  readonly now: () => number;
  readonly #random: Random;
  readonly #points = new LabelledHistograms(['extension_point', 'status', 'profile'], pointBounds);
  readonly #plugins = new LabelledHistograms(['plugin', 'extension_point', 'status'], pluginBounds);
  readonly #hints = new LabelledHistograms(['plugin', 'event', 'hint'], pluginBounds);
  readonly #events = new LabelledHistograms(['event'], pointBounds);
  readonly #profiles = new Map<string, ProfileFigures>();
  /** Labels and histograms by event. Events are few constant objects that occur again and again. */
  readonly #labels = new WeakMap<ClusterEvent, string>();
  readonly #handling = new WeakMap<ClusterEvent, Histogram>();

  constructor(stopwatch: () => number, random: Random) {
    this.now = stopwatch;
    this.#random = random;
  }

  begin(profile: string): Timings {
    const { sampled, unsampled } = this.#profileOf(profile);
    return this.#random.next() < sampledShare ? sampled : unsampled;
  }

  recordHint(plugin: string, event: ClusterEvent, result: HintResult, since: number): void {
    let label = this.#labels.get(event);
    if (label === undefined) this.#labels.set(event, (label = labelOf(event)));
    this.#hints.at(plugin, label, result).observe((this.now() - since) / 1000);
  }

  /** Records how long an event of the cluster took to handle, from `since` on. Returns the current time. */
  recordHandled(event: ClusterEvent, since: number): number {
    let histogram = this.#handling.get(event);
    if (histogram === undefined) this.#handling.set(event, (histogram = this.#events.at(labelOf(event))));
    const now = this.now();
    histogram.observe((now - since) / 1000);
    return now;
  }

  /** Returns the metric families. */
  families(): readonly MetricFamily[] {
    return [
      histograms(
        'framework_extension_point_duration_seconds',
        '[STABLE] Latency of running all plugins of an extension point.',
        this.#points,
      ),
      histograms(
        'plugin_execution_duration_seconds',
        '[ALPHA] Latency of one plugin at an extension point, sampled in one cycle of ten.',
        this.#plugins,
      ),
      family(
        'counter',
        'plugin_evaluation_total',
        '[BETA] Evaluations by a plugin: of pods at PreFilter and PreScore, of nodes at Filter and Score.',
        () => this.#evaluated(),
      ),
      histograms(
        'queueing_hint_execution_duration_seconds',
        '[ALPHA] Latency of the queueing hint functions of plugins.',
        this.#hints,
      ),
      histograms(
        'event_handling_duration_seconds',
        '[ALPHA] Latency of handling an event of the cluster.',
        this.#events,
      ),
    ];
  }

  #profileOf(profile: string): ProfileFigures {
    const known = this.#profiles.get(profile);
    if (known !== undefined) return known;
    const parts: TimingParts = {
      now: this.now,
      profile,
      points: this.#points,
      plugins: this.#plugins,
      evaluations: new Evaluations(),
    };
    const made = { sampled: new CycleTimings(parts, true), unsampled: new CycleTimings(parts, false) };
    this.#profiles.set(profile, made);
    return made;
  }

  *#evaluated(): Generator<Sample> {
    for (const [profile, { sampled }] of this.#profiles) {
      for (const { point, plugin, value } of sampled.evaluations.list())
        yield { labels: labelText({ plugin, extension_point: point, profile }), value };
    }
  }
}

/** The timings of a profile: of sampled cycles, and of all others. */
interface ProfileFigures {
  readonly sampled: Timings;
  readonly unsampled: Timings;
}

interface TimingParts {
  readonly now: () => number;
  readonly profile: string;
  readonly points: LabelledHistograms;
  readonly plugins: LabelledHistograms;
  readonly evaluations: Evaluations;
}

class CycleTimings implements Timings {
  readonly now: () => number;
  readonly timesPlugins: boolean;
  readonly evaluations: Evaluations;
  readonly #parts: TimingParts;
  /** Histograms of successful points, which are nearly all. */
  readonly #successes = new Map<PointName, Histogram>();

  constructor(parts: TimingParts, samples: boolean) {
    this.#parts = parts;
    this.now = parts.now;
    this.timesPlugins = samples;
    this.evaluations = parts.evaluations;
  }

  recordPoint(point: PointName, status: PointStatus, since: number): number {
    const now = this.now();
    this.#histogramOf(point, status).observe((now - since) / 1000);
    return now;
  }

  recordSkippedPoint(point: PointName, status: PointStatus): void {
    this.#histogramOf(point, status).observe(0);
  }

  recordPlugin(point: PointName, plugin: string, status: PointStatus, since: number): void {
    this.#parts.plugins.at(plugin, point, status).observe((this.now() - since) / 1000);
  }

  #histogramOf(point: PointName, status: PointStatus): Histogram {
    const { points, profile } = this.#parts;
    if (status !== 'Success') return points.at(point, status, profile);
    let histogram = this.#successes.get(point);
    if (histogram === undefined) this.#successes.set(point, (histogram = points.at(point, status, profile)));
    return histogram;
  }
}

/** As pluginMetricsSamplePercent of pkg/scheduler/scheduler.go. */
const sampledShare = 0.1;
const pointBounds = exponential(0.0001, 2, 12);
const pluginBounds = exponential(0.00001, 1.5, 20);
