// The log of a container as a client reads it: text in pieces of bytes, cut into lines.
import { concat, defer, from, mergeMap, of, throwError } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Place } from './calls.js';
import { callOf } from './calls.js';
import type { ReadLogOptions } from './kind-subresources.js';
import type { Name } from './resource-client.js';

/** Reads the log of a container. */
export function logAt(place: Place, name: Name, options: ReadLogOptions): Observable<string> {
  const { carrier, endpoint } = place;
  return defer(() => (typeof endpoint === 'function' ? from(endpoint()) : of(endpoint))).pipe(
    mergeMap((found) => {
      const question = { verb: 'get', name, options: { parameters: logParameters(options) } };
      const call = callOf(found, { ...place, subresource: 'log' }, question);
      return 'info' in call ? splitLines(carrier.bytes(call)) : throwError(() => call);
    }),
  );
}

/** Every option that was given, as text. */
function logParameters(options: ReadLogOptions): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(Object.entries(options).map(([name, value]) => [name, [`${value}`]]));
}

/** The longest line that is kept until its end has come. */
const lineCharactersMax = 1024 * 1024;

function splitLines(bytes$: Observable<Uint8Array>): Observable<string> {
  return defer(() => {
    const decoder = new TextDecoder();
    let begun = '';
    const take = (text: string): readonly string[] => {
      const lines = (begun + text).split('\n');
      begun = lines.pop() ?? '';
      if (begun.length <= lineCharactersMax) return lines;
      lines.push(begun);
      begun = '';
      return lines;
    };
    const rest$ = defer(() => {
      const lines = take(decoder.decode());
      return begun === '' ? lines : [...lines, begun];
    });
    return concat(bytes$.pipe(mergeMap((bytes) => take(decoder.decode(bytes, { stream: true })))), rest$);
  });
}
