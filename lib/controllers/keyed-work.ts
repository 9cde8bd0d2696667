// Work by key, the heart of every controller: never two runs at once for one key, and of what comes in while one runs
// only the last counts. What waits is bounded by the number of keys, however many events there are. As
// client-go/util/workqueue.
import { EMPTY, catchError, concat, defer, filter, map, mergeMap, of, repeat, tap } from 'rxjs';
import type { Observable, OperatorFunction } from 'rxjs';
import { backoffLadders, delayAfter } from '../core/index.js';
import type { Clock } from '../core/index.js';

/** How items are worked on. */
export interface KeyedWork<Item, Outcome> {
  /** What an item is about: of those that wait under one key only the newest is worked on. */
  keyOf(item: Item): string;
  /** Does what has to be done; answers undefined where that is nothing worth telling. */
  work(item: Item): Promise<Outcome | undefined>;
  /** What is told of work that failed. Without a time nobody tries it again, until there is news. */
  failed(item: Item, error: unknown, retryInMs: number | undefined): Outcome;
  readonly clock: Clock;
  /** How many keys are worked on at once; 5 unless said otherwise. */
  readonly concurrency?: number;
  /** How often work that failed is tried again; 10 unless said otherwise. */
  readonly retriesMax?: number;
}

/** Works on items as they come. Outcomes and failures are values; the stream ends with its source, when all is done. */
export function keyedWork<Item, Outcome>({
  concurrency = 5,
  ...options
}: KeyedWork<Item, Outcome>): OperatorFunction<Item, Outcome> {
  return (items$) =>
    defer(() => {
      const waiting = new Map<string, Item>();
      const taken = new Set<string>();
      const run = (key: string): Observable<Outcome> =>
        defer(() => {
          const item = waiting.get(key);
          waiting.delete(key);
          return item === undefined ? EMPTY : attempt(item, 0, options);
        }).pipe(
          repeat({
            delay: () => {
              if (waiting.has(key)) return of(true);
              taken.delete(key);
              return EMPTY;
            },
          }),
        );
      return items$.pipe(
        tap((item) => waiting.set(options.keyOf(item), item)),
        map((item) => options.keyOf(item)),
        filter((key) => !taken.has(key)),
        tap((key) => taken.add(key)),
        mergeMap(run, concurrency),
      );
    });
}

function attempt<Item, Outcome>(
  item: Item,
  failures: number,
  options: Omit<KeyedWork<Item, Outcome>, 'concurrency'>,
): Observable<Outcome> {
  const { clock, retriesMax = 10 } = options;
  return defer(() => options.work(item)).pipe(
    filter((outcome) => outcome !== undefined),
    catchError((error: unknown) => {
      if (failures >= retriesMax) return of(options.failed(item, error, undefined));
      const retryInMs = delayAfter(backoffLadders.workQueueItem, failures + 1);
      const again$ = clock.timer(retryInMs).pipe(mergeMap(() => attempt(item, failures + 1, options)));
      return concat(of(options.failed(item, error, retryInMs)), again$);
    }),
  );
}
