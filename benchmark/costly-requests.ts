// How long one request holds the thread: every request of the corpus (test/support/costly-requests.ts) at the limit of
// a body, through the wire without a socket. Prints the longest and the most expensive. Arguments: bytes of a body, a
// text that names must contain, how many to print. The time is the processor's, of all threads of the process, so that
// a busy machine does not count, though garbage collection does.
import { createServer, fetchHandler } from '../lib/server/index.js';
import { memoryStore } from '../lib/storage/index.js';
import { costlyRequests } from '../test/support/costly-requests.js';
import type { CostlyRequest } from '../test/support/costly-requests.js';
import { report } from './measure.js';

const bytes = Number(process.argv[2] ?? 3 * 1024 * 1024 - 1024);
const wanted = process.argv[3] ?? '';

interface Cost {
  readonly name: string;
  readonly ms: number;
  readonly code: number;
  readonly answered: number;
}

const requests = costlyRequests(bytes).filter(({ name }) => name.includes(wanted));
const costs: Cost[] = [];
for (const request of requests) {
  const cost = await measure(request);
  costs.push(cost);
  if (cost.ms > 500) console.error(`${cost.name}: ${cost.ms.toFixed(0)} ms, ${cost.code}, ${cost.answered} bytes`);
}
costs.sort((a, b) => b.ms - a.ms);
const met = report(`Costly requests: ${costs.length} bodies of ${bytes} bytes`, [
  { name: 'longest time that one request holds the thread', value: costs[0]?.ms ?? 0, unit: 'ms', goal: '≤ 1000' },
  ...costs
    .slice(0, Number(process.argv[4] ?? 10))
    .map(({ name, ms, code, answered }) => ({ name: `${name} (${code}, ${answered} bytes)`, value: ms, unit: 'ms' })),
]);
process.exitCode = met ? 0 : 1;

async function measure({ name, method, path, type = 'application/json', needs, body }: CostlyRequest): Promise<Cost> {
  const server = createServer({ store: memoryStore() });
  const handle = fetchHandler(server);
  const send = async (to: string, verb: string, media: string, text?: string): Promise<[number, number]> => {
    const headers = { 'Content-Type': media, ...(media === 'table' && { Accept: tables }) };
    const response = await handle(
      new Request(`http://x${to}`, { method: verb, headers, ...(text !== undefined && { body: text }) }),
    );
    return [response.status, (await response.arrayBuffer()).byteLength];
  };
  await send('/version', 'GET', 'application/json');
  for (const [collection, object] of needs?.() ?? []) {
    const [code] = await send(collection, 'POST', 'application/json', JSON.stringify(object));
    if (code !== 201) console.error(`${name}: what it needs is refused with ${code}`);
  }
  const text = body?.();
  const start = process.cpuUsage();
  const [code, answered] = await send(path, method, type, text);
  const { user, system } = process.cpuUsage(start);
  await server.close();
  return { name, ms: (user + system) / 1000, code, answered };
}

const tables = 'application/json;as=Table;v=v1;g=meta.k8s.io';
