// Figures of the scheduler, under the names that kube-scheduler gives them. Counted as things happen; what the queue and the
// cache know of themselves is asked for when somebody reads. As pkg/scheduler/metrics/metrics.go.
import { Histogram, labelText, prometheusText } from '../../core/index.js';
import type { MetricFamily, Sample } from '../../core/index.js';
import type { CacheFigures } from '../cluster/cluster-cache.js';
import type { PluginActivity } from '../framework/plugin.js';
import type { QueuedPod } from '../queue/queued-pod.js';
import type { QueueFigures } from '../queue/scheduling-queue.js';

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
  readonly #attempts = new Map<string, Histogram>();
  readonly #searches = new Histogram(milliseconds);
  readonly #permitWaits = new Map<string, Histogram>();
  readonly #podAttempts = new Histogram(exponential(1, 2, 5));
  readonly #podDurations = new Map<string, Histogram>();
  readonly #victims = new Histogram(exponential(1, 2, 7));
  readonly #preemptions = new Map<string, Histogram>();
  /** Of attempts, by profile: made once. */
  readonly #labels = new Map<string, Readonly<Record<AttemptResult, string>>>();
  #preemptionAttempts = 0;
  #afterFlush = 0;

  /** A pod was tried. */
  tried(result: AttemptResult, profile: string, elapsedMs: number): void {
    observe(this.#attempts, this.#labelsOf(profile)[result], milliseconds, elapsedMs / 1000);
  }

  /** Nodes were looked at. */
  searched(elapsedMs: number): void {
    this.#searches.observe(elapsedMs / 1000);
  }

  /** A wait at Permit is over. */
  permitWaited(verdict: 'allowed' | 'rejected' | 'stopped', elapsedMs: number): void {
    observe(this.#permitWaits, labelText({ result: permitResults[verdict] }), milliseconds, elapsedMs / 1000);
  }

  /** A pod is bound. */
  bound({ attempts, initialAttemptAt, flushed }: QueuedPod, nowMs: number): void {
    this.#podAttempts.observe(attempts);
    if (initialAttemptAt !== undefined) observe(this.#podDurations, countLabels[Math.min(attempts, countMax)] ?? '', podDurationBounds, (nowMs - initialAttemptAt) / 1000);
    if (flushed) this.#afterFlush += 1;
  }

  /** A plugin did something that counts. */
  plugin(activity: PluginActivity): void {
    switch (activity.type) {
      case 'preemption-attempt':
        this.#preemptionAttempts += 1;
        return;
      case 'preemption':
        this.#victims.observe(activity.victims);
        return;
      case 'preemption-done':
        observe(this.#preemptions, labelText({ result: activity.result }), preemptionBounds, activity.durationMs / 1000);
    }
  }

  /** The text that Prometheus reads. Without figures of the moment, while nothing runs, only what was counted. */
  text(current?: CurrentFigures): string {
    return prometheusText([...this.#counted(), ...(current === undefined ? [] : currentFamilies(current))]);
  }

  #labelsOf(profile: string): Readonly<Record<AttemptResult, string>> {
    const known = this.#labels.get(profile);
    if (known !== undefined) return known;
    const of = (result: AttemptResult): string => labelText({ profile, result });
    const made = { scheduled: of('scheduled'), unschedulable: of('unschedulable'), error: of('error') };
    this.#labels.set(profile, made);
    return made;
  }

  #counted(): readonly MetricFamily[] {
    const attempts = (): readonly Sample[] => Array.from(this.#attempts, ([labels, { count }]) => ({ labels, value: count }));
    const preemptions = (): readonly Sample[] => Array.from(this.#preemptions, ([labels, { count }]) => ({ labels, value: count }));
    return [
      family('counter', 'schedule_attempts_total', '[STABLE] Attempts to place pods, by how they ended.', attempts),
      histograms('scheduling_attempt_duration_seconds', '[STABLE] How long attempts took, binding included.', this.#attempts),
      histograms('scheduling_algorithm_duration_seconds', '[ALPHA] How long it took to look for nodes.', new Map([['', this.#searches]])),
      histograms('permit_wait_duration_seconds', '[BETA] How long pods waited at Permit.', this.#permitWaits),
      histograms('pod_scheduling_attempts', '[STABLE] Attempts until a pod was bound.', new Map([['', this.#podAttempts]])),
      histograms('pod_scheduling_sli_duration_seconds', '[BETA] Time until a pod was bound, over all its attempts.', this.#podDurations),
      single('counter', 'pod_scheduled_after_flush_total', '[ALPHA] Pods bound after time alone brought them back.', this.#afterFlush),
      single('counter', 'preemption_attempts_total', '[STABLE] How often room for a pod was looked for among others.', this.#preemptionAttempts),
      histograms('preemption_victims', '[STABLE] Pods that had to leave for one.', new Map([['', this.#victims]])),
      histograms('preemption_goroutines_duration_seconds', '[ALPHA] How long it took to tell pods to leave.', this.#preemptions),
      family('counter', 'preemption_goroutines_execution_total', '[ALPHA] How often pods were told to leave.', preemptions),
    ];
  }
}

function currentFamilies({ queue, cache, binding }: CurrentFigures): readonly MetricFamily[] {
  const pending = { active: queue.active, backoff: queue.backoff, gated: queue.gated, unschedulable: queue.unschedulable };
  const sizes = { assumed_pods: cache.assumedPods, nodes: cache.nodes, pods: cache.pods };
  return [
    family('gauge', 'pending_pods', '[STABLE] Pods that wait, by queue.', () => byLabel('queue', pending)),
    family('gauge', 'cache_size', '[ALPHA] What the scheduler knows of the cluster.', () => byLabel('type', sizes)),
    family('gauge', 'inflight_events', '[ALPHA] Events kept for pods that are being tried.', () => byLabel('event', { All: queue.recordedEvents })),
    family('gauge', 'goroutines', '[BETA] Work under way beside the loop.', () => byLabel('operation', { binding })),
    family('gauge', 'unschedulable_pods', '[BETA] Pods that wait, by what rejected them.', () => queue.rejected.map(({ plugin, profile, pods }) => ({ labels: labelText({ plugin, profile }), value: pods }))),
    family('counter', 'queue_incoming_pods_total', '[STABLE] Pods that entered a queue, by what brought them.', () => queue.incoming.map(({ queue: part, event, pods }) => ({ labels: labelText({ queue: part, event }), value: pods }))),
  ];
}

/** From here on pods are counted together by how often they were tried. */
const countMax = 15;
const countLabels = Array.from({ length: countMax + 1 }, (_, count) => labelText({ attempts: count === countMax ? `${count}+` : `${count}` }));

const permitResults = { allowed: 'Success', rejected: 'Unschedulable', stopped: 'Error' } as const;
const milliseconds = exponential(0.001, 2, 15);
const podDurationBounds = exponential(0.01, 2, 20);
const preemptionBounds = exponential(0.01, 2, 20);

function exponential(first: number, factor: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => first * factor ** index);
}

/** Labels are made of profiles, results and capped counts, so there are few of them. */
function observe(histograms: Map<string, Histogram>, labels: string, bounds: readonly number[], value: number): void {
  let histogram = histograms.get(labels);
  if (histogram === undefined) histograms.set(labels, (histogram = new Histogram(bounds)));
  histogram.observe(value);
}

function family(type: MetricFamily['type'], name: string, help: string, samples: () => Iterable<Sample>): MetricFamily {
  return { name: `scheduler_${name}`, help, type, samples };
}

function histograms(name: string, help: string, byLabels: ReadonlyMap<string, Histogram>): MetricFamily {
  return family('histogram', name, help, function* () {
    for (const [labels, histogram] of byLabels) yield* histogram.samples(labels);
  });
}

function single(type: MetricFamily['type'], name: string, help: string, value: number): MetricFamily {
  return family(type, name, help, () => [{ labels: '', value }]);
}

function byLabel(label: string, values: Readonly<Record<string, number>>): readonly Sample[] {
  return Object.entries(values).map(([name, value]) => ({ labels: labelText({ [label]: name }), value }));
}
