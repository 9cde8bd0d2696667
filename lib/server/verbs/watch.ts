// watch: the changes of a selection of objects after a revision. As apiserver/pkg/endpoints/handlers/get.go and
// SetListOptionsDefaults of meta/internalversion, by which a watch without a revision starts with the current state.
import { map, takeUntil } from 'rxjs';
import type { Observable } from 'rxjs';
import { decodeValue, printGroupVersion } from '../../core/index.js';
import type {
  Clock,
  Frozen,
  ApiObject,
  Random,
  RawEvent,
  BookmarkEvent,
  RequestInfo,
  RequestOptions,
  WatchResponse,
} from '../../core/index.js';
import type { CacheEvent, CacheWatchOptions } from '../../cacher/index.js';
import { checkWatchOptions, watchRevision } from '../requests/read-options.js';
import type { Exchange } from '../pipeline.js';
import type { ResourceEndpoint } from '../registry/endpoint.js';
import { selectionOf } from '../registry/selection.js';
import type { StoredObject } from '../registry/stored-kind.js';

/** Time limits of watches. */
export interface WatchTiming {
  readonly clock: Clock;
  readonly random: Random;
  /** The minimum duration of a watch that requests no timeout; it ends between this and twice this. */
  readonly minTimeoutMs: number;
}

/** Responds with the stream of events. */
export function watch(endpoint: ResourceEndpoint, { request }: Exchange, timing: WatchTiming): WatchResponse {
  const form = request.negotiate(endpoint.offer);
  const options = request.options();
  checkWatchOptions(options);
  const events = watchSelection(endpoint, request.info, options);
  const timeoutMs = (options.timeoutSeconds ?? 0) * 1000 || timing.minTimeoutMs * (1 + timing.random.next());
  return {
    type: 'watch',
    bookmark: (event) => bookmarkOf(endpoint, event),
    form,
    events: events.pipe(takeUntil(timing.clock.timer(timeoutMs))),
  };
}

/** The object of a bookmark: an empty object of the kind, as Go prints it. */
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

/** Emits the events of the selection. Cold. */
export function watchSelection(
  endpoint: ResourceEndpoint,
  info: RequestInfo,
  options: RequestOptions,
): Observable<RawEvent<Frozen<ApiObject>>> {
  const { fromHub, stored } = endpoint;
  const source = stored.cacher.watch({ ...selectionOf(endpoint, info, options), ...startOf(options) });
  return source.pipe(map((event) => rawEvent(event, fromHub)));
}

function startOf({
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
  // Without a revision and without initial events: changes from now on.
  return isAny ? bookmarks : { after: revision, ...bookmarks };
}

function rawEvent(event: CacheEvent<StoredObject>, fromHub: ResourceEndpoint['fromHub']): RawEvent<Frozen<ApiObject>> {
  if (event.type !== 'BOOKMARK') return { type: event.type, object: fromHub(event.object) };
  const resourceVersion = `${event.revision}`;
  return event.initialEventsEnd === true
    ? { type: 'BOOKMARK', resourceVersion, initialEventsEnd: true }
    : { type: 'BOOKMARK', resourceVersion };
}
