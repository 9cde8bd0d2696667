// A collection with a true state and an unreliable connection to it: pages that come slowly, calls that fail, watches
// that are cut, that expire, or that fall silent without an end. What goes wrong is drawn from `random` while `faulty`.
import { concat, defer, finalize, firstValueFrom, from, fromEvent, map, merge, mergeMap, NEVER } from 'rxjs';
import { takeUntil, throwError, type Observable } from 'rxjs';
import { continueExpired, tooOldResourceVersion } from '../../lib/core/errors/object-errors.js';
import { internalError, tooManyRequests } from '../../lib/core/errors/server-errors.js';
import type { ListOptions, ListWatch, Page, RawEvent, WatchOptions } from '../../lib/core/streams/list-watch.js';
import { Outlet } from '../../lib/core/streams/outlet.js';
import type { Clock } from '../../lib/core/time/clock.js';
import type { Random } from '../../lib/core/time/random.js';

export interface Thing {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly resourceVersion: string };
  readonly colour: string;
}

interface Change {
  readonly revision: number;
  readonly event: RawEvent<Thing> & { readonly object: Thing };
}

export class FlakyCollection implements ListWatch<Thing> {
  faulty = true;
  /** Calls under way, lists and watches. More than one at a time is a mistake of the watcher. */
  open = 0;
  openMax = 0;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #changes: Change[] = [];
  readonly #outlet = new Outlet<Change>();
  #compacted = 0;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  get revision(): number {
    return this.#changes.length;
  }

  get listeners(): number {
    return this.#outlet.subscribers;
  }

  put(name: string, colour: string): void {
    const known = this.state().has(name);
    this.#commit(known ? 'MODIFIED' : 'ADDED', { metadata: this.#meta(name), colour });
  }

  remove(name: string): void {
    const old = this.state().get(name);
    if (old) this.#commit('DELETED', { ...old, metadata: this.#meta(name) });
  }

  /** Forgets the changes so far: who resumes before this point, or continues a list from before, has expired. */
  compact(): void {
    this.#compacted = this.revision;
  }

  state(revision = this.revision): Map<string, Thing> {
    const state = new Map<string, Thing>();
    for (const { event } of this.#changes.slice(0, revision)) {
      if (event.type === 'DELETED') state.delete(event.object.metadata.name);
      else state.set(event.object.metadata.name, event.object);
    }
    return state;
  }

  async list(options: ListOptions): Promise<Page<Thing>> {
    this.#begin();
    try {
      if (this.faulty) await this.#wait(this.#random.integer(2000), options.signal);
      if (this.faulty && this.#random.integer(4) === 0) throw this.#failure();
      const [revision = this.revision, start = 0] = options.continue?.split(':').map(Number) ?? [];
      if (options.continue !== undefined && revision < this.#compacted) throw continueExpired('fresh');
      const all = [...this.state(revision).values()].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
      const end = start + (options.limit ?? Infinity);
      return {
        items: all.slice(start, end),
        resourceVersion: `${revision}`,
        ...(end < all.length && { continue: `${revision}:${end}` }),
      };
    } finally {
      this.open -= 1;
    }
  }

  watch(options: WatchOptions): Observable<RawEvent<Thing>> {
    return defer(() => {
      this.#begin();
      const since = Number(options.resourceVersion);
      if (since < this.#compacted) return throwError(() => tooOldResourceVersion(`${since}`, `${this.#compacted}`));
      const bookmarks$ = this.#clock
        .interval(60_000)
        .pipe(map((): RawEvent<Thing> => ({ type: 'BOOKMARK', resourceVersion: `${this.revision}` })));
      const live$ = this.#outlet.values$.pipe(map(({ event }): RawEvent<Thing> => event));
      const backlog = this.#changes.slice(since).map(({ event }): RawEvent<Thing> => event);
      const healthy$ = merge(concat(from(backlog), NEVER), live$, bookmarks$).pipe(
        takeUntil(this.#clock.timer((options.timeoutSeconds ?? 1800) * 1000)),
      );
      return this.faulty ? this.#broken(healthy$) : healthy$;
    }).pipe(finalize(() => (this.open -= 1)));
  }

  #broken(healthy$: Observable<RawEvent<Thing>>): Observable<RawEvent<Thing>> {
    const until$ = this.#clock.timer(this.#random.integer(90_000));
    const cut$ = healthy$.pipe(takeUntil(until$));
    switch (this.#random.integer(5)) {
      case 0:
        return throwError(() => this.#failure());
      case 1:
        return cut$; // closed in good order
      case 2:
        return concat(cut$, NEVER); // dead, without an error
      case 3:
        return merge(healthy$, until$.pipe(mergeMap(() => throwError(() => this.#failure()))));
      default:
        return healthy$;
    }
  }

  async #wait(ms: number, signal: AbortSignal = new AbortController().signal): Promise<void> {
    const aborted$ = fromEvent(signal, 'abort');
    await firstValueFrom(this.#clock.timer(ms).pipe(takeUntil(aborted$)), { defaultValue: undefined });
    signal.throwIfAborted();
  }

  #failure(): Error {
    const failures = [new Error('connection reset'), internalError('etcd is away'), tooManyRequests('slow down', 1)];
    return this.#random.pick(failures);
  }

  #begin(): void {
    this.open += 1;
    this.openMax = Math.max(this.openMax, this.open);
  }

  #meta(name: string): Thing['metadata'] {
    return { name, namespace: 'default', resourceVersion: `${this.revision + 1}` };
  }

  #commit(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: Thing): void {
    const change: Change = { revision: this.revision + 1, event: { type, object } };
    this.#changes.push(change);
    this.#outlet.emit(change);
  }
}
