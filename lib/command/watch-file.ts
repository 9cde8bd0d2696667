// The text of a file that is read again when it changes. A file that cannot be read is skipped: it may be in the middle
// of being replaced, and the next poll finds it.
import { EMPTY, catchError, concat, concatMap, defer, distinctUntilChanged, from, merge, of } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Clock } from '../core/index.js';
import type { CommandEnvironment } from './environment.js';

/**
 * Emits `first`, then every different text that the file has. Reads the file when subscribed to, when a change is
 * reported, and every minute, as kube-apiserver does.
 */
export function watchFile(
  path: string,
  first: string,
  { fileChanges, readFile }: CommandEnvironment,
  clock: Clock,
): Observable<string> {
  const text$ = defer(() => from(readFile(path))).pipe(catchError(() => EMPTY));
  const changes$ = merge(fileChanges(path), clock.interval(pollMs), of(undefined)).pipe(concatMap(() => text$));
  return concat([first], changes$).pipe(distinctUntilChanged());
}

const pollMs = 60_000;
