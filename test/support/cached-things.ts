// A small resource to try the cacher with: things in namespaces, with a colour to select by and a node to be found by.
import { fromEvent, takeUntil } from 'rxjs';
import type { Observable } from 'rxjs';
import { createCacher } from '../../lib/cacher/index.js';
import type { CacheEvent, Cacher, CacherLimits, CacherOptions } from '../../lib/cacher/index.js';
import type { Clock } from '../../lib/core/index.js';
import type { Entry, Outcome, Store } from '../../lib/storage/index.js';

export interface Thing {
  /** `namespace/name` */
  readonly key: string;
  readonly colour: string;
  readonly node: string;
  readonly resourceVersion: string;
}

export const prefix = '/registry/things/';

export function thingCacher(
  store: Store,
  clock: Clock,
  rest: Partial<CacherOptions<Thing>> & { readonly limits?: Partial<CacherLimits> } = {},
): Cacher<Thing> {
  return createCacher<Thing>({
    store,
    clock,
    prefix,
    namespaced: true,
    read: readThing,
    withRevision: (thing, revision) => Object.freeze({ ...thing, resourceVersion: `${revision}` }),
    triggers: { node: ({ node }) => node },
    ...rest,
  });
}

export function readThing({ key, value, modRevision }: Entry): Thing {
  return Object.freeze({
    key: key.slice(prefix.length),
    colour: text(value.colour),
    node: text(value.node),
    resourceVersion: `${modRevision}`,
  });
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function put(store: Store, key: string, colour: string, node = ''): Promise<Outcome> {
  return store.commit({ put: [{ key: prefix + key, value: { colour, node } }] });
}

export function remove(store: Store, key: string): Promise<Outcome> {
  return store.commit({ delete: [prefix + key] });
}

/** A watch that is subscribed and what came of it. */
export interface Recording<T> {
  readonly events: readonly T[];
  /** How it ended: 'completed', or the error. */
  readonly end: unknown;
  stop(): void;
}

export function record<T>(source$: Observable<T>, onEvent: (event: T) => void = () => undefined): Recording<T> {
  const stopped = new AbortController();
  const events: T[] = [];
  let end: unknown;
  source$.pipe(takeUntil(fromEvent(stopped.signal, 'abort'))).subscribe({
    next: (event) => {
      events.push(event);
      onEvent(event);
    },
    error: (error: unknown) => (end = error),
    complete: () => (end = 'completed'),
  });
  return {
    events,
    get end() {
      return end;
    },
    stop: () => stopped.abort(),
  };
}

/** An event in one line: `ADDED a/x red 5`, `BOOKMARK 7`. */
export function line(event: CacheEvent<Thing>): string {
  if (event.type === 'BOOKMARK') return `BOOKMARK ${event.revision}${event.initialEventsEnd === true ? ' end' : ''}`;
  const { key, colour, resourceVersion } = event.object;
  return `${event.type} ${key} ${colour} ${resourceVersion}${resourceVersion === `${event.revision}` ? '' : ` at ${event.revision}`}`;
}
