// Follows a cluster through its API for as long as somebody subscribes: watches pods, nodes and all else that decides
// where pods may go, and feeds the cache and the queue with what the watches tell, each change at once and in order.
//
// While a cycle looks at the cluster for longer than a moment the cache is held, and what is told waits. If too much
// waits it is dropped and the watches let go; they list anew when the cycle is over, as any watcher does that was too
// slow. A kind that the server does not serve counts as one without objects. It is asked for again at the watcher's
// pace. Only pods and nodes every server has: who says otherwise is no server, or not yet.
import { NEVER, defer, ignoreElements, merge, startWith, switchMap, tap } from 'rxjs';
import type { Observable } from 'rxjs';
import { Outlet } from '../../core/index.js';
import type { ApiObject, Clock, Frozen, Random, WatcherEvent } from '../../core/index.js';
import type { Client } from '../../client/index.js';
import { clusterFeed } from './cluster-feed.js';
import type { ClusterFeedOptions } from './cluster-feed.js';
import { followedKinds, isNotServed } from './followed-kinds.js';
import type { FollowedKind, FollowedName } from './followed-kinds.js';
import { WaitingLine } from './waiting-line.js';

/** Whom to follow, and who is fed. */
export interface FollowClusterOptions extends ClusterFeedOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  /** The most events that wait while the cache is held. Default 100 000. */
  readonly waitingMax?: number;
}

/** What there is to tell while a cluster is followed. */
export type ClusterNews =
  /** All kinds have been listed: the cache knows what there is. Told once. */
  | { readonly type: 'synced' }
  /** The server does not have the kind. Told once until it has. */
  | { readonly type: 'not-served'; readonly kind: FollowedName }
  /** A call failed, and is made again. */
  | { readonly type: 'failed'; readonly kind: FollowedName; readonly error: unknown; readonly retryInMs: number }
  /** A plugin threw when it was asked about a change. The cache has followed the change all the same. */
  | { readonly type: 'threw'; readonly kind: FollowedName; readonly error: unknown };

/** Follows a cluster. Cold, endless, without errors. */
export function followCluster(options: FollowClusterOptions): Observable<ClusterNews> {
  const { client, cache, clock, random, waitingMax = 100_000 } = options;
  return defer(() => {
    const news = new Outlet<ClusterNews>();
    const tell = (each: ClusterNews): void => news.emit(each);
    const kinds = followedKinds({
      client,
      cache,
      feed: clusterFeed(options),
      threw: (kind, error) => tell({ type: 'threw', kind, error }),
    });
    /** Whether the watches are to run. */
    const running = new Outlet<boolean>();
    let isRunning = true;
    const run = (shall: boolean): void => {
      if (isRunning === shall) return;
      isRunning = shall;
      running.emit(shall);
    };
    const line = new WaitingLine<Heard>({
      isHeld: () => cache.held,
      hand: taker(kinds, tell),
      max: waitingMax,
      overflow: () => run(false),
    });

    const watches$ = merge(
      ...kinds.map((kind) =>
        kind.watch(clock, random.stream(kind.name)).pipe(tap((event) => line.add({ kind, event }))),
      ),
    );
    const released$ = cache.released$.pipe(
      tap(() => {
        line.handOn();
        run(true);
      }),
    );
    const work$ = merge(
      running.values$.pipe(
        startWith(true),
        switchMap((shall) => (shall ? watches$ : NEVER)),
      ),
      released$,
    );
    return merge(news.values$, work$.pipe(ignoreElements()));
  });
}

interface Heard {
  readonly kind: FollowedKind;
  readonly event: WatcherEvent<Frozen<ApiObject>>;
}

/** Takes events in, and tells what there is to tell about it. */
function taker(kinds: readonly FollowedKind[], tell: (news: ClusterNews) => void): (heard: Heard) => void {
  const unsynced = new Set(kinds);
  const notServed = new Set<FollowedKind>();
  const known = (kind: FollowedKind): void => {
    if (unsynced.delete(kind) && unsynced.size === 0) tell({ type: 'synced' });
  };
  const failed = (kind: FollowedKind, error: unknown, retryInMs: number): void => {
    if (isEssential(kind) || !isNotServed(error)) {
      tell({ type: 'failed', kind: kind.name, error, retryInMs });
      return;
    }
    kind.clear();
    if (!notServed.has(kind)) tell({ type: 'not-served', kind: kind.name });
    notServed.add(kind);
    known(kind);
  };
  return ({ kind, event }) => {
    kind.take(event);
    if (event.type === 'failed') failed(kind, event.error, event.retryInMs);
    if (event.type !== 'synced') return;
    notServed.delete(kind);
    known(kind);
  };
}

function isEssential({ name }: FollowedKind): boolean {
  return name === 'Pod' || name === 'Node';
}
