// A request from the wire as an ApiRequest. Options, body and the state of the connection are read only when they are
// requested. An adapter (fetch, node) provides a WireInput; everything that is specific to Kubernetes is decided here.
import type { ClientCertificate } from '../../auth/index.js';
import type {
  Negotiated,
  Offer,
  Query,
  ResponseNotes,
  ApiRequest,
  RequestBody,
  RequestInfo,
  RequestOptions,
} from '../../core/index.js';
import { firstValue, mediaTypes, negotiate, notAcceptable, routeNotAcceptable } from '../../core/index.js';
import { readOptions } from './query.js';

/** A request as an adapter provides it. */
export interface WireInput {
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  /** Returns a header by lower-case name; several of one name are joined by commas. */
  header(name: string): string | undefined;
  /**
   * Returns the headers whose names start with a lower-case prefix: one pair per header that was sent, with lower-case
   * names.
   */
  headersWith(prefix: string): readonly (readonly [name: string, value: string])[];
  /** Reads the body. Rejects with ApiError 413 where it is longer, 400 where it is incomplete. */
  readBody(bytesMax: number): Promise<Uint8Array>;
  /** Calls back when the client disconnects before the response. */
  onGone(callback: () => void): void;
  /** The client certificate of the TLS connection. */
  readonly certificate?: ClientCertificate | undefined;
  readonly remoteAddress?: string | undefined;
}

/** What the wire reads of an input before it is handled. */
export interface WireContext {
  readonly info: RequestInfo;
  readonly query: Query;
  readonly auditId: string;
  readonly bodyBytesMax: number;
  readonly negotiate: Negotiate;
}

/** A request from the wire. */
export class WireRequest implements ApiRequest {
  readonly info: RequestInfo;
  readonly #input: WireInput;
  readonly #context: WireContext;
  #options: RequestOptions | undefined;
  #body: Promise<RequestBody | undefined> | undefined;
  #abort: AbortController | undefined;
  #notes: ResponseNotes = {};

  constructor(input: WireInput, context: WireContext) {
    this.info = context.info;
    this.#input = input;
    this.#context = context;
  }

  /** The HTTP method: HEAD is authorized as get, but resources do not serve it. */
  get method(): string {
    return this.#input.method;
  }

  /** The certificate that the client presented. */
  get certificate(): ClientCertificate | undefined {
    return this.#input.certificate;
  }

  /** The address of the client. */
  get remoteAddress(): string | undefined {
    return this.#input.remoteAddress;
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      const abort = new AbortController();
      this.#abort = abort;
      this.#input.onGone(() => abort.abort());
    }
    return this.#abort.signal;
  }

  get auditId(): string {
    return this.#context.auditId;
  }

  get uri(): string {
    return this.#input.target;
  }

  addNotes(notes: ResponseNotes): void {
    this.#notes = notes;
  }

  /** Warnings and headers of the response. */
  get notes(): ResponseNotes {
    return this.#notes;
  }

  /** Aborts the signal of the request. */
  abort(reason: unknown): void {
    this.#abort ??= new AbortController();
    this.#abort.abort(reason);
  }

  header(name: string): string | undefined {
    return this.#input.header(name.toLowerCase());
  }

  headersWith(prefix: string): readonly (readonly [name: string, value: string])[] {
    return this.#input.headersWith(prefix);
  }

  options(): RequestOptions {
    return (this.#options ??= readOptions(this.info, this.#context.query));
  }

  body(): Promise<RequestBody | undefined> {
    return (this.#body ??= this.#readBody());
  }

  negotiate(offer: Offer): Negotiated {
    const accept = this.#input.header('accept');
    const form = this.#context.negotiate(accept, offer);
    // The router only adds refusals; the two differ in `application/*` and in letter case.
    if (form === undefined || accept === undefined || !offer.mediaTypes.includes(accept))
      this.#passRouter(accept, offer);
    if (form === undefined) throw notAcceptable(offer.mediaTypes);
    return form.pretty || !this.#wantsPretty() ? form : { ...form, pretty: true };
  }

  /** The form of a refusal, without a transform; undefined where the client accepts none. */
  negotiateStatus(): Negotiated | undefined {
    const form = this.#context.negotiate(this.#input.header('accept'), statusOffer);
    return form === undefined || form.pretty || !this.#wantsPretty() ? form : { ...form, pretty: true };
  }

  #passRouter(accept: string | undefined, { mediaTypes: produced }: Offer): void {
    if (!produced.includes(mediaTypes.protobuf) || isGroupPath(this.info) || passesRouter(accept, produced)) return;
    throw routeNotAcceptable(
      this.info.verb === 'watch' || this.info.verb === 'list' ? [...produced, ...streamTypes] : produced,
    );
  }

  // As apiserver/pkg/endpoints/handlers/negotiation/negotiate.go, isPrettyPrint.
  #wantsPretty(): boolean {
    const asked = firstValue(this.#context.query, 'pretty') ?? '';
    if (asked !== '') return goTrue.has(asked);
    const agent = this.#input.header('user-agent');
    return (
      agent !== undefined && (agent.startsWith('curl') || agent.startsWith('Wget') || agent.startsWith('Mozilla/5.0'))
    );
  }

  async #readBody(): Promise<RequestBody | undefined> {
    const bytes = await this.#input.readBody(this.#context.bodyBytesMax);
    return bytes.length === 0 ? undefined : { bytes, contentType: this.#input.header('content-type') ?? '' };
  }
}

/** The media types of watches. */
export const streamTypes: readonly string[] = Object.freeze([
  `${mediaTypes.json};stream=watch`,
  `${mediaTypes.protobuf};stream=watch`,
]);

const statusOffer: Offer = {
  mediaTypes: [mediaTypes.json, mediaTypes.yaml, mediaTypes.protobuf],
  allows: (_mediaType, transform) => transform === undefined,
};

/** The texts that strconv.ParseBool parses as true. */
const goTrue: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);

/**
 * Whether the router in front of the built-in resources accepts the header: it compares media types exactly and without
 * `application/*`. As go-restful's Route.matchesAccept. Custom resources, which offer no protobuf, have no such router.
 */
function passesRouter(accept: string | undefined, produced: readonly string[]): boolean {
  if (accept === undefined || accept === '') return true;
  return accept.split(',', clausesMax).some((clause) => {
    const end = clause.indexOf(';');
    const name = (end < 0 ? clause : clause.slice(0, end)).replace(/^ +| +$/g, '');
    return name === '*/*' || produced.includes(name);
  });
}

const clausesMax = 64;

/** Whether the aggregator serves the path (`/apis`, `/apis/⟨group⟩`), which has no such router either. */
function isGroupPath({ isResource, path }: RequestInfo): boolean {
  return !isResource && /^\/apis\/*(?:[^/]+\/*)?$/.test(path);
}

/** Negotiates the form of a response. */
export type Negotiate = (accept: string | undefined, offer: Offer) => Negotiated | undefined;

/**
 * Creates a cached negotiation for one server: clients send the same few Accept headers, and an offer is a constant of
 * its endpoint. Bounded in number and length.
 */
export function negotiationCache(): Negotiate {
  const known = new WeakMap<Offer, Map<string, Negotiated | undefined>>();
  return (accept = '', offer) => {
    if (accept.length > acceptLengthMax) return negotiate(accept, offer);
    let forms = known.get(offer);
    if (forms === undefined) known.set(offer, (forms = new Map<string, Negotiated | undefined>()));
    const form = forms.get(accept);
    if (form !== undefined || forms.has(accept)) return form;
    if (forms.size >= formsMax) forms.clear();
    const fresh = negotiate(accept, offer);
    forms.set(accept, fresh);
    return fresh;
  };
}

const acceptLengthMax = 512;
const formsMax = 64;
