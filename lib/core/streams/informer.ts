// An informer: one watch of a collection, shared by all its subscribers, and the snapshot that it keeps.
//
// Events are serialised: each is written to the snapshot and then delivered to every subscriber before the next one is
// taken, also when a subscriber causes further events. A subscriber that joins waits for its turn in the same queue and
// receives the snapshot as a list (init, listed …, synced). So a late subscriber sees what an early one sees, without
// a new list, and no subscriber receives an event that the snapshot does not reflect yet.
//
// The watch starts with the first subscriber and stops with the last; the snapshot is then cleared, and the next
// subscriber lists anew. As client-go/tools/cache/shared_informer.go.

import { Observable, Subscription, defer, type Subscriber } from 'rxjs';
import type { ApiObject, Frozen } from '../objects/meta.js';
import type { Indexes } from './indexed-objects.js';
import { Outlet } from './outlet.js';
import { snapshotWriter, type Snapshot, type SnapshotWriter } from './snapshot.js';
import type { Failed, WatcherEvent } from './watch-event.js';

/**
 * A shared watch and its snapshot. The snapshot is empty while `events$` has no subscriber: a reader keeps a
 * subscription.
 */
export interface Informer<T, Index extends string = never> extends Snapshot<T, Index> {
  /**
   * The events of the shared watch, beginning with a list: `init`, one `listed` per object, `synced`. Never errors,
   * unless an index function throws; completes when the source does.
   */
  readonly events$: Observable<WatcherEvent<T>>;
  /** The same informer with these indexes. Equal index functions share one index, however many readers use them. */
  indexedBy<Other extends string>(indexes: Indexes<T, Other>): Informer<T, Other>;
}

/** Shares one subscription to `source$`, a dependable watch such as `watcher` returns. Inert until subscribed. */
export function informer<T extends Frozen<ApiObject>>(source$: Observable<WatcherEvent<T>>): Informer<T> {
  const writer = snapshotWriter<T>({});
  let shared: SharedWatch<T> | undefined;
  const events$ = new Observable<WatcherEvent<T>>((subscriber) => {
    shared ??= new SharedWatch(source$, writer, () => {
      shared = undefined;
      writer.clear();
    });
    return shared.join(subscriber);
  });
  const view = <Index extends string>(snapshot: Snapshot<T, Index>): Informer<T, Index> => ({
    events$,
    indexedBy: (indexes) => view(writer.view(indexes)),
    get: (key) => snapshot.get(key),
    list: () => snapshot.list(),
    by: (index, value) => snapshot.by(index, value),
    get resourceVersion() {
      return snapshot.resourceVersion;
    },
    get ready() {
      return snapshot.ready;
    },
  });
  return view(writer.snapshot);
}

/**
 * One informer per key, so that everyone who uses the same key shares one watch. Keys are kept; an informer without
 * subscribers holds no objects.
 */
export class InformerPool {
  readonly #informers = new Map<string, unknown>();

  /** The informer of that key. `open` returns its source, each time the watch starts. A key has one type of object. */
  get<T extends Frozen<ApiObject>>(key: string, open: () => Observable<WatcherEvent<T>>): Informer<T> {
    const found = this.#informers.get(key);
    if (found !== undefined) return found as Informer<T>;
    const made = informer(defer(open));
    this.#informers.set(key, made);
    return made;
  }
}

type Task<T> =
  | WatcherEvent<T>
  | { readonly type: 'join'; readonly subscriber: Subscriber<WatcherEvent<T>> }
  | { readonly type: 'end'; readonly notify: (subscriber: Subscriber<WatcherEvent<T>>) => void };

/** One run of the watch: from the first subscriber to the last, or to the end of the source. */
class SharedWatch<T extends Frozen<ApiObject>> {
  readonly #source$: Observable<WatcherEvent<T>>;
  readonly #writer: SnapshotWriter<T>;
  readonly #ended: () => void;
  readonly #tasks = new Outlet<Task<T>>();
  readonly #running = new Subscription();
  /** All subscribers. */
  readonly #joined = new Set<Subscriber<WatcherEvent<T>>>();
  /** Those that have received the list. */
  readonly #listening = new Set<Subscriber<WatcherEvent<T>>>();
  #isConnected = false;
  #isListing = false;
  /** The failure that the watch has not recovered from. */
  #failure: Failed | undefined;

  constructor(source$: Observable<WatcherEvent<T>>, writer: SnapshotWriter<T>, ended: () => void) {
    this.#source$ = source$;
    this.#writer = writer;
    this.#ended = ended;
    this.#running.add(
      this.#tasks.values$.subscribe({
        next: (task) => this.#take(task),
        error: (error: unknown) => this.#end((subscriber) => subscriber.error(error)),
      }),
    );
  }

  join(subscriber: Subscriber<WatcherEvent<T>>): () => void {
    this.#joined.add(subscriber);
    this.#tasks.emit({ type: 'join', subscriber });
    if (!this.#isConnected) this.#connect();
    return () => {
      this.#joined.delete(subscriber);
      this.#listening.delete(subscriber);
      if (this.#joined.size === 0) this.#end(() => undefined);
    };
  }

  #connect(): void {
    this.#isConnected = true;
    this.#running.add(
      this.#source$.subscribe({
        next: (event) => this.#tasks.emit(event),
        error: (error: unknown) => this.#tasks.emit({ type: 'end', notify: (subscriber) => subscriber.error(error) }),
        complete: () => this.#tasks.emit({ type: 'end', notify: (subscriber) => subscriber.complete() }),
      }),
    );
  }

  /** Stops the watch, then notifies the subscribers that are left. */
  #end(notify: (subscriber: Subscriber<WatcherEvent<T>>) => void): void {
    if (this.#running.closed) return;
    this.#running.unsubscribe();
    this.#ended();
    for (const subscriber of [...this.#joined]) notify(subscriber);
  }

  #take(task: Task<T>): void {
    if (task.type === 'join') this.#replay(task.subscriber);
    else if (task.type === 'end') this.#end(task.notify);
    else this.#deliver(task);
  }

  #deliver(received: WatcherEvent<T>): void {
    if (received.type === 'failed') this.#failure = received;
    else if (received.type !== 'init') this.#failure = undefined;
    if (received.type === 'init') this.#isListing = true;
    else if (received.type === 'synced') this.#isListing = false;
    try {
      for (const event of this.#writer.write(received)) {
        for (const subscriber of this.#listening) subscriber.next(event);
      }
    } catch (error) {
      this.#end((subscriber) => subscriber.error(error));
    }
  }

  #replay(subscriber: Subscriber<WatcherEvent<T>>): void {
    if (subscriber.closed) return;
    const { resourceVersion } = this.#writer.snapshot;
    if (resourceVersion !== undefined) {
      subscriber.next({ type: 'init' });
      for (const object of this.#writer.snapshot.list()) subscriber.next({ type: 'listed', object });
      subscriber.next({ type: 'synced', resourceVersion });
    }
    if (this.#isListing) subscriber.next({ type: 'init' });
    if (this.#failure !== undefined) subscriber.next(this.#failure);
    this.#listening.add(subscriber);
  }
}
