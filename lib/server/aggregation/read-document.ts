// Reads JSON documents of a backend: its resources and schemas. Backends are not trusted: the time is limited, and what
// is not JSON is refused. Requests run as the aggregator itself, as in Kubernetes.
import { InProcessRequest, errorText, isApiError, parseJson, quote } from '../../core/index.js';
import type { ApiResponse, Clock, RequestInfo } from '../../core/index.js';
import { WebhookError, deadlineExceeded, within } from '../../webhook/index.js';
import type { Backend } from './backend.js';

/** The result: the document, or why there is none. */
export type DocumentResult = { readonly document: unknown } | { readonly url: string; readonly problem: string };

/** The time limit of a document, as the discovery checks of kube-aggregator have. */
const documentMs = 5_000;
/** The user of the requests of the aggregator itself. */
const aggregator = Object.freeze({ username: 'system:kube-aggregator', groups: Object.freeze(['system:masters']) });

/** Reads the document at a path. Never rejects. */
export async function readDocument(backend: Backend, path: string, clock: Clock): Promise<DocumentResult> {
  let url = path;
  try {
    url = `${await backend.locate()}${path}`;
    const late = (): WebhookError => new WebhookError('timeout', deadlineExceeded);
    const response = await within(
      clock,
      documentMs,
      undefined,
      async (signal) =>
        contentOf(
          await backend.handler(
            new InProcessRequest({ info: infoOf(path), user: aggregator, signal, userAgent: 'kube-aggregator' }),
          ),
        ),
      late,
    );
    if (response.code < 200 || response.code >= 300)
      return { url, problem: `bad status from ${url}: ${response.code}` };
    return { document: response.document };
  } catch (error) {
    if (isApiError(error)) return { url, problem: `bad status from ${url}: ${error.status.code ?? 500}` };
    return { url, problem: `Get ${quote(url)}: ${errorText(error)}` };
  }
}

function infoOf(path: string): RequestInfo {
  const none = { group: '', version: '', namespace: '', resource: '', subresource: '', name: '' };
  return { verb: 'get', isResource: false, path, ...none };
}

interface Content {
  readonly code: number;
  readonly document: unknown;
}

function contentOf(response: ApiResponse): Content {
  if (response.type === 'object') return { code: response.code, document: response.object };
  if (response.type !== 'raw') throw new Error('the response is no document');
  const { code, content } = response;
  if (code < 200 || code >= 300) return { code, document: undefined };
  if (typeof content !== 'string' && !(content instanceof Uint8Array)) throw new Error('the response is a stream');
  const text = typeof content === 'string' ? content : new TextDecoder().decode(content);
  return { code, document: parseJson(text) };
}
