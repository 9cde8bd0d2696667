// The log of a container in memory: bounded in bytes, the oldest entries are dropped. Readers follow by index, so that
// a slow reader costs nothing but the entries that were dropped before it got to them.
import { Observable } from 'rxjs';
import type { Clock } from '../../core/index.js';
import type { LogEntry, LogSelection } from '../runtime/runtime-state.js';
import type { ContainerLog } from './container-host.js';
import { LogLines } from './log-lines.js';

/** Options of a log in memory. */
export interface MemoryLogOptions {
  readonly clock: Clock;
  /** The maximum size in bytes. Default 1 MiB. */
  readonly bytesMax?: number;
}

/** A log that keeps its entries in memory. */
export class MemoryLog implements ContainerLog {
  readonly #clock: Clock;
  readonly #bytesMax: number;
  readonly #lines = { stdout: new LogLines('stdout'), stderr: new LogLines('stderr') };
  #entries: LogEntry[] = [];
  /** How many entries were dropped before the first of `entries`. */
  #dropped = 0;
  #bytes = 0;
  #isOver = false;
  readonly #followers = new Set<() => void>();

  constructor({ clock, bytesMax = 1024 * 1024 }: MemoryLogOptions) {
    this.#clock = clock;
    this.#bytesMax = bytesMax;
  }

  write(stream: LogEntry['stream'], bytes: Uint8Array): undefined {
    if (!this.#isOver) this.#append(this.#lines[stream].take(bytes, this.#clock.now()));
  }

  end(): Promise<void> {
    if (!this.#isOver) {
      const { stdout, stderr } = this.#lines;
      const now = this.#clock.now();
      this.#append([...stdout.end(now), ...stderr.end(now)]);
      this.#isOver = true;
      for (const follower of [...this.#followers]) follower();
    }
    return Promise.resolve();
  }

  read(selection: LogSelection): Observable<LogEntry> {
    return new Observable((subscriber) => {
      const { follow, sinceMs = -Infinity, tailLines } = selection;
      let at = this.#dropped + startOfTail(this.#entries, tailLines);
      const emit = (): void => {
        while (!subscriber.closed) {
          at = Math.max(at, this.#dropped);
          const entry = this.#entries[at - this.#dropped];
          if (entry === undefined) break;
          at += 1;
          if (entry.atMs >= sinceMs) subscriber.next(entry);
        }
        if (!follow || this.#isOver) subscriber.complete();
      };
      subscriber.add(() => this.#followers.delete(emit));
      this.#followers.add(emit);
      emit();
    });
  }

  size(): number {
    return this.#bytes;
  }

  #append(entries: readonly LogEntry[]): void {
    if (entries.length === 0) return;
    this.#entries.push(...entries);
    for (const entry of entries) this.#bytes += costOf(entry);
    let drop = 0;
    for (; this.#bytes > this.#bytesMax && drop < this.#entries.length - 1; drop++) {
      const entry = this.#entries[drop];
      if (entry !== undefined) this.#bytes -= costOf(entry);
    }
    if (drop > 0) this.#entries = this.#entries.slice(drop);
    this.#dropped += drop;
    for (const follower of [...this.#followers]) follower();
  }
}

/** The index of the first entry of the last lines; 0 for all. */
export function startOfTail(entries: readonly LogEntry[], tailLines: number | undefined): number {
  if (tailLines === undefined) return 0;
  let at = entries.length;
  for (let lines = 0; at > 0; at--) {
    const entry = entries[at - 1];
    // A line ends with an entry that is not partial; an unfinished one at the end counts as well.
    if (entry?.isPartial === false || at === entries.length) lines += 1;
    if (lines > tailLines) break;
  }
  return at;
}

/** The size of an entry in memory, roughly. */
function costOf({ bytes }: LogEntry): number {
  return bytes.length + 64;
}
