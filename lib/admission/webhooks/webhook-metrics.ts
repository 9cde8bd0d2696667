// The metrics of webhooks, as apiserver/pkg/admission/metrics/metrics.go: durations, calls, rejections and failures
// that were ignored, by webhook, operation and type.
import { Histogram, labelText } from '../../core/index.js';
import type { AdmissionOperation, MetricFamily } from '../../core/index.js';

/** The type of a webhook, as it is labelled. */
export type WebhookType = 'admit' | 'validating';

/** Why a webhook rejected a request: it denied it, it could not be called, or the server failed with its response. */
export type RejectionError = 'no_error' | 'calling_webhook_error' | 'apiserver_internal_error';

/** The outcome of one call. */
export interface WebhookOutcome {
  readonly name: string;
  readonly operation: AdmissionOperation;
  readonly seconds: number;
  /** The HTTP status; 0 for a failure of the server. */
  readonly code: number;
  /** Undefined where the request was not rejected. */
  readonly rejection: RejectionError | undefined;
}

/** Counts the calls of the webhooks of one type. */
export class WebhookMetrics {
  readonly #type: WebhookType;
  readonly #durations = new Map<string, Histogram>();
  readonly #requests = new Map<string, number>();
  readonly #rejections = new Map<string, number>();
  readonly #failedOpen = new Map<string, number>();

  constructor(type: WebhookType) {
    this.#type = type;
  }

  /** Records a call. */
  record({ name, operation, seconds, code, rejection }: WebhookOutcome): void {
    const type = this.#type;
    // Codes are bounded, so that a webhook cannot create metrics without limit.
    const bounded = String(Math.min(code, 600));
    const rejected = String(rejection !== undefined);
    const labels = labelText({ name, operation, rejected, type });
    let durations = this.#durations.get(labels);
    if (durations === undefined) this.#durations.set(labels, (durations = new Histogram(bounds)));
    durations.observe(seconds);
    increment(this.#requests, { code: bounded, name, operation, rejected, type });
    if (rejection !== undefined)
      increment(this.#rejections, { error_type: rejection, name, operation, rejection_code: bounded, type });
  }

  /** Records a failed call that was ignored. */
  recordFailedOpen(name: string): void {
    increment(this.#failedOpen, { name, type: this.#type });
  }

  /** The metrics, for `/metrics`. */
  families(): readonly MetricFamily[] {
    const durations = this.#durations;
    return [
      {
        name: 'apiserver_admission_webhook_admission_duration_seconds',
        help: '[STABLE] Admission latency per webhook, operation and type.',
        type: 'histogram',
        *samples() {
          for (const [labels, histogram] of durations) yield* histogram.samples(labels);
        },
      },
      counter('request_total', 'Calls per webhook, operation, type and status.', this.#requests),
      counter('rejection_count', 'Rejections per webhook, operation, type and cause.', this.#rejections),
      counter('fail_open_count', 'Failed calls that were ignored, per webhook and type.', this.#failedOpen),
    ];
  }
}

/** As Kubernetes has them, in seconds. */
const bounds: readonly number[] = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25];

function increment(counts: Map<string, number>, labels: Readonly<Record<string, string>>): void {
  const key = labelText(labels);
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function counter(of: string, help: string, counts: ReadonlyMap<string, number>): MetricFamily {
  return {
    name: `apiserver_admission_webhook_${of}`,
    help: `[ALPHA] ${help}`,
    type: 'counter',
    *samples() {
      for (const [labels, value] of counts) yield { labels, value };
    },
  };
}
