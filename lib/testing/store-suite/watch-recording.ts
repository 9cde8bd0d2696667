/**
 * A watch under observation: keeps all it was told and checks, batch by batch, what must hold of every watch. Used by
 * the suite and by recorded histories.
 */
import { fromEvent, takeUntil, type Observable } from 'rxjs';
import type { Batch, Revision, Store, WatchOptions } from '../../storage/index.js';
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
  /** Unsubscribes, at once. */
  stop(): void;
}

/** How a watch came to its end. */
export type WatchEnd = { readonly type: 'completed' } | { readonly type: 'failed'; readonly error: unknown };

/** Where the watch begins, and what to do meanwhile. */
export interface RecordingOptions extends WatchOptions {
  /** Called within the delivery of each batch, after it was recorded. */
  readonly onBatch?: (batch: Batch, recording: WatchRecording) => void;
}

/** Watches a prefix and records it. The watch is subscribed before this returns. */
export function recordWatch(store: Store, prefix: string, { onBatch, ...options }: RecordingOptions = {}): WatchRecording {
  return recordBatches(store.watch(prefix, options), { ...options, ...(onBatch && { onBatch }) });
}

/** Records a watch that is at hand already. */
export function recordBatches(watch$: Observable<Batch>, options: RecordingOptions = {}): WatchRecording {
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
      return batches.at(-1)?.revision ?? options.after ?? 0;
    },
    get end() {
      return end;
    },
    stop: () => unsubscribed.abort(),
  };
  // forEach rather than subscribe: what `onBatch` throws ends the watch as a failure instead of surfacing as an
  // uncaught exception. An abort event is heard at once, so `stop` unsubscribes before it returns.
  watch$
    .pipe(takeUntil(fromEvent(unsubscribed.signal, 'abort')))
    .forEach((batch) => {
      batches.push(batch);
      options.onBatch?.(batch, recording);
    })
    .then(
      () => (end = unsubscribed.signal.aborted ? undefined : { type: 'completed' }),
      (error: unknown) => (end = { type: 'failed', error }),
    )
    .then(settle, settle);
  return recording;
}

/** Waits until a watch says that it has seen everything up to a revision. */
export async function watchReaches(harness: StoreHarness, recording: WatchRecording, revision: Revision, store: Store = harness.store): Promise<void> {
  if (recording.seen < revision) await store.requestProgress();
  await expectSoon(
    harness,
    () => {
      if (recording.end?.type === 'failed') throw new Error('the watch failed', { cause: recording.end.error });
      if (recording.end !== undefined) throw new Error('the watch completed although the store is open');
      return recording.seen >= revision;
    },
    () => `a watch must deliver everything up to revision ${revision}, or a bookmark at it, once progress is requested; it stands at ${recording.seen}`,
  );
}
