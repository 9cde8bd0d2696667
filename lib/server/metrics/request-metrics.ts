// Metrics of requests: number, status codes, durations, open requests. Series are kept per verb and resource of the
// scheme; everything else shares one series, so that clients cannot grow memory with unknown paths. As
// apiserver/pkg/endpoints/metrics/metrics.go: requests that are refused before they reach their resource are not
// counted, except for 429.
import { tap } from 'rxjs';
import type { Observable } from 'rxjs';
import { Histogram, isApiError, labelText, withSession } from '../../core/index.js';
import type {
  Clock,
  GroupResource,
  Kinds,
  MetricFamily,
  Sample,
  ApiRequest,
  ApiResponse,
  RequestInfo,
} from '../../core/index.js';
import { isLongRunning } from '../http/request-info.js';
import type { Answer, Serve, Exchange } from '../pipeline.js';
import { codeOf } from '../pipeline.js';

/** The labels of a series. */
interface Labels {
  readonly verb: string;
  readonly dry_run: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly scope: string;
  readonly component: string;
}

/** The series of one verb and resource. */
interface Series {
  readonly labels: Labels;
  readonly codes: Map<number, number>;
  readonly durations: Histogram;
  open: number;
  events: number;
}

/** A pending request. */
interface PendingRequest {
  readonly series: Series;
  readonly inflight: Peak;
  readonly startedMs: number;
}

/** Collects metrics of requests. */
export class RequestMetrics {
  readonly #clock: Clock;
  readonly #kinds: Kinds;
  /** Keyed by resource or document; each has few series. */
  readonly #series = new Map<string, readonly Series[]>();
  readonly #reading = new Peak();
  readonly #writing = new Peak();

  constructor(clock: Clock, kinds: Kinds) {
    this.#clock = clock;
    this.#kinds = kinds;
  }

  /** Drops the series of a resource that changed or was removed. */
  forget({ group, resource }: GroupResource): void {
    const rest = (this.#series.get(resource) ?? none).filter(({ labels }) => labels.group !== group);
    if (rest.length === 0) this.#series.delete(resource);
    else this.#series.set(resource, rest);
  }

  /** Wraps a step so that its requests are counted. */
  counting(serve: Serve): Serve {
    return (exchange) => {
      const { request, receivedMs: startedMs } = exchange;
      const series = this.#seriesOf(request);
      if (isLongRunning(request.info)) return this.#longRunning(series, exchange, serve);
      const inflight = readingVerbs.has(request.info.verb) ? this.#reading : this.#writing;
      inflight.add(1, startedMs);
      const underWay = { series, inflight, startedMs };
      let answer: Answer;
      try {
        answer = serve(exchange);
      } catch (error) {
        this.#ended(failureCode(error), underWay);
        throw error;
      }
      if (answer instanceof Promise) return this.#later(answer, underWay);
      this.#ended(codeOf(answer), underWay);
      return answer;
    };
  }

  /** Counts a rejected request. */
  readonly onRejected = (request: ApiRequest): void => note(this.#seriesOf(request), 429, 0);

  /** Returns the metric families. */
  families(): readonly MetricFamily[] {
    const all = [...this.#series.values()].flat();
    return [
      {
        name: 'apiserver_request_total',
        help: '[STABLE] Requests by what they asked for and how they ended.',
        type: 'counter',
        *samples() {
          for (const { labels, codes } of all)
            for (const [code, value] of codes) yield { labels: labelText({ ...labels, code: `${code}` }), value };
        },
      },
      {
        name: 'apiserver_request_duration_seconds',
        help: '[STABLE] How long requests took until they were answered.',
        type: 'histogram',
        *samples() {
          for (const { labels, codes, durations } of all)
            if (codes.size > 0) yield* durations.samples(labelText({ ...labels }));
        },
      },
      {
        name: 'apiserver_longrunning_requests',
        help: '[STABLE] Requests that are open, of those that may take as long as they like.',
        type: 'gauge',
        *samples() {
          for (const {
            labels: { dry_run: _, ...labels },
            open,
          } of all)
            if (labels.verb === 'WATCH' || labels.verb === 'CONNECT') yield { labels: labelText(labels), value: open };
        },
      },
      {
        name: 'apiserver_watch_events_total',
        help: '[ALPHA] Events that were sent to watches.',
        type: 'counter',
        samples: () => eventSamples(all),
      },
      {
        name: 'apiserver_current_inflight_requests',
        help: '[STABLE] The most requests that were served at once within the last second.',
        type: 'gauge',
        samples: () => [
          { labels: labelText({ request_kind: 'mutating' }), value: this.#writing.at(this.#clock.now()) },
          { labels: labelText({ request_kind: 'readOnly' }), value: this.#reading.at(this.#clock.now()) },
        ],
      },
    ];
  }

  async #later(answer: Promise<ApiResponse>, underWay: PendingRequest): Promise<ApiResponse> {
    try {
      const response = await answer;
      this.#ended(codeOf(response), underWay);
      return response;
    } catch (error) {
      this.#ended(failureCode(error), underWay);
      throw error;
    }
  }

  #ended(code: number, { series, inflight, startedMs }: PendingRequest): void {
    const endedMs = this.#clock.now();
    inflight.add(-1, endedMs);
    note(series, code, endedMs - startedMs);
  }

  /** Counts a watch or stream when it ends; not where it is never subscribed to. */
  async #longRunning(series: Series, exchange: Exchange, serve: Serve): Promise<ApiResponse> {
    const { receivedMs: startedMs } = exchange;
    let response: ApiResponse;
    try {
      response = await serve(exchange);
    } catch (error) {
      note(series, failureCode(error), this.#clock.now() - startedMs);
      throw error;
    }
    const code = codeOf(response);
    const ends = (): void => {
      series.open -= 1;
      note(series, code, this.#clock.now() - startedMs);
    };
    const begins = (): void => void (series.open += 1);
    if (response.type === 'watch')
      return {
        ...response,
        events: response.events.pipe(tap({ subscribe: begins, next: () => void (series.events += 1), finalize: ends })),
      };
    if (response.type === 'stream')
      return withSession(response, (session$) => session$.pipe(tap({ subscribe: begins, finalize: ends })));
    if (response.type === 'raw' && isStream(response.content))
      return { ...response, content: response.content.pipe(tap({ subscribe: begins, finalize: ends })) };
    note(series, code, this.#clock.now() - startedMs);
    return response;
  }

  #seriesOf(request: ApiRequest): Series {
    const { info } = request;
    const verb = verbOf(request);
    if (!info.isResource) {
      const subresource = documentOf(info.path);
      const known = this.#series.get(subresource)?.find(({ labels }) => labels.verb === verb);
      return known ?? this.#find({ ...nothing, verb, subresource });
    }
    const { group, version, resource, subresource } = info;
    const scope = scopeOf(info);
    const dryRun = dryRunOf(request);
    for (const series of this.#series.get(resource) ?? none) {
      const { labels } = series;
      // Compared in the order in which labels most often differ.
      if (
        labels.verb === verb &&
        labels.scope === scope &&
        labels.subresource === subresource &&
        labels.group === group &&
        labels.version === version &&
        labels.dry_run === dryRun
      )
        return series;
    }
    const served = this.#kinds.current.resource({ group, version, resource })?.resource;
    const exists =
      served !== undefined && (subresource === '' || served.subresources.some(({ name }) => name === subresource));
    const what = exists ? { group, version, resource, subresource } : { resource: unknown };
    return this.#find({ ...nothing, verb, dry_run: dryRun, scope, component: 'apiserver', ...what });
  }

  #find(labels: Labels): Series {
    // Keys of documents start with a slash, which no resource does.
    const key = labels.resource === '' ? labels.subresource : labels.resource;
    const few = this.#series.get(key) ?? [];
    const text = labelText({ ...labels });
    const known = few.find((series) => labelText({ ...series.labels }) === text);
    if (known !== undefined) return known;
    const series: Series = { labels, codes: new Map(), durations: new Histogram(durationBounds), open: 0, events: 0 };
    this.#series.set(key, [...few, series]);
    return series;
  }
}

const nothing: Labels = {
  verb: '',
  dry_run: '',
  group: '',
  version: '',
  resource: '',
  subresource: '',
  scope: '',
  component: '',
};
const none: readonly Series[] = [];

const durationBounds: readonly number[] = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];
const readingVerbs: ReadonlySet<string> = new Set(['get', 'list', 'watch', 'head']);
const unknown = 'other';
const unknownDocument = '/other';

function note(series: Series, code: number, elapsedMs: number): void {
  series.codes.set(code, (series.codes.get(code) ?? 0) + 1);
  series.durations.observe(elapsedMs / 1000);
}

function failureCode(error: unknown): number {
  return isApiError(error) ? (error.status.code ?? 500) : 500;
}

function isStream(content: string | Uint8Array | Observable<Uint8Array>): content is Observable<Uint8Array> {
  return typeof content !== 'string' && !(content instanceof Uint8Array);
}

function verbOf(request: ApiRequest): string {
  const { verb, isResource, subresource } = request.info;
  if (isResource && connections.has(subresource)) return 'CONNECT';
  if (verb === 'patch')
    return request.header('Content-Type')?.startsWith('application/apply-patch+') === true ? 'APPLY' : 'PATCH';
  return (isResource ? reportedVerbs : reportedMethods).get(verb) ?? 'OTHER';
}

const connections: ReadonlySet<string> = new Set(['log', 'exec', 'portforward', 'attach', 'proxy']);
const reportedVerbs: ReadonlyMap<string, string> = new Map([
  ['get', 'GET'],
  ['list', 'LIST'],
  ['watch', 'WATCH'],
  ['create', 'POST'],
  ['update', 'PUT'],
  ['delete', 'DELETE'],
  ['deletecollection', 'DELETE'],
  ['proxy', 'CONNECT'],
]);
const reportedMethods: ReadonlyMap<string, string> = new Map([
  ...['get', 'post', 'put', 'patch', 'delete'].map((method) => [method, method.toUpperCase()] as const),
  ['head', 'GET'],
]);

function scopeOf({ name, verb, namespace }: RequestInfo): string {
  if (name !== '' || verb === 'create') return 'resource';
  return namespace === '' ? 'cluster' : 'namespace';
}

/** The dry_run label of writes; invalid values share one. */
function dryRunOf(request: ApiRequest): string {
  const { verb, isResource } = request.info;
  if (!isResource || readingVerbs.has(verb)) return '';
  try {
    const { dryRun = [] } = request.options();
    return dryRun.length === 0 ? '' : dryRun.every((each) => each === 'All') ? 'All' : 'invalid';
  } catch {
    return 'invalid';
  }
}

/** The first segment of a known path. */
function documentOf(path: string): string {
  const end = path.indexOf('/', 1);
  const root = end < 0 ? path : path.slice(0, end);
  return documents.has(root) ? root : unknownDocument;
}

const documents: ReadonlySet<string> = new Set([
  '/',
  '/api',
  '/apis',
  '/version',
  '/healthz',
  '/livez',
  '/readyz',
  '/metrics',
  '/openapi',
  '/.well-known',
]);

function eventSamples(all: Iterable<Series>): readonly Sample[] {
  const sums = new Map<string, number>();
  for (const { labels, events } of all) {
    if (labels.verb !== 'WATCH') continue;
    const key = labelText({ group: labels.group, version: labels.version, resource: labels.resource });
    sums.set(key, (sums.get(key) ?? 0) + events);
  }
  return Array.from(sums, ([labels, value]) => ({ labels, value }));
}

/**
 * The maximum of a quantity within the last one to two seconds, so that short peaks between two scrapes are visible. As
 * requestWatermark in apiserver/pkg/server/filters/maxinflight.go.
 */
export class Peak {
  #value = 0;
  /** The end of the current second. */
  #endMs = 0;
  /** The maximum of the current second; `#before` is that of the previous one. */
  #highest = 0;
  #before = 0;

  /** Changes the quantity. */
  add(difference: number, nowMs: number): void {
    if (nowMs >= this.#endMs) this.#turn(nowMs);
    this.#value += difference;
    if (this.#value > this.#highest) this.#highest = this.#value;
  }

  /** Returns the recent maximum. */
  at(nowMs: number): number {
    if (nowMs >= this.#endMs) this.#turn(nowMs);
    return Math.max(this.#highest, this.#before);
  }

  #turn(nowMs: number): void {
    this.#before = nowMs < this.#endMs + 1000 ? this.#highest : this.#value;
    this.#highest = this.#value;
    this.#endMs = (Math.floor(nowMs / 1000) + 1) * 1000;
  }
}
