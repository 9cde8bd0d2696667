// Health: `/healthz`, `/livez` and `/readyz`, each the sum of named checks that can be asked one by one, left out, or
// listed. As apiserver/pkg/server/healthz/healthz.go.
import type { RawResponse } from '../../client/index.js';
import type { Exchange } from '../requests/exchange.js';
import { pageNotFound, textResponse } from './text-response.js';

/** A check: resolves when all is well, rejects when not. */
export interface HealthCheck {
  readonly name: string;
  check(): Promise<void>;
}

/** Answers the path of an endpoint (`healthz`) or of one of its checks (`healthz/ping`). */
export async function health(
  checks: readonly HealthCheck[],
  path: string,
  { request }: Exchange,
): Promise<RawResponse> {
  const [endpoint = '', ...rest] = path.split('/').filter((part) => part !== '');
  const name = rest.join('/');
  if (name !== '') {
    const check = checks.find((each) => each.name === name);
    if (check === undefined) return pageNotFound();
    return (await failureOf(check)) === undefined
      ? healthy
      : textResponse(500, 'internal server error: reason withheld\n');
  }
  const { parameters = {} } = request.options();
  const excluded = new Set(parameters.exclude ?? []);
  const asked = checks.filter((check) => !excluded.has(check.name));
  const failures = new Map(
    await Promise.all(asked.map(async (check) => [check.name, await failureOf(check)] as const)),
  );
  const lines = checks.map((check) => line(check.name, excluded, failures.get(check.name)));
  for (const stranger of [...excluded].filter((each) => !checks.some((check) => check.name === each))) {
    lines.push(`warn: some health checks cannot be excluded: no matches for ${JSON.stringify(stranger)}`);
  }
  const failed = asked.some((check) => failures.get(check.name) !== undefined);
  if (failed) return textResponse(500, `${lines.join('\n')}\n${endpoint} check failed\n`);
  return textResponse(200, parameters.verbose === undefined ? 'ok' : `${lines.join('\n')}\n${endpoint} check passed\n`);
}

/** One check that is well says so without a word about what it is not. */
const healthy: RawResponse = { type: 'raw', code: 200, contentType: 'text/plain; charset=utf-8', content: 'ok' };

function line(name: string, excluded: ReadonlySet<string>, failure: unknown): string {
  if (excluded.has(name)) return `[+]${name} excluded: ok`;
  return failure === undefined ? `[+]${name} ok` : `[-]${name} failed: reason withheld`;
}

async function failureOf(check: HealthCheck): Promise<unknown> {
  try {
    await check.check();
    return undefined;
  } catch (error) {
    return error ?? new Error('failed');
  }
}
