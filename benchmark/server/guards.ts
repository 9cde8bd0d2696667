// What each guard of the pipeline adds to a request that it lets pass: the pipeline with nothing but that step, less
// the pipeline without any. Time of the process, not of the clock on the wall, since others use the machine too.
import type { IncomingMessage } from 'node:http';
import { createKinds, objectInformers, random, systemClock } from '../../lib/core/index.js';
import type { ApiRequest, Handler } from '../../lib/core/index.js';
import { auditLog } from '../../lib/server/audit/audit.js';
import { flowSchemas, priorityLevels } from '../../lib/server/bootstrap/flow-control.js';
import { writeBootstrap } from '../../lib/server/bootstrap/write-bootstrap.js';
import { fairnessOf } from '../../lib/server/fairness/fairness.js';
import { readRequestInfo } from '../../lib/server/http/request-info.js';
import { impersonateStep } from '../../lib/server/access/impersonate.js';
import { RequestMetrics } from '../../lib/server/metrics/request-metrics.js';
import { NodeInput } from '../../lib/server/node/node-http.js';
import { pipelineHandler } from '../../lib/server/pipeline.js';
import type { Pipeline } from '../../lib/server/pipeline.js';
import { objectReader } from '../../lib/server/registry/object-reader.js';
import { Registry } from '../../lib/server/registry/registry.js';
import { memoryStore } from '../../lib/storage/index.js';
import type { Row } from '../measure.js';

/** Nanoseconds that each step adds. */
export async function measureGuards(): Promise<Row[]> {
  const [clock, kinds, store] = [systemClock(), createKinds(), memoryStore()];
  const registry = new Registry({ kinds, store, clock });
  const objects = [...priorityLevels(), ...flowSchemas(0)].map((object) => ({ object }));
  await writeBootstrap(objects, { registry, store, clock, random: random(1) });
  const requests = new RequestMetrics(clock, kinds);
  const fairness = fairnessOf({
    registry,
    informers: objectInformers(objectReader(registry, clock)),
    clock,
    concurrency: 600,
    onRejected: requests.onRejected,
  });
  const audit = auditLog({ policy: { rules: [{ level: 'Metadata' }] }, clock, random: random(2) });
  const heard = auditLog({ policy: { rules: [{ level: 'Metadata' }] }, clock, random: random(3) });
  heard.events$.subscribe();
  const serve = async () => ({ type: 'raw', code: 200, contentType: 'text/plain', content: '' }) as const;
  const piped = (steps: Partial<Pipeline>, group = 'dev'): Handler =>
    pipelineHandler({
      clock,
      authenticate: () => ({ user: { username: 'bob', groups: [group, 'system:authenticated'] } }),
      serve,
      ...steps,
    });
  const times = await timed([
    piped({}),
    piped({ impersonate: impersonateStep() }),
    piped({ fairness: fairness.step }, 'system:masters'),
    piped({ fairness: fairness.step }),
    piped({ serve: requests.counting(serve) }),
    piped({ audit: audit.step }),
    piped({ audit: heard.step }),
  ]);
  fairness.close();
  await registry.close();
  const [bare = 0, ...steps] = times;
  const names = [
    'no impersonation among eight headers',
    'fairness, exempt',
    'fairness, a seat at once',
    'metrics',
    'audit without a sink',
    'audit, two events',
  ];
  const goals = ['≤ 500', '≤ 1000', '≤ 2000', '≤ 1000', '≤ 300', undefined];
  return names.map((name, index) => ({
    name: `added: ${name}`,
    value: Math.max(0, (steps[index] ?? 0) - bare),
    unit: 'ns',
    ...(goals[index] !== undefined && { goal: goals[index] }),
  }));
}

const rawHeaders = [
  'Host',
  'User-Agent',
  'Accept',
  'Accept-Encoding',
  'Authorization',
  'Kubectl-Command',
  'Kubectl-Session',
  'Content-Type',
].flatMap((name) => [name, 'x']);

function request(): ApiRequest {
  // All that is asked of a message here.
  const input = new NodeInput({ rawHeaders } as IncomingMessage);
  const info = readRequestInfo('GET', '/api/v1/namespaces/default/pods/x', new Map());
  if (info === undefined) throw new Error('no such path');
  return {
    info,
    uri: info.path,
    header: () => undefined,
    options: () => ({}),
    body: async () => undefined,
    negotiate: () => ({ mediaType: 'application/json', pretty: false }),
    headersWith: (prefix) => input.headersWith(prefix),
    addNotes: () => undefined,
  };
}

/** The best of many slices, in turns. */
async function timed(handlers: readonly Handler[]): Promise<number[]> {
  const asked = Array.from({ length: 64 }, request);
  const best = handlers.map(() => Infinity);
  for (let round = 0; round < 30; round += 1) {
    for (const [index, handler] of handlers.entries()) {
      const start = process.cpuUsage();
      for (let call = 0; call < 10_000; call += 1) await handler(asked[call % 64]!);
      best[index] = Math.min(best[index] ?? 0, process.cpuUsage(start).user / 10);
    }
  }
  return best;
}
