// The server called in process: no socket, no bytes.
import { InProcessRequest } from '../../lib/core/index.js';
import type { ApiResponse, Handler, RequestOptions } from '../../lib/core/index.js';
import { createServer } from '../../lib/server/index.js';
import { memoryStore } from '../../lib/storage/index.js';
import type { Row } from '../measure.js';
import { samplePod } from '../sample-pod.js';

interface Ask {
  readonly verb: string;
  readonly resource: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly object?: unknown;
  readonly options?: RequestOptions;
}

async function ask(
  handler: Handler,
  { verb, resource, name = '', namespace = 'default', object, options = {} }: Ask,
): Promise<ApiResponse> {
  const info = {
    verb,
    isResource: true,
    path: '',
    group: '',
    version: 'v1',
    namespace,
    resource,
    subresource: '',
    name,
  };
  return handler(new InProcessRequest({ info, options, ...(object !== undefined && { body: { object } }) }));
}

/** Verbs per second, watchers, memory, and the time to the first answer. */
export async function measureInProcess(): Promise<Row[]> {
  return [...(await measureStart()), ...(await measureVerbs()), ...(await measureWatchers()), ...(await measureHeap())];
}

async function measureStart(): Promise<Row[]> {
  const times: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const start = performance.now();
    const server = createServer({ store: memoryStore() });
    await ask(server.handler, { verb: 'get', resource: 'namespaces', name: 'default', namespace: '' });
    times.push(performance.now() - start);
    await server.close();
  }
  return [
    { name: 'createServer to the first answer, first in the process', value: times[0] ?? 0, unit: 'ms', goal: '≤ 30' },
    { name: 'createServer to the first answer, later ones', value: Math.min(...times.slice(1)), unit: 'ms' },
  ];
}

async function measureVerbs(): Promise<Row[]> {
  const server = createServer({ store: memoryStore() });
  const { handler } = server;
  const map = (name: string, value: string): object => ({ metadata: { name }, data: { key: value } });
  const creates = await best(5, 5000, (n, round) =>
    ask(handler, { verb: 'create', resource: 'configmaps', object: map(`c-${round}-${n}`, 'x') }),
  );
  const pods = await best(5, 2000, (n, round) =>
    ask(handler, {
      verb: 'create',
      resource: 'pods',
      object: { ...samplePod, metadata: { ...samplePod.metadata, namespace: 'default', name: `p-${round}-${n}` } },
    }),
  );
  const gets = await best(8, 50_000, () => ask(handler, { verb: 'get', resource: 'configmaps', name: 'c-0-7' }));
  const lists = await best(5, 200, () =>
    ask(handler, { verb: 'list', resource: 'configmaps', options: { limit: 500 } }),
  );
  const updates = await best(5, 5000, (n, round) =>
    ask(handler, { verb: 'update', resource: 'configmaps', name: `c-0-${n}`, object: map(`c-0-${n}`, `${round}`) }),
  );
  const response = await ask(handler, {
    verb: 'watch',
    resource: 'configmaps',
    options: { sendInitialEvents: false, resourceVersionMatch: 'NotOlderThan' },
  });
  let seen = 0;
  const watching = response.type === 'watch' ? response.events.subscribe(() => (seen += 1)) : undefined;
  const watched = await best(5, 5000, (n, round) =>
    ask(handler, { verb: 'create', resource: 'configmaps', object: map(`w-${round}-${n}`, 'x') }),
  );
  watching?.unsubscribe();
  await server.close();
  return [
    { name: 'in process: create a ConfigMap', value: creates, unit: '/s', goal: '≥ 20000' },
    { name: 'in process: create a pod of 2.7 KB', value: pods, unit: '/s' },
    { name: 'in process: get', value: gets, unit: '/s', goal: '≥ 500000' },
    { name: 'in process: list a page of 500', value: lists, unit: '/s' },
    { name: 'in process: update', value: updates, unit: '/s' },
    { name: `in process: create with a watcher (${seen} events seen)`, value: watched, unit: '/s' },
  ];
}

async function measureWatchers(): Promise<Row[]> {
  const cost = async (watchers: number): Promise<number> => {
    const server = createServer({ store: memoryStore() });
    const subscriptions = await Promise.all(
      Array.from({ length: watchers }, async (_, n) => {
        const response = await ask(server.handler, {
          verb: 'watch',
          resource: 'pods',
          namespace: '',
          options: {
            fieldSelector: `spec.nodeName=node-${n}`,
            sendInitialEvents: false,
            resourceVersionMatch: 'NotOlderThan',
          },
        });
        return response.type === 'watch' ? response.events.subscribe() : undefined;
      }),
    );
    // The same pods in both cases, all of them watched: a server remembers the specs that it has seen.
    const perSecond = await best(5, 1000, (n, round) =>
      ask(server.handler, {
        verb: 'create',
        resource: 'pods',
        object: {
          metadata: { name: `p-${round}-${n}` },
          spec: { nodeName: `node-${n % 10}`, containers: [{ name: 'c', image: 'i' }] },
        },
      }),
    );
    for (const each of subscriptions) each?.unsubscribe();
    await server.close();
    return 1e6 / perSecond;
  };
  const [few, many] = [await cost(10), await cost(10_000)];
  return [
    { name: 'pod write with 10 watchers of a node each', value: few, unit: 'µs' },
    { name: 'pod write with 10,000 watchers of a node each', value: many, unit: 'µs' },
    { name: '10,000 watchers over 10', value: many / few, unit: '×', goal: '≤ 2' },
  ];
}

async function measureHeap(): Promise<Row[]> {
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const server = createServer({ store: memoryStore() });
  for (let n = 0; n < 150_000; n += 1) {
    await ask(server.handler, {
      verb: 'create',
      resource: 'pods',
      object: { ...samplePod, metadata: { ...samplePod.metadata, namespace: 'default', name: `p-${n}` } },
    });
  }
  globalThis.gc?.();
  const heap = process.memoryUsage().heapUsed - before;
  await server.close();
  return [{ name: 'heap with 150,000 pods of 2.7 KB', value: heap / 2 ** 30, unit: 'GiB', goal: '≤ 2' }];
}

/** The best round, in calls per second. */
async function best(
  rounds: number,
  calls: number,
  call: (n: number, round: number) => Promise<unknown>,
): Promise<number> {
  let perSecond = 0;
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now();
    for (let n = 0; n < calls; n += 1) await call(n, round);
    perSecond = Math.max(perSecond, (calls * 1000) / (performance.now() - start));
  }
  return perSecond;
}
