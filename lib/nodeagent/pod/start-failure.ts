// The failure to start a container, as its waiting state shows it.
import type { BackoffEntry } from './pod-knowledge.js';

/** A container could not be started. */
export class StartFailure extends Error {
  override readonly name = 'StartFailure';
  /** Such as `ErrImagePull` or `CreateContainerConfigError`. */
  readonly reason: string;
  /** No attempt before this time; undefined: after the usual delay. */
  readonly retryAtMs: number | undefined;
  readonly pullBackoff: BackoffEntry | undefined;

  constructor(reason: string, message: string, { retryAtMs, pullBackoff }: Partial<StartFailure> = {}) {
    super(message);
    this.reason = reason;
    this.retryAtMs = retryAtMs;
    this.pullBackoff = pullBackoff;
  }
}
