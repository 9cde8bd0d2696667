// Reads the log of a container: decodes the bytes and splits them into lines.
import { concat, defer, from, mergeMap, of, throwError } from 'rxjs';
import type { Observable } from 'rxjs';
import type { RequestTarget } from './request-builder.js';
import { buildRequest } from './request-builder.js';
import type { ReadLogOptions } from './kind-subresources.js';
import type { Name } from './resource-client.js';

/** Emits the lines of a log. Cold. */
export function logAt(target: RequestTarget, name: Name, options: ReadLogOptions): Observable<string> {
  const { sender, endpoint } = target;
  return defer(() => (typeof endpoint === 'function' ? from(endpoint()) : of(endpoint))).pipe(
    mergeMap((found) => {
      const spec = { verb: 'get', name, options: { parameters: logParameters(options) } };
      const call = buildRequest(found, { ...target, subresource: 'log' }, spec);
      return 'info' in call ? splitLines(sender.bytes(call)) : throwError(() => call);
    }),
  );
}

/** Returns the given options as query parameters. */
function logParameters(options: ReadLogOptions): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(Object.entries(options).map(([name, value]) => [name, [`${value}`]]));
}

/** The length at which an unfinished line is emitted in pieces. */
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
