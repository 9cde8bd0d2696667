// A place in the log of changes. Everything in columns that depends on the cluster has one of its own: it may lie idle
// for long, and does its sums when it is needed again.
import { LogReader } from '../bounded-log.js';
import type { ClusterChange } from '../cluster/change-log.js';

/** Reads the log from where it stopped. */
export class ChangeReader extends LogReader<ClusterChange> {}
