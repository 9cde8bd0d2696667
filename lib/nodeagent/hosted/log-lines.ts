// Splits the output of a container into log entries: one for each line, and several for a line longer than 16 KiB, as
// containerd does. So an endless line costs no more memory than a short one.
import type { LogEntry } from '../runtime/runtime-state.js';

/** The maximum length of one entry in bytes. */
export const entryBytesMax = 16_384;

/** The line of one stream that has not ended yet. */
export class LogLines {
  readonly #stream: LogEntry['stream'];
  #begun = new Uint8Array();

  constructor(stream: LogEntry['stream']) {
    this.#stream = stream;
  }

  /** Takes output and returns the entries it completes. */
  take(bytes: Uint8Array, atMs: number): readonly LogEntry[] {
    const entries: LogEntry[] = [];
    let rest = bytes;
    for (let end = rest.indexOf(newline); end >= 0; end = rest.indexOf(newline)) {
      this.#append(rest.subarray(0, end), atMs, entries);
      entries.push(this.#entry(atMs, false));
      rest = rest.subarray(end + 1);
    }
    this.#append(rest, atMs, entries);
    return entries;
  }

  /** Returns the last line if it has no end. */
  end(atMs: number): readonly LogEntry[] {
    return this.#begun.length === 0 ? [] : [this.#entry(atMs, false)];
  }

  #append(bytes: Uint8Array, atMs: number, entries: LogEntry[]): void {
    for (let rest = bytes; rest.length > 0;) {
      const fit = rest.subarray(0, entryBytesMax - this.#begun.length);
      const joined = new Uint8Array(this.#begun.length + fit.length);
      joined.set(this.#begun);
      joined.set(fit, this.#begun.length);
      this.#begun = joined;
      rest = rest.subarray(fit.length);
      // A line of exactly the maximum is emitted when its end arrives.
      if (rest.length > 0) entries.push(this.#entry(atMs, true));
    }
  }

  #entry(atMs: number, isPartial: boolean): LogEntry {
    const entry = { atMs, stream: this.#stream, bytes: this.#begun, isPartial };
    this.#begun = new Uint8Array();
    return entry;
  }
}

const newline = 10;
