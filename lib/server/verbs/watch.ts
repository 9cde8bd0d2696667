// watch: what happens to a selection of objects, from a revision on. As apiserver/pkg/endpoints/handlers/get.go and the
// defaulting of meta/internalversion SetListOptionsDefaults, by which a watch without a revision begins with what there
// is.
import { map, takeUntil } from 'rxjs';
import type { Observable } from 'rxjs';
import { decodeValue, printGroupVersion } from '../../core/index.js';
import type { Clock, Frozen, ApiObject, Random, RawEvent } from '../../core/index.js';
import type { BookmarkEvent, RequestInfo, RequestOptions, WatchResponse } from '../../client/index.js';
import type { CacheEvent, CacheWatchOptions } from '../../cacher/index.js';
import { checkWatchOptions } from '../requests/check-options.js';
import type { Exchange } from '../requests/exchange.js';
import { watchRevision } from '../requests/resource-version.js';
import type { ResourceEndpoint } from '../registry/endpoint.js';
import { selectionOf } from '../registry/selection.js';
import type { StoredObject } from '../registry/stored-kind.js';

/** What watches are timed with. */
export interface WatchTiming {
  readonly clock: Clock;
  readonly random: Random;
  /** A watch without a time limit of its own ends after this long, or up to twice as long. */
  readonly minTimeoutMs: number;
}

/** Answers with the stream of events. */
export function watch(endpoint: ResourceEndpoint, { request }: Exchange, timing: WatchTiming): WatchResponse {
  const form = request.negotiate(endpoint.offer);
  const options = request.options();
  checkWatchOptions(options);
  const events = watchOf(endpoint, request.info, options);
  const timeoutMs = (options.timeoutSeconds ?? 0) * 1000 || timing.minTimeoutMs * (1 + timing.random.next());
  return {
    type: 'watch',
    bookmark: (event) => bookmarkOf(endpoint, event),
    form,
    events: events.pipe(takeUntil(timing.clock.timer(timeoutMs))),
  };
}

/** An empty object of the kind, as Go prints it. */
function bookmarkOf(
  { served, gvk }: ResourceEndpoint,
  { resourceVersion, initialEventsEnd }: BookmarkEvent,
): Frozen<ApiObject> {
  const annotations = initialEventsEnd === true ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {};
  return {
    ...decodeValue(served.type(), {}).object,
    kind: gvk.kind,
    apiVersion: printGroupVersion(gvk),
    metadata: { resourceVersion, ...annotations },
  };
}

/** The events themselves, for whoever needs them. */
export function watchOf(
  endpoint: ResourceEndpoint,
  info: RequestInfo,
  options: RequestOptions,
): Observable<RawEvent<Frozen<ApiObject>>> {
  const { fromHub, stored } = endpoint;
  const source = stored.cacher.watch({ ...selectionOf(endpoint, info, options), ...beginning(options) });
  return source.pipe(map((event) => rawEvent(event, fromHub)));
}

function beginning({
  resourceVersion = '',
  sendInitialEvents,
  allowWatchBookmarks,
}: RequestOptions): CacheWatchOptions<StoredObject> {
  const bookmarks = allowWatchBookmarks === true ? { bookmarks: true } : {};
  const revision = resourceVersion === '' ? undefined : watchRevision(resourceVersion);
  const isAny = revision === undefined || revision === 0;
  const withState = sendInitialEvents ?? isAny;
  if (withState) {
    return { initial: true, ...bookmarks, ...(revision !== undefined && { notOlderThan: revision }) };
  }
  // From now on, where nothing was asked to begin with.
  return isAny ? bookmarks : { after: revision, ...bookmarks };
}

function rawEvent(event: CacheEvent<StoredObject>, fromHub: ResourceEndpoint['fromHub']): RawEvent<Frozen<ApiObject>> {
  if (event.type !== 'BOOKMARK') return { type: event.type, object: fromHub(event.object) };
  const resourceVersion = `${event.revision}`;
  return event.initialEventsEnd === true
    ? { type: 'BOOKMARK', resourceVersion, initialEventsEnd: true }
    : { type: 'BOOKMARK', resourceVersion };
}
