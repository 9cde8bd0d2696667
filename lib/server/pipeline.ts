// The way of a request through the server, as one list. Each step may answer, refuse, or pass on; a step that nothing was
// configured for is not there and costs nothing. As apiserver/pkg/server/config.go, DefaultBuildHandlerChain, read from
// the outside in:
//
//   request info (made by whoever made the request) → authenticate → audit → impersonate → fairness → authorize → serve
//
// What follows, decode, convert, default → mutate → prepare, validate → validating admission → commit → encode, is the
// verbs' (verbs/, writes/), since each has its own order of reading and refusing.
import type { ApiRequest, ApiResponse, Handler, ResponseExtras } from '../client/index.js';
import { Exchange } from './requests/exchange.js';
import type { Frozen } from '../core/index.js';
import type { UserInfo } from '../core/types/index.js';

/** Serves a request whose user is known. */
export type Serve = (exchange: Exchange) => Promise<ApiResponse>;

/** A step: passes on, or not. */
export type Step = (exchange: Exchange, next: Serve) => Promise<ApiResponse>;

/** The steps of a server. Those left out are not taken. */
export interface Pipeline {
  /** Who asks. Rejects with ApiError 401. */
  readonly authenticate: (request: ApiRequest) => Frozen<UserInfo> | Promise<Frozen<UserInfo>>;
  readonly audit?: Step | undefined;
  readonly impersonate?: Step | undefined;
  readonly fairness?: Step | undefined;
  readonly authorize?: Step | undefined;
  readonly serve: Serve;
}

/** The steps as one handler. */
export function pipelineHandler({ authenticate, audit, impersonate, fairness, authorize, serve }: Pipeline): Handler {
  const steps = [audit, impersonate, fairness, authorize].filter((step) => step !== undefined);
  const inner = steps.reduceRight<Serve>((next, step) => (exchange) => step(exchange, next), serve);
  return async (request) => {
    const user = authenticate(request);
    const exchange = new Exchange(request, user instanceof Promise ? await user : user);
    try {
      return completed(await inner(exchange), exchange.extras);
    } catch (error) {
      const { extras } = exchange;
      if (extras !== undefined) request.refused?.(extras);
      throw error;
    }
  };
}

/** The answer's own headers go before those that any answer would have had. */
function completed(response: ApiResponse, extras: ResponseExtras | undefined): ApiResponse {
  if (extras === undefined) return response;
  return response.headers === undefined ? { ...response, ...extras } : { ...response, ...extras, headers: { ...extras.headers, ...response.headers } };
}
