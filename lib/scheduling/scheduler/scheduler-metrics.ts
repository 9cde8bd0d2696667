// Metrics of the scheduler, named as in kube-scheduler. Counters are updated as things happen; figures of the queue and
// the cache are read when metrics are requested. As pkg/scheduler/metrics/metrics.go.
import { labelText, prometheusText } from '../../core/index.js';
import type { MetricFamily } from '../../core/index.js';
import type { CacheFigures } from '../cluster/cluster-cache.js';
import type { PluginActivity } from '../framework/plugin.js';
import type { QueuedPod } from '../queue/queued-pod.js';
import type { QueueFigures } from '../queue/scheduling-queue.js';
import type { FrameworkMetrics } from './framework-metrics.js';
import { LabelledHistograms, byLabel, exponential, family, histograms, single } from './metric-families.js';

/** The result of an attempt. */
export type AttemptResult = 'scheduled' | 'unschedulable' | 'error';

/** Figures that are read when metrics are requested. */
export interface CurrentFigures {
  readonly queue: QueueFigures;
  readonly cache: CacheFigures;
  /** The number of binding cycles in progress. */
  readonly binding: number;
}

/** The metrics of a scheduler, kept across runs. */
export class SchedulerMetrics {
  /** The latency of plugins. */
  readonly timings: FrameworkMetrics;
  readonly #attempts = new LabelledHistograms(['result', 'profile'], milliseconds);
  readonly #searches = new LabelledHistograms([], milliseconds);
  readonly #permitWaits = new LabelledHistograms(['result'], milliseconds);
  readonly #podAttempts = new LabelledHistograms([], exponential(1, 2, 5));
  readonly #podDurations = new LabelledHistograms(['attempts'], exponential(0.01, 2, 20));
  readonly #victims = new LabelledHistograms([], exponential(1, 2, 7));
  readonly #preemptions = new LabelledHistograms(['result'], exponential(0.01, 2, 20));
  #preemptionAttempts = 0;
  #afterFlush = 0;

  constructor(timings: FrameworkMetrics) {
    this.timings = timings;
    // Exposed from the start, with a count of 0.
    for (const alone of [this.#searches, this.#podAttempts, this.#victims]) alone.at();
  }

  /** Records an attempt. */
  recordAttempt(result: AttemptResult, profile: string, elapsedMs: number): void {
    this.#attempts.at(result, profile).observe(elapsedMs / 1000);
  }

  /** Records a search for a node. */
  recordSearch(elapsedMs: number): void {
    this.#searches.at().observe(elapsedMs / 1000);
  }

  /** Records a wait at Permit. */
  recordPermitWait(verdict: 'allowed' | 'rejected' | 'stopped', elapsedMs: number): void {
    this.#permitWaits.at(permitResults[verdict]).observe(elapsedMs / 1000);
  }

  /** Records a bound pod. */
  recordBound({ attempts, initialAttemptAt, flushed }: QueuedPod, nowMs: number): void {
    this.#podAttempts.at().observe(attempts);
    if (initialAttemptAt !== undefined)
      this.#podDurations.at(countLabels[Math.min(attempts, countMax)] ?? '').observe((nowMs - initialAttemptAt) / 1000);
    if (flushed) this.#afterFlush += 1;
  }

  /** Records an activity of a plugin. */
  recordPluginActivity(activity: PluginActivity): void {
    switch (activity.type) {
      case 'preemption-attempt':
        this.#preemptionAttempts += 1;
        return;
      case 'preemption':
        this.#victims.at().observe(activity.victims);
        return;
      case 'preemption-done':
        this.#preemptions.at(activity.result).observe(activity.durationMs / 1000);
    }
  }

  /** Returns the counters, and the current figures while a scheduler runs. */
  families(current?: CurrentFigures): readonly MetricFamily[] {
    return [...this.#counted(), ...this.timings.families(), ...(current === undefined ? [] : currentFamilies(current))];
  }

  /** Returns the metrics in the Prometheus text format. */
  text(current?: CurrentFigures): string {
    return prometheusText(this.families(current));
  }

  #counted(): readonly MetricFamily[] {
    return [
      family('counter', 'schedule_attempts_total', '[STABLE] Attempts to schedule pods, by result.', () =>
        this.#attempts.counts(),
      ),
      histograms(
        'scheduling_attempt_duration_seconds',
        '[STABLE] Latency of scheduling attempts, binding included.',
        this.#attempts,
      ),
      histograms('scheduling_algorithm_duration_seconds', '[ALPHA] Latency of the search for a node.', this.#searches),
      histograms(
        'permit_wait_duration_seconds',
        '[BETA] Time that pods waited at Permit, by result.',
        this.#permitWaits,
      ),
      histograms('pod_scheduling_attempts', '[STABLE] Attempts that a pod took until it was bound.', this.#podAttempts),
      histograms(
        'pod_scheduling_sli_duration_seconds',
        '[BETA] Time until a pod was bound, over all its attempts.',
        this.#podDurations,
      ),
      single(
        'counter',
        'pod_scheduled_after_flush_total',
        '[ALPHA] Pods bound after the periodic flush of unschedulable pods requeued them.',
        this.#afterFlush,
      ),
      single('counter', 'preemption_attempts_total', '[STABLE] Preemption attempts.', this.#preemptionAttempts),
      histograms('preemption_victims', '[STABLE] Victims per preemption.', this.#victims),
      histograms(
        'preemption_goroutines_duration_seconds',
        '[ALPHA] Latency of evicting the victims of a preemption.',
        this.#preemptions,
      ),
      family(
        'counter',
        'preemption_goroutines_execution_total',
        '[ALPHA] Evictions of the victims of a preemption, by result.',
        () => this.#preemptions.counts(),
      ),
    ];
  }
}

function currentFamilies({ queue, cache, binding }: CurrentFigures): readonly MetricFamily[] {
  const pending = {
    active: queue.active,
    backoff: queue.backoff,
    gated: queue.gated,
    unschedulable: queue.unschedulable,
  };
  const sizes = { assumed_pods: cache.assumedPods, nodes: cache.nodes, pods: cache.pods };
  return [
    family('gauge', 'pending_pods', '[STABLE] Pending pods, by queue.', () =>
      byLabel('queue', Object.entries(pending)),
    ),
    family('gauge', 'cache_size', '[ALPHA] Objects in the scheduler cache, by type.', () =>
      byLabel('type', Object.entries(sizes)),
    ),
    family('gauge', 'inflight_events', '[ALPHA] Pods in flight, and the events recorded for them.', () =>
      byLabel('event', [['PodPopped', queue.inFlight], ...queue.recordedByEvent]),
    ),
    family('gauge', 'goroutines', '[BETA] Operations in progress outside the scheduling loop.', () =>
      byLabel('operation', [['binding', binding]]),
    ),
    family('gauge', 'unschedulable_pods', '[BETA] Unschedulable pods, by the plugin that rejected them.', () =>
      queue.rejected.map(({ plugin, profile, pods }) => ({ labels: labelText({ plugin, profile }), value: pods })),
    ),
    family('counter', 'queue_incoming_pods_total', '[STABLE] Pods added to a queue, by event.', () =>
      queue.incoming.map(({ queue: part, event, pods }) => ({
        labels: labelText({ queue: part, event }),
        value: pods,
      })),
    ),
  ];
}

/** The attempts label of pods with this many attempts or more. */
const countMax = 15;
const countLabels = Array.from({ length: countMax + 1 }, (_, count) => (count === countMax ? `${count}+` : `${count}`));

const permitResults = { allowed: 'Success', rejected: 'Unschedulable', stopped: 'Error' } as const;
const milliseconds = exponential(0.001, 2, 15);
