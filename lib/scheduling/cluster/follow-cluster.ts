// Follows a cluster for as long as it is subscribed to: feeds the cache and the queue with the events of the informers
// of pods, nodes and all else that decides where pods may go, each change at once and in order.
//
// While a cycle reads the cluster for longer than a moment the cache is held, and events wait. If too many wait, they
// are dropped and the informers are unsubscribed from; when the cycle is over they deliver the whole list. A kind that
// the server does not serve counts as one without objects, and is requested again at the informer's pace. Only pods and
// nodes are served by every server: a server without them is reported as a failure.
import { NEVER, defer, ignoreElements, merge, startWith, switchMap, tap } from 'rxjs';
import type { Observable } from 'rxjs';
import { Outlet } from '../../core/index.js';
import type { ApiObject, Frozen, WatcherEvent } from '../../core/index.js';
import type { Informers } from '../../client/index.js';
import { clusterFeed } from './cluster-feed.js';
import type { ClusterFeedOptions } from './cluster-feed.js';
import { followedKinds, isNotServed } from './followed-kinds.js';
import type { FollowedKind, FollowedName } from './followed-kinds.js';
import { WaitingLine } from './waiting-line.js';

/** Whom to follow, and who is fed. */
export interface FollowClusterOptions extends ClusterFeedOptions {
  readonly informers: Informers;
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
  const { informers, cache, waitingMax = 100_000 } = options;
  return defer(() => {
    const news = new Outlet<ClusterNews>();
    const tell = (each: ClusterNews): void => news.emit(each);
    const kinds = followedKinds({
      informers,
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

    const watches$ = merge(...kinds.map((kind) => kind.events$.pipe(tap((event) => line.add({ kind, event })))));
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
