// The metrics and health endpoints of a scheduler or of controllers that run alone, over plain HTTP without
// authentication: `/metrics`, `/healthz`, `/livez` and `/readyz`, with the responses of Kubernetes' components.
import type { ApiResponse, Handler, RawResponse } from '../core/index.js';
import { createKinds, errorText, methodNotAllowed, prometheusType } from '../core/index.js';
import { listen } from '../server/node/index.js';
import type { Listening } from '../server/node/index.js';
import type { MetricsAddress } from './scheduler-flags.js';

/** The content of the endpoints. */
export interface MetricsPage {
  /** Returns the metrics in Prometheus' text format. */
  readonly metrics: () => string;
  /** True once the caches are synced and pods are scheduled. */
  readonly isReady: () => boolean;
  /** The name of the check that fails before. Default: that of kube-scheduler. */
  readonly readinessCheck?: string;
}

/** Serves the endpoints at an address. Rejects if it cannot listen there. */
export async function serveMetrics(page: MetricsPage, { host, port }: MetricsAddress): Promise<Listening> {
  try {
    return await listen({ handler: pageHandler(page), kinds: createKinds() }, { host, port });
  } catch (cause) {
    throw new Error(`cannot serve metrics on ${host}:${port}: ${errorText(cause)}`, { cause });
  }
}

/** Handles a request. */
export function pageHandler({ metrics, isReady, readinessCheck = 'sched-handler-sync' }: MetricsPage): Handler {
  const answers: ReadonlyMap<string, () => ApiResponse> = new Map<string, () => ApiResponse>([
    ['/metrics', () => ({ type: 'raw', code: 200, contentType: prometheusType, content: metrics() })],
    ['/healthz', ok],
    ['/livez', ok],
    ['/readyz', () => (isReady() ? ok() : text(500, notReady(readinessCheck)))],
  ]);
  return ({ info: { path, verb } }) => {
    const answer = answers.get(path);
    if (answer === undefined) return text(404, '404 page not found\n');
    if (verb !== 'get' && verb !== 'head') throw methodNotAllowed();
    return answer();
  };
}

function notReady(check: string): string {
  return `[+]ping ok\n[-]${check} failed: reason withheld\nreadyz check failed\n`;
}

function ok(): RawResponse {
  return text(200, 'ok');
}

function text(code: number, content: string): RawResponse {
  return {
    type: 'raw',
    code,
    contentType: 'text/plain; charset=utf-8',
    content,
    headers: { 'X-Content-Type-Options': 'nosniff' },
  };
}
