// The client of a server in the same process: requests are values, answers are the frozen objects themselves. No JSON,
// no bytes, no paths.
import { Observable, defer, mergeAll, of } from 'rxjs';
import { deepFreeze, mediaTypes, parseJson, reasonOf, untilAborted } from '../core/index.js';
import type { Frozen, Negotiated } from '../core/index.js';
import type { UserInfo } from '../core/types/index.js';
import type { AnswerNotes, ApiResponse, Handler, RawResponse, RequestInfo } from './api-request.js';
import { bareRefusal } from './bare-refusal.js';
import type { Carrier } from './carrier.js';
import type { Client } from './client.js';
import { clientOf } from './client.js';
import { InProcessRequest } from './in-process-request.js';
import type { InProcessOptions } from './in-process-request.js';

/** What a client in process is made of. */
export interface InProcessClientOptions {
  /** Who asks. Without one, whoever the server takes for the author of a request without credentials. */
  readonly user?: Frozen<UserInfo>;
  /** The name of the program, as in a User-Agent: it owns the fields that are written. Default: `vivarium`. */
  readonly manager?: string;
  /** Told what a server warns of. */
  readonly onWarning?: (text: string) => void;
}

/** A client of a handler, such as `createServer(…).handler`. */
export function inProcessClient(handler: Handler, options: InProcessClientOptions = {}): Client {
  return clientOf(inProcessCarrier(handler, options));
}

function inProcessCarrier(handler: Handler, options: InProcessClientOptions): Carrier {
  const { user, onWarning, manager: userAgent = 'vivarium' } = options;
  const tell =
    onWarning === undefined
      ? undefined
      : ({ warnings }: AnswerNotes): void => warnings?.forEach((text) => onWarning(text));
  const ask = <T>(options: InProcessOptions, take: (response: ApiResponse) => T): Promise<T> => {
    try {
      const answer = handler(new InProcessRequest(options));
      return answer instanceof Promise ? answer.then(take) : Promise.resolve(take(answer));
    } catch (error) {
      return new Promise(() => {
        throw error;
      });
    }
  };
  return {
    send({ info, options: query, body, signal, cause }) {
      if (signal?.aborted === true) return Promise.reject(reasonOf(signal));
      const answer = ask({ info, user, options: query, body, signal, tell, userAgent, cause }, (response) =>
        response.type === 'object' ? deepFreeze(response.object) : unfit(info, response, 'an object'),
      );
      return signal === undefined ? answer : untilAborted(answer, signal);
    },
    watch: ({ info, options: query }) =>
      defer(() =>
        ask({ info, user, options: query, tell, userAgent }, (response) =>
          response.type === 'watch' ? response.events : unfit(info, response, 'events'),
        ),
      ).pipe(mergeAll()),
    bytes: ({ info, options: query }) =>
      defer(() =>
        ask({ info, user, options: query, tell, userAgent }, (response) =>
          response.type === 'raw' && response.code < 400 ? bytesOf(response) : unfit(info, response, 'bytes'),
        ),
      ).pipe(mergeAll()),
    stream: ({ info, options: query, signal }) =>
      untilAborted(
        ask({ info, user, options: query, signal, tell, userAgent }, (response) =>
          response.type === 'stream' ? response : unfit(info, response, 'a stream'),
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
      const answer = ask({ info, user, signal, userAgent, form: aggregated ? aggregatedForm : undefined }, (response) =>
        documentOf(info, response),
      );
      return await untilAborted(answer, signal);
    },
    as: (other) => inProcessCarrier(handler, { ...options, user: other }),
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
  if (response.type !== 'raw' || response.code >= 400 || text === undefined) return unfit(info, response, 'a document');
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

/** A router refuses with a bare page; anything else is a request for what has its own ways, such as logs. */
function unfit(info: RequestInfo, response: ApiResponse, wanted: string): never {
  if (response.type === 'raw' && response.code >= 400)
    throw bareRefusal(info, { code: response.code, text: textOf(response) ?? '' });
  throw new Error(
    `${info.resource === '' ? info.path : `${info.resource}/${info.subresource}`} does not answer with ${wanted}`,
  );
}
