// Requests that are as costly as their size allows: what they cost is bounded by the limits of findings, and what stays
// below the limits is complete. The corpus is that of benchmark/costly-requests.ts, with small bodies: counts are
// checked, not times.
import t from 'tap';
import type { Test } from 'tap';
import { createServer, fetchHandler } from '../../lib/server/index.js';
import type { ApiServer, FetchHandler } from '../../lib/server/index.js';
import { memoryStore } from '../../lib/storage/index.js';
import { costlyRequests } from '../support/costly-requests.js';

/** The limit of field errors in a response, and the cause that says that there are more. */
const errorsMax = 1000;

interface Answer {
  readonly code: number;
  readonly bytes: number;
  readonly causes: readonly { readonly reason: string; readonly field: string; readonly message: string }[];
  readonly message: string;
}

async function post(handle: FetchHandler, path: string, body: string, method = 'POST', type = json): Promise<Answer> {
  const content = method === 'GET' || body === '' ? {} : { body };
  const response = await handle(
    new Request(`http://x${path}`, { method, headers: { 'Content-Type': type }, ...content }),
  );
  const text = await response.text();
  const { details, message = '' } = JSON.parse(text) as {
    readonly details?: { readonly causes?: Answer['causes'] };
    readonly message?: string;
  };
  return { code: response.status, bytes: text.length, causes: details?.causes ?? [], message };
}

const json = 'application/json';
const pods = '/api/v1/namespaces/default/pods';

function served(t: Test): { readonly server: ApiServer; readonly handle: FetchHandler } {
  const server = createServer({ store: memoryStore() });
  t.teardown(() => server.close());
  return { server, handle: fetchHandler(server) };
}

function podWithPorts(count: number): string {
  const ports = Array.from({ length: count }, () => ({ name: '_', containerPort: 80 }));
  const containers = [{ name: 'a', image: 'b', ports }];
  return JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { containers } });
}

t.test('a response lists a thousand field errors and says that there are more', async (t) => {
  const { handle } = served(t);
  const few = await post(handle, pods, podWithPorts(100));
  const many = await post(handle, pods, podWithPorts(9000));
  t.ok(few.causes.length >= 100 && few.causes.length < errorsMax, 'few errors are all listed');
  t.ok(few.causes.every(({ reason }) => reason !== 'FieldValueTooMany'));
  t.same(many.causes.slice(0, few.causes.length / 2), few.causes.slice(0, few.causes.length / 2));
  t.equal(many.causes.length, errorsMax + 1);
  t.match(many.causes.at(-1), { reason: 'FieldValueTooMany', message: /only the first 1000 errors are listed/ });
  t.match(many.message, /only the first 1000 errors are listed\]$/);
});

t.test('errors that each print a whole list are bounded by their text', async (t) => {
  const { handle } = served(t);
  const scopes = Array.from({ length: 20_000 }, () => '');
  const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'a' }, spec: { scopes } };
  const { causes, bytes } = await post(handle, '/api/v1/namespaces/default/resourcequotas', JSON.stringify(quota));
  t.ok(causes.length < errorsMax / 2, `${causes.length} errors`);
  t.match(causes.at(-1), { reason: 'FieldValueTooMany' });
  t.ok(bytes < 16 * 1024 * 1024, `${bytes} bytes`);
});

t.test('every part of the corpus is answered within the limits', async (t) => {
  const bytes = 24_000;
  const requests = costlyRequests(bytes);
  t.ok(requests.length >= 200, `${requests.length} requests`);
  const { handle } = served(t);
  // A part that differs from list to list in its filling, so that each list is met with one of its four.
  for (const [index, { name, method, path, type = json, needs, body }] of requests.entries()) {
    if (needs !== undefined || type === 'table' || index % 4 !== Math.floor(index / 4) % 4) continue;
    const { code, causes } = await post(handle, path, body?.() ?? '', method, type);
    if (code >= 500 && code !== 503) t.match(name, /Binding|Review|review/, `${name}: ${code}`);
    if (causes.length > errorsMax + 1) t.fail(`${name}: ${causes.length} errors`);
  }
});
