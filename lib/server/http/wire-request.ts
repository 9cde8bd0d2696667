// A request as it came over the wire, as the value that the server handles. Nothing is read before it is asked for: not
// the options, not the body, not even whether the client is still there. An adapter (fetch, node) provides a WireInput;
// everything that Kubernetes says about it is decided here.
import type { ClientCertificate } from '../../auth/index.js';
import type { AnswerNotes, ApiRequest, RequestBody, RequestInfo, RequestOptions } from '../../client/index.js';
import type { Negotiated, Offer } from '../../core/index.js';
import { mediaTypes, negotiate, notAcceptable, routeNotAcceptable } from '../../core/index.js';
import type { Query } from './query.js';
import { firstValue } from './query.js';
import { readOptions } from './query.js';

/** What an adapter knows about a request. */
export interface WireInput {
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  /** A header's value by name in lower case; several of one name are joined by commas. */
  header(name: string): string | undefined;
  /** Those whose names begin with a prefix in lower case; names in lower case, one pair for each that was sent. */
  headersWith(prefix: string): readonly (readonly [name: string, value: string])[];
  /** The whole body. Rejects with ApiError 413 where it is longer, 400 where it breaks off. */
  readBody(bytesMax: number): Promise<Uint8Array>;
  /** Calls back when the client went away before it was answered. */
  onGone(callback: () => void): void;
  /** What the client presented, where TLS asked. */
  readonly certificate?: ClientCertificate | undefined;
  readonly remoteAddress?: string | undefined;
}

/** What the wire makes of an input before anybody handles it. */
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
  #notes: AnswerNotes = {};

  constructor(input: WireInput, context: WireContext) {
    this.info = context.info;
    this.#input = input;
    this.#context = context;
  }

  /** The method as sent: HEAD is a get to authorization, but no resource answers to it. */
  get method(): string {
    return this.#input.method;
  }

  /** The certificate that the client presented. */
  get certificate(): ClientCertificate | undefined {
    return this.#input.certificate;
  }

  /** Where it came from. */
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

  tell(notes: AnswerNotes): void {
    this.#notes = notes;
  }

  /** What the answer shall say besides what it is. */
  get notes(): AnswerNotes {
    return this.#notes;
  }

  /** Ends the request for whoever listens to its signal. */
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
    // The router only refuses more: what it would let pass and what it would not differ in `application/*` and in case.
    if (form === undefined || accept === undefined || !offer.mediaTypes.includes(accept))
      this.#passRouter(accept, offer);
    if (form === undefined) throw notAcceptable(offer.mediaTypes);
    return form.pretty || !this.#wantsPretty() ? form : { ...form, pretty: true };
  }

  /** The form of a refusal: never a transform; undefined where the client accepts nothing at all. */
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

/** The forms that a watch can have. */
export const streamTypes: readonly string[] = Object.freeze([
  `${mediaTypes.json};stream=watch`,
  `${mediaTypes.protobuf};stream=watch`,
]);

const statusOffer: Offer = {
  mediaTypes: [mediaTypes.json, mediaTypes.yaml, mediaTypes.protobuf],
  allows: (_mediaType, transform) => transform === undefined,
};

/** What strconv.ParseBool takes for true. */
const goTrue: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);

/**
 * The router in front of the built-in resources compares media types letter by letter and knows no `application/*`;
 * what it lets pass is negotiated in earnest. As go-restful's Route.matchesAccept. Custom resources have no such
 * router: they offer no protobuf.
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

/** `/apis` and `/apis/⟨group⟩` belong to the aggregator, which has no such router either. */
function isGroupPath({ isResource, path }: RequestInfo): boolean {
  return !isResource && /^\/apis\/*(?:[^/]+\/*)?$/.test(path);
}

/** Negotiates, and remembers. */
export type Negotiate = (accept: string | undefined, offer: Offer) => Negotiated | undefined;

/**
 * Remembers negotiations, for one server: clients send the same few Accept headers, and an offer is a constant of its
 * endpoint. Bounded in number and in length of what is remembered.
 */
export function rememberNegotiations(): Negotiate {
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
