// Writes what the scheduler has to say into the status of pods. The writes of one pod come one after another, and of
// those that wait only the sum is written; writes of different pods do not wait for each other. Who binds a pod waits
// until its writes are over, so that no old word comes after the new one. Retries as PatchPodStatus of
// pkg/scheduler/util.
import { defer, filter, merge, of, take } from 'rxjs';
import type { Observable } from 'rxjs';
import { isConnectionError } from '../../client/index.js';
import type { Client, ResourceClient } from '../../client/index.js';
import { Outlet, isApiError, namespacedName, pause } from '../../core/index.js';
import type { Clock, Frozen, Random } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import { statusPatch } from '../pod/pod-status.js';
import type { StatusChange } from '../pod/pod-status.js';
import { workOn } from './abortable.js';
import type { WriteFailed } from './attempt.js';

/** How statuses are written. */
export interface StatusWritesOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
}

/** Writes statuses while it runs. */
export class StatusWrites {
  readonly #options: StatusWritesOptions;
  readonly #pods: ResourceClient<Pod>;
  /** Pods that are being written, by uid, and what has come up since. */
  readonly #writing = new Map<string, WrittenPod>();
  readonly #begun = new Outlet<WrittenPod>();
  readonly #ended = new Outlet<string>();
  readonly #failures = new Outlet<WriteFailed>();

  constructor(options: StatusWritesOptions) {
    this.#options = options;
    this.#pods = options.client.kind('v1', 'Pod');
  }

  /** Has something said of a pod, unless its newest object says so already. */
  write(pod: Frozen<Pod>, change: StatusChange): void {
    const writing = this.#writing.get(uidOf(pod));
    if (writing !== undefined) writing.next = { ...writing.next, ...change };
    else if (statusPatch(pod, change, 0) !== undefined) this.#begun.emit({ pod, next: change });
  }

  /** Whether something is being written for the pod. */
  isWriting(uid: string): boolean {
    return this.#writing.has(uid);
  }

  /** Emits and completes when nothing is being written for the pod. */
  settled(uid: string): Observable<unknown> {
    return defer(() =>
      this.#writing.has(uid)
        ? this.#ended.values$.pipe(
            filter((ended) => ended === uid),
            take(1),
          )
        : of(uid),
    );
  }

  /** Writes for as long as somebody listens; emits what could not be written. */
  run(): Observable<WriteFailed> {
    return merge(
      this.#failures.values$,
      workOn(this.#begun.values$, (written, signal) => this.#writeAll(written, signal)),
    );
  }

  /** Never rejects. */
  async #writeAll(written: WrittenPod, signal: AbortSignal): Promise<void> {
    const uid = uidOf(written.pod);
    this.#writing.set(uid, written);
    while (written.next !== undefined) await this.#writeNext(written, signal);
    this.#writing.delete(uid);
    this.#ended.emit(uid);
  }

  async #writeNext(written: WrittenPod, signal: AbortSignal): Promise<void> {
    const { pod, next: change = {} } = written;
    written.next = undefined;
    const status = statusPatch(pod, change, this.#options.clock.now());
    if (status === undefined) return;
    try {
      // The next change is held against what the API says now, which the watch may not have told yet.
      written.pod = await this.#patch(pod, status, signal);
    } catch (error) {
      if (!signal.aborted && !isApiError(error, 'NotFound'))
        this.#failures.emit({ type: 'write-failed', what: 'status', pod, error });
    }
  }

  async #patch(
    pod: Frozen<Pod>,
    status: NonNullable<ReturnType<typeof statusPatch>>,
    signal: AbortSignal,
  ): Promise<Frozen<Pod>> {
    const { clock, random } = this.#options;
    // By its uid: another pod of the same name is not meant.
    const strategic = { metadata: { uid: uidOf(pod) }, status };
    const cause = { reason: 'result of a scheduling attempt', resourceVersion: pod.metadata?.resourceVersion };
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#pods.status.patch(namespacedName(pod), { strategic }, { signal, cause });
      } catch (error) {
        if (tries === triesMax || !isWorthRetrying(error)) throw error;
      }
      await pause(clock, retryMs * 5 ** (tries - 1) * (1 + retryJitter * random.next()), signal);
    }
  }
}

/** A pod whose status is being written. */
interface WrittenPod {
  /** As it was last seen. */
  pod: Frozen<Pod>;
  /** What is still to be said. */
  next: StatusChange | undefined;
}

const triesMax = 4;
const retryMs = 10;
const retryJitter = 0.1;

function isWorthRetrying(error: unknown): boolean {
  return (
    isConnectionError(error) ||
    isApiError(error, 'InternalError') ||
    isApiError(error, 'ServiceUnavailable') ||
    isApiError(error, 'Conflict')
  );
}

function uidOf(pod: Frozen<Pod>): string {
  return pod.metadata?.uid ?? '';
}
