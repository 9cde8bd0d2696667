// The way of a request through the server, as one list. Each step may answer, refuse, or pass on; a step that nothing
// was configured for is not there and costs nothing. As apiserver/pkg/server/config.go, DefaultBuildHandlerChain, read
// from the outside in:
//
//   request info (made by whoever made the request) → authenticate → audit → impersonate → fairness → authorize → serve
//
// What follows, decode, convert, default → mutate → prepare, validate → validating admission → commit → encode, is the
// verbs' (verbs/, writes/), since each has its own order of reading and refusing.
import type { Authenticated } from '../auth/index.js';
import type { ApiRequest, ApiResponse, Handler } from '../client/index.js';
import { Exchange } from './requests/exchange.js';
import type { Clock } from '../core/index.js';

/**
 * An answer, at once where nothing has to be waited for: every promise on the way of a request costs it a tenth of a
 * microsecond.
 */
export type Answer = ApiResponse | Promise<ApiResponse>;

/** The code under which a response is audited and counted: that of a stream is the upgrade's. */
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

/** Serves a request whose user is known. */
export type Serve = (exchange: Exchange) => Answer;

/** A step: passes on, or not. */
export type Step = (exchange: Exchange, next: Serve) => Answer;

/** The steps of a server. Those left out are not taken. */
export interface Pipeline {
  /** Says when requests came. */
  readonly clock: Clock;
  /** Who asks. Rejects with ApiError 401. */
  readonly authenticate: (request: ApiRequest) => Authenticated | Promise<Authenticated>;
  readonly audit?: Step | undefined;
  readonly impersonate?: Step | undefined;
  readonly fairness?: Step | undefined;
  readonly authorize?: Step | undefined;
  readonly serve: Serve;
}

/** The steps as one handler. */
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
  tellNotes(exchange);
  const { request, warnings } = exchange;
  return request.tell !== undefined || warnings === undefined ? response : { ...response, warnings };
}

function refused(error: unknown, exchange: Exchange): never {
  tellNotes(exchange);
  throw error;
}

/** Told apart from the answer, which may be a refusal, and need not be copied for it. */
function tellNotes({ notes, request }: Exchange): void {
  if (notes !== undefined) request.tell?.(notes);
}

/** A server's start, and its handler behind it. */
export interface Starting {
  /** Starts the server once. Resolves when done; a start that failed is tried again by the next call. */
  readonly started: () => Promise<void>;
  /** Passes requests on once started; the first request starts. */
  readonly handler: Handler;
}

/** Runs `start` once, before the first request that `handler` gets. */
export function whenStarted(start: () => Promise<void>, handler: Handler): Starting {
  let isDone = false;
  let running: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    try {
      await start();
      isDone = true;
    } catch (error) {
      running = undefined;
      throw error;
    }
  };
  const started = (): Promise<void> => (running ??= run());
  return {
    started,
    handler: (request) => (isDone ? handler(request) : started().then(() => handler(request))),
  };
}
