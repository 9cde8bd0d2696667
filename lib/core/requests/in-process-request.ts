// The request of a client in process: objects are passed by reference and never encoded.
import { mediaTypes } from '../codec/media-type.js';
import type { Frozen } from '../objects/meta.js';
import type { Negotiated } from '../codec/media-type.js';
import type { UserInfo } from '../types/index.js';
import type {
  ResponseNotes,
  ApiRequest,
  RequestBody,
  RequestCause,
  RequestInfo,
  RequestOptions,
} from './api-request.js';

/** The content of a request in process. */
export interface InProcessRequestOptions {
  readonly info: RequestInfo;
  readonly user?: Frozen<UserInfo> | undefined;
  readonly options?: RequestOptions | undefined;
  readonly body?: RequestBody | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The requested form. Default: the objects themselves. */
  readonly form?: Negotiated | undefined;
  /** Receives warnings and headers. Default: warnings are part of the response, and errors have none. */
  readonly onNotes?: ((notes: ResponseNotes) => void) | undefined;
  /** The User-Agent, which is the field manager unless the options name one. */
  readonly userAgent?: string | undefined;
  readonly cause?: RequestCause | undefined;
}

/** A request of a client in process. */
export class InProcessRequest implements ApiRequest {
  readonly info: RequestInfo;
  readonly user?: Frozen<UserInfo>;
  readonly signal?: AbortSignal;
  readonly addNotes?: (notes: ResponseNotes) => void;
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
    form = defaultForm,
    onNotes,
    userAgent,
    cause,
  }: InProcessRequestOptions) {
    this.info = info;
    if (user !== undefined) this.user = user;
    if (signal !== undefined) this.signal = signal;
    if (onNotes !== undefined) this.addNotes = onNotes;
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
const defaultForm: Negotiated = Object.freeze({ mediaType: mediaTypes.json, pretty: false });
