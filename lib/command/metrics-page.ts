// What a scheduler that runs alone tells over plain HTTP: its figures under `/metrics`, and under `/healthz`, `/livez`
// and
// `/readyz` whether it is there and knows its cluster, in the words of kube-scheduler. Whoever reaches the address may
// read.
import type { ApiResponse, Handler, RawResponse } from '../client/index.js';
import { createKinds, errorText, methodNotAllowed, prometheusType } from '../core/index.js';
import { listen } from '../server/node/index.js';
import type { Listening } from '../server/node/index.js';
import type { MetricsAddress } from './scheduler-flags.js';

/** What is told. */
export interface MetricsPage {
  /** The text that Prometheus reads. */
  readonly metrics: () => string;
  /** Whether the cluster is known and pods are tried. */
  readonly isReady: () => boolean;
}

/** Serves the page at an address. Rejects where it cannot be had. */
export async function serveMetrics(page: MetricsPage, { host, port }: MetricsAddress): Promise<Listening> {
  try {
    return await listen({ handler: pageHandler(page), kinds: createKinds() }, { host, port });
  } catch (cause) {
    throw new Error(`cannot serve metrics on ${host}:${port}: ${errorText(cause)}`, { cause });
  }
}

/** Answers requests for the page. */
export function pageHandler({ metrics, isReady }: MetricsPage): Handler {
  const answers: ReadonlyMap<string, () => ApiResponse> = new Map<string, () => ApiResponse>([
    ['/metrics', () => ({ type: 'raw', code: 200, contentType: prometheusType, content: metrics() })],
    ['/healthz', ok],
    ['/livez', ok],
    ['/readyz', () => (isReady() ? ok() : text(500, notReady))],
  ]);
  return ({ info: { path, verb } }) => {
    const answer = answers.get(path);
    if (answer === undefined) return text(404, '404 page not found\n');
    if (verb !== 'get' && verb !== 'head') throw methodNotAllowed();
    return answer();
  };
}

const notReady = '[+]ping ok\n[-]sched-handler-sync failed: reason withheld\nreadyz check failed\n';

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
