// Counts pods that enter a queue, by queue and event, for the metric queue_incoming_pods_total.

/** Queues as metrics name them. */
export type IncomingQueue = 'active' | 'backoff' | 'unschedulable';

/** Number of pods that entered a queue because of one event. */
export interface IncomingCount {
  readonly queue: IncomingQueue;
  readonly event: string;
  readonly pods: number;
}

/** Counters by queue and event. Event labels are constants of the code, so the maps are small. */
export class IncomingPods {
  readonly #counts: Readonly<Record<IncomingQueue, Map<string, number>>> = {
    active: new Map(),
    backoff: new Map(),
    unschedulable: new Map(),
  };

  /** Increments a counter. */
  count(queue: IncomingQueue, event: string): void {
    const counts = this.#counts[queue];
    counts.set(event, (counts.get(event) ?? 0) + 1);
  }

  /** Returns all counters above 0. */
  list(): readonly IncomingCount[] {
    return queues.flatMap((queue) => Array.from(this.#counts[queue], ([event, pods]) => ({ queue, event, pods })));
  }
}

const queues: readonly IncomingQueue[] = ['active', 'backoff', 'unschedulable'];
