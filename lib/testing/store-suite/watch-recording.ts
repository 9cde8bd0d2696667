/**
 * A watch under observation: keeps all it received and checks, batch by batch, what must hold of every watch. Used by
 * the suite and by recorded histories.
 */
import { fromEvent, takeUntil, type Observable } from 'rxjs';
import type { Batch, Revision, Store, StoreWatchOptions } from '../../storage/index.js';
import { expectSoon } from './expect.js';
import type { StoreHarness } from './harness.js';

/** A subscribed watch and what came of it. */
export interface WatchRecording {
  /** Everything so far, bookmarks included. */
  readonly batches: readonly Batch[];
  /** Without bookmarks. */
  readonly events: readonly Batch[];
  /** The revision up to which all has been seen: of the last batch, or where the watch began. */
  readonly seen: Revision;
  /** How the watch ended, if it did. */
  readonly end: WatchEnd | undefined;
  /** Settles when it has ended; undefined when it was stopped. */
  readonly ended: Promise<WatchEnd | undefined>;
  /** Asks the store for a bookmark. */
  requestProgress(): Promise<void>;
  /** Unsubscribes, at once. */
  stop(): void;
}

/** How a watch came to its end. */
export type WatchEnd = { readonly type: 'completed' } | { readonly type: 'failed'; readonly error: unknown };

/** Where the watch begins, and what to do meanwhile. */
export interface RecordingOptions extends StoreWatchOptions {
  /** Called within the delivery of each batch, after it was recorded. */
  readonly onBatch?: (batch: Batch, recording: WatchRecording) => void;
  /** The watch itself, where it was made beforehand. */
  readonly watch$?: Observable<Batch>;
}

/** Watches a prefix and records it. The watch is subscribed before this returns. */
export function recordWatch(store: Store, prefix: string, options: RecordingOptions = {}): WatchRecording {
  const { after, onBatch, watch$ = store.watch(prefix, after === undefined ? {} : { after }) } = options;
  const unsubscribed = new AbortController();
  const batches: Batch[] = [];
  let end: WatchEnd | undefined;
  let settle: (end: WatchEnd | undefined) => void = () => undefined;
  const recording: WatchRecording = {
    batches,
    ended: new Promise((resolve) => (settle = resolve)),
    get events() {
      return batches.filter(({ changes }) => changes.length > 0);
    },
    get seen() {
      return batches.at(-1)?.revision ?? after ?? 0;
    },
    get end() {
      return end;
    },
    requestProgress: () => store.requestProgress(),
    stop: () => unsubscribed.abort(),
  };
  // forEach rather than subscribe: what `onBatch` throws ends the watch as a failure instead of surfacing as an
  // uncaught exception. An abort event is heard at once, so `stop` unsubscribes before it returns.
  watch$
    .pipe(takeUntil(fromEvent(unsubscribed.signal, 'abort')))
    .forEach((batch) => {
      batches.push(batch);
      onBatch?.(batch, recording);
    })
    .then(
      () => (end = unsubscribed.signal.aborted ? undefined : { type: 'completed' }),
      (error: unknown) => (end = { type: 'failed', error }),
    )
    .then(settle, settle);
  return recording;
}

/** Waits until a watch says that it has seen everything up to a revision. */
export async function watchReaches(
  harness: StoreHarness,
  recording: WatchRecording,
  revision: Revision,
): Promise<void> {
  if (recording.seen < revision) await recording.requestProgress();
  await expectSoon(
    harness,
    () => {
      if (recording.end?.type === 'failed') throw new Error('the watch failed', { cause: recording.end.error });
      if (recording.end !== undefined) throw new Error('the watch completed although the store is open');
      return recording.seen >= revision;
    },
    () =>
      `a watch of which progress was requested must show that it got to revision ${revision}, but stands at ${recording.seen}`,
  );
}
