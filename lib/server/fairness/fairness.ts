// API priority and fairness: no more requests are served at once than the server has seats for, and when they are
// scarce every flow gets its fair part. Requests from the wire are put in flows by FlowSchemas, flows in priority
// levels, each with seats of its own; what finds none waits or is turned away with 429. Requests that the host itself
// makes in process are no business of this step, nor are long ones: a watch takes seats only until it has begun. As
// apiserver/pkg/server/filters/priority-and-fairness.go.
import { defer, tap } from 'rxjs';
import type { ApiRequest, ApiResponse, RawResponse } from '../../client/index.js';
import { Outlet, onDemand, parseDurationMs } from '../../core/index.js';
import type { Clock, ObjectInformers } from '../../core/index.js';
import { textResponse } from '../documents/text-response.js';
import { isLongRunning } from '../http/request-info.js';
import type { Answer, Serve, Step } from '../pipeline.js';
import type { Registry } from '../registry/registry.js';
import type { Exchange } from '../requests/exchange.js';
import { flowConfiguration } from './configuration.js';
import type { Patience, RejectReason, Seats } from './fair-queues.js';
import type { Flow } from './flow-control.js';
import { FlowControl } from './flow-control.js';
import { seatsOf } from './seat-estimate.js';

/** What fairness is made with. */
export interface FairnessOptions {
  readonly registry: Registry;
  readonly informers: ObjectInformers;
  readonly clock: Clock;
  /** How many requests are served at once. */
  readonly concurrency: number;
  /** Hears of requests that are turned away. */
  readonly turnedAway: (request: ApiRequest) => void;
}

/** The step, and what it does, for metrics. */
export interface Fairness {
  readonly step: Step;
  readonly control: FlowControl;
  /** Ends what was begun. */
  close(): void;
}

/** Makes the step. Schemas and levels are read when the first request comes. */
export function fairnessOf({ registry, informers, clock, concurrency, turnedAway }: FairnessOptions): Fairness {
  const control = new FlowControl(clock, concurrency, patienceOf);
  const closing = new Outlet<undefined>();
  const configured$ = defer(() => {
    control.configure([], []);
    return flowConfiguration(informers).pipe(tap(({ levels, schemas }) => control.configure(levels, schemas)));
  });
  const configuration = onDemand(configured$, closing.values$);
  const objectCount = ({ group, version, resource }: ApiRequest['info']): number | undefined =>
    registry.endpoint({ group, version, resource })?.stored.cacher.figures().objects;
  const serve = (exchange: Exchange, next: Serve): Answer => {
    const { request, user } = exchange;
    const flow = control.flowOf(request.info, user);
    const { level, counts } = flow;
    exchange.headers = flow.headers;
    if (!level.isExempt) {
      const now = clock.now();
      control.tick(now);
      const entered = level.queues.enter(
        {
          hand: flow.handOf(request.info, user),
          seats: seatsOf(request, level.limits.perRequest, objectCount),
          request,
        },
        now,
      );
      return entered instanceof Promise
        ? waited(counts, entered).then((outcome) => served(outcome, flow, exchange, next))
        : served(entered, flow, exchange, next);
    }
    return served(undefined, flow, exchange, next);
  };
  /** Serves on the seats that were given, if any are needed. */
  const served = (outcome: Seats | RejectReason | undefined, flow: Flow, exchange: Exchange, next: Serve): Answer => {
    const { counts } = flow;
    if (typeof outcome === 'string') {
      turnedAway(exchange.request);
      return rejected(flow, outcome, clock.now());
    }
    counts.dispatched += 1;
    counts.executing += 1;
    counts.executingSeats += outcome?.count ?? 1;
    let answer: Answer;
    try {
      answer = next(exchange);
    } catch (error) {
      leave(outcome, flow);
      throw error;
    }
    if (answer instanceof Promise) return leaving(answer, outcome, flow);
    leave(outcome, flow);
    return answer;
  };
  const leaving = async (answer: Promise<ApiResponse>, seats: Seats | undefined, flow: Flow): Promise<ApiResponse> => {
    try {
      return await answer;
    } finally {
      leave(seats, flow);
    }
  };
  const leave = (seats: Seats | undefined, { level, counts }: Flow): void => {
    counts.executing -= 1;
    counts.executingSeats -= seats?.count ?? 1;
    if (seats !== undefined) level.queues.leave(seats, clock.now());
  };
  const step: Step = (exchange, next) => {
    const { request } = exchange;
    if (
      request.user !== undefined ||
      request.uri === undefined ||
      (isLongRunning(request.info) && request.info.verb !== 'watch')
    )
      return next(exchange);
    return configuration.isReady ? serve(exchange, next) : configuration.whenReady(() => serve(exchange, next));
  };
  const close = (): void => {
    closing.emit(undefined);
    control.close();
  };
  return { step, control, close };
}

async function waited(counts: Flow['counts'], outcome: Promise<Seats | RejectReason>): Promise<Seats | RejectReason> {
  counts.waiting += 1;
  try {
    return await outcome;
  } finally {
    counts.waiting -= 1;
  }
}

function rejected({ counts, level }: Flow, why: RejectReason, nowMs: number): RawResponse {
  counts.rejected.set(why, (counts.rejected.get(why) ?? 0) + 1);
  level.retryAfter.note(nowMs);
  const response = textResponse(429, 'Too many requests, please try again later.\n');
  return { ...response, headers: { ...response.headers, 'Retry-After': `${level.retryAfter.seconds}` } };
}

const requestMsMax = 60_000;

/** A quarter of the time that a request has. */
function patienceOf(request: ApiRequest): Patience {
  return { waitMs: Math.min(requestMsOf(request), requestMsMax) / 4, signal: request.signal };
}

/** The wire has refused already what makes no sense. */
function requestMsOf(request: ApiRequest): number {
  if (request.info.verb === 'watch') return requestMsMax;
  try {
    return parseDurationMs(request.options().parameters?.timeout?.[0] ?? '') || requestMsMax;
  } catch {
    return requestMsMax;
  }
}
