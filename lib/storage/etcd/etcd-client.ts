/**
 * etcd's API, as much of it as a store needs: typed calls on one connection, with a token where etcd requests one, and
 * tried again where that is safe. Reads, and what can be repeated without harm, are tried again until an answer comes
 * or patience ends. A transaction is tried again only if it certainly did nothing. Rejects with GrpcError; what that
 * means to a store is in etcd-errors.ts.
 */
import { backoffStep, type BackoffLadder, type BackoffState, type Clock, type Random } from '../../core/index.js';
import type { LeaseId, Revision } from '../store.js';
import type { EtcdConnection } from './connection.js';
import { isRefusal, isTransient, isTroubleOfMember, nothingHappened } from './etcd-errors.js';
import { GrpcError, notSent, unreadableAnswer } from './grpc-error.js';
import type { GrpcSession, GrpcStream } from './grpc-session.js';
import {
  decodeLeaseTtl,
  decodeRange,
  decodeText,
  decodeTxn,
  decodeWatch,
  encodeCompaction,
  encodeCredentials,
  encodeLease,
  encodeLeaseGrant,
  encodeRange,
  type RangeAnswer,
  type RangeRequest,
  type TxnAnswer,
  type WatchAnswer,
} from './messages.js';
import { pauseUntilAborted } from './pause.js';

/** Who the store is to etcd. */
export interface EtcdCredentials {
  readonly username: string;
  readonly password: string;
}

/** What the client works with. */
export interface EtcdClientOptions {
  readonly connection: EtcdConnection;
  readonly clock: Clock;
  readonly random: Random;
  readonly auth: EtcdCredentials | undefined;
  /** How long one try may take. Tries begin for twice as long. */
  readonly timeoutMs: number;
  /** Ends waiting for the next try. */
  readonly signal: AbortSignal;
}

/** Hears what a stream of watches says. */
export interface WatchObserver {
  readonly answer: (answer: WatchAnswer) => void;
  /** Called once. Without an error the server ended the stream normally. */
  readonly end: (error: GrpcError | undefined) => void;
}

/** A stream of watches and the connection it is on. */
export interface WatchStream {
  readonly stream: GrpcStream;
  readonly session: GrpcSession;
}

/** A call with one answer. */
interface Call<T> {
  readonly method: string;
  readonly request: Buffer;
  /** When it may be made again: always, or only if it certainly did nothing. */
  readonly again: 'always' | 'if-nothing-happened';
  readonly decode: (answer: Buffer) => T;
}

/** What etcd reads besides the request. */
interface CallMetadata {
  readonly [name: string]: string;
  readonly hasleader: string;
  readonly token?: string;
}

/** Between tries of one call. */
const ladder: BackoffLadder = {
  baseMs: 25,
  factor: 2,
  maxMs: 1_000,
  jitter: 0.5,
  resetAfterMs: Infinity,
  attemptsMax: Infinity,
};

/** Has a member without a leader refuse at once, so that another can be tried, and end its watches. */
const withLeader: CallMetadata = { hasleader: 'true' };

/** The calls. */
export class EtcdClient {
  readonly #options: EtcdClientOptions;
  #newest = 1;
  #token: string | undefined;
  #authenticating: Promise<string> | undefined;

  constructor(options: EtcdClientOptions) {
    this.#options = options;
    if (options.auth === undefined) this.#token = '';
  }

  /** The newest revision of any response. */
  get newest(): Revision {
    return this.#newest;
  }

  /** Reads keys; part of the order of all transactions. */
  async range(request: RangeRequest): Promise<RangeAnswer> {
    return this.#note(
      await this.#call({
        method: '/etcdserverpb.KV/Range',
        request: encodeRange(request),
        again: 'always',
        decode: decodeRange,
      }),
    );
  }

  /** Makes a transaction, once. */
  async txn(request: Buffer): Promise<TxnAnswer> {
    return this.#note(
      await this.#call({ method: '/etcdserverpb.KV/Txn', request, again: 'if-nothing-happened', decode: decodeTxn }),
    );
  }

  /** Compacts. Repeating it is refused as compacted. */
  async compact(revision: Revision): Promise<void> {
    await this.#call({
      method: '/etcdserverpb.KV/Compact',
      request: encodeCompaction(revision),
      again: 'always',
      decode: nothing,
    });
  }

  /** Begins a lease. Repeating it is refused, since the lease is there already. */
  async grantLease(lease: LeaseId, ttlSeconds: number): Promise<void> {
    await this.#call({
      method: '/etcdserverpb.Lease/LeaseGrant',
      request: encodeLeaseGrant(lease, ttlSeconds),
      again: 'always',
      decode: nothing,
    });
  }

  /**
   * Renews a lease; answers how many seconds it has, 0 where it is not there. One message on what could be a stream.
   */
  async renewLease(lease: LeaseId): Promise<number> {
    return await this.#call({
      method: '/etcdserverpb.Lease/LeaseKeepAlive',
      request: encodeLease(lease),
      again: 'always',
      decode: decodeLeaseTtl,
    });
  }

  /** Ends a lease. Repeating it would be refused as not found, so a lost response is an error. */
  async revokeLease(lease: LeaseId): Promise<void> {
    await this.#call({
      method: '/etcdserverpb.Lease/LeaseRevoke',
      request: encodeLease(lease),
      again: 'if-nothing-happened',
      decode: nothing,
    });
  }

  /** The version of the member at the other end of a connection. */
  async version(session: GrpcSession): Promise<string> {
    const metadata = await this.#metadata(session);
    return decodeText(
      await session.unary('/etcdserverpb.Maintenance/Status', Buffer.alloc(0), {
        timeoutMs: this.#options.timeoutMs,
        metadata,
      }),
    );
  }

  /** Opens a stream of watches. Not tried again. */
  async watch(observer: WatchObserver): Promise<WatchStream> {
    const session = await this.#options.connection.connect();
    const metadata = await this.#metadata(session);
    const message = (bytes: Buffer): void => observer.answer(this.#note(decodeWatch(bytes)));
    return {
      session,
      stream: session.stream(
        '/etcdserverpb.Watch/Watch',
        { timeoutMs: Infinity, metadata },
        { message, end: observer.end },
      ),
    };
  }

  /** Asks for a new token before the next call. */
  forgetToken(): void {
    if (this.#options.auth !== undefined) this.#token = undefined;
  }

  async #call<T>(call: Call<T>): Promise<T> {
    const { clock, random, connection, signal, timeoutMs } = this.#options;
    const giveUpAtMs = clock.now() + 2 * timeoutMs;
    for (let backoff: BackoffState | undefined; ;) {
      if (signal.aborted) throw notSent('the store was closed');
      let session = connection.current;
      try {
        session ??= await connection.connect();
        return await this.#tryOnce(session, call);
      } catch (error) {
        if (!(error instanceof GrpcError)) throw error;
        const worthwhile =
          isOldToken(error) || (isTransient(error) && (call.again === 'always' || nothingHappened(error)));
        if (!worthwhile || clock.now() >= giveUpAtMs) throw error;
        if (session !== undefined && isTroubleOfMember(error)) connection.avoid(session);
        const step = backoffStep(ladder, backoff, { nowMs: clock.now(), random });
        backoff = step.state;
        await pauseUntilAborted(clock, step.delayMs, signal);
      }
    }
  }

  async #tryOnce<T>(session: GrpcSession, { method, request, decode }: Call<T>): Promise<T> {
    const { timeoutMs } = this.#options;
    const metadata = this.#token === '' ? withLeader : await this.#metadata(session);
    let answer;
    try {
      answer = await session.unary(method, request, { timeoutMs, metadata });
    } catch (error) {
      // Only the token that was refused: another call may have brought a new one meanwhile.
      if (isOldToken(error) && this.#token === metadata.token) this.forgetToken();
      throw error;
    }
    try {
      return decode(answer);
    } catch (error) {
      throw unreadableAnswer(error);
    }
  }

  #note<T extends { readonly revision: Revision }>(answer: T): T {
    if (answer.revision > this.#newest) this.#newest = answer.revision;
    return answer;
  }

  async #metadata(session: GrpcSession): Promise<CallMetadata> {
    const token = await this.#tokenFor(session);
    return token === '' ? withLeader : { ...withLeader, token };
  }

  /** The token to call with; empty where etcd wants none. */
  #tokenFor(session: GrpcSession): Promise<string> {
    if (this.#token !== undefined) return Promise.resolve(this.#token);
    this.#authenticating ??= this.#authenticate(session).finally(() => (this.#authenticating = undefined));
    return this.#authenticating;
  }

  async #authenticate(session: GrpcSession): Promise<string> {
    const { auth, timeoutMs } = this.#options;
    const request = encodeCredentials(auth?.username ?? '', auth?.password ?? '');
    try {
      this.#token = decodeText(
        await session.unary('/etcdserverpb.Auth/Authenticate', request, { timeoutMs, metadata: withLeader }),
      );
    } catch (error) {
      if (isRefusal(error, 'authNotEnabled')) this.#token = '';
      // The call that needed the token was not made, whatever became of this one.
      else if (error instanceof GrpcError)
        throw new GrpcError(error.status, error.message, { cause: error, reached: false });
      else throw error;
    }
    return this.#token;
  }
}

/** Returns whether etcd refused because the token has ended, or is older than the last change of users and roles. */
export function isOldToken(error: unknown): boolean {
  return isRefusal(error, 'invalidToken') || isRefusal(error, 'oldAuthRevision');
}

/** For answers that only say that it was done. */
function nothing(): void {
  return undefined;
}
