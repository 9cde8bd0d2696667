// The log of a container in files, in the format of the CRI: `<RFC3339Nano> <stdout|stderr> <F|P> <text>`. The file is
// rotated at a size, and the oldest files are removed. Writes are queued; a process whose log is behind is paused.
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { Observable } from 'rxjs';
import type { Clock } from '../../core/index.js';
import type { ContainerLog } from '../hosted/container-host.js';
import { LogLines } from '../hosted/log-lines.js';
import type { LogEntry, LogSelection } from '../runtime/runtime-state.js';

/** Options of a log in files. */
export interface FileLogOptions {
  readonly clock: Clock;
  /** The size at which a file is rotated, in bytes. Default 10 MiB, as the kubelet. */
  readonly fileBytesMax: number;
  /** The number of files, with the current one. Default 5, as the kubelet. */
  readonly filesMax: number;
}

/** A file of a log. */
interface LogFile {
  readonly number: number;
  path: string;
  size: number;
}

/** Bytes that wait to be written before the process is paused. */
const waitingBytesMax = 256 * 1024;

/** A log in files. */
export class FileLog implements ContainerLog {
  readonly #path: string;
  readonly #options: FileLogOptions;
  readonly #lines = { stdout: new LogLines('stdout'), stderr: new LogLines('stderr') };
  /** Oldest first; the last one is written to. */
  #files: LogFile[];
  #handle: FileHandle | undefined;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #writing: Promise<void> | undefined;
  #isOver: boolean;
  readonly #readers = new Set<() => void>();

  constructor(path: string, options: FileLogOptions, files: LogFile[], isOver: boolean) {
    this.#path = path;
    this.#options = options;
    this.#files = files;
    this.#isOver = isOver;
  }

  write(stream: LogEntry['stream'], bytes: Uint8Array): Promise<void> | undefined {
    if (this.#isOver) return undefined;
    this.#enqueue(this.#lines[stream].take(bytes, this.#options.clock.now()));
    return this.#waitingBytes > waitingBytesMax ? this.#writing : undefined;
  }

  async end(): Promise<void> {
    if (this.#isOver) return;
    const { stdout, stderr } = this.#lines;
    const now = this.#options.clock.now();
    this.#enqueue([...stdout.end(now), ...stderr.end(now)]);
    this.#isOver = true;
    await this.#writing;
    await this.#handle?.close();
    this.#handle = undefined;
    this.#wake();
  }

  read(selection: LogSelection): Observable<LogEntry> {
    return new Observable((subscriber) => {
      const abort = new AbortController();
      this.#emit(selection, subscriber, abort.signal).then(
        () => subscriber.complete(),
        (error: unknown) => subscriber.error(error),
      );
      return () => abort.abort();
    });
  }

  size(): number {
    return this.#files.reduce((sum, { size }) => sum + size, 0);
  }

  #enqueue(entries: readonly LogEntry[]): void {
    for (const entry of entries) {
      const line = encodeEntry(entry);
      this.#waiting.push(line);
      this.#waitingBytes += line.length;
    }
    if (this.#waiting.length > 0) this.#writing ??= this.#flush();
  }

  async #flush(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        const lines = this.#waiting;
        this.#waiting = [];
        for (let at = 0; at < lines.length;) {
          const file = await this.#current();
          const batch: Uint8Array[] = [];
          let size = 0;
          for (; at < lines.length && (size === 0 || file.size + size < this.#options.fileBytesMax); at++) {
            const line = lines[at] ?? new Uint8Array();
            batch.push(line);
            size += line.length;
          }
          await this.#handle?.write(Buffer.concat(batch));
          file.size += size;
          this.#waitingBytes -= size;
          this.#wake();
        }
      }
    } catch {
      // The disk is full or the folder is gone: the container goes on without a log, as with containerd.
      this.#waiting = [];
      this.#waitingBytes = 0;
    } finally {
      this.#writing = undefined;
    }
  }

  /** Returns the file to write to, a new one where the last is full. */
  async #current(): Promise<LogFile> {
    const last = this.#files.at(-1);
    if (last !== undefined && this.#handle !== undefined && last.size < this.#options.fileBytesMax) return last;
    if (last !== undefined && last.size >= this.#options.fileBytesMax) {
      await this.#handle?.close();
      last.path = `${this.#path}.${last.number}`;
      await rename(this.#path, last.path);
      this.#files.push({ number: last.number + 1, path: this.#path, size: 0 });
      while (this.#files.length > this.#options.filesMax) {
        const oldest = this.#files.shift();
        if (oldest !== undefined) await rm(oldest.path, { force: true });
      }
    } else if (last === undefined) this.#files.push({ number: 0, path: this.#path, size: 0 });
    this.#handle = await open(this.#path, 'a', 0o640);
    return this.#files.at(-1) ?? { number: 0, path: this.#path, size: 0 };
  }

  #wake(): void {
    for (const reader of [...this.#readers]) reader();
  }

  async #emit(
    { follow, sinceMs = -Infinity, tailLines }: LogSelection,
    sink: { next(entry: LogEntry): void },
    signal: AbortSignal,
  ): Promise<void> {
    // With a tail, what is there now is kept up to the number of lines; what follows is emitted at once.
    let tail = tailLines === undefined ? undefined : new TailBuffer(tailLines);
    const emit = (entry: LogEntry): void => {
      if (entry.atMs >= sinceMs) sink.next(entry);
    };
    const isAborted = (): boolean => signal.aborted;
    const take = (entry: LogEntry): void => (tail === undefined ? emit(entry) : tail.add(entry));
    for (let number = this.#files[0]?.number ?? 0; !signal.aborted;) {
      const file = this.#files.find((each) => each.number >= number);
      if (file === undefined) {
        tail?.entries().forEach(emit);
        tail = undefined;
        if (!follow || this.#isOver) return;
        await this.#changed(signal);
        continue;
      }
      number = file.number + 1;
      const reader = await FileReader.open(file.path);
      if (reader === undefined) continue;
      try {
        for (;;) {
          await reader.read(file.size, take, signal);
          if (this.#files.at(-1) !== file || isAborted()) break;
          tail?.entries().forEach(emit);
          tail = undefined;
          if (!follow || (this.#isOver && reader.isAt(file.size))) return;
          if (reader.isAt(file.size)) await this.#changed(signal);
        }
        await reader.read(file.size, take, signal);
      } finally {
        await reader.close();
      }
    }
  }

  /** Resolves when something was written, the log is over, or the reader is gone. */
  #changed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#readers.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#readers.add(wake);
      signal.addEventListener('abort', wake);
    });
  }
}

/** Creates the log of a new container. */
export async function createFileLog(path: string, options: FileLogOptions): Promise<FileLog> {
  await mkdir(dirname(path), { recursive: true });
  return new FileLog(path, options, [], false);
}

/** Opens the log of a container that has exited. */
export async function openFileLog(path: string, options: FileLogOptions): Promise<FileLog> {
  const name = basename(path);
  const entries = await readdir(dirname(path)).catch((): string[] => []);
  const rotated = entries
    .flatMap((entry) => (entry.startsWith(`${name}.`) ? Number(entry.slice(name.length + 1)) : []))
    .filter((number) => Number.isInteger(number))
    .sort((a, b) => a - b);
  const files: LogFile[] = [];
  for (const number of rotated)
    files.push({ number, path: `${path}.${number}`, size: await sizeOf(`${path}.${number}`) });
  if (entries.includes(name)) files.push({ number: 1 + (rotated.at(-1) ?? -1), path, size: await sizeOf(path) });
  return new FileLog(path, options, files, true);
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

/** The last lines of a log. */
class TailBuffer {
  readonly #linesMax: number;
  #entries: LogEntry[] = [];
  #lines = 0;

  constructor(linesMax: number) {
    this.#linesMax = linesMax;
  }

  add(entry: LogEntry): void {
    this.#entries.push(entry);
    if (!entry.isPartial) this.#lines += 1;
    while (this.#lines > this.#linesMax) {
      const dropped = this.#entries.findIndex(({ isPartial }) => !isPartial);
      this.#entries.splice(0, dropped + 1);
      this.#lines -= 1;
    }
    if (this.#linesMax === 0) this.#entries = [];
  }

  entries(): readonly LogEntry[] {
    return this.#entries;
  }
}

/** Reads the entries of one file as it grows. */
class FileReader {
  readonly #handle: FileHandle;
  #at = 0;
  #begun = Buffer.alloc(0);

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  static async open(path: string): Promise<FileReader | undefined> {
    return open(path, 'r').then(
      (handle) => new FileReader(handle),
      () => undefined,
    );
  }

  isAt(size: number): boolean {
    return this.#at >= size;
  }

  async read(size: number, take: (entry: LogEntry) => void, signal: AbortSignal): Promise<void> {
    while (this.#at < size && !signal.aborted) {
      const { bytesRead, buffer } = await this.#handle.read(Buffer.alloc(65_536), 0, 65_536, this.#at);
      if (bytesRead === 0) return;
      this.#at += bytesRead;
      let rest = Buffer.concat([this.#begun, buffer.subarray(0, bytesRead)]);
      for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
        const entry = decodeEntry(rest.subarray(0, end));
        rest = rest.subarray(end + 1);
        if (entry !== undefined) take(entry);
      }
      // A line that was not written by us is dropped instead of growing.
      this.#begun = rest.length > 1024 * 1024 ? Buffer.alloc(0) : rest;
    }
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

function encodeEntry({ atMs, stream, bytes, isPartial }: LogEntry): Uint8Array {
  return Buffer.concat([
    Buffer.from(`${new Date(atMs).toISOString().replace('Z', '000000Z')} ${stream} ${isPartial ? 'P' : 'F'} `),
    bytes,
    Buffer.from('\n'),
  ]);
}

function decodeEntry(line: Buffer): LogEntry | undefined {
  const head = /^(\S+) (stdout|stderr) ([FP]) /.exec(line.subarray(0, 64).toString('latin1'));
  const atMs = Date.parse(`${head?.[1]?.slice(0, 23) ?? ''}Z`);
  if (head === null || Number.isNaN(atMs)) return undefined;
  return {
    atMs,
    stream: head[2] === 'stderr' ? 'stderr' : 'stdout',
    bytes: Uint8Array.from(line.subarray(head[0].length)),
    isPartial: head[3] === 'P',
  };
}
