// API priority and fairness: the number of requests that are served at a time is limited by seats, and when seats are
// scarce every flow gets a fair share. FlowSchemas assign requests from the wire to flows, and flows to priority levels
// with their own seats; a request without a seat waits or is rejected with 429. In-process requests of the host are
// exempt, as are long-running ones: a watch needs seats only until it has started. As
// apiserver/pkg/server/filters/priority-and-fairness.go.
import { defer, tap, combineLatest, filter, map } from 'rxjs';
import { Outlet, onDemand, parseDurationMs } from '../../core/index.js';
import type {
  Clock,
  ObjectInformers,
  ApiRequest,
  ApiResponse,
  RawResponse,
  ApiObject,
  Frozen,
  RequestInfo,
  RequestOptions,
} from '../../core/index.js';
import { textResponse } from '../documents/text-response.js';
import { isLongRunning } from '../http/request-info.js';
import type { Answer, Serve, Step, Exchange } from '../pipeline.js';
import type { Registry } from '../registry/registry.js';
import type { WaitLimit, RejectReason, Seats } from './fair-queues.js';
import type { Flow } from './flow-control.js';
import { FlowControl } from './flow-control.js';
import type { Observable } from 'rxjs';
import type { FlowSchema, PriorityLevelConfiguration } from '../../core/types/index.js';

/** Options of fairness. */
export interface FairnessOptions {
  readonly registry: Registry;
  readonly informers: ObjectInformers;
  readonly clock: Clock;
  /** The number of seats: how many requests are served at a time. */
  readonly concurrency: number;
  /** Called with each rejected request. */
  readonly onRejected: (request: ApiRequest) => void;
}

/** The step, and its state for metrics. */
export interface Fairness {
  readonly step: Step;
  readonly control: FlowControl;
  /** Rejects waiting requests and stops reading the configuration. */
  close(): void;
}

/** Creates the step. Schemas and levels are read with the first request. */
export function fairnessOf({ registry, informers, clock, concurrency, onRejected }: FairnessOptions): Fairness {
  const control = new FlowControl(clock, concurrency, waitLimitOf);
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
  /** Serves a request on its seats, or rejects it. */
  const served = (outcome: Seats | RejectReason | undefined, flow: Flow, exchange: Exchange, next: Serve): Answer => {
    const { counts } = flow;
    if (typeof outcome === 'string') {
      onRejected(exchange.request);
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

/** A request may wait for a quarter of its time limit. */
function waitLimitOf(request: ApiRequest): WaitLimit {
  return { waitMs: Math.min(requestMsOf(request), requestMsMax) / 4, signal: request.signal };
}

/** The time limit of a request in milliseconds. The wire has already refused invalid ones. */
function requestMsOf(request: ApiRequest): number {
  if (request.info.verb === 'watch') return requestMsMax;
  try {
    return parseDurationMs(request.options().parameters?.timeout?.[0] ?? '') || requestMsMax;
  } catch {
    return requestMsMax;
  }
}

/** The configuration of priority and fairness. */
interface FlowConfiguration {
  readonly levels: readonly Frozen<PriorityLevelConfiguration>[];
  readonly schemas: readonly Frozen<FlowSchema>[];
}

/**
 * Emits the configuration whenever it changes. Objects that cannot be read count as absent, so that the mandatory ones
 * apply and health checks are still served. Cold; completes when the server is closed; never errors.
 */
function flowConfiguration(informers: ObjectInformers): Observable<FlowConfiguration> {
  const objects = <T extends ApiObject>(resource: string): Observable<readonly Frozen<T>[]> => {
    const informer = informers.of<T>({ group: 'flowcontrol.apiserver.k8s.io', resource });
    return informer.events$.pipe(
      filter(({ type }) => type === 'synced' || type === 'applied' || type === 'deleted' || type === 'failed'),
      map(() => informer.list()),
    );
  };
  return combineLatest({
    levels: objects<PriorityLevelConfiguration>('prioritylevelconfigurations'),
    schemas: objects<FlowSchema>('flowschemas'),
  });
}

/** The number of stored objects of a resource; undefined where unknown. */
export type ObjectCount = (info: RequestInfo) => number | undefined;

/**
 * The seats of a request, at most `seatsMax`: one, except for lists and watches with initial events, which take one per
 * hundred objects, up to ten. As apiserver/pkg/util/flowcontrol/request, where a list takes one per 100 kB of estimated
 * load; objects are assumed to have 1 kB here.
 */
export function seatsOf(request: ApiRequest, seatsMax: number, objectCount: ObjectCount): number {
  const { info } = request;
  if (info.verb !== 'list' && info.verb !== 'watch') return 1;
  if (!info.isResource || info.name !== '') return 1;
  const most = Math.min(seatsMax, listSeatsMax);
  const options = optionsOf(request);
  // The options are invalid; the request is refused when it is served.
  if (options === undefined) return most;
  if (info.verb === 'watch' && !sendsInitialEvents(options)) return 1;
  const stored = objectCount(info) ?? 0;
  const loaded = options.limit !== undefined && options.limit > 0 ? Math.min(options.limit, stored) : stored;
  return Math.max(1, Math.min(most, Math.ceil(loaded / objectsPerSeat)));
}

const listSeatsMax = 10;
const objectsPerSeat = 100;

function optionsOf(request: ApiRequest): RequestOptions | undefined {
  try {
    return request.options();
  } catch {
    return undefined;
  }
}

function sendsInitialEvents({ sendInitialEvents, resourceVersion = '' }: RequestOptions): boolean {
  return sendInitialEvents === true || resourceVersion === '' || resourceVersion === '0';
}
