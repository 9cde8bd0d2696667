// Watches a cluster while subscribed: applies the events of all informers to the cache and the queue, in order.
//
// While a cycle reads the cluster asynchronously, the cache is held and events are buffered. If the buffer overflows,
// it is dropped and the informers are unsubscribed; after the cycle they are subscribed again and deliver complete
// lists. A kind that the server does not serve counts as a kind without objects, and its informer retries. Pods and
// nodes are served by every server: without them a failure is reported.
import { NEVER, defer, ignoreElements, merge, startWith, switchMap, tap } from 'rxjs';
import type { Observable } from 'rxjs';
import { Outlet } from '../../core/index.js';
import type { ApiObject, Frozen, WatcherEvent } from '../../core/index.js';
import type { Informers } from '../../client/index.js';
import { clusterEventHandlers } from './cluster-event-handlers.js';
import type { ClusterEventHandlersOptions } from './cluster-event-handlers.js';
import { kindInformers, isNotServed } from './kind-informers.js';
import type { KindInformer, WatchedKindName } from './kind-informers.js';

/** Options of `watchCluster`. */
export interface WatchClusterOptions extends ClusterEventHandlersOptions {
  readonly informers: Informers;
  /** The most events buffered while the cache is held. Default 100,000. */
  readonly bufferedMax?: number;
}

/** An event of the watch itself, for logs and readiness. */
export type ClusterWatchEvent =
  /** All kinds have been listed, and the cache is complete. Emitted once. */
  | { readonly type: 'synced' }
  /** The server does not serve the kind. Emitted once until it does. */
  | { readonly type: 'not-served'; readonly kind: WatchedKindName }
  /** A list or watch failed and is retried. */
  | { readonly type: 'failed'; readonly kind: WatchedKindName; readonly error: unknown; readonly retryInMs: number }
  /** A plugin threw while it handled a change. The cache was updated nevertheless. */
  | { readonly type: 'threw'; readonly kind: WatchedKindName; readonly error: unknown };

/** Watches a cluster. Cold; never completes and never errors. */
export function watchCluster(options: WatchClusterOptions): Observable<ClusterWatchEvent> {
  const { informers, cache, bufferedMax = 100_000 } = options;
  return defer(() => {
    const events = new Outlet<ClusterWatchEvent>();
    const emit = (event: ClusterWatchEvent): void => events.emit(event);
    const kinds = kindInformers({
      informers,
      cache,
      handlers: clusterEventHandlers(options),
      onError: (kind, error) => emit({ type: 'threw', kind, error }),
    });
    /** Whether the informers are to be subscribed. */
    const running = new Outlet<boolean>();
    let isRunning = true;
    const setRunning = (shouldRun: boolean): void => {
      if (isRunning === shouldRun) return;
      isRunning = shouldRun;
      running.emit(shouldRun);
    };
    const buffer = new EventBuffer<BufferedEvent>({
      isHeld: () => cache.held,
      deliver: eventApplier(kinds, emit),
      max: bufferedMax,
      overflow: () => setRunning(false),
    });

    const watches$ = merge(...kinds.map((kind) => kind.events$.pipe(tap((event) => buffer.add({ kind, event })))));
    const released$ = cache.released$.pipe(
      tap(() => {
        buffer.drain();
        setRunning(true);
      }),
    );
    const work$ = merge(
      running.values$.pipe(
        startWith(true),
        switchMap((shouldRun) => (shouldRun ? watches$ : NEVER)),
      ),
      released$,
    );
    return merge(events.values$, work$.pipe(ignoreElements()));
  });
}

interface BufferedEvent {
  readonly kind: KindInformer;
  readonly event: WatcherEvent<Frozen<ApiObject>>;
}

/** Returns a function that applies events and emits what they mean for the watch. */
function eventApplier(
  kinds: readonly KindInformer[],
  emit: (event: ClusterWatchEvent) => void,
): (buffered: BufferedEvent) => void {
  const unsynced = new Set(kinds);
  const notServed = new Set<KindInformer>();
  const markSynced = (kind: KindInformer): void => {
    if (unsynced.delete(kind) && unsynced.size === 0) emit({ type: 'synced' });
  };
  const failed = (kind: KindInformer, error: unknown, retryInMs: number): void => {
    if (isEssential(kind) || !isNotServed(error)) {
      emit({ type: 'failed', kind: kind.name, error, retryInMs });
      return;
    }
    kind.clear();
    if (!notServed.has(kind)) emit({ type: 'not-served', kind: kind.name });
    notServed.add(kind);
    markSynced(kind);
  };
  return ({ kind, event }) => {
    kind.apply(event);
    if (event.type === 'failed') failed(kind, event.error, event.retryInMs);
    if (event.type !== 'synced') return;
    notServed.delete(kind);
    markSynced(kind);
  };
}

function isEssential({ name }: KindInformer): boolean {
  return name === 'Pod' || name === 'Node';
}

/** Options of an event buffer. */
export interface EventBufferOptions<E> {
  /** Whether delivery is paused. */
  isHeld(): boolean;
  /** Handles an event. Must not throw. */
  deliver(event: E): void;
  /** The most events buffered. */
  readonly max: number;
  /** Called after all buffered events were dropped. */
  overflow(): void;
}

/**
 * Delivers events in order, one at a time: at once, unless delivery is paused or another event is being delivered.
 * Bounded; when it is full, all buffered events are dropped.
 */
export class EventBuffer<E> {
  readonly #options: EventBufferOptions<E>;
  #events: E[] = [];
  /** Number of events in `#events` that were delivered. */
  #delivered = 0;
  #isDelivering = false;

  constructor(options: EventBufferOptions<E>) {
    this.#options = options;
  }

  /** Appends an event and delivers what is possible. */
  add(event: E): void {
    if (this.#events.length - this.#delivered >= this.#options.max) {
      this.#clear();
      this.#options.overflow();
      return;
    }
    this.#events.push(event);
    this.drain();
  }

  /** Delivers buffered events. Called when delivery is no longer paused. */
  drain(): void {
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    while (this.#delivered < this.#events.length && !this.#options.isHeld())
      this.#options.deliver(this.#events[this.#delivered++] as E); // below the length
    if (this.#delivered === this.#events.length) this.#clear();
    this.#isDelivering = false;
  }

  #clear(): void {
    this.#events = [];
    this.#delivered = 0;
  }
}
