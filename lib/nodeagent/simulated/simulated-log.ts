// The log of a simulated container. It is not stored: the lines up to a time follow from the behaviour, so a log costs
// nothing until it is read. At most `linesMax` of the newest lines are kept.
import { NEVER, concat, concatMap, defer, from, takeUntil } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Clock } from '../../core/index.js';
import type { LogEntry, LogSelection } from '../runtime/runtime-state.js';
import { msOf } from './behaviour.js';
import type { LogBehaviour } from './behaviour.js';

/** The life of a container, as its log depends on it. */
export interface LoggedLife {
  readonly startedAtMs: number;
  /** Infinity while it runs. */
  readonly finishedAtMs: number;
}

/** The most lines that a log has; older ones are dropped. */
const linesMax = 10_000;

/** Returns the lines of a log in the time from `fromMs` up to and including `untilMs`, oldest first. */
export function logLines(
  logs: readonly LogBehaviour[],
  { startedAtMs, finishedAtMs }: LoggedLife,
  { fromMs, untilMs }: { readonly fromMs: number; readonly untilMs: number },
): readonly LogEntry[] {
  const endMs = Math.min(untilMs, finishedAtMs);
  const entries: LogEntry[] = [];
  for (const { text, after, every, stream = 'stdout' } of logs) {
    const firstMs = startedAtMs + msOf(after, 0);
    const periodMs = Math.max(1, msOf(every, Infinity));
    const bytes = new TextEncoder().encode(text);
    const lastIndex = periodMs === Infinity ? 0 : Math.floor((endMs - firstMs) / periodMs);
    const firstIndex =
      periodMs === Infinity ? 0 : Math.max(0, Math.ceil((fromMs - firstMs) / periodMs), lastIndex - linesMax);
    for (let index = firstIndex; index <= lastIndex; index += 1) {
      const atMs = firstMs + (index === 0 ? 0 : index * periodMs);
      if (atMs >= fromMs && atMs <= endMs) entries.push({ atMs, stream, bytes, isPartial: false });
    }
  }
  return entries.sort((one, other) => one.atMs - other.atMs).slice(-linesMax);
}

/** The time of the first line after a time; Infinity for none. */
function nextLineAtMs(logs: readonly LogBehaviour[], startedAtMs: number, afterMs: number): number {
  let next = Infinity;
  for (const { after, every } of logs) {
    const firstMs = startedAtMs + msOf(after, 0);
    const periodMs = Math.max(1, msOf(every, Infinity));
    if (firstMs > afterMs) next = Math.min(next, firstMs);
    else if (periodMs !== Infinity)
      next = Math.min(next, firstMs + (Math.floor((afterMs - firstMs) / periodMs) + 1) * periodMs);
  }
  return next;
}

/** Emits a log. With `follow` it completes when `exit$` emits and all lines up to then were emitted. */
export function simulatedLog(
  logs: readonly LogBehaviour[],
  life: () => LoggedLife,
  { follow, sinceMs = -Infinity, tailLines }: LogSelection,
  { clock, exit$ }: { readonly clock: Clock; readonly exit$: Observable<unknown> },
): Observable<LogEntry> {
  return defer(() => {
    const nowMs = clock.now();
    const past = life().startedAtMs === 0 ? [] : logLines(logs, life(), { fromMs: sinceMs, untilMs: nowMs });
    const shown = tailLines === undefined ? past : tailLines === 0 ? [] : past.slice(-tailLines);
    if (!follow || life().finishedAtMs !== Infinity) return from(shown);
    const wait = (afterMs: number): Observable<LogEntry> => {
      const atMs = nextLineAtMs(logs, life().startedAtMs, afterMs);
      if (atMs === Infinity) return NEVER;
      return clock.timer(atMs - clock.now()).pipe(
        concatMap(() =>
          concat(
            from(logLines(logs, life(), { fromMs: afterMs + 1, untilMs: atMs })),
            defer(() => wait(atMs)),
          ),
        ),
      );
    };
    const rest$ = wait(nowMs).pipe(takeUntil(exit$));
    return concat(from(shown), rest$);
  });
}
