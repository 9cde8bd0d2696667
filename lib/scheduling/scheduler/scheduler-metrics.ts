// Figures of the scheduler, under the names that kube-scheduler gives them. Counted as things happen; what the queue
// and the cache know of themselves is asked for when somebody reads. As pkg/scheduler/metrics/metrics.go.
import { labelText, prometheusText } from '../../core/index.js';
import type { MetricFamily } from '../../core/index.js';
import type { CacheFigures } from '../cluster/cluster-cache.js';
import type { PluginActivity } from '../framework/plugin.js';
import type { QueuedPod } from '../queue/queued-pod.js';
import type { QueueFigures } from '../queue/scheduling-queue.js';
import type { FrameworkMetrics } from './framework-metrics.js';
import { LabelledHistograms, byLabel, exponential, family, histograms, single } from './metric-families.js';

/** How an attempt ended. */
export type AttemptResult = 'scheduled' | 'unschedulable' | 'error';

/** What is known at the moment of reading. */
export interface CurrentFigures {
  readonly queue: QueueFigures;
  readonly cache: CacheFigures;
  /** Pods that are being bound. */
  readonly binding: number;
}

/** Counts. */
export class SchedulerMetrics {
  /** What plugins take. */
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
    // Told from the beginning, though nothing happened yet.
    for (const alone of [this.#searches, this.#podAttempts, this.#victims]) alone.at();
  }

  /** A pod was tried. */
  tried(result: AttemptResult, profile: string, elapsedMs: number): void {
    this.#attempts.at(result, profile).observe(elapsedMs / 1000);
  }

  /** Nodes were looked at. */
  searched(elapsedMs: number): void {
    this.#searches.at().observe(elapsedMs / 1000);
  }

  /** A wait at Permit is over. */
  permitWaited(verdict: 'allowed' | 'rejected' | 'stopped', elapsedMs: number): void {
    this.#permitWaits.at(permitResults[verdict]).observe(elapsedMs / 1000);
  }

  /** A pod is bound. */
  bound({ attempts, initialAttemptAt, flushed }: QueuedPod, nowMs: number): void {
    this.#podAttempts.at().observe(attempts);
    if (initialAttemptAt !== undefined)
      this.#podDurations.at(countLabels[Math.min(attempts, countMax)] ?? '').observe((nowMs - initialAttemptAt) / 1000);
    if (flushed) this.#afterFlush += 1;
  }

  /** A plugin did something that counts. */
  plugin(activity: PluginActivity): void {
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

  /** What was counted, and the figures of the moment while something runs. */
  families(current?: CurrentFigures): readonly MetricFamily[] {
    return [...this.#counted(), ...this.timings.families(), ...(current === undefined ? [] : currentFamilies(current))];
  }

  /** The text that Prometheus reads. */
  text(current?: CurrentFigures): string {
    return prometheusText(this.families(current));
  }

  #counted(): readonly MetricFamily[] {
    return [
      family('counter', 'schedule_attempts_total', '[STABLE] Attempts to place pods, by how they ended.', () =>
        this.#attempts.counts(),
      ),
      histograms(
        'scheduling_attempt_duration_seconds',
        '[STABLE] How long attempts took, binding included.',
        this.#attempts,
      ),
      histograms(
        'scheduling_algorithm_duration_seconds',
        '[ALPHA] How long it took to look for nodes.',
        this.#searches,
      ),
      histograms('permit_wait_duration_seconds', '[BETA] How long pods waited at Permit.', this.#permitWaits),
      histograms('pod_scheduling_attempts', '[STABLE] Attempts until a pod was bound.', this.#podAttempts),
      histograms(
        'pod_scheduling_sli_duration_seconds',
        '[BETA] Time until a pod was bound, over all its attempts.',
        this.#podDurations,
      ),
      single(
        'counter',
        'pod_scheduled_after_flush_total',
        '[ALPHA] Pods bound after time alone brought them back.',
        this.#afterFlush,
      ),
      single(
        'counter',
        'preemption_attempts_total',
        '[STABLE] How often room for a pod was looked for among others.',
        this.#preemptionAttempts,
      ),
      histograms('preemption_victims', '[STABLE] Pods that had to leave for one.', this.#victims),
      histograms(
        'preemption_goroutines_duration_seconds',
        '[ALPHA] How long it took to tell pods to leave.',
        this.#preemptions,
      ),
      family('counter', 'preemption_goroutines_execution_total', '[ALPHA] How often pods were told to leave.', () =>
        this.#preemptions.counts(),
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
    family('gauge', 'pending_pods', '[STABLE] Pods that wait, by queue.', () =>
      byLabel('queue', Object.entries(pending)),
    ),
    family('gauge', 'cache_size', '[ALPHA] What the scheduler knows of the cluster.', () =>
      byLabel('type', Object.entries(sizes)),
    ),
    family('gauge', 'inflight_events', '[ALPHA] Pods that are being tried, and the events kept for them.', () =>
      byLabel('event', [['PodPopped', queue.inFlight], ...queue.recordedByEvent]),
    ),
    family('gauge', 'goroutines', '[BETA] Work under way beside the loop.', () =>
      byLabel('operation', [['binding', binding]]),
    ),
    family('gauge', 'unschedulable_pods', '[BETA] Pods that wait, by what rejected them.', () =>
      queue.rejected.map(({ plugin, profile, pods }) => ({ labels: labelText({ plugin, profile }), value: pods })),
    ),
    family('counter', 'queue_incoming_pods_total', '[STABLE] Pods that entered a queue, by what brought them.', () =>
      queue.incoming.map(({ queue: part, event, pods }) => ({
        labels: labelText({ queue: part, event }),
        value: pods,
      })),
    ),
  ];
}

/** From here on pods are counted together by how often they were tried. */
const countMax = 15;
const countLabels = Array.from({ length: countMax + 1 }, (_, count) => (count === countMax ? `${count}+` : `${count}`));

const permitResults = { allowed: 'Success', rejected: 'Unschedulable', stopped: 'Error' } as const;
const milliseconds = exponential(0.001, 2, 15);
