/**
 * The distributed store: etcd, as a kube-apiserver uses it. Keys are used as they are and values are JSON text, so that
 * several processes share one cluster and the tools of etcd and Kubernetes work on it. Revisions are etcd's own, hence
 * gapless only where there is no other writer to the same etcd.
 *
 * What etcd does not promise by itself is seen to here: an answer that was lost is an `unknown-outcome` and a commit is
 * never made twice; watches go on after lost connections; a compacted or future revision is refused with the revision
 * that there is; "no space" is believed only after a look. Leases end on etcd's clock, in whole seconds.
 *
 * Building is inert: the first call connects.
 */
import { setMaxListeners } from 'node:events';
import { Observable, type Subscriber } from 'rxjs';
import { systemClock, systemRandom, type Clock, type Random } from '../../core/index.js';
import {
  checkAfter,
  checkKey,
  checkStoreListOptions,
  checkPrefix,
  checkRevision,
  checkTransaction,
  checkTtl,
} from '../check-input.js';
import { orderOf } from '../key-index.js';
import { isStoreError, StoreError } from '../store-error.js';
import type {
  Batch,
  LeaseId,
  Listing,
  StoreListOptions,
  Outcome,
  Reading,
  Revision,
  Store,
  Transaction,
  StoreWatchOptions,
} from '../store.js';
import type { ValueTransformer } from '../transformer.js';
import { ChangeSurvey, type SurveyOptions } from './change-survey.js';
import { EtcdConnection } from './connection.js';
import { EntryCodec } from './entry-codec.js';
import { EtcdClient, type EtcdCredentials } from './etcd-client.js';
import {
  closedError,
  futureRevisionError,
  isRefusal,
  leaseNotFoundError,
  storeErrorOf,
  type CallKind,
} from './etcd-errors.js';
import { EtcdProgress } from './etcd-progress.js';
import { EtcdReader } from './etcd-reader.js';
import type { TlsOptions } from './grpc-connect.js';
import { isLeaseId } from './messages.js';
import { pauseUntilAborted, settlesWithin } from './pause.js';
import { StoreWatch } from './store-watch.js';

/** A store in etcd. */
export interface EtcdStore extends Store, AsyncDisposable {}

/** Options of `etcdStore`: endpoints, credentials, time limits. */
export interface EtcdStoreOptions {
  /**
   * Client URLs of the members: `http://127.0.0.1:2379` or `https://…`. One is used at a time, the next when it fails.
   */
  readonly endpoints: readonly string[];
  /** For endpoints with `https:`. */
  readonly tls?: TlsOptions;
  /** Where etcd's authentication is enabled. Tokens are renewed when they end. */
  readonly auth?: EtcdCredentials;
  /** Put before every key and prefix. Default none: the keys of the store say `/registry` themselves. */
  readonly prefix?: string;
  /**
   * What values pass through on their way to etcd and back: encryption at rest. The prefix is no part of the keys it
   * sees.
   */
  readonly transformer?: ValueTransformer;
  /** How long one try of a call may take. Tries that are safe to repeat begin for twice as long. Default 5000. */
  readonly timeoutMs?: number;
  /** For time-outs and waiting; leases run on etcd's clock. Default the system's. */
  readonly clock?: Clock;
  /** For the names of leases and for waiting not quite as long as others do. Default the system's. */
  readonly random?: Random;
}

/** A store in etcd, 3.4 or later. */
export function etcdStore(options: EtcdStoreOptions): EtcdStore {
  return new StoreOfEtcd(options);
}

class StoreOfEtcd implements EtcdStore {
  readonly #codec: EntryCodec;
  readonly #timeoutMs: number;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #connection: EtcdConnection;
  readonly #client: EtcdClient;
  readonly #reader: EtcdReader;
  readonly #progress: EtcdProgress;
  /** What every watch works with. */
  readonly #watching: SurveyOptions;
  readonly #closing = new AbortController();
  readonly #subscribers = new Set<Subscriber<Batch>>();
  readonly #watches = new Set<StoreWatch>();
  /** Watches that do not know yet after which revision they begin. */
  readonly #beginnings = new Set<Promise<void>>();
  #closed: Promise<void> | undefined;

  constructor(options: EtcdStoreOptions) {
    const { endpoints, tls = {}, auth, prefix = '', transformer } = options;
    const { timeoutMs = 5_000, clock = systemClock(), random = systemRandom() } = options;
    checkPrefix(prefix);
    if (endpoints.length === 0) throw new StoreError('invalid', 'etcd: at least one endpoint is needed');
    const { signal } = this.#closing;
    setMaxListeners(0, signal); // every watch and every waiting call listens
    this.#codec = new EntryCodec(prefix, transformer);
    this.#timeoutMs = timeoutMs;
    this.#clock = clock;
    this.#random = random;
    this.#connection = new EtcdConnection({
      endpoints: endpoints.map(endpointUrl),
      tls,
      clock,
      random,
      connectMs: timeoutMs,
    });
    this.#client = new EtcdClient({ connection: this.#connection, clock, random, auth, timeoutMs, signal });
    this.#watching = { client: this.#client, clock, random, signal };
    this.#reader = new EtcdReader({ ...this.#watching, anyKey: this.#codec.keyOf('/registry/'), timeoutMs });
    this.#progress = new EtcdProgress({ client: this.#client, survey: new ChangeSurvey(this.#watching) });
  }

  async get(key: string, { revision }: { readonly revision?: Revision } = {}): Promise<Reading> {
    this.#refuseWhenClosed();
    checkKey(key);
    if (revision !== undefined) checkRevision(revision);
    const answer = await this.#reader.read({ key: this.#codec.keyOf(key), revision });
    const [found] = answer.entries;
    return { entry: found && this.#codec.decode(found), revision: revision ?? answer.revision };
  }

  async list(prefix: string, options: StoreListOptions = {}): Promise<Listing> {
    this.#refuseWhenClosed();
    checkPrefix(prefix);
    checkStoreListOptions(options);
    const { limit, after, revision } = options;
    const range = this.#codec.rangeOf(prefix);
    // The least key after another is that key with a zero byte behind it.
    const key = after !== undefined && orderOf(after) >= orderOf(prefix) ? this.#codec.keyOf(`${after}\0`) : range.key;
    const answer = await this.#reader.read({ ...range, key, limit, revision });
    return {
      entries: answer.entries.map((found) => this.#codec.decode(found)),
      revision: revision ?? answer.revision,
      remaining: answer.count - answer.entries.length,
    };
  }

  async commit(transaction: Transaction): Promise<Outcome> {
    this.#refuseWhenClosed();
    checkTransaction(transaction);
    const request = this.#codec.encode(transaction); // now, before anybody changes the values
    if (this.#beginnings.size > 0) await this.#watchesBegin();
    const known = this.#client.newest;
    let answer;
    try {
      answer = await this.#client.txn(request);
    } catch (error) {
      throw isRefusal(error, 'noSpace')
        ? await this.#noSpace(transaction, known, error)
        : this.#failure(error, 'write');
    }
    const { revision, succeeded, found } = answer;
    if (succeeded) return { committed: true, revision };
    return { committed: false, revision, found: found.map(([entry]) => entry && this.#codec.decode(entry)) };
  }

  watch(prefix: string, { after }: StoreWatchOptions = {}): Observable<Batch> {
    return new Observable((subscriber) => {
      try {
        checkPrefix(prefix);
        if (after !== undefined) checkAfter(after);
      } catch (error) {
        subscriber.error(error);
        return;
      }
      if (this.#closed !== undefined) {
        subscriber.complete();
        return;
      }
      this.#subscribers.add(subscriber);
      subscriber.add(() => this.#subscribers.delete(subscriber));
      if (after !== undefined) this.#begin(subscriber, prefix, after);
      else this.#beginAtNewest(subscriber, prefix);
    });
  }

  async revision(): Promise<Revision> {
    this.#refuseWhenClosed();
    return await this.#reader.newest();
  }

  async requestProgress(): Promise<void> {
    this.#refuseWhenClosed();
    await this.#watchesBegin();
    const watches = [...this.#watches];
    if (watches.length === 0) return;
    const revision = await this.#reader.newest();
    const patience = new AbortController();
    const reached = this.#progress.reach(watches, revision, patience.signal);
    const inTime = await settlesWithin(this.#clock, 2 * this.#timeoutMs, reached);
    patience.abort();
    if (!inTime) throw new StoreError('unavailable', `etcd: the watches have not come to revision ${revision}`);
    await reached;
  }

  async compact(revision: Revision): Promise<void> {
    this.#refuseWhenClosed();
    checkRevision(revision);
    try {
      await this.#client.compact(revision);
    } catch (error) {
      if (isRefusal(error, 'compacted')) return;
      throw isRefusal(error, 'futureRevision')
        ? futureRevisionError(revision, await this.#reader.newest(), error)
        : this.#failure(error, 'read');
    }
  }

  async grantLease(ttlMs: number): Promise<LeaseId> {
    this.#refuseWhenClosed();
    checkTtl(ttlMs);
    // A name of our own, any positive int64, so that granting can be repeated when the answer was lost.
    const lease = this.#random.string('1234567', 1) + this.#random.string('0123456789abcdef', 15);
    try {
      await this.#client.grantLease(lease, Math.ceil(ttlMs / 1000));
    } catch (error) {
      if (!isRefusal(error, 'leaseExists')) throw this.#failure(error, 'read');
    }
    return lease;
  }

  async renewLease(lease: LeaseId): Promise<void> {
    this.#refuseWhenClosed();
    refuseUnlessLease(lease);
    let ttlSeconds;
    try {
      ttlSeconds = await this.#client.renewLease(lease);
    } catch (error) {
      throw this.#failure(error, 'read');
    }
    if (ttlSeconds <= 0) throw leaseNotFoundError(lease);
  }

  async revokeLease(lease: LeaseId): Promise<void> {
    this.#refuseWhenClosed();
    refuseUnlessLease(lease);
    if (this.#beginnings.size > 0) await this.#watchesBegin();
    try {
      await this.#client.revokeLease(lease);
    } catch (error) {
      throw this.#failure(error, 'write');
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  close(): Promise<void> {
    if (this.#closed !== undefined) return this.#closed;
    this.#closing.abort();
    this.#closed = this.#connection.close();
    for (const subscriber of [...this.#subscribers]) subscriber.complete();
    return this.#closed;
  }

  #begin(subscriber: Subscriber<Batch>, prefix: string, after: Revision): void {
    const watch = new StoreWatch({ ...this.#watching, subscriber, codec: this.#codec, prefix, after });
    this.#watches.add(watch);
    subscriber.add(() => {
      watch.source.stop();
      this.#watches.delete(watch);
    });
  }

  #beginAtNewest(subscriber: Subscriber<Batch>, prefix: string): void {
    const begun = this.#newestFor(subscriber)
      .then(
        (newest) => newest !== undefined && this.#begin(subscriber, prefix, newest),
        (error: unknown) => subscriber.error(error),
      )
      .then(() => void this.#beginnings.delete(begun));
    this.#beginnings.add(begun);
  }

  async #newestFor(subscriber: Subscriber<Batch>): Promise<Revision | undefined> {
    while (!subscriber.closed) {
      try {
        return await this.#reader.newest();
      } catch (error) {
        if (!isStoreError(error, 'unavailable')) throw error;
        await pauseUntilAborted(this.#clock, 100, this.#closing.signal);
      }
    }
    return undefined;
  }

  /** What this store writes after a watch was subscribed must come after the revision at which that watch begins. */
  async #watchesBegin(): Promise<void> {
    const inTime = await settlesWithin(this.#clock, 2 * this.#timeoutMs, Promise.all(this.#beginnings));
    this.#refuseWhenClosed();
    if (!inTime) throw new StoreError('unavailable', 'etcd: a watch could not begin');
  }

  // etcd looks at its quota before it proposes a transaction, which is then refused, and again after it has applied it,
  // which then stays (server/etcdserver/apply, quotaApplierV3): both times it says "no space".
  async #noSpace(
    { put = [], delete: deletes = [] }: Transaction,
    known: Revision,
    cause: unknown,
  ): Promise<StoreError> {
    const key = this.#codec.keyOf(put[0]?.key ?? deletes[0] ?? '');
    const answer = await this.#client.range({ key }).catch(() => undefined);
    const [entry] = answer?.entries ?? [];
    const untouched = answer !== undefined && (entry === undefined ? put.length > 0 : entry.modRevision <= known);
    if (untouched) return new StoreError('no-space', 'etcd: the database is at its quota', { cause });
    return new StoreError(
      'unknown-outcome',
      'etcd: the database is at its quota; whether the change was made is not known',
      { cause },
    );
  }

  #failure(error: unknown, kind: CallKind): unknown {
    return storeErrorOf(error, kind, this.#closing.signal);
  }

  #refuseWhenClosed(): void {
    if (this.#closed !== undefined) throw closedError();
  }
}

function endpointUrl(endpoint: string): URL {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new StoreError('invalid', `etcd: an endpoint is a URL with http: or https:, not ${JSON.stringify(endpoint)}`);
}

function refuseUnlessLease(lease: LeaseId): void {
  if (!isLeaseId(lease)) throw leaseNotFoundError(lease);
}
