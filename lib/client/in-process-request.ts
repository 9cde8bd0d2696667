// A request that never leaves the process: objects go in and come out as they are.
import { mediaTypes } from '../core/index.js';
import type { Frozen, Negotiated } from '../core/index.js';
import type { UserInfo } from '../core/types/index.js';
import type { AnswerNotes, ApiRequest, RequestBody, RequestCause, RequestInfo, RequestOptions } from './api-request.js';

/** What a request in process is made of. */
export interface InProcessOptions {
  readonly info: RequestInfo;
  readonly user?: Frozen<UserInfo> | undefined;
  readonly options?: RequestOptions | undefined;
  readonly body?: RequestBody | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The form wanted; the objects themselves unless said otherwise. */
  readonly form?: Negotiated | undefined;
  /** Told what the server says besides its answer; without it, warnings come with the answer and refusals without. */
  readonly tell?: ((notes: AnswerNotes) => void) | undefined;
  /** The User-Agent of the request, which names its field manager unless the options do. */
  readonly userAgent?: string | undefined;
  readonly cause?: RequestCause | undefined;
}

/** A request of this process. */
export class InProcessRequest implements ApiRequest {
  readonly info: RequestInfo;
  readonly user?: Frozen<UserInfo>;
  readonly signal?: AbortSignal;
  readonly tell?: (notes: AnswerNotes) => void;
  readonly cause?: RequestCause;
  readonly #userAgent: string | undefined;
  readonly #options: RequestOptions;
  readonly #body: RequestBody | undefined;
  readonly #form: Negotiated;

  constructor({
    info,
    user,
    options = noOptions,
    body,
    signal,
    form = asIs,
    tell,
    userAgent,
    cause,
  }: InProcessOptions) {
    this.info = info;
    if (user !== undefined) this.user = user;
    if (signal !== undefined) this.signal = signal;
    if (tell !== undefined) this.tell = tell;
    if (cause !== undefined) this.cause = cause;
    this.#userAgent = userAgent;
    this.#options = options;
    this.#body = body;
    this.#form = form;
  }

  header(name: string): string | undefined {
    return name === 'User-Agent' || name.toLowerCase() === 'user-agent' ? this.#userAgent : undefined;
  }

  options(): RequestOptions {
    return this.#options;
  }

  body(): RequestBody | undefined {
    return this.#body;
  }

  negotiate(): Negotiated {
    return this.#form;
  }
}

const noOptions: RequestOptions = Object.freeze({});
const asIs: Negotiated = Object.freeze({ mediaType: mediaTypes.json, pretty: false });
