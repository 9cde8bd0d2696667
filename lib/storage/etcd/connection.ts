/**
 * The way to etcd: several endpoints, one connection at a time. When it is lost or its member is of no use, the next
 * endpoint is tried, and after a round of failures the one after it waits, each time longer. Nothing is done in the
 * background: a connection is made when one is requested, and all who wait for it share the attempt.
 */
import { backoffStep, type BackoffLadder, type BackoffState, type Clock, type Random } from '../../core/index.js';
import { connectGrpc, type TlsOptions } from './grpc-connect.js';
import { GrpcError, notSent } from './grpc-error.js';
import type { GrpcSession } from './grpc-session.js';
import { pauseUntilAborted, settlesWithin } from './pause.js';

/** Where etcd is. */
export interface ConnectionOptions {
  readonly endpoints: readonly URL[];
  readonly tls: TlsOptions;
  readonly clock: Clock;
  readonly random: Random;
  /** How long connecting to one endpoint may take. */
  readonly connectMs: number;
}

/** Between rounds of the endpoints. A restart of etcd takes about a second: the first tries come soon. */
const ladder: BackoffLadder = {
  baseMs: 50,
  factor: 2,
  maxMs: 2_000,
  jitter: 0.5,
  resetAfterMs: 10_000,
  attemptsMax: Infinity,
};

/** How long calls under way get when the store closes: better an answer than an unknown outcome. */
const graceMs = 1_000;

/** The current connection, if there is one, and the means to get one. */
export class EtcdConnection {
  readonly #options: ConnectionOptions;
  readonly #closing = new AbortController();
  /** The current one and those that are still finishing calls. */
  readonly #sessions = new Set<GrpcSession>();
  #current: GrpcSession | undefined;
  #connecting: Promise<GrpcSession> | undefined;
  #next = 0;
  #backoff: BackoffState | undefined;
  #delayMs = 0;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** The connection in use; undefined when `connect` has to make one. */
  get current(): GrpcSession | undefined {
    return this.#current;
  }

  /** The current connection or a new one. Rejects with a GrpcError after one round of the endpoints. */
  connect(): Promise<GrpcSession> {
    if (this.#current !== undefined) return Promise.resolve(this.#current);
    this.#connecting ??= this.#connectToAny().finally(() => (this.#connecting = undefined));
    return this.#connecting;
  }

  /** Leaves this member, if there is another. Answers that are still to come there come; watches move on. */
  avoid(session: GrpcSession): void {
    if (session !== this.#current || this.#options.endpoints.length < 2) return;
    this.#next += 1;
    session.retire();
  }

  /** Ends all connections, after a moment for the calls under way; resolves when every socket is closed. Idempotent. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#connecting?.catch(() => undefined); // it was aborted
    const sessions = [...this.#sessions];
    const closed = Promise.all(sessions.map((session) => session.closed));
    for (const session of sessions) session.retire();
    await settlesWithin(this.#options.clock, graceMs, closed);
    for (const session of sessions) session.destroy();
    await closed;
  }

  async #connectToAny(): Promise<GrpcSession> {
    const { endpoints, clock } = this.#options;
    await pauseUntilAborted(clock, this.#delayMs, this.#closing.signal);
    const failures: string[] = [];
    for (let tried = 0; tried < endpoints.length && !this.#closing.signal.aborted; tried++) {
      const endpoint = endpoints[this.#next % endpoints.length];
      if (endpoint === undefined) break;
      try {
        return await this.#connectTo(endpoint);
      } catch (error) {
        if (!(error instanceof GrpcError)) throw error;
        failures.push(error.message);
        this.#next += 1;
      }
    }
    this.#onFailure();
    throw notSent(failures.join('; ') || 'the store was closed');
  }

  async #connectTo(endpoint: URL): Promise<GrpcSession> {
    const { tls, clock, connectMs } = this.#options;
    const session = await connectGrpc({
      endpoint,
      tls,
      clock,
      connectMs,
      signal: this.#closing.signal,
      onUnusable: (unusable) => this.#onUnusable(unusable),
    });
    this.#current = session;
    this.#sessions.add(session);
    void session.closed.then(() => this.#sessions.delete(session));
    return session;
  }

  // A connection that never brought an answer counts as a failure to connect: a port may be open without a server
  // behind it.
  #onUnusable(session: GrpcSession): void {
    if (session === this.#current) this.#current = undefined;
    if (session.answered) {
      this.#backoff = undefined;
      this.#delayMs = 0;
    } else {
      this.#onFailure();
    }
  }

  #onFailure(): void {
    const { clock, random } = this.#options;
    const step = backoffStep(ladder, this.#backoff, { nowMs: clock.now(), random });
    this.#backoff = step.state;
    this.#delayMs = step.delayMs;
  }
}
