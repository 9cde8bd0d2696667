// What the controller remembers of Jobs between syncs, by their uids. None of it is needed for correct counts: after a
// restart the back-off of failed pods starts anew, and the informers have listed what was written before.
import type { Stored } from '../../client/index.js';
import { isOlderVersion } from '../../core/index.js';
import type { Job } from '../../core/types/index.js';
import type { JobMemory } from './job-view.js';
import { noFailures } from './pod-backoff.js';
import type { FailureStreak } from './pod-backoff.js';

/** The memory of one run of the controller. */
export class JobMemories {
  readonly #jobs = new Map<string, Remembered>();

  /** Returns what is remembered of a Job. The set of released pods is a copy. */
  of(uid: string): JobMemory {
    const { streak = noFailures, released = [] } = this.#jobs.get(uid) ?? {};
    return { streak, released: new Set(released) };
  }

  /** Remembers the failures of a Job in a row, once they are in its status. */
  setStreak(uid: string, streak: FailureStreak): void {
    this.#remember(uid).streak = streak;
  }

  /** Expects that the informer shows these pods without their finalizer. */
  expectReleases(uid: string, podUids: Iterable<string>): void {
    const { released } = this.#remember(uid);
    for (const podUid of podUids) released.add(podUid);
  }

  /** The informer shows a pod without its finalizer or deleted, or the write failed. */
  releaseObserved(uid: string, podUid: string): void {
    this.#jobs.get(uid)?.released.delete(podUid);
  }

  /** Remembers the response to a write. */
  wrote(job: Stored<Job>): void {
    this.#remember(job.metadata.uid).written = job;
  }

  /** Whether a Job was written since it had this state. Its newer state is on the way. */
  isStale(job: Stored<Job>): boolean {
    const written = this.#jobs.get(job.metadata.uid)?.written;
    return written !== undefined && isOlderVersion(job, written);
  }

  /** Forgets a Job that has finished or is gone. */
  forget(uid: string): void {
    this.#jobs.delete(uid);
  }

  #remember(uid: string): Remembered {
    const known = this.#jobs.get(uid);
    if (known !== undefined) return known;
    const created: Remembered = { streak: noFailures, released: new Set() };
    this.#jobs.set(uid, created);
    return created;
  }
}

interface Remembered {
  streak: FailureStreak;
  readonly released: Set<string>;
  written?: Stored<Job>;
}
