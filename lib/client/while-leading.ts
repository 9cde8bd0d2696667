// Work that one of several does. It begins when this one leads and is let go before anybody else can.
import { concat, connect, defer, filter, merge, of, switchMap } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Leadership } from './election-step.js';

/**
 * Works while the election says so: subscribes to what `work` makes after `leading` is told, and unsubscribes before
 * `lost` is. Tells of both. The work begins anew whenever leadership does; its end is no end of the election, but its
 * error is. Who unsubscribes ends the work first and the election after it, so that a lease is given back when nobody
 * relies on it.
 */
export function whileLeading<T>(
  election$: Observable<Leadership>,
  work: () => Observable<T>,
): Observable<Leadership | T> {
  const isTurn = ({ type }: Leadership): boolean => type === 'leading' || type === 'lost';
  return election$.pipe(
    connect((shared$) =>
      merge(
        shared$.pipe(
          filter(isTurn),
          switchMap((turn): Observable<Leadership | T> =>
            turn.type === 'leading' ? concat(of(turn), defer(work)) : of(turn),
          ),
        ),
        shared$.pipe(filter((other) => !isTurn(other))),
      ),
    ),
  );
}
