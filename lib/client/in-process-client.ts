// The client of a server in the same process: requests are values, responses are the frozen objects themselves. No
// JSON, no bytes, no paths.
import { Observable, defer, mergeAll, of } from 'rxjs';
import { deepFreeze, mediaTypes, parseJson, reasonOf, untilAborted, InProcessRequest } from '../core/index.js';
import type {
  Frozen,
  Negotiated,
  ResponseNotes,
  ApiResponse,
  Handler,
  RawResponse,
  RequestInfo,
  InProcessRequestOptions,
} from '../core/index.js';
import type { UserInfo } from '../core/types/index.js';
import { plainResponseError } from './http/error-response.js';
import type { RequestSender } from './request-sender.js';
import type { Client } from './client.js';
import { createClient } from './client.js';

/** Options of a client in process. */
export interface InProcessClientOptions {
  /** The user of all requests. Default: the server authenticates a request without credentials. */
  readonly user?: Frozen<UserInfo>;
  /** The name of the program, as in a User-Agent: the field manager of writes. Default: `vivarium`. */
  readonly manager?: string;
  /** Receives the warnings of the server. */
  readonly onWarning?: (text: string) => void;
  /**
   * Keeps the process alive while calls are pending, for servers whose timers do not (`backgroundClock`). Watches are
   * not calls. Default: none.
   */
  readonly keepAliveWhile?: <T>(promise: Promise<T>) => Promise<T>;
}

/** Creates a client of a handler, such as `createServer(…).handler`. */
export function inProcessClient(handler: Handler, options: InProcessClientOptions = {}): Client {
  return createClient(inProcessSender(handler, options));
}

function inProcessSender(handler: Handler, options: InProcessClientOptions): RequestSender {
  const { user, onWarning, manager: userAgent = 'vivarium', keepAliveWhile } = options;
  const onNotes =
    onWarning === undefined
      ? undefined
      : ({ warnings }: ResponseNotes): void => warnings?.forEach((text) => onWarning(text));
  const handle = <T>(options: InProcessRequestOptions, convert: (response: ApiResponse) => T): Promise<T> => {
    try {
      const response = handler(new InProcessRequest(options));
      return response instanceof Promise ? response.then(convert) : Promise.resolve(convert(response));
    } catch (error) {
      return new Promise(() => {
        throw error;
      });
    }
  };
  return {
    isInProcess: true,
    keepAliveWhile,
    send({ info, options: query, body, signal, cause }) {
      if (signal?.aborted === true) return Promise.reject(reasonOf(signal));
      const result = handle({ info, user, options: query, body, signal, onNotes, userAgent, cause }, (response) =>
        response.type === 'object' ? deepFreeze(response.object) : unexpectedResponse(info, response, 'an object'),
      );
      void keepAliveWhile?.(result);
      return signal === undefined ? result : untilAborted(result, signal);
    },
    watch: ({ info, options: query }) =>
      defer(() =>
        handle({ info, user, options: query, onNotes, userAgent }, (response) =>
          response.type === 'watch' ? response.events : unexpectedResponse(info, response, 'events'),
        ),
      ).pipe(mergeAll()),
    bytes: ({ info, options: query }) =>
      defer(() =>
        handle({ info, user, options: query, onNotes, userAgent }, (response) =>
          response.type === 'raw' && response.code < 400
            ? bytesOf(response)
            : unexpectedResponse(info, response, 'bytes'),
        ),
      ).pipe(mergeAll()),
    stream: ({ info, options: query, signal }) =>
      untilAborted(
        handle({ info, user, options: query, signal, onNotes, userAgent }, (response) =>
          response.type === 'stream' ? response : unexpectedResponse(info, response, 'a stream'),
        ),
        signal,
      ),
    async read(path, { aggregated = false, signal }) {
      const info: RequestInfo = {
        verb: 'get',
        isResource: false,
        path,
        group: '',
        version: '',
        namespace: '',
        resource: '',
        subresource: '',
        name: '',
      };
      const result = handle(
        { info, user, signal, userAgent, form: aggregated ? aggregatedForm : undefined },
        (response) => documentOf(info, response),
      );
      return await untilAborted(result, signal);
    },
    as: (other) => inProcessSender(handler, { ...options, user: other }),
  };
}

const aggregatedForm: Negotiated = Object.freeze({
  mediaType: mediaTypes.json,
  pretty: false,
  transform: Object.freeze({ group: 'apidiscovery.k8s.io', version: 'v2', kind: 'APIGroupDiscoveryList' }),
});

const utf8 = new TextDecoder();
const utf8Encoder = new TextEncoder();

function documentOf(info: RequestInfo, response: ApiResponse): unknown {
  if (response.type === 'object') return response.object;
  const text = textOf(response);
  if (response.type !== 'raw' || response.code >= 400 || text === undefined)
    return unexpectedResponse(info, response, 'a document');
  return response.contentType.startsWith(mediaTypes.json) ? parseJson(text) : text;
}

function bytesOf({ content }: RawResponse): Observable<Uint8Array> {
  if (content instanceof Observable) return content;
  return of(typeof content === 'string' ? utf8Encoder.encode(content) : content);
}

function textOf(response: ApiResponse): string | undefined {
  const content = response.type === 'raw' ? response.content : undefined;
  return content instanceof Uint8Array ? utf8.decode(content) : typeof content === 'string' ? content : undefined;
}

/** A router responds to an unknown path with plain text; any other type of response is a programming error. */
function unexpectedResponse(info: RequestInfo, response: ApiResponse, wanted: string): never {
  if (response.type === 'raw' && response.code >= 400)
    throw plainResponseError(info, { code: response.code, text: textOf(response) ?? '' });
  throw new Error(
    `${info.resource === '' ? info.path : `${info.resource}/${info.subresource}`} does not respond with ${wanted}`,
  );
}
