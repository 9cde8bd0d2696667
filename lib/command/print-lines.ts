// The edge where a command prints what its parts do.
import type { Observable, Subscription } from 'rxjs';
import { errorText } from '../core/index.js';
import type { CommandEnvironment } from './environment.js';

/** Prints every line until the stream ends or the subscription does. An error is printed and ends it. */
export function printLines(lines$: Observable<string>, { print }: CommandEnvironment): Subscription {
  return lines$.subscribe({ next: print, error: (error: unknown) => print(`vivarium: ${errorText(error)}`) });
}
