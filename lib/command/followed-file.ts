// A file that is read again when it changes: as it is now, and every other text it comes to have. What cannot be read
// is passed over: a file that is just being replaced is there a moment later.
import { EMPTY, catchError, concat, concatMap, defer, distinctUntilChanged, from, merge, of } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Clock } from '../core/index.js';
import type { CommandEnvironment } from './environment.js';

/**
 * The texts of a file, beginning with the one that is known. Looked at when subscribed to, and once a minute as
 * kube-apiserver does.
 */
export function followedFile(
  path: string,
  known: string,
  { fileChanges, readFile }: CommandEnvironment,
  clock: Clock,
): Observable<string> {
  const read$ = defer(() => from(readFile(path))).pipe(catchError(() => EMPTY));
  const changes$ = merge(fileChanges(path), clock.interval(everyMs), of(undefined)).pipe(concatMap(() => read$));
  return concat([known], changes$).pipe(distinctUntilChanged());
}

const everyMs = 60_000;
