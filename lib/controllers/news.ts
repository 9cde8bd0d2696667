// What controllers hear from their watches: things to look at, and watches that failed. The first are worked on; of the
// others people are told, in between, for the watches go on by themselves.
import { connect, filter, map, merge } from 'rxjs';
import type { OperatorFunction } from 'rxjs';
import type { Failed, WatchEvent } from '../core/index.js';

/** Something to look at, or a watch that failed. */
export type News<Item> = Item | Failed;

/** Whether news are about a watch that failed. */
export function isFailure(news: object): news is Failed {
  return 'retryInMs' in news;
}

/** The failure that an event of a watch is, if it is one. */
export function failureOf(event: WatchEvent<unknown>): readonly Failed[] {
  return event.type === 'failed' ? [event] : [];
}

/** What is told of a watch that failed: it begins anew after `retryInMs`. */
export interface WatchFailed {
  readonly type: 'failed';
  readonly error: unknown;
  readonly retryInMs: number;
}

/** Works on what there is to look at, and tells of what failed. */
export function workOnNews<Item extends object, Outcome>(
  work: OperatorFunction<Item, Outcome>,
): OperatorFunction<News<Item>, Outcome | WatchFailed> {
  const isItem = (news: News<Item>): news is Item => !isFailure(news);
  const tell = ({ error, retryInMs }: Failed): WatchFailed => ({ type: 'failed', error, retryInMs });
  return connect((news$) => merge(news$.pipe(filter(isFailure), map(tell)), news$.pipe(filter(isItem), work)));
}
