// The metrics of `vivarium controller-manager`: leadership, controllers that run, reconciles and requests. Names are
// those of kube-controller-manager; reconciles, which it does not count, have the names of controller-runtime.
import type { Transport } from '../client/index.js';
import type { ControllersActivity } from '../cluster/index.js';
import { labelText, prometheusText } from '../core/index.js';
import type { MetricFamily } from '../core/index.js';

/** Records activities and requests, and prints them for Prometheus. The number of series is bounded. */
export class ControllersMetrics {
  readonly #controllers: readonly string[];
  readonly #lock: string;
  readonly #reconciles = new Map<string, number>();
  readonly #retries = new Map<string, number>();
  readonly #requests = new Map<string, number>();
  #isLeading: boolean;

  /** `isElected`: leadership is reported in activities; otherwise the process leads from the start. */
  constructor(
    controllers: Iterable<string>,
    { lock, isElected }: { readonly lock: string; readonly isElected: boolean },
  ) {
    this.#controllers = [...controllers];
    this.#lock = lock;
    this.#isLeading = !isElected;
  }

  /** Records an activity. */
  record(activity: ControllersActivity): void {
    if (activity.type === 'leading' || activity.type === 'lost') this.#isLeading = activity.type === 'leading';
    if (activity.type !== 'controller') return;
    const { part: controller, activity: did } = activity;
    if (did.type !== 'reconciled' && did.type !== 'failed') return;
    const result = did.type === 'failed' ? 'error' : 'requeueAfterMs' in did ? 'requeue_after' : 'success';
    increment(this.#reconciles, labelText({ controller, result }));
    if ('retryInMs' in did) increment(this.#retries, labelText({ name: controller }));
  }

  /** Returns a transport that counts responses. A request without a response counts as `<error>`, as in client-go. */
  counted(transport: Transport): Transport {
    return async (url, request) => {
      const { host } = new URL(url);
      const { method } = request;
      try {
        const response = await transport(url, request);
        increment(this.#requests, labelText({ code: String(response.status), host, method }));
        return response;
      } catch (error) {
        increment(this.#requests, labelText({ code: '<error>', host, method }));
        throw error;
      }
    };
  }

  /** Returns the text of all metrics. */
  text(): string {
    const counter = (name: string, help: string, counts: ReadonlyMap<string, number>): MetricFamily => ({
      name,
      help,
      type: 'counter',
      samples: () => Array.from(counts, ([labels, value]) => ({ labels, value })),
    });
    return prometheusText([
      {
        name: 'leader_election_master_status',
        help: '[ALPHA] Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates master.',
        type: 'gauge',
        samples: () => [{ labels: labelText({ name: this.#lock }), value: Number(this.#isLeading) }],
      },
      {
        name: 'running_managed_controllers',
        help: '[ALPHA] Indicates where instances of a controller are currently running',
        type: 'gauge',
        samples: () =>
          this.#controllers.map((name) => ({
            labels: labelText({ manager: 'kube-controller-manager', name }),
            value: Number(this.#isLeading),
          })),
      },
      counter('controller_runtime_reconcile_total', 'Reconciles per controller', this.#reconciles),
      counter('workqueue_retries_total', '[ALPHA] Total number of retries handled by workqueue', this.#retries),
      counter(
        'rest_client_requests_total',
        '[ALPHA] Number of HTTP requests, partitioned by status code, method, and host.',
        this.#requests,
      ),
    ]);
  }
}

function increment(counts: Map<string, number>, labels: string): void {
  counts.set(labels, (counts.get(labels) ?? 0) + 1);
}
