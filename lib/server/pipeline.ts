// The request pipeline: one list of steps. Each step may respond, refuse, or call the next; a step that is not
// configured is absent and costs nothing. As apiserver/pkg/server/config.go, DefaultBuildHandlerChain:
//
//   request info (by the wire or the client) → authenticate → audit → impersonate → fairness → authorize → serve
//
// Serving dispatches to a verb (routing/, verbs/); writes then pass the write pipeline (writes/write-pipeline.ts).
import type { Authenticated } from '../auth/index.js';
import type {
  Clock,
  ApiRequest,
  ApiResponse,
  Handler,
  ApiObject,
  Frozen,
  ResponseNotes,
  RequestBody,
} from '../core/index.js';
import type { UserInfo } from '../core/types/index.js';
import { isHealthPath } from './documents/health.js';
import { storeFailure } from './writes/store-failure.js';

/** A response, or a promise of one. Steps return a plain value where they can: each promise costs a request 0.1 µs. */
export type Answer = ApiResponse | Promise<ApiResponse>;

/** The status code under which a response is audited and counted; 101 for a stream. */
export function codeOf(response: ApiResponse): number {
  switch (response.type) {
    case 'watch':
      return 200;
    case 'stream':
      return 101;
    case 'object':
    case 'raw':
      return response.code;
  }
}

/** Serves an authenticated request. */
export type Serve = (exchange: Exchange) => Answer;

/** A step of the pipeline: calls `next`, responds itself, or throws to refuse. */
export type Step = (exchange: Exchange, next: Serve) => Answer;

/** The steps of a server. A step that is undefined costs nothing. */
export interface Pipeline {
  /** Times the arrival of requests. */
  readonly clock: Clock;
  /** Returns the authenticated user. Throws or rejects with ApiError 401. */
  readonly authenticate: (request: ApiRequest) => Authenticated | Promise<Authenticated>;
  readonly audit?: Step | undefined;
  readonly impersonate?: Step | undefined;
  readonly fairness?: Step | undefined;
  readonly authorize?: Step | undefined;
  readonly serve: Serve;
}

/** Joins the steps into one handler. */
export function pipelineHandler({
  clock,
  authenticate,
  audit,
  impersonate,
  fairness,
  authorize,
  serve,
}: Pipeline): Handler {
  const steps = [audit, impersonate, fairness, authorize].filter((step) => step !== undefined);
  const inner = steps.reduceRight<Serve>((next, step) => (exchange) => step(exchange, next), serve);
  const serveAs = (request: ApiRequest, identity: Authenticated): Answer => {
    const exchange = new Exchange(request, identity, clock.now());
    let answer: Answer;
    try {
      answer = inner(exchange);
    } catch (error) {
      return refused(error, exchange);
    }
    if (!(answer instanceof Promise)) return answered(answer, exchange);
    return answer.then(
      (response) => answered(response, exchange),
      (error: unknown) => refused(error, exchange),
    );
  };
  return (request) => {
    const identity = authenticate(request);
    return identity instanceof Promise ? identity.then((known) => serveAs(request, known)) : serveAs(request, identity);
  };
}

function answered(response: ApiResponse, exchange: Exchange): ApiResponse {
  reportNotes(exchange);
  const { request, warnings } = exchange;
  return request.addNotes !== undefined || warnings === undefined ? response : { ...response, warnings };
}

function refused(error: unknown, exchange: Exchange): never {
  reportNotes(exchange);
  throw error;
}

/**
 * Passes warnings and headers to the wire apart from the response: they also belong to refusals, and the response need
 * not be copied.
 */
function reportNotes({ notes, request }: Exchange): void {
  if (notes !== undefined) request.addNotes?.(notes);
}

/** The start of a server, and its handler, which waits for the start. */
export interface Starting {
  /**
   * Starts the server once. Resolves when it has started; a failed start is retried by the next call. Rejects with
   * ApiError where the store does not answer.
   */
  readonly started: () => Promise<void>;
  /**
   * Serves requests after the start; the first request starts the server. Health is served although the start failed,
   * so that it states why.
   */
  readonly handler: Handler;
}

/** Runs `start` once, before `handler` receives the first request. */
export function whenStarted(start: () => Promise<void>, handler: Handler): Starting {
  let isDone = false;
  let running: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    try {
      await start();
      isDone = true;
    } catch (error) {
      running = undefined;
      throw storeFailure(error);
    }
  };
  const started = (): Promise<void> => (running ??= run());
  return {
    started,
    handler: (request) =>
      isDone
        ? handler(request)
        : started().then(
            () => handler(request),
            (error: unknown) => {
              if (isHealthPath(request.info.path)) return handler(request);
              throw error;
            },
          ),
  };
}

/** Records the content of a request, for auditing. */
export interface RequestRecorder {
  /** Whether the content of the request is recorded, not only its metadata. */
  readonly recordsContent: boolean;
  /** Called with the decoded and defaulted body, before admission changes it. */
  object(object: Frozen<ApiObject>): void;
  /** Called with a patch as it was sent. */
  patch(body: RequestBody | undefined): void;
}

/**
 * A request on its way through the pipeline: its user, and what the response carries besides its content. Created after
 * authentication; steps add to it, the encoder reads it.
 */
export class Exchange {
  readonly request: ApiRequest;
  /** The authenticated identity of the credentials. */
  readonly identity: Authenticated;
  /** When the request arrived, in milliseconds since 1970. */
  readonly receivedMs: number;
  /** Records the content of the request; undefined where it is not audited. */
  recorder: RequestRecorder | undefined;
  /** Headers of the response, also of a refusal: names and values alternate. */
  headers: readonly string[] | undefined;
  #user: Frozen<UserInfo>;
  #constraint = '';
  #warnings: Set<string> | undefined;
  #annotations: Map<string, string> | undefined;

  constructor(request: ApiRequest, identity: Authenticated, receivedMs: number) {
    this.request = request;
    this.identity = identity;
    this.receivedMs = receivedMs;
    this.#user = identity.user;
    if (identity.warnings !== undefined) this.#warnings = new Set(identity.warnings);
  }

  /** The user whom the credentials name. */
  get requestor(): Frozen<UserInfo> {
    return this.identity.user;
  }

  /** The user as whom the request runs: the requestor, or the impersonated user. */
  get user(): Frozen<UserInfo> {
    return this.#user;
  }

  /** The verb that allowed the impersonation; empty without any, or where it was plain `impersonate`. */
  get constraint(): string {
    return this.#constraint;
  }

  /** Continues as the impersonated user. */
  impersonate(user: Frozen<UserInfo>, constraint: string): void {
    this.#user = user;
    this.#constraint = constraint;
  }

  /** Texts of Warning headers without duplicates; undefined without any, the usual case. */
  get warnings(): readonly string[] | undefined {
    return this.#warnings && [...this.#warnings];
  }

  /** Warnings and headers of every response to this request; undefined without any. */
  get notes(): ResponseNotes | undefined {
    const { warnings, headers } = this;
    if (warnings === undefined) return headers && { headers };
    return headers === undefined ? { warnings } : { warnings, headers };
  }

  /** Annotations of the audit event. */
  get annotations(): ReadonlyMap<string, string> | undefined {
    return this.#annotations;
  }

  /** Adds a Warning header to the response. */
  warn(text: string): void {
    (this.#warnings ??= new Set()).add(text);
  }

  /** Adds an annotation to the audit event, where the request is audited. The first value of a key wins. */
  annotate(key: string, value: string): void {
    if (this.recorder === undefined) return;
    this.#annotations ??= new Map();
    if (!this.#annotations.has(key)) this.#annotations.set(key, value);
  }
}
