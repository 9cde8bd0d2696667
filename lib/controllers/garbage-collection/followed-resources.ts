// Follows all resources whose objects can be garbage: those with delete, list and watch, each in its preferred version.
// Resources are discovered at the start and after each change of what the server serves; informers of new ones start,
// those of removed ones stop. The informers are shared with all other controllers: in process an object of a snapshot
// is the object of the store, so that watching the whole object costs no more than its metadata would, and over HTTP
// kube-controller-manager shares the informers of built-in kinds in the same way.
import { EMPTY, catchError, concat, connect, defer, filter, from, map, merge, mergeMap, of } from 'rxjs';
import { switchMap, takeUntil, tap } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Client, Discovered, DiscoveredResource, Informers, KindName, Stored } from '../../client/index.js';
import { printGroupResource, printGroupVersion } from '../../core/index.js';
import type { Clock, WatcherEvent } from '../../core/index.js';

/** Discovery has new resources. */
export interface ResourcesDiscovered {
  readonly type: 'discovered';
  readonly discovered: Discovered;
}

/** Discovery failed, and is repeated. */
export interface DiscoveryFailed {
  readonly type: 'failed';
  readonly error: unknown;
  readonly retryInMs: number;
}

/** An event of what is followed. */
export type FollowedEvent =
  | ResourcesDiscovered
  | DiscoveryFailed
  /** An event of the objects of a kind. */
  | { readonly type: 'objects'; readonly kind: KindName; readonly event: WatcherEvent<Stored> }
  /** A kind is no longer followed: its events end. */
  | { readonly type: 'stopped'; readonly kind: KindName }
  /** Every resource of the first discovery has been listed, or its list has failed. */
  | { readonly type: 'synced' };

/** Options of `followResources`. */
export interface FollowResourcesOptions {
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Clock;
  /** Emits when the server may serve other resources. Default: every 30 s, as kube-controller-manager. */
  readonly resourceChanges$?: Observable<unknown>;
}

/** Emits the events of all resources while it is subscribed. Never errors. */
export function followResources({
  client,
  informers,
  clock,
  resourceChanges$ = clock.interval(discoveryMs),
}: FollowResourcesOptions): Observable<FollowedEvent> {
  return defer(() => {
    const followed = new FollowedSet();
    const discoveries$ = concat(of(undefined), resourceChanges$).pipe(switchMap(() => discovery(client, clock)));
    const follow = (
      key: string,
      resource: DiscoveredResource,
      changes$: Observable<ResourcesDiscovered | DiscoveryFailed>,
    ): Observable<FollowedEvent> => {
      const kind: KindName = { apiVersion: printGroupVersion(resource), kind: resource.kind };
      const events$ = informers.resource(resource).events$.pipe(
        mergeMap((event): readonly FollowedEvent[] => {
          const isListed = (event.type === 'synced' || event.type === 'failed') && followed.markListed(key);
          const objects: FollowedEvent = { type: 'objects', kind, event };
          return isListed ? [objects, { type: 'synced' }] : [objects];
        }),
        takeUntil(changes$.pipe(filter(() => !followed.has(key)))),
      );
      return concat(events$, of<FollowedEvent>({ type: 'stopped', kind }));
    };
    return discoveries$.pipe(
      connect((shared$) =>
        merge(
          shared$,
          shared$.pipe(
            mergeMap((event) => (event.type === 'discovered' ? followed.update(event.discovered) : EMPTY)),
            mergeMap(([key, resource]) => follow(key, resource, shared$)),
          ),
        ),
      ),
    );
  });
}

/** As kube-controller-manager, newGarbageCollectorController. */
const discoveryMs = 30_000;

/** Discovers once; again after a while if it fails. */
function discovery(client: Client, clock: Clock): Observable<ResourcesDiscovered | DiscoveryFailed> {
  const found$ = defer(() => {
    const aborter = new AbortController();
    return from(client.discover({ fresh: true, signal: aborter.signal })).pipe(
      map((discovered): ResourcesDiscovered => ({ type: 'discovered', discovered })),
      tap({ unsubscribe: () => aborter.abort() }),
    );
  });
  return found$.pipe(
    catchError((error: unknown) =>
      concat(
        of<DiscoveryFailed>({ type: 'failed', error, retryInMs: discoveryMs }),
        clock.timer(discoveryMs).pipe(switchMap(() => discovery(client, clock))),
      ),
    ),
  );
}

/** The resources that are followed, and which of the first ones have not been listed yet. */
class FollowedSet {
  #resources: ReadonlyMap<string, DiscoveredResource> = new Map();
  #unlisted: Set<string> | undefined;

  has(key: string): boolean {
    return this.#resources.has(key);
  }

  /** Takes over what was discovered and returns the resources that are new. */
  update(discovered: Discovered): readonly (readonly [string, DiscoveredResource])[] {
    const before = this.#resources;
    this.#resources = collectableResources(discovered, before);
    this.#unlisted ??= new Set(this.#resources.keys());
    return [...this.#resources].filter(([key]) => !before.has(key));
  }

  /** Returns whether it was the last of the first resources that had not been listed. */
  markListed(key: string): boolean {
    return this.#unlisted?.delete(key) === true && this.#unlisted.size === 0;
  }
}

/**
 * Returns the resources to follow. Those of a version that did not respond stay. As GetDeletableResources; Events are
 * left out because there are many and they own nothing.
 */
function collectableResources(
  { resources, failed }: Discovered,
  before: ReadonlyMap<string, DiscoveredResource>,
): ReadonlyMap<string, DiscoveredResource> {
  const preferred = new Map<string, DiscoveredResource>();
  for (const resource of resources) {
    const key = printGroupResource(resource);
    if (!preferred.has(key)) preferred.set(key, resource);
  }
  const unknown = new Set(failed.map(printGroupVersion));
  for (const [key, resource] of before)
    if (!preferred.has(key) && unknown.has(printGroupVersion(resource))) preferred.set(key, resource);
  return new Map(
    [...preferred].filter(([key, { verbs }]) => !isEvents(key) && neededVerbs.every((verb) => verbs.includes(verb))),
  );
}

const neededVerbs = ['delete', 'list', 'watch'];

function isEvents(key: string): boolean {
  return key === 'events' || key === 'events.events.k8s.io';
}
