// Writes conditions and nominations into the status of pods. Writes of one pod are sequential, and pending changes are
// merged; writes of different pods are concurrent. The binding cycle waits until the writes of its pod are done, so
// that no outdated status arrives after the binding. Retries as PatchPodStatus of pkg/scheduler/util.
import { defer, filter, merge, of, take } from 'rxjs';
import type { Observable } from 'rxjs';
import { isConnectionError } from '../../client/index.js';
import type { Client, ResourceClient } from '../../client/index.js';
import { Outlet, isApiError, namespacedName, pause } from '../../core/index.js';
import type { Clock, Frozen, Random } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import { statusPatch } from '../pod/pod-status.js';
import type { StatusChange } from '../pod/pod-status.js';
import { runConcurrently } from './abortable.js';
import type { WriteFailed } from './scheduler-activity.js';

/** The dependencies of a writer. */
export interface PodStatusWriterOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
}

/** Writes statuses while `run()` is subscribed to. */
export class PodStatusWriter {
  readonly #options: PodStatusWriterOptions;
  readonly #pods: ResourceClient<Pod>;
  /** Pods with a write in progress, by uid. */
  readonly #writing = new Map<string, WrittenPod>();
  readonly #started = new Outlet<WrittenPod>();
  readonly #ended = new Outlet<string>();
  readonly #failures = new Outlet<WriteFailed>();

  constructor(options: PodStatusWriterOptions) {
    this.#options = options;
    this.#pods = options.client.kind('v1', 'Pod');
  }

  /** Queues a status change, unless the pod already has that status. */
  write(pod: Frozen<Pod>, change: StatusChange): void {
    const writing = this.#writing.get(uidOf(pod));
    if (writing !== undefined) writing.next = { ...writing.next, ...change };
    else if (statusPatch(pod, change, 0) !== undefined) this.#started.emit({ pod, next: change });
  }

  /** Returns whether a write for the pod is in progress. */
  isWriting(uid: string): boolean {
    return this.#writing.has(uid);
  }

  /** Emits and completes when no write for the pod is in progress. */
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

  /** Writes while subscribed; emits failed writes. */
  run(): Observable<WriteFailed> {
    return merge(
      this.#failures.values$,
      runConcurrently(this.#started.values$, (written, signal) => this.#writeAll(written, signal)),
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
      // The next change is compared with the response, which may be newer than the watch.
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
    // The uid makes the patch fail for another pod of the same name.
    const strategic = { metadata: { uid: uidOf(pod) }, status };
    const cause = { reason: 'result of a scheduling attempt', resourceVersion: pod.metadata?.resourceVersion };
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#pods.status.patch(namespacedName(pod), { strategic }, { signal, cause });
      } catch (error) {
        if (tries === triesMax || !isRetryable(error)) throw error;
      }
      await pause(clock, retryMs * 5 ** (tries - 1) * (1 + retryJitter * random.next()), signal);
    }
  }
}

/** A pod with a status write in progress. */
interface WrittenPod {
  /** The newest known version. */
  pod: Frozen<Pod>;
  /** The merged pending change. */
  next: StatusChange | undefined;
}

const triesMax = 4;
const retryMs = 10;
const retryJitter = 0.1;

function isRetryable(error: unknown): boolean {
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
