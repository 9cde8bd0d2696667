// A place in the log of changes. Everything in columns that depends on the cluster has one of its own: it may lie idle for
// long, and does its sums when it is needed again.
import type { ChangeLog, ClusterChange } from '../cluster/change-log.js';

/** Reads the log from where it stopped. */
export class ChangeReader {
  readonly #log: ChangeLog;
  #position: number | undefined;

  constructor(log: ChangeLog) {
    this.#log = log;
  }

  /** What changed since it was asked last; undefined the first time, and when that is no longer known: all is to be read. */
  read(): readonly ClusterChange[] | undefined {
    const changes = this.#position === undefined ? undefined : this.#log.since(this.#position);
    this.#position = this.#log.position;
    return changes;
  }
}
