// A controller: watches objects, turns their changes into items of a work queue, and reconciles one item per key at a
// time. It reads as a sentence: what it is for, what it owns, what else it watches, and how it reconciles. The first
// reconcile waits until every informer has listed. Failures are retried with client-go's rate limit; while a key waits
// for its retry it occupies no worker. As controller-runtime/pkg/builder and kube-runtime/src/controller.
import {
  EMPTY,
  catchError,
  concat,
  defer,
  finalize,
  from,
  ignoreElements,
  merge,
  mergeMap,
  of,
  switchMap,
  tap,
} from 'rxjs';
import type { Observable } from 'rxjs';
import { Outlet, controllerOf, namespacedName, printNamespacedName } from '../../core/index.js';
import type {
  Activity,
  Applied,
  BackoffLadder,
  Clock,
  Deleted,
  Failed,
  Informer,
  Listed,
  NamespacedName,
  Part,
  RequestCause,
} from '../../core/index.js';
import type { Stored } from '../resources/resource-client.js';
import { WorkQueue, type RetryLimit } from './work-queue.js';

/** The result of a reconcile: after how long the item is reconciled again without a change. */
export interface Action {
  readonly requeueAfterMs?: number;
}

/** Nothing to do until one of the watched objects changes. */
export const awaitChange: Action = Object.freeze({});

/** Reconciles again after that long, or when a watched object changes, whichever is first. */
export function requeueAfter(ms: number): Action {
  return { requeueAfterMs: ms };
}

/** An object was listed, created or changed, or is gone. */
export type ObjectEvent<T> = Listed<T> | Applied<T> | Deleted<T>;

/** An informer and the items that its events stand for; see `watching`. */
export interface Watch<Item> {
  readonly signals$: Observable<WatchSignal<Item>>;
}

/** A signal of a watch: items to reconcile, a complete list, or a failure. */
export type WatchSignal<Item> =
  | { readonly type: 'items'; readonly items: Iterable<Item> }
  | { readonly type: 'delayed'; readonly items: Iterable<DelayedItem<Item>> }
  | { readonly type: 'synced' }
  | Failed;

/** An item that is added to the queue after a delay, unless it is added earlier. A delay of 0 adds it at once. */
export interface DelayedItem<Item> {
  readonly item: Item;
  readonly afterMs: number;
}

/** The context of one reconcile. */
export interface ReconcileContext<Did> {
  /** Emits an activity of the controller. */
  readonly emit: (activity: Did) => void;
  /** Aborted when the controller stops: pass it to every request. */
  readonly signal: AbortSignal;
  /** Identifies the reconciled item as the cause of its writes: pass it to every write. */
  readonly cause: RequestCause;
}

/** A controller. `Item` identifies what is reconciled; `Did` is what it emits besides what every controller emits. */
export interface ControllerOptions<
  Item extends object = NamespacedName,
  Did extends { readonly type: string } = never,
> {
  readonly name: string;
  readonly clock: Clock;
  /** The informer of the objects that are reconciled: each of its events adds the object's name to the queue. */
  readonly for?: NamespacedName extends Item ? Informer<Stored> : never;
  /** Informers of objects whose controller is one of `for`: each of their events adds that owner's name. */
  readonly owns?: NamespacedName extends Item ? readonly Informer<Stored>[] : never;
  /** Further informers, with the items that their events stand for. */
  readonly watches?: readonly Watch<Item>[];
  /** Further items, such as those of a timer. */
  readonly triggers$?: Observable<Item>;
  /** Identifies an item. Default: `namespace/name`; required if items have none. */
  readonly keyOf?: (item: Item) => string;
  /**
   * Brings the cluster closer to the desired state of an item. Never runs twice at once for one key. A rejection is
   * emitted as `failed` and retried.
   */
  reconcile(item: Item, context: ReconcileContext<Did>): Promise<Action>;
  /**
   * Permits reconciles one at a time, for tests and debuggers: each emission permits one more; items wait in the queue
   * until then. Default: all are permitted.
   */
  readonly steps$?: Observable<unknown> | undefined;
  /** The most items that are reconciled at once. Default 1, as controller-runtime. */
  readonly concurrency?: number;
  /** The delay after failures in a row of one item. Default: client-go's, 5 ms doubling to 1,000 s. */
  readonly backoff?: BackoffLadder;
  /** The limit of all retries together. Default: client-go's, 10 per second and 100 at once. */
  readonly retryLimit?: RetryLimit;
  /** The failures in a row after which an item is given up until it changes. Default: never. */
  readonly failuresMax?: number;
}

/** The activities of a controller: those of every controller, and its own (`Did`). */
export type ControllerActivity<Item, Did = never> =
  | (Did & Activity)
  /** An item was reconciled. */
  | (Activity & { readonly type: 'reconciled'; readonly item: Item; readonly requeueAfterMs?: number })
  /** A reconcile rejected. Without `retryInMs` it is given up until the item changes. */
  | (Activity & { readonly type: 'failed'; readonly item: Item; readonly error: unknown; readonly retryInMs?: number })
  /** A list or watch failed, and is repeated after `retryInMs`. */
  | (Activity & { readonly type: 'watch-failed'; readonly error: unknown; readonly retryInMs: number });

/** Adds the items that an event stands for. Without `itemsOf` the informer is only read, once it has listed. */
export function watching<T, Item>(
  informer: Pick<Informer<T>, 'events$'>,
  itemsOf: (event: ObjectEvent<T>) => Iterable<Item> = () => [],
): Watch<Item> {
  return signalling<T, Item>(informer, (event) => ({ type: 'items', items: itemsOf(event) }));
}

/** Adds the items that an event stands for after a delay: events that follow each other quickly cause one reconcile. */
export function watchingDelayed<T, Item>(
  informer: Pick<Informer<T>, 'events$'>,
  itemsOf: (event: ObjectEvent<T>) => Iterable<DelayedItem<Item>>,
): Watch<Item> {
  return signalling<T, Item>(informer, (event) => ({ type: 'delayed', items: itemsOf(event) }));
}

function signalling<T, Item>(
  { events$ }: Pick<Informer<T>, 'events$'>,
  signalOf: (event: ObjectEvent<T>) => WatchSignal<Item>,
): Watch<Item> {
  const signals$ = events$.pipe(
    mergeMap((event): readonly WatchSignal<Item>[] => {
      if ('object' in event) return [signalOf(event)];
      return event.type === 'synced' || event.type === 'failed' ? [event] : [];
    }),
  );
  return { signals$ };
}

/** Creates a controller. Nothing happens until it runs. */
export function controller<Item extends object = NamespacedName, Did extends { readonly type: string } = never>(
  options: ControllerOptions<Item, Did>,
): Part<ControllerActivity<Item, Did>> {
  return { name: options.name, run: () => defer(() => new Run(options).activities()) };
}

/** One run of a controller: the queue, and what drives it. */
class Run<Item extends object, Did extends { readonly type: string }> {
  readonly #options: ControllerOptions<Item, Did>;
  readonly #queue: WorkQueue<Item>;
  readonly #stopping = new AbortController();
  readonly #context: Omit<ReconcileContext<Did>, 'cause'>;
  readonly #did = new Outlet<ControllerActivity<Item, Did>>();
  /** Items whose reconcile begins. */
  readonly #starts = new Outlet<Item>();
  /** The time at which the queue is to be looked at again; Infinity for none. */
  readonly #wakes = new Outlet<number>();
  #wakeAtMs = Infinity;
  #running = 0;
  #unsynced = 0;
  /** How many reconciles may still begin. */
  #permitted: number;

  constructor(options: ControllerOptions<Item, Did>) {
    this.#options = options;
    this.#permitted = options.steps$ === undefined ? Infinity : 0;
    const { keyOf = defaultKeyOf, backoff, retryLimit, failuresMax } = options;
    this.#queue = new WorkQueue({
      keyOf,
      ...(backoff !== undefined && { backoff }),
      ...(retryLimit !== undefined && { retryLimit }),
      ...(failuresMax !== undefined && { failuresMax }),
    });
    this.#context = {
      emit: (activity) => this.#did.emit(activity),
      signal: this.#stopping.signal,
    };
  }

  activities(): Observable<ControllerActivity<Item, Did>> {
    const { clock, triggers$ = EMPTY, steps$ = EMPTY } = this.#options;
    const watches = watchesOf(this.#options);
    this.#unsynced = watches.length;
    // What reacts to something is subscribed before what causes it.
    return merge(
      this.#did.values$,
      this.#starts.values$.pipe(mergeMap((item) => this.#reconcile(item))),
      this.#wakes.values$.pipe(
        switchMap((atMs) => clock.timer(atMs - clock.now())),
        tap(() => {
          this.#wakeAtMs = Infinity;
          this.#advance();
        }),
        ignoreElements(),
      ),
      triggers$.pipe(
        tap((item) => {
          this.#queue.add(item);
          this.#advance();
        }),
        ignoreElements(),
      ),
      steps$.pipe(
        tap(() => {
          this.#permitted += 1;
          this.#advance();
        }),
        ignoreElements(),
      ),
      ...watches.map((watch) => this.#follow(watch)),
    ).pipe(finalize(() => this.#stopping.abort()));
  }

  #follow({ signals$ }: Watch<Item>): Observable<ControllerActivity<Item, Did>> {
    let isSynced = false;
    return signals$.pipe(
      mergeMap((signal): readonly ControllerActivity<Item, Did>[] => {
        if (signal.type === 'failed') {
          const { error, retryInMs } = signal;
          return [{ type: 'watch-failed', error, retryInMs }];
        }
        if (signal.type === 'items') for (const item of signal.items) this.#queue.add(item);
        else if (signal.type === 'delayed') this.#addDelayed(signal.items);
        else if (!isSynced) {
          isSynced = true;
          this.#unsynced -= 1;
        }
        this.#advance();
        return [];
      }),
    );
  }

  #addDelayed(items: Iterable<DelayedItem<Item>>): void {
    const nowMs = this.#options.clock.now();
    for (const { item, afterMs } of items) {
      if (afterMs <= 0) this.#queue.add(item);
      else this.#queue.addAfter(item, nowMs + afterMs);
    }
  }

  /** Starts what is ready while there are workers, and sets the timer for what is delayed. */
  #advance(): void {
    if (this.#unsynced > 0) return;
    const { clock, concurrency = 1 } = this.#options;
    const mayStart = (): boolean => this.#running < concurrency && this.#permitted > 0;
    while (mayStart()) {
      const item = this.#queue.take(clock.now());
      if (item === undefined) break;
      this.#running += 1;
      this.#permitted -= 1;
      this.#starts.emit(item);
    }
    const dueAtMs = mayStart() ? (this.#queue.nextDueAtMs ?? Infinity) : Infinity;
    if (dueAtMs === this.#wakeAtMs) return;
    this.#wakeAtMs = dueAtMs;
    this.#wakes.emit(dueAtMs);
  }

  #reconcile(item: Item): Observable<ControllerActivity<Item, Did>> {
    const { clock, name, keyOf = defaultKeyOf } = this.#options;
    const cause = { reason: `${name} reconciles ${keyOf(item)}` };
    const run$ = defer(() => from(this.#options.reconcile(item, { ...this.#context, cause }))).pipe(
      mergeMap(({ requeueAfterMs }): readonly ControllerActivity<Item, Did>[] => {
        if (requeueAfterMs === undefined) this.#queue.done(item);
        else this.#queue.requeue(item, requeueAfterMs, clock.now());
        return [{ type: 'reconciled', item, ...(requeueAfterMs !== undefined && { requeueAfterMs }) }];
      }),
      catchError((error: unknown) => {
        const retryInMs = this.#queue.failed(item, clock.now());
        return of<ControllerActivity<Item, Did>>({
          type: 'failed',
          item,
          error,
          ...(retryInMs !== undefined && { retryInMs }),
        });
      }),
    );
    const next$ = defer(() => {
      this.#running -= 1;
      this.#advance();
      return EMPTY;
    });
    return concat(run$, next$);
  }
}

function watchesOf<Item extends object, Did extends { readonly type: string }>(
  options: ControllerOptions<Item, Did>,
): readonly Watch<Item>[] {
  const { for: reconciled, owns = [], watches = [] } = options;
  if (reconciled === undefined) return watches;
  // The types of `for` and `owns` allow only items that a name is.
  const named =
    (names: (object: Stored) => readonly NamespacedName[]) =>
    (informer: Informer<Stored>): Watch<Item> =>
      watching(informer, ({ object }) => names(object) as Iterable<NamespacedName> as Iterable<Item>);
  return [
    named((object) => [namespacedName(object)])(reconciled),
    ...owns.map(named((object) => ownerIn(reconciled, object))),
    ...watches,
  ];
}

/** The object that controls this one, if the informer has it. */
function ownerIn(owners: Informer<Stored>, object: Stored): readonly NamespacedName[] {
  const reference = controllerOf(object);
  if (reference === undefined) return [];
  const { namespace = '' } = object.metadata;
  const owner = owners.get(`${namespace}/${reference.name}`) ?? owners.get(reference.name);
  return owner?.metadata.uid === reference.uid ? [namespacedName(owner)] : [];
}

function defaultKeyOf(item: object): string {
  return printNamespacedName(item as NamespacedName); // `keyOf` is required for items without a name
}
