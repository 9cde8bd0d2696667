// What requests are about, by method, path and query. Clients ask for the same few again and again, and to read a path
// costs as much as to look its object up: what was read is remembered, bounded in number and in length.
import type { RequestInfo } from '../../client/index.js';
import { quote } from '../../core/index.js';
import type { Query } from './query.js';
import { parseQuery, unescapePercent } from './query.js';
import { readRequestInfo } from './request-info.js';
import type { WireOutput } from './wire-output.js';
import { bytesBody, textOutput } from './wire-output.js';
import type { WireInput } from './wire-request.js';

/** A target that could be read. */
export interface Target {
  readonly info: RequestInfo;
  readonly query: Query;
}

/** Reads targets, and remembers. Those that are too long are answered with 431. */
export function rememberTargets(charactersMax: number): (input: WireInput) => Target | WireOutput {
  const byMethod = new Map<string, Map<string, Target>>();
  return ({ method, target }) => {
    const known = byMethod.get(method);
    const found = known?.get(target);
    if (found !== undefined) return found;
    if (target.length > charactersMax) return textOutput(431, '431 Request Header Fields Too Large', { close: true });
    const fresh = readTarget(method, target);
    if ('code' in fresh || target.length > rememberedLengthMax) return fresh;
    if (known === undefined) {
      if (byMethod.size < methodsMax) byMethod.set(method, new Map([[target, fresh]]));
    } else {
      if (known.size >= rememberedMax) known.clear();
      known.set(target, fresh);
    }
    return fresh;
  };
}

const methodsMax = 16;
const rememberedMax = 1024;
const rememberedLengthMax = 512;

/**
 * What a request is about, or the answer of those that Go's own server gives before anything of Kubernetes is asked.
 */
function readTarget(method: string, target: string): Target | WireOutput {
  if (target === '*' && method === 'OPTIONS')
    return { code: 200, headers: [], body: bytesBody(new Uint8Array()), gzip: false, close: false };
  const relative = target.startsWith('/') || target === '*' ? target : absoluteForm.exec(target)?.[1];
  const question = relative?.indexOf('?') ?? -1;
  const path =
    relative === undefined ? undefined : unescapePercent(question < 0 ? relative : relative.slice(0, question));
  if (relative === undefined || path === undefined) return textOutput(400, '400 Bad Request', { close: true });
  const query = parseQuery(question < 0 ? '' : relative.slice(question + 1));
  const info = readRequestInfo(method, path === '' ? '/' : path, query);
  return info === undefined ? infoFailure(target) : { info, query };
}

const absoluteForm = /^https?:\/\/[^/?]*([^]*)$/i;

/** As responsewriters.InternalError: the text must not look like HTML. */
function infoFailure(target: string): WireOutput {
  const text = `Internal Server Error: ${quote(target)}: failed to create RequestInfo: unable to determine kind and namespace from url, ${target}\n`;
  return textOutput(500, text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;'), {
    headers: ['X-Content-Type-Options', 'nosniff'],
  });
}
