// What a controller has created and deleted but not yet seen in its informer. While something is expected, the informer
// lags behind: counting its objects would create or delete too much, so the controller does neither. Deletions are
// expected by uid, because a graceful deletion is seen twice (as a change and as a deletion) and counts once.
// Expectations are given up after five minutes, should an event get lost. As pkg/controller/controller_utils.go,
// UIDTrackingControllerExpectations.
import type { Clock } from '../../core/index.js';

/** The expectations of all owners of one controller, by the key of the owner. */
export class Expectations {
  readonly #clock: Clock;
  readonly #expected = new Map<string, Expected>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Expects that many creations, and nothing else. */
  expectCreations(owner: string, count: number): void {
    this.#expected.set(owner, { creations: count, deletions: new Set(), sinceMs: this.#clock.now() });
  }

  /** Expects the deletion of the objects with these uids, and nothing else. */
  expectDeletions(owner: string, uids: Iterable<string>): void {
    this.#expected.set(owner, { creations: 0, deletions: new Set(uids), sinceMs: this.#clock.now() });
  }

  /** Expects both, such as the pods of a DaemonSet. */
  expect(owner: string, creations: number, deletedUids: Iterable<string>): void {
    this.#expected.set(owner, { creations, deletions: new Set(deletedUids), sinceMs: this.#clock.now() });
  }

  /** Counts a creation: the informer shows it, or the request failed. */
  creationObserved(owner: string, count = 1): void {
    const expected = this.#expected.get(owner);
    if (expected !== undefined) expected.creations -= count;
  }

  /** Counts a deletion, the first time: the object is terminating or gone, or the request failed. */
  deletionObserved(owner: string, uid: string): void {
    this.#expected.get(owner)?.deletions.delete(uid);
  }

  /** Returns whether everything that was expected has been observed, or has been expected for too long. */
  isSatisfied(owner: string): boolean {
    const expected = this.#expected.get(owner);
    if (expected === undefined) return true;
    const { creations, deletions, sinceMs } = expected;
    return (creations <= 0 && deletions.size === 0) || this.#clock.now() - sinceMs > timeoutMs;
  }

  /** Forgets an owner, so that another of the same name starts without expectations. */
  forget(owner: string): void {
    this.#expected.delete(owner);
  }
}

const timeoutMs = 5 * 60_000;

interface Expected {
  /** May become negative: objects that others created are observed too. */
  creations: number;
  readonly deletions: Set<string>;
  readonly sinceMs: number;
}
