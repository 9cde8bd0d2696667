// Writes what the scheduler has to say into the status of pods. The writes of one pod come one after another, and of those
// that wait only the sum is written; writes of different pods do not wait for each other. Who binds a pod waits until its
// writes are over, so that no old word comes after the new one. Retries as PatchPodStatus of pkg/scheduler/util.
import { EMPTY, catchError, defer, filter, finalize, ignoreElements, mergeMap, of, repeat, retry, take, tap, throwError } from 'rxjs';
import type { Observable } from 'rxjs';
import { isConnectionError } from '../../client/index.js';
import type { Client, ResourceClient } from '../../client/index.js';
import { Outlet, isApiError, namespacedName } from '../../core/index.js';
import type { Clock, Frozen, Random } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import { statusPatch } from '../pod/pod-status.js';
import type { StatusChange } from '../pod/pod-status.js';
import { abortable } from './abortable.js';
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
    return defer(() => (this.#writing.has(uid) ? this.#ended.values$.pipe(filter((ended) => ended === uid), take(1)) : of(uid)));
  }

  /** Writes for as long as somebody listens; emits what could not be written. */
  run(): Observable<WriteFailed> {
    return this.#begun.values$.pipe(mergeMap((written) => this.#writeAll(written)));
  }

  #writeAll(written: WrittenPod): Observable<WriteFailed> {
    const uid = uidOf(written.pod);
    this.#writing.set(uid, written);
    return defer(() => this.#writeNext(written)).pipe(
      repeat({ delay: () => (written.next === undefined ? EMPTY : of(undefined)) }),
      finalize(() => {
        this.#writing.delete(uid);
        this.#ended.emit(uid);
      }),
    );
  }

  #writeNext(written: WrittenPod): Observable<WriteFailed> {
    const { clock, random } = this.#options;
    const { pod, next: change = {} } = written;
    written.next = undefined;
    const status = statusPatch(pod, change, clock.now());
    if (status === undefined) return EMPTY;
    // By its uid: another pod of the same name is not meant.
    const patch = { metadata: { uid: uidOf(pod) }, status };
    return abortable((signal) => this.#pods.status.patch(namespacedName(pod), { strategic: patch }, { signal })).pipe(
      retry({ count: triesMax - 1, delay: (error, failures) => (isWorthRetrying(error) ? clock.timer(retryMs * 5 ** (failures - 1) * (1 + retryJitter * random.next())) : throwError(() => error as Error /* whatever it is */)) }),
      // The next change is held against what the API says now, which the watch may not have told yet.
      tap((answer) => (written.pod = answer)),
      ignoreElements(),
      catchError((error: unknown) => (isApiError(error, 'NotFound') ? EMPTY : of<WriteFailed>({ type: 'write-failed', what: 'status', pod, error }))),
    );
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
  return isConnectionError(error) || isApiError(error, 'InternalError') || isApiError(error, 'ServiceUnavailable') || isApiError(error, 'Conflict');
}

function uidOf(pod: Frozen<Pod>): string {
  return pod.metadata?.uid ?? '';
}
