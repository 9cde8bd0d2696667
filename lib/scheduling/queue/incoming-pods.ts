// Counts pods that enter a queue, by queue and by what brought them: queue_incoming_pods_total.

/** Queues as metrics name them. */
export type IncomingQueue = 'active' | 'backoff' | 'unschedulable';

/** How many pods entered a queue for one reason. */
export interface IncomingCount {
  readonly queue: IncomingQueue;
  readonly event: string;
  readonly pods: number;
}

/** Counters that only grow. Events are named by code, so there are few of them. */
export class IncomingPods {
  readonly #counts: Readonly<Record<IncomingQueue, Map<string, number>>> = {
    active: new Map(),
    backoff: new Map(),
    unschedulable: new Map(),
  };

  /** One more. */
  count(queue: IncomingQueue, event: string): void {
    const counts = this.#counts[queue];
    counts.set(event, (counts.get(event) ?? 0) + 1);
  }

  /** All counters above 0. */
  list(): readonly IncomingCount[] {
    return queues.flatMap((queue) => Array.from(this.#counts[queue], ([event, pods]) => ({ queue, event, pods })));
  }
}

const queues: readonly IncomingQueue[] = ['active', 'backoff', 'unschedulable'];
