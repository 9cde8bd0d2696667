// Subscribes to the log of a command and prints it, as text or as JSON.
import type { Observable, Subscription } from 'rxjs';
import { errorText, printTime } from '../core/index.js';
import type { Clock } from '../core/index.js';
import type { CommandEnvironment, CommandLogEntry } from './environment.js';

/** Logs every entry until the stream completes or the subscription ends. An error is logged and ends it. */
export function printLog(entries$: Observable<CommandLogEntry>, { print, log }: CommandEnvironment): Subscription {
  const write = log ?? (({ message }: CommandLogEntry) => print(message));
  return entries$.subscribe({
    next: write,
    error: (error: unknown) => write({ level: 'error', part: 'vivarium', message: `vivarium: ${errorText(error)}` }),
  });
}

/** Returns a function that writes entries to a stream, one line each: their message, or all of them as JSON. */
export function logWriter(
  format: 'text' | 'json',
  stream: { write(text: string): unknown },
  clock: Clock,
): (entry: CommandLogEntry) => void {
  return (entry) => {
    // The message of an error may contain line breaks; an entry is one line.
    const line =
      format === 'json'
        ? JSON.stringify({ time: printTime(clock.now()), ...entry })
        : entry.message.replace(/\s*\n\s*/g, ' ');
    stream.write(`${line}\n`);
  };
}
