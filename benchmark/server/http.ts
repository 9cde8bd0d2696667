// The server over HTTP against a bare node:http server that answers the same bytes, in turns.
import { createServer as createBareServer, get as httpGet } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { createServer } from '../../lib/server/index.js';
import { listen } from '../../lib/server/node/index.js';
import { memoryStore } from '../../lib/storage/index.js';
import type { Row } from '../measure.js';

const connections = 16;
const kilobyte = 'x'.repeat(1000);
const maps = '/api/v1/namespaces/default/configmaps';

/** Requests per second, lists and latency over the wire. */
export async function measureHttp(): Promise<Row[]> {
  const server = createServer({ store: memoryStore() });
  const listening = await listen(server, {});
  await post(listening.port, maps, { metadata: { name: 'one' }, data: { k: kilobyte } });
  const bytes = await bytesOf(listening.port, `${maps}/one`);
  const bare = createBareServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': bytes.length });
    response.end(bytes);
  });
  await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve));
  const barePort = (bare.address() as AddressInfo).port;
  // In turns, and the median of what they are to each other: a neighbour on the machine disturbs one of a pair at a
  // time.
  const pairs: { readonly gets: number; readonly bareGets: number }[] = [];
  for (let round = 0; round < 9; round += 1) {
    const gets = await load({ port: listening.port, method: 'GET', path: `${maps}/one` });
    pairs.push({ gets, bareGets: await load({ port: barePort, method: 'GET', path: '/' }) });
  }
  const ratios = pairs.map(({ gets, bareGets }) => (100 * gets) / bareGets).sort((a, b) => a - b);
  const latency = await watchLatency(listening.port);
  const bodyOf = JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { generateName: 'made-' },
    data: { k: kilobyte },
  });
  const creates = await load({
    port: listening.port,
    method: 'POST',
    path: '/api/v1/namespaces/kube-system/configmaps',
    bodyOf,
  });
  for (let n = 0; n < 5000; n += 1)
    await post(listening.port, '/api/v1/namespaces/kube-public/configmaps', {
      metadata: { name: `c-${n}` },
      data: { k: kilobyte },
    });
  const lists = await Promise.resolve().then(async () => {
    const times: number[] = [];
    for (let round = 0; round < 7; round += 1) {
      const start = performance.now();
      await bytesOf(listening.port, '/api/v1/namespaces/kube-public/configmaps');
      times.push(performance.now() - start);
    }
    return times;
  });
  await listening.close();
  await server.close();
  bare.close();
  return [
    {
      name: 'HTTP: get one ConfigMap of 1 KB, 16 connections',
      value: Math.max(...pairs.map(({ gets }) => gets)),
      unit: '/s',
    },
    {
      name: 'HTTP: a bare server answering the same bytes',
      value: Math.max(...pairs.map(({ bareGets }) => bareGets)),
      unit: '/s',
    },
    { name: 'HTTP: get over bare, median of nine', value: ratios[4] ?? 0, unit: '%', goal: '≥ 60' },
    { name: 'HTTP: create a ConfigMap of 1 KB, 16 connections', value: creates, unit: '/s' },
    { name: 'HTTP: list of 5,000 ConfigMaps of 1 KB, first', value: lists[0] ?? 0, unit: 'ms' },
    { name: 'HTTP: the same, best of the following', value: Math.min(...lists.slice(1)), unit: 'ms' },
    { name: 'HTTP: write to watch event, median', value: latency, unit: 'ms' },
  ];
}

/** What to send, over and over. */
export interface Load {
  readonly port: number;
  readonly method: string;
  readonly path: string;
  readonly bodyOf?: string;
  readonly authorization?: string;
}

/** Requests per second that were answered. */
export function load(options: Load): Promise<number> {
  return new Promise((resolve, reject) => {
    const worker = new Worker('./benchmark/server/load.mjs', {
      workerData: { connections, durationMs: 1500, ...options },
    });
    worker.once('message', ({ perSecond }: { perSecond: number }) => resolve(perSecond));
    worker.once('error', reject);
  });
}

async function post(port: number, path: string, body: object): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  await response.arrayBuffer();
}

function bytesOf(port: number, path: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    httpGet({ host: '127.0.0.1', port, path, agent: false }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => resolve(Buffer.concat(parts)));
    }).on('error', reject);
  });
}

async function watchLatency(port: number): Promise<number> {
  const times: number[] = [];
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/namespaces/default/secrets?watch=1`);
  const reader = response.body?.getReader();
  for (let n = 0; n < 100; n += 1) {
    const start = performance.now();
    const seen = reader?.read().then(() => performance.now() - start);
    await post(port, '/api/v1/namespaces/default/secrets', { metadata: { name: `s-${n}` } });
    times.push((await seen) ?? Number.NaN);
  }
  await reader?.cancel();
  return times.sort((a, b) => a - b)[50] ?? Number.NaN;
}
